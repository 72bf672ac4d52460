/* Paths inside a repository: bytes with '/' between names, never absolute. */
#ifndef CMPD_BOT_GIT_PATH_H
#define CMPD_BOT_GIT_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * `relative` as seen from the folder `dir` ("" is the root), with "." and ".." worked out. NULL when it is absolute,
 * empty, leads out of the root, or is over CMPD_PATH_CEILING_BYTES. Caller owns.
 */
char *cmpd_path_join(const char *dir, const char *relative, size_t relative_len);

/* The folder of a path, without the final '/'; "" for the root. Caller owns. */
char *cmpd_path_dir(const char *path);

/* What follows the last '/'; borrowed. */
const char *cmpd_path_base(const char *path);

/* True for one of ".cu" and ".cuh" (what is judged). */
bool cmpd_path_is_cuda(const char *path);

/* True for a file that CUDA code may include: headers of any spelling, and sources, which are included as well. */
bool cmpd_path_is_code(const char *path);

/*
 * For people and for JSON: bytes that are no UTF-8 and control characters become \xHH, so that a name can neither
 * break a document nor forge a line of it. Caller owns.
 */
char *cmpd_path_shown(const char *path);

/* May the path be created below a folder of ours? No empty, "." or ".." name, not absolute, no over-long name. */
bool cmpd_path_is_safe(const char *path);

#endif
