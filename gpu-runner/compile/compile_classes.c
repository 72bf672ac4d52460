/*
 * Fault of the file or lack of the environment? The rule of the contract: what the environment
 * lacks is never a reject. Each class below has good files in tests/compile/env/ that must end in
 * it.
 *
 * What it misses: a macro that only the project's own build sets, where no build file names it,
 * looks like any undeclared identifier.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/compile_findings.h"
#include "gpu-runner/compile/repo_index.h"

#define HEADER_CEILING_BYTES ((size_t)8 << 20)

#define HINT_HEADER  "add the header, or set policy.nvcc.include in cmpd.json"
#define HINT_ARCH    "set policy.nvcc.arch in cmpd.json to an architecture that has it"
#define HINT_RDC     "set policy.nvcc.rdc to true in cmpd.json"
#define HINT_STD     "set policy.nvcc.std in cmpd.json to a newer language level"
#define HINT_FLAG    "add the flag that the message names to policy.nvcc.flags in cmpd.json"
#define HINT_DEFINE  "set the macro in policy.nvcc.define in cmpd.json"
#define HINT_MACHINE "give the compiler more room (policy.nvcc.memory_mib, disk), then try again"
#define HINT_TOOLKIT "see `cmpd doctor` and policy.nvcc in cmpd.json"

struct row {
    const char *text; /* part of the message */
    const char *hint;
};

/* Any of these makes it the environment's, whoever says it. */
static const struct row environment_rows[] = {
    {"No such file or directory", HINT_HEADER},
    {"cannot open source file", HINT_HEADER},
    {"could not open source file", HINT_HEADER},
    {"requires separate compilation mode", HINT_RDC},
    {"Unresolved extern", "the symbol is another unit's; " HINT_RDC},
    {"Undefined reference to", "the symbol is another unit's"},
    {"undefined reference to", "the symbol is another unit's"},
    {"not supported on .target", HINT_ARCH},
    {"not supported for .target", HINT_ARCH},
    {"requires .target", HINT_ARCH},
    {"requires PTX ISA", "a newer CUDA toolkit is needed (policy.nvcc.path in cmpd.json)"},
    {"cannot be compiled for architecture", HINT_ARCH},
    {"only supported for sm_", HINT_ARCH},
    {"not supported for target", HINT_ARCH},
    {"on this architecture", HINT_ARCH},
    {"compute capability", HINT_ARCH},
    {"-std=c++", HINT_STD},
    {"-std=gnu++", HINT_STD},
    {"C++20", HINT_STD},
    {"C++23", HINT_STD},
    {"unsupported GNU version", HINT_TOOLKIT},
    {"Unsupported gpu architecture", HINT_TOOLKIT},
    {"host compiler", HINT_TOOLKIT},
    {"No space left on device", HINT_MACHINE},
    {"out of memory", HINT_MACHINE},
    {"virtual memory exhausted", HINT_MACHINE},
    {"Cannot allocate memory", HINT_MACHINE},
    {"std::bad_alloc", HINT_MACHINE},
    {"died due to signal", HINT_MACHINE},
    {"internal error", HINT_TOOLKIT},
    {"internal compiler error", HINT_TOOLKIT},
};

/* What C++20 and C++23 added to namespace std. */
static const char *const newer_std_names[] = {"span",
                                              "format",
                                              "bit_cast",
                                              "ranges",
                                              "views",
                                              "source_location",
                                              "numbers",
                                              "barrier",
                                              "latch",
                                              "counting_semaphore",
                                              "binary_semaphore",
                                              "jthread",
                                              "stop_token",
                                              "stop_source",
                                              "remove_cvref",
                                              "remove_cvref_t",
                                              "type_identity",
                                              "type_identity_t",
                                              "countl_zero",
                                              "countr_zero",
                                              "countl_one",
                                              "countr_one",
                                              "popcount",
                                              "has_single_bit",
                                              "bit_ceil",
                                              "bit_floor",
                                              "bit_width",
                                              "rotl",
                                              "rotr",
                                              "endian",
                                              "midpoint",
                                              "lerp",
                                              "ssize",
                                              "to_array",
                                              "erase_if",
                                              "integral",
                                              "floating_point",
                                              "signed_integral",
                                              "unsigned_integral",
                                              "same_as",
                                              "convertible_to",
                                              "derived_from",
                                              "invocable",
                                              "regular",
                                              "semiregular",
                                              "strong_ordering",
                                              "weak_ordering",
                                              "partial_ordering",
                                              "atomic_ref",
                                              "is_constant_evaluated",
                                              "assume_aligned",
                                              "cmp_less",
                                              "in_range",
                                              "coroutine_handle",
                                              "expected",
                                              "mdspan",
                                              "print",
                                              "println",
                                              "byteswap",
                                              "to_underlying",
                                              "unreachable",
                                              "is_scoped_enum",
                                              "make_shared_for_overwrite",
                                              "make_unique_for_overwrite",
                                              "identity",
                                              "bind_front"};

