#include "analysis/text/scan.h"

#include <pthread.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "analysis/text/lexer.h"

/*
 * One alternation. The mark names what was met; what needs a closer look (the
 * CUDA names, double-underscore names) is told apart below, which keeps the
 * pattern, and so the time to compile it, small. Each alternative is at least
 * as wide as its item: a scan may count too much, never too little.
 */
static const char pattern[] =
    "\\b(?:"
    "__\\w+(*:_)"
    "|cu(?:da)?[A-Z]\\w*(*:c)"
    "|(?:thread|block)(?:Idx|Dim)\\b(?!\\s*\\.\\s*x)(*:y)|gridDim\\b(?!\\s*\\.\\s*x)(*:y)"
    "|template\\b(*:t)"
    "|atomic\\w*\\s*\\((*:a)"
    "|sizeof\\b(*:s)"
    "|(?:reinterpret|bit)_cast\\b(*:r)|static_cast\\s*<[^;<>()]*\\*(*:r)"
    "|printf\\s*\\((*:p)"
    "|malloc\\s*\\((*:m)|new\\b(*:m)|free\\s*\\((*:m)|delete\\b(*:m)"
    "|main\\s*\\((*:i)"
    ")"
    "|<<<(*:l)"
    "|\\*\\s*(?:const\\b|__restrict__\\b)?\\s*\\)(*:r)"
    "|\\.\\s*sync\\s*\\((*:b)|\\bbarrier(*:b)"
    "|#\\s*(?:define(*:d)|undef(*:u))";

static pcre2_code *compiled; /* for the process's life */
static int compile_error;
static pthread_once_t compile_once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    PCRE2_SIZE at;
    compiled = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                             PCRE2_NEVER_UTF | PCRE2_NO_AUTO_CAPTURE, &compile_error, &at, NULL);
    if (compiled)
        pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* without JIT the interpreter serves */
}

static void add(struct cmpd_scan *out, enum cmpd_scan_item item, uint32_t off)
{
    if (out->count[item]++ == 0)
        out->first[item] = off;
}

static bool starts(const char *s, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);
    return len >= n && memcmp(s, prefix, n) == 0;
}

static bool same(const char *s, size_t len, const char *word)
{
    return len == strlen(word) && starts(s, len, word);
}

/* The first byte behind white space. */
static char next_byte(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n\v\f\\", *p) && *p)
        p++;
    return p < end ? *p : '\0';
}

static void cuda_name(struct cmpd_scan *out, const char *s, size_t len, const char *end,
                      uint32_t off)
{
    char next = next_byte(s + len, end);
    if (next == '(' || next == '<')
        add(out, CMPD_SCAN_CUDA_CALL, off);
    if (starts(s, len, "cudaMemcpy"))
        add(out, CMPD_SCAN_MEMCPY, off);
    else if (starts(s, len, "cudaMalloc"))
        add(out, CMPD_SCAN_ALLOC, off);
    else if (starts(s, len, "cudaLaunch") || starts(s, len, "cuLaunch"))
        add(out, CMPD_SCAN_LAUNCH_API, off);
}

static void underscored(struct cmpd_scan *out, const char *s, size_t len, const char *end,
                        uint32_t off)
{
    if (same(s, len, "__global__"))
        add(out, CMPD_SCAN_GLOBAL_FN, off);
    else if (same(s, len, "__device__"))
        add(out, CMPD_SCAN_DEVICE_FN, off);
    else if (same(s, len, "__shared__"))
        add(out, CMPD_SCAN_SHARED, off);
    else if (starts(s, len, "__syncthreads"))
        add(out, CMPD_SCAN_BARRIER, off);
    else if (same(s, len, "__builtin_bit_cast"))
        add(out, CMPD_SCAN_REINTERPRET, off);
    if (next_byte(s + len, end) == '(' && !(s[len - 1] == '_' && s[len - 2] == '_'))
        add(out, CMPD_SCAN_INTRINSIC, off);
}

static void dispatch(struct cmpd_scan *out, char mark, const char *s, size_t len, const char *end,
                     uint32_t off)
{
    static const struct {
        char mark;
        enum cmpd_scan_item item;
    } table[] = {
        {'y', CMPD_SCAN_INDEX_YZ}, {'t', CMPD_SCAN_TEMPLATE},    {'a', CMPD_SCAN_ATOMIC},
        {'s', CMPD_SCAN_SIZEOF},   {'r', CMPD_SCAN_REINTERPRET}, {'p', CMPD_SCAN_PRINTF},
        {'m', CMPD_SCAN_MALLOC},   {'i', CMPD_SCAN_MAIN},        {'l', CMPD_SCAN_LAUNCH},
        {'b', CMPD_SCAN_BARRIER},  {'d', CMPD_SCAN_DEFINE},      {'u', CMPD_SCAN_UNDEF},
    };
    if (mark == 'c') {
        cuda_name(out, s, len, end, off);
        return;
    }
    if (mark == '_') {
        underscored(out, s, len, end, off);
        return;
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].mark == mark)
            add(out, table[i].item, off);
}

cmpd_rc cmpd_scan_run(const char *blanked, size_t len, struct cmpd_scan *out, struct cmpd_err *err)
{
    pthread_once(&compile_once, compile);
    if (!compiled)
        return cmpd_err_set(err, CMPD_EINTERNAL,
                            "the scan pattern does not compile: PCRE2 error %d", compile_error);
    struct cmpd_scan scan = {0};
    memset(scan.first, 0xff, sizeof scan.first);
    pcre2_match_data *md = pcre2_match_data_create(1, NULL);
    if (!md)
        return cmpd_err_set(err, CMPD_EINTERNAL, "no memory to scan with");
    const PCRE2_SIZE *ov = pcre2_get_ovector_pointer(md);
    size_t at = 0;
    int n = 0;
    while (at <= len &&
           (n = pcre2_match(compiled, (PCRE2_SPTR)blanked, len, at, 0, md, NULL)) >= 0) {
        const char *mark = (const char *)pcre2_get_mark(md);
        dispatch(&scan, mark ? mark[0] : '\0', blanked + ov[0], ov[1] - ov[0], blanked + len,
                 (uint32_t)ov[0]);
        at = ov[1] > at ? ov[1] : at + 1;
    }
    pcre2_match_data_free(md);
    if (n < 0 && n != PCRE2_ERROR_NOMATCH)
        return cmpd_err_set(err, CMPD_EINTERNAL, "the scan failed: PCRE2 error %d", n);
    *out = scan;
    return CMPD_OK;
}
