/*
 * Every ceiling of the project in one place. Bytes unless the name says so.
 * They bound what hostile input can cost; real CUDA code is far below each.
 */
#ifndef CMPD_ANALYSIS_BASE_LIMITS_H
#define CMPD_ANALYSIS_BASE_LIMITS_H

#define CMPD_BUF_CEILING_BYTES ((size_t)256 << 20)   /* any growing buffer */
#define CMPD_ARENA_CEILING_BYTES ((size_t)512 << 20) /* all that one analysed file needs */
#define CMPD_SOURCE_CEILING_BYTES ((size_t)8 << 20)  /* a source file; the largest seen is 2 MB */
#define CMPD_POLICY_CEILING_BYTES ((size_t)1 << 20)  /* a cmpd.json */
#define CMPD_EXPANSION_CEILING_BYTES ((size_t)16 << 20) /* a file after macro expansion */
#define CMPD_NESTING_CEILING 400      /* brackets open at once; deeper text is not parsed */
#define CMPD_FINDINGS_CEILING 10000   /* findings a file */
#define CMPD_TOKENS_CEILING 4000000   /* tokens a file */

#endif