static const char *const newer_keywords[] = {"concept",  "requires", "consteval", "constinit",
                                             "co_await", "co_yield", "co_return", "char8_t"};

/* Intrinsics that are gone from every architecture this can compile for: no setting brings them
 * back. */
static const char *const removed_names[] = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor",
                                            "__any",  "__all",     "__ballot"};

#define HAS(list, name) in_list(list, sizeof(list) / sizeof((list)[0]), name)

static bool in_list(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

char *cmpd_quoted(const char *message)
{
    size_t at = strcspn(message, "\"'");
    if (!message[at])
        return NULL;
    const char *end = strchr(message + at + 1, message[at]);
    return end ? cmpd_strndup(message + at + 1, (size_t)(end - message - at - 1)) : NULL;
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool cmpd_has_word(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    const char *p = text, *end = text + len;
    while (n && (p = memmem(p, (size_t)(end - p), word, n)) != NULL) {
        if ((p == text || !name_char(p[-1])) && (p + n == end || !name_char(p[n])))
            return true;
        p++;
    }
    return false;
}

/* A word outside comments. */
static bool code_has_word(struct cmpd_buf *text, const char *word)
{
    char *p = text->data;
    while (p && (p = strpbrk(p, "/")) != NULL) {
        char *end = NULL;
        if (p[1] == '/')
            end = strchr(p, '\n');
        else if (p[1] == '*')
            end = strstr(p + 2, "*/");
        else {
            p++;
            continue;
        }
        if (!end)
            end = text->data + text->len;
        memset(p, ' ', (size_t)(end - p));
        p = end;
    }
    return text->data && cmpd_has_word(text->data, text->len, word);
}

/* Of the toolkit, as nvcc prints it: below its folder, or by way of the path it was called by. */
static bool is_toolkit_path(const char *path, const struct cmpd_compile_context *ctx)
{
    const char *nvcc = ctx->nvcc ? ctx->nvcc->path : NULL,
               *slash = nvcc ? strrchr(nvcc, '/') : NULL;
    if (ctx->toolkit && strncmp(path, ctx->toolkit, strlen(ctx->toolkit)) == 0)
        return true;
    return slash && strncmp(path, nvcc, (size_t)(slash - nvcc)) == 0;
}

/* A toolkit header that was read has the name, and yet it is not declared: #if left it out. */
static bool left_out_by_toolkit(const char *name, const struct cmpd_compile_context *ctx)
{
    for (size_t i = 0; ctx->inputs && i < ctx->inputs->count; i++) {
        const char *path = ctx->inputs->items[i];
        CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
        if (is_toolkit_path(path, ctx) &&
            cmpd_file_read(path, HEADER_CEILING_BYTES, &text, NULL) == CMPD_OK &&
            code_has_word(&text, name))
            return true;
    }
    return false;
}

static bool cuda_like(const char *name)
{
    static const char *const prefixes[] = {"__", "nv_", "cuda", "cu", "CUDA_", "CUDART_", "NV_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

static unsigned arch_number(const struct cmpd_compile_context *ctx)
{
    return ctx->nvcc && ctx->nvcc->arch ? (unsigned)strtoul(ctx->nvcc->arch + 3, NULL, 10) : 0;
}

static bool before_cpp20(const struct cmpd_compile_context *ctx)
{
    return !ctx->nvcc || !ctx->nvcc->std || strcmp(ctx->nvcc->std, "c++20") != 0;
}

static bool undefined_by_environment(const char *name, const struct cmpd_compile_context *ctx,
                                     const char **hint)
{
    if (HAS(removed_names, name))
        return false;
    if (before_cpp20(ctx) && HAS(newer_keywords, name)) {
        *hint = HINT_STD;
        return true;
    }
    if (cuda_like(name) && left_out_by_toolkit(name, ctx)) {
        *hint = HINT_ARCH;
        return true;
    }
    if (ctx->root && cmpd_repo_build_file_names(ctx->root, name)) {
        *hint = HINT_DEFINE;
        return true;
    }
    return false;
}

/* namespace "cooperative_groups" has no member "this_cluster" */
static bool member_by_environment(const char *message, const struct cmpd_compile_context *ctx,
                                  const char **hint)
{
    const char *at = strstr(message, "has no member ");
    if (!at || strncmp(message, "namespace ", 10) != 0)
        return false;
    CMPD_AUTOFREE char *space = cmpd_quoted(message);
    CMPD_AUTOFREE char *member = cmpd_quoted(at);
    if (!space || !member)
        return false;
    if (strcmp(space, "std") == 0) {
        *hint = HINT_STD;
        return before_cpp20(ctx) && HAS(newer_std_names, member);
    }
    static const char *const spaces[] = {"cooperative_groups", "cuda", "nvcuda", "cg", "nv"};
    bool known = false;
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        known = known || strncmp(space, spaces[i], strlen(spaces[i])) == 0;
    *hint = HINT_ARCH;
    return known && left_out_by_toolkit(member, ctx);
}

/* Overloads of the atomics that only newer architectures have. */
static bool overload_by_architecture(const char *message, const struct cmpd_compile_context *ctx)
{
    static const struct {
        const char *type;
        unsigned arch;
    } rows[] = {{"(float2 *", 90}, {"(float4 *", 90},         {"(unsigned __int128 *", 90},
                {"(__half *", 70}, {"(__half2 *", 60},        {"(__nv_bfloat16 *", 80},
                {"(double *", 60}, {"(__nv_bfloat162 *", 80}, {"(unsigned short *", 70}};
    CMPD_AUTOFREE char *name = cmpd_quoted(message);
    unsigned arch = arch_number(ctx);
    if (!name || strncmp(name, "atomic", 6) != 0)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (arch < rows[i].arch && strstr(message, rows[i].type))
            return true;
    }
    return false;
}

/* A message that names one of nvcc's flags which the policy could set and has not. */
static bool names_missing_flag(const char *message, const struct cmpd_compile_context *ctx)
{
    static const char *const flags[] = {"extended-lambda", "expt-relaxed-constexpr"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!strstr(message, flags[i]))
            continue;
        bool given = false;
        for (size_t k = 0; ctx->nvcc && k < ctx->nvcc->flags.count; k++)
            given = given || strstr(ctx->nvcc->flags.items[k], flags[i]) != NULL;
        if (!given)
            return true;
    }
    return false;
}

/* What only a newer language level reads, in the line itself. */
static bool newer_syntax(const struct cmpd_diag *d, const struct cmpd_compile_context *ctx)
{
    size_t len = d->shown ? strlen(d->shown) : 0;
    if (!before_cpp20(ctx) || !len)
        return false;
    for (size_t i = 0; i < sizeof newer_keywords / sizeof newer_keywords[0]; i++) {
        if (cmpd_has_word(d->shown, len, newer_keywords[i]))
            return true;
    }
    return strstr(d->shown, "<=>") != NULL;
}

static bool foreign(const struct cmpd_diag *d, const struct cmpd_compile_context *ctx)
{
    return d->path && d->path[0] == '/' && !cmpd_compile_is_file(d->path, ctx);
}

static bool by_table(const char *message, const char **hint)
{
    for (size_t i = 0; i < sizeof environment_rows / sizeof environment_rows[0]; i++) {
        if (strstr(message, environment_rows[i].text)) {
            *hint = environment_rows[i].hint;
            return true;
        }
    }
    return false;
}

static bool by_place(const struct cmpd_diag *d, const struct cmpd_compile_context *ctx,
                     const char **hint)
{
    /* Inside a header of the system or the toolkit, and not by way of a template that the file
     * uses. */
    bool has_source_path = d->tool == CMPD_DIAG_HOST || d->tool == CMPD_DIAG_FRONT;
    if (has_source_path && foreign(d, ctx) &&
        !(d->use_path && cmpd_compile_is_file(d->use_path, ctx) && d->context)) {
        *hint = HINT_TOOLKIT;
        return true;
    }
    /* Which header is meant was a guess. */
    if (ctx->closure && ctx->closure->found_dirs.count &&
        (ctx->closure->ambiguous || (d->path && !cmpd_compile_is_file(d->path, ctx)))) {
        *hint = HINT_HEADER;
        return d->tool != CMPD_DIAG_PTXAS;
    }
    return false;
}

enum cmpd_tag cmpd_compile_classify(const struct cmpd_diag *d,
                                    const struct cmpd_compile_context *ctx, const char **hint)
{
    const char *m = d->message;
    *hint = NULL;
    if (by_table(m, hint) || by_place(d, ctx, hint))
        return CMPD_TAG_compile_environment;
    if (d->tool == CMPD_DIAG_DRIVER) {
        *hint = HINT_TOOLKIT;
        return CMPD_TAG_compile_environment;
    }
    if (names_missing_flag(m, ctx)) {
        *hint = HINT_FLAG;
        return CMPD_TAG_compile_environment;
    }
    /* "#error" is how a file says that it needs something else. */
    if (strncmp(m, "#error", 6) == 0)
        return CMPD_TAG_compile_environment;
    if (strncmp(m, "identifier ", 11) == 0 && strstr(m, "is undefined")) {
        CMPD_AUTOFREE char *name = cmpd_quoted(m);
        if (name && undefined_by_environment(name, ctx, hint))
            return CMPD_TAG_compile_environment;
    }
    if (member_by_environment(m, ctx, hint))
        return CMPD_TAG_compile_environment;
    *hint = NULL;
    if (overload_by_architecture(m, ctx)) {
        *hint = HINT_ARCH;
        return CMPD_TAG_compile_environment;
    }
    if (newer_syntax(d, ctx)) {
        *hint = HINT_STD;
        return CMPD_TAG_compile_environment;
    }
    return CMPD_TAG_compile_error;
}
