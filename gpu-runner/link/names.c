/* Names of symbols: what a person calls them, and whose they are. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "gpu-runner/link/link.h"

/* ---- whose it is ---- */

enum match { PREFIX, UPPER /* the prefix, then a capital letter */ };

struct owner {
    const char *prefix;
    enum match match;
    enum cmpd_tag tag;
    const char *what;
};

/* Sources: the libraries' own headers in the toolkit, and NVIDIA's and others' documentation. Longer prefixes first. */
static const struct owner owners[] = {
    {"cublasLt", PREFIX, CMPD_TAG_library_call, "cuBLASLt"},
    {"cublas", PREFIX, CMPD_TAG_library_call, "cuBLAS"},
    {"cudnn", PREFIX, CMPD_TAG_library_call, "cuDNN"},
    {"cufft", PREFIX, CMPD_TAG_library_call, "cuFFT"},
    {"curand", PREFIX, CMPD_TAG_library_call, "cuRAND"},
    {"cusolver", PREFIX, CMPD_TAG_library_call, "cuSOLVER"},
    {"cusparse", PREFIX, CMPD_TAG_library_call, "cuSPARSE"},
    {"cutensor", PREFIX, CMPD_TAG_library_call, "cuTENSOR"},
    {"custatevec", PREFIX, CMPD_TAG_library_call, "cuQuantum"},
    {"nccl", PREFIX, CMPD_TAG_library_call, "NCCL"},
    {"nvshmem", PREFIX, CMPD_TAG_library_call, "NVSHMEM"},
    {"nvjpeg", PREFIX, CMPD_TAG_library_call, "nvJPEG"},
    {"npp", PREFIX, CMPD_TAG_library_call, "NPP"},
    {"cblas_", PREFIX, CMPD_TAG_library_call, "BLAS"},
    {"LAPACKE_", PREFIX, CMPD_TAG_library_call, "LAPACK"},
    {"fftwf_", PREFIX, CMPD_TAG_library_call, "FFTW"},
    {"fftw_", PREFIX, CMPD_TAG_library_call, "FFTW"},
    {"nvrtc", PREFIX, CMPD_TAG_not_emulated, "NVRTC"},
    {"nvJitLink", PREFIX, CMPD_TAG_not_emulated, "nvJitLink"},
    {"nvml", UPPER, CMPD_TAG_not_emulated, "NVML"},
    {"cupti", UPPER, CMPD_TAG_not_emulated, "CUPTI"},
    {"__cudaRegisterLinkedBinary", PREFIX, CMPD_TAG_not_emulated, "relocatable device code (-rdc)"},
    {"__fatbinwrap_", PREFIX, CMPD_TAG_not_emulated, "relocatable device code (-rdc)"},
    {"__cuda", UPPER, CMPD_TAG_not_emulated, "the CUDA runtime"},
    {"cuda", UPPER, CMPD_TAG_not_emulated, "the CUDA runtime"},
    {"cu", UPPER, CMPD_TAG_not_emulated, "the CUDA driver API"},
};

static bool belongs(const struct owner *o, const char *symbol)
{
    size_t n = strlen(o->prefix);

    return strncmp(symbol, o->prefix, n) == 0 &&
           (o->match == PREFIX || isupper((unsigned char)symbol[n]));
}

bool cmpd_link_foreign(const char *symbol, enum cmpd_tag *tag, const char **what)
{
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        if (belongs(&owners[i], symbol)) {
            *tag = owners[i].tag;
            *what = owners[i].what;
            return true;
        }
    }
    return false;
}

/* ---- what it is called ---- */

/* One <source-name>: its length in digits, then itself. False: none here. */
static bool source_name(const char **at, struct cmpd_buf *out)
{
    char *end;

    if (**at < '1' || **at > '9')
        return false;
    unsigned long n = strtoul(*at, &end, 10);
    if (n > strnlen(end, n))
        return false;
    if (out->len > 0)
        cmpd_buf_puts(out, "::");
    if (n >= 8 && strncmp(end, "_GLOBAL_", 8) == 0)
        cmpd_buf_puts(out, "(anonymous namespace)");
    else
        cmpd_buf_append(out, end, n);
    *at = end + n;
    return true;
}

/* Template arguments end the reading: what stands in them is types, which are not read here. */
static void template_mark(const char *at, struct cmpd_buf *out)
{
    if (*at == 'I')
        cmpd_buf_puts(out, "<...>");
}

static bool nested_name(const char *at, struct cmpd_buf *out)
{
    at += strspn(at, "rVKRO");
    if (strncmp(at, "St", 2) == 0) {
        cmpd_buf_puts(out, "std");
        at += 2;
    }
    while (source_name(&at, out))
        at += *at == 'L';
    template_mark(at, out);
    return out->len > 0;
}

static bool plain_name(const char *at, struct cmpd_buf *out)
{
    if (strncmp(at, "St", 2) == 0) {
        cmpd_buf_puts(out, "std");
        at += 2;
    }
    at += *at == 'L';
    if (!source_name(&at, out))
        return false;
    template_mark(at, out);
    return true;
}

/* It goes into messages: nothing in it may move a terminal's cursor. */
static char *printable_take(char *text)
{
    for (char *p = text; *p; p++)
        if (!isprint((unsigned char)*p))
            *p = '?';
    return text;
}

char *cmpd_link_display(const char *symbol)
{
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;

    if (strncmp(symbol, "_Z", 2) != 0)
        return printable_take(cmpd_strdup(symbol));
    const char *at = symbol + 2;
    bool ok = *at == 'N' ? nested_name(at + 1, &out) : plain_name(at, &out);
    return printable_take(ok ? cmpd_buf_steal(&out) : cmpd_strdup(symbol));
}
