/*
 * Every ceiling of the project in one place. Bytes unless the name says so.
 * They bound what hostile input can cost; real CUDA code is far below each.
 */
#ifndef CMPD_ANALYSIS_BASE_LIMITS_H
#define CMPD_ANALYSIS_BASE_LIMITS_H

#define CMPD_BUF_CEILING_BYTES           ((size_t)256 << 20) /* any growing buffer */
#define CMPD_ARENA_CEILING_BYTES         ((size_t)512 << 20) /* all that one analysed file needs */
#define CMPD_SOURCE_CEILING_BYTES        ((size_t)8 << 20) /* a source file; the largest seen is 2 MB */
#define CMPD_POLICY_CEILING_BYTES        ((size_t)1 << 20)  /* a cmpd.json */
#define CMPD_EXPANSION_CEILING_BYTES     ((size_t)16 << 20) /* a file after macro expansion */
#define CMPD_EXPANSION_STEPS_CEILING     4000000 /* tokens made by macro expansion, a file */
#define CMPD_EXPANSION_USE_STEPS_CEILING 200000  /* the same, one use in the source */
#define CMPD_EXPANSION_DEPTH_CEILING     100     /* macro arguments expanded inside arguments */
#define CMPD_EXPANSION_CHAIN_CEILING     256     /* macros that turn into one another */
#define CMPD_CONDITION_DEPTH_CEILING     200     /* parentheses and operators nested in an #if */
/*
 * What a parse may cost, so that the answer does not hang on the machine's speed. A step is a call of the
 * parser's progress callback: real code has 76 bytes or more to a step, dense text 20, hostile text 10. Its memory is
 * 100 bytes for each byte of text; `a<a<a<` needs 3,000.
 */
#define CMPD_PARSE_STEPS_FLOOR           2000
#define CMPD_PARSE_BYTES_PER_STEP        8
#define CMPD_PARSE_MEMORY_FLOOR_BYTES    ((size_t)32 << 20)
#define CMPD_PARSE_MEMORY_PER_BYTE       160
#define CMPD_PARSE_MEMORY_CEILING_BYTES  ((size_t)1 << 30)
/* Processor time: real code takes 200 ns a byte. `A(1) A(1) A(1)` is quadratic within a few large steps. */
#define CMPD_PARSE_TIME_FLOOR_NS         ((uint64_t)500000000)
#define CMPD_PARSE_TIME_PER_BYTE_NS      1500
#define CMPD_NESTING_CEILING             400 /* brackets open at once; deeper text is not parsed */
#define CMPD_HEADER_CEILING_BYTES \
    ((size_t)12 << 10) /* a header of the repository, for the static track */
#define CMPD_HEADERS_CEILING_BYTES ((size_t)32 << 10) /* all that one file includes */
#define CMPD_HEADERS_CEILING       64                 /* headers that one file includes */
#define CMPD_HEADER_DEPTH_CEILING  8
#define CMPD_FINDINGS_CEILING      10000   /* findings a file */
#define CMPD_TOKENS_CEILING        4000000 /* tokens a file */

/* A repository under review. */
#define CMPD_PATH_CEILING_BYTES ((size_t)4096)
#define CMPD_SHALLOW_CEILING_BYTES \
    ((size_t)64 << 20)                              /* the list of a shallow clone's cut commits */
#define CMPD_DIFF_FILES_CEILING   ((size_t)200000)  /* files that one change touches */
#define CMPD_TREE_ENTRIES_CEILING ((size_t)2000000) /* files of one commit */
#define CMPD_RENAME_LIMIT         1000              /* as git's diff.renameLimit */
#define CMPD_RENAME_BLOB_CEILING_BYTES \
    ((size_t)64 << 20) /* longer ones are renamed by equality alone */
#define CMPD_RENAME_STEPS_CEILING        ((uint64_t)8 << 30) /* bytes and pieces compared; some 10 s */
#define CMPD_RENAME_MEMORY_CEILING_BYTES ((uint64_t)512 << 20)
#define CMPD_INCLUDE_SCAN_CEILING_BYTES \
    ((uint64_t)2 << 30)                           /* code read to find who includes what */
#define CMPD_EXPORT_FILES_CEILING ((size_t)20000) /* files written out for one compiler run */
#define CMPD_EXPORT_CEILING_BYTES ((uint64_t)512 << 20)

#endif
