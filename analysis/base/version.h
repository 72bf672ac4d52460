/* The version of CMP-D, as the project's CMakeLists.txt states it. */
#ifndef CMPD_ANALYSIS_BASE_VERSION_H
#define CMPD_ANALYSIS_BASE_VERSION_H

/* "0.1.0"; static. */
const char *cmpd_version(void);

#endif
