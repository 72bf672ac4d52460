/*
 * What is known about CUDA names: which exist, where they may be called, and
 * which toolkit added, deprecated or removed them. Read from rules/api/api.tbl
 * (written by rules/api/generate.py), which is mapped and searched in place:
 * opening costs some microseconds, a look-up fewer.
 */
#ifndef CMPD_RULES_API_API_DB_H
#define CMPD_RULES_API_API_DB_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/err.h"

enum cmpd_api_kind {
    CMPD_API_RUNTIME, /* CUDA runtime function */
    CMPD_API_WRAPPER, /* C++ template of cuda_runtime.h */
    CMPD_API_DEVRT,   /* of the device runtime alone */
    CMPD_API_DRIVER,
    CMPD_API_VECTOR, /* make_float4 ... */
    CMPD_API_DEVICE, /* intrinsics, mathematics, half, bfloat16, fp8, atomics, warp functions */
    CMPD_API_COOP,   /* namespace cooperative_groups */
    CMPD_API_PIPELINE,
    CMPD_API_LIBRARY, /* cuBLAS, cuRAND ... as far as the toolkit brings them */
    CMPD_API_TYPE,
    CMPD_API_ENUMERATOR,
    CMPD_API_OBJECT,     /* threadIdx ... */
    CMPD_API_BASE_MACRO, /* every file has it that nvcc compiles (NULL, M_PI, CUDART_VERSION ...) */
    CMPD_API_MACRO,      /* of the toolkit's headers */
    CMPD_API_WORD,       /* stands in a header, its role is not known */
    CMPD_API_GONE,       /* known from older toolkits alone */
    CMPD_API_HOST, /* C, POSIX or std function without a device form ("std::sort" with its scope) */
    CMPD_API_STD_MACRO,  /* of the standard headers or the compiler */
    CMPD_API_STD_DEVICE, /* C function or builtin that device code may use */
};

/* Versions count as CUDA_VERSION does: 12040 is 12.4; 0: not known, or never. */
struct cmpd_api_entry {
    const char *name; /* borrowed from the database, not terminated */
    size_t name_len;
    enum cmpd_api_kind kind;
    bool host, device; /* may be called there; both false where that has no meaning */
    int added, deprecated, removed;
    int arch;        /* removed for this compute capability (70) and later alone; 0: for all */
    const char *use; /* what to use instead; borrowed, not terminated */
    size_t use_len;
};

enum cmpd_api_status {
    CMPD_API_PRESENT,
    CMPD_API_DEPRECATED,
    CMPD_API_REMOVED,
    CMPD_API_LATER, /* added by a later toolkit than the one asked for */
};

struct cmpd_api_db;

/*
 * `toolkit_version` is "13.0" or longer ("13.0.88"); NULL: the version that the table was made from.
 * CMPD_EINPUT: a version or a table that can't be read; CMPD_ENOENT and CMPD_EIO as for files.
 * Safe to share between threads once open.
 */
cmpd_rc cmpd_api_db_open(const char *toolkit_version, struct cmpd_api_db **out,
                         struct cmpd_err *err);
/* The same over a table at `path`. */
cmpd_rc cmpd_api_db_open_file(const char *path, const char *toolkit_version,
                              struct cmpd_api_db **out, struct cmpd_err *err);
void cmpd_api_db_free(struct cmpd_api_db *db); /* NULL is fine */

int cmpd_api_db_version(const struct cmpd_api_db *db);
/* False where the toolkit is newer than the table: a name that is not in it may be new. */
bool cmpd_api_db_covers(const struct cmpd_api_db *db);

bool cmpd_api_db_find(const struct cmpd_api_db *db, const char *name, size_t len,
                      struct cmpd_api_entry *out);

enum cmpd_api_role {
    CMPD_ROLE_CALLED, /* functions */
    CMPD_ROLE_NAMED,  /* types, enumerators, constants */
};

/*
 * The name nearest to one that does not exist: of that role, at most two edits away (insertion, deletion,
 * substitution, exchange of neighbours), of the same family (cuda*, cu*, CU*, __*, atomic*, nv*), present
 * in this toolkit. One edit alone for names whose part behind the family's prefix is shorter than four;
 * a difference in letter case alone counts as one edit.
 */
bool cmpd_api_db_nearest(const struct cmpd_api_db *db, const char *name, size_t len,
                         enum cmpd_api_role role, struct cmpd_api_entry *out);

/* How the entry stands in this toolkit for a compute capability (80 for sm_80). */
enum cmpd_api_status cmpd_api_db_status(const struct cmpd_api_db *db,
                                        const struct cmpd_api_entry *e, int sm);

/* A prefix of a library that these lists do not judge (cudnn, nccl, cutlass ...). */
bool cmpd_api_db_foreign(const struct cmpd_api_db *db, const char *name, size_t len);

/* Is the path of an #include a header of the toolkit or of the C, C++ or POSIX library? */
bool cmpd_api_db_header(const struct cmpd_api_db *db, const char *path, size_t len);

/* A member that this toolkit's struct has no longer ("cudaDeviceProp", "clockRate"); fills removed and use. */
bool cmpd_api_db_gone_member(const struct cmpd_api_db *db, const char *type, const char *member,
                             struct cmpd_api_entry *out);

/* "12.4" for 12040, into buf; returns buf. */
const char *cmpd_api_version_text(int version, char buf[16]);

#endif
