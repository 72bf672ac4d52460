#include "gpu-runner/compile/toolkit.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/proc.h"

#define VERSION_DEADLINE_MS 20000

static cmpd_rc missing(const char *nvcc, const char *why, struct cmpd_err *err)
{
    return cmpd_err_set(
        err, CMPD_EUNAVAIL,
        "no CUDA compiler at %s (%s): install the CUDA toolkit, or set policy.nvcc.path "
        "in cmpd.json to its bin/nvcc",
        nvcc, why);
}

static cmpd_rc ask_version(const char *nvcc, struct cmpd_buf *text, struct cmpd_err *err)
{
    const char *const argv[] = {nvcc, "--version", NULL};
    const char *const envp[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = argv;
    spec.envp = envp;
    spec.stdout_ceiling = spec.stderr_ceiling = 65536;
    spec.deadline_ms = VERSION_DEADLINE_MS;
    struct cmpd_proc_result r;
    struct cmpd_err why = {0};
    if (cmpd_proc_run(&spec, &r, &why) != CMPD_OK)
        return missing(nvcc, why.msg, err);
    cmpd_rc rc = CMPD_OK;
    if (r.end != CMPD_PROC_EXITED || r.exit_status != 0) {
        char how[80];
        CMPD_AUTOFREE char *said = cmpd_asprintf("its --version %s",
                                                 cmpd_proc_describe(&r, how, sizeof how));
        rc = missing(nvcc, said, err);
    } else {
        cmpd_buf_append(text, cmpd_buf_str(&r.out), r.out.len);
    }
    cmpd_proc_result_clear(&r);
    return rc;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" */
static char *find_version(const char *text)
{
    const char *p = strstr(text, ", V");
    if (!p || !strstr(text, "Cuda compilation tools"))
        return NULL;
    size_t n = strspn(p + 3, "0123456789.");
    return n ? cmpd_strndup(p + 3, n) : NULL;
}

static void add_stat(struct cmpd_sha256 *h, const char *path)
{
    struct stat st;
    memset(&st, 0, sizeof st);
    bool there = stat(path, &st) == 0;
    CMPD_AUTOFREE char *row = cmpd_asprintf("%s %d %jd %jd.%09ld", path, there,
                                            (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                                            st.st_mtim.tv_nsec);
    cmpd_sha256_field(h, row, strlen(row));
}

/* nvcc has 30 MB: its hash is kept in a file named after everything that stat tells of it. */
static void hash_of_binary(const char *path, const char *cache_dir, char hex[65])
{
    struct stat st;
    memset(hex, '0', 64);
    hex[64] = '\0';
    if (stat(path, &st) < 0)
        return;
    CMPD_AUTOFREE char *row =
        cmpd_asprintf("%s %ju %ju %jd %jd.%09ld %jd.%09ld", path, (uintmax_t)st.st_dev,
                      (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                      st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
    char name[65];
    cmpd_sha256_hex(row, strlen(row), name);
    CMPD_AUTOFREE char *memo = cache_dir ? cmpd_asprintf("%s/nvcc-%s", cache_dir, name) : NULL;
    CMPD_BUF_AUTO struct cmpd_buf kept = CMPD_BUF_INIT;
    if (memo && cmpd_file_read(memo, 64, &kept, NULL) == CMPD_OK && kept.len == 64 &&
        strspn(kept.data, "0123456789abcdef") == 64) {
        memcpy(hex, kept.data, 64);
        return;
    }
    if (cmpd_sha256_file(path, hex, NULL) == CMPD_OK && memo)
        cmpd_file_write_atomic(memo, hex, 64, NULL);
}

static void identify(struct cmpd_toolkit *t, const char *version_text, const char *cache_dir)
{
    static const char *const parts[] = {"bin/cudafe++",
                                        "bin/ptxas",
                                        "bin/fatbinary",
                                        "bin/nvlink",
                                        "bin/nvcc.profile",
                                        "nvvm/bin/cicc",
                                        "nvvm/libdevice/libdevice.10.bc"};
    static const char *const host[] = {"/usr/bin/gcc", "/usr/bin/g++", "/usr/bin/as"};
    struct cmpd_sha256 h;
    char nvcc_hash[65];
    CMPD_AUTOFREE char *binary = cmpd_asprintf("%s/bin/nvcc", t->root);
    cmpd_sha256_init(&h);
    cmpd_sha256_field(&h, version_text, strlen(version_text));
    hash_of_binary(binary, cache_dir, nvcc_hash);
    cmpd_sha256_field(&h, nvcc_hash, 64);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", t->root, parts[i]);
        add_stat(&h, path);
    }
    for (size_t i = 0; i < sizeof host / sizeof host[0]; i++)
        add_stat(&h, host[i]);
    cmpd_sha256_final_hex(&h, t->identity, 64);
}

cmpd_rc cmpd_toolkit_open(const char *nvcc, const char *cache_dir, struct cmpd_toolkit *out,
                          struct cmpd_err *err)
{
    char real[PATH_MAX];
    struct stat st;
    if (stat(nvcc, &st) < 0 || !realpath(nvcc, real))
        return missing(nvcc, strerror(errno), err);
    if (!S_ISREG(st.st_mode) || access(nvcc, X_OK) < 0)
        return missing(nvcc, "not a program", err);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = ask_version(nvcc, &text, err);
    if (rc != CMPD_OK)
        return rc;
    char *version = find_version(cmpd_buf_str(&text));
    if (!version)
        return missing(nvcc, "its --version is not nvcc's", err);
    char *slash = strrchr(real, '/');
    *slash = '\0'; /* .../bin */
    slash = strrchr(real, '/');
    memset(out, 0, sizeof *out);
    out->nvcc = cmpd_strdup(nvcc);
    out->root = slash && slash > real ? cmpd_strndup(real, (size_t)(slash - real))
                                      : cmpd_strdup("/");
    out->version = version;
    identify(out, cmpd_buf_str(&text), cache_dir);
    return CMPD_OK;
}

void cmpd_toolkit_clear(struct cmpd_toolkit *t)
{
    free(t->nvcc);
    free(t->root);
    free(t->version);
    memset(t, 0, sizeof *t);
}
