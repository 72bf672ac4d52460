/* Types and names: from text to what can be passed, and back. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"

static const struct {
    const char *name;
    enum cmpd_sig_elem elem;
    unsigned vector;
} TYPES[] = {
    /* The first name of each row group is the one that is written. */
    {"float", CMPD_SIG_F32, 1},
    {"double", CMPD_SIG_F64, 1},
    {"__half", CMPD_SIG_F16, 1},
    {"half", CMPD_SIG_F16, 1},
    {"__nv_bfloat16", CMPD_SIG_BF16, 1},
    {"nv_bfloat16", CMPD_SIG_BF16, 1},
    {"bool", CMPD_SIG_BOOL, 1},
    {"signed char", CMPD_SIG_I8, 1},
    {"int8_t", CMPD_SIG_I8, 1},
    {"char", CMPD_SIG_I8, 1},
    {"unsigned char", CMPD_SIG_U8, 1},
    {"uint8_t", CMPD_SIG_U8, 1},
    {"short", CMPD_SIG_I16, 1},
    {"int16_t", CMPD_SIG_I16, 1},
    {"unsigned short", CMPD_SIG_U16, 1},
    {"uint16_t", CMPD_SIG_U16, 1},
    {"int", CMPD_SIG_I32, 1},
    {"int32_t", CMPD_SIG_I32, 1},
    {"unsigned int", CMPD_SIG_U32, 1},
    {"unsigned", CMPD_SIG_U32, 1},
    {"uint32_t", CMPD_SIG_U32, 1},
    {"long long", CMPD_SIG_I64, 1},
    {"long", CMPD_SIG_I64, 1},
    {"int64_t", CMPD_SIG_I64, 1},
    {"unsigned long long", CMPD_SIG_U64, 1},
    {"unsigned long", CMPD_SIG_U64, 1},
    {"size_t", CMPD_SIG_U64, 1},
    {"uint64_t", CMPD_SIG_U64, 1},
    {"void", CMPD_SIG_VOID, 1},
    {"cudaStream_t", CMPD_SIG_STREAM, 1},
    {"cudaError_t", CMPD_SIG_STATUS, 1},
    {"float2", CMPD_SIG_F32, 2},
    {"float3", CMPD_SIG_F32, 3},
    {"float4", CMPD_SIG_F32, 4},
    {"double2", CMPD_SIG_F64, 2},
    {"__half2", CMPD_SIG_F16, 2},
    {"half2", CMPD_SIG_F16, 2},
    {"__nv_bfloat162", CMPD_SIG_BF16, 2},
    {"nv_bfloat162", CMPD_SIG_BF16, 2},
    {"int2", CMPD_SIG_I32, 2},
    {"int4", CMPD_SIG_I32, 4},
    {"uint4", CMPD_SIG_U32, 4},
    {"char4", CMPD_SIG_I8, 4},
    {"uchar4", CMPD_SIG_U8, 4},
};

char *entry_targ(const char *targs, size_t n)
{
    int depth = 0;
    const char *begin = targs;
    for (const char *p = targs; targs; p++) {
        depth += (*p == '<') - (*p == '>');
        if (*p && !(*p == ',' && depth == 0))
            continue;
        if (n == 0) {
            while (*begin == ' ')
                begin++;
            return cmpd_strndup(begin, (size_t)(p - begin));
        }
        if (!*p)
            return NULL;
        n--;
        begin = p + 1;
    }
    return NULL;
}

bool entry_elem_of_name(const char *name, enum cmpd_sig_elem *elem, unsigned *vector)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(TYPES[i].name, name) == 0) {
            *elem = TYPES[i].elem;
            *vector = TYPES[i].vector;
            return true;
        }
    }
    return false;
}

struct cmpd_sig_param entry_instantiate(const struct cmpd_sig_param *p, const char *targs)
{
    struct cmpd_sig_param out = *p;
    if (p->elem != CMPD_SIG_TPARAM || p->tparam < 0)
        return out;
    CMPD_AUTOFREE char *with = entry_targ(targs, (size_t)p->tparam);
    if (!with || !entry_elem_of_name(with, &out.elem, &out.vector))
        out.elem = CMPD_SIG_UNKNOWN;
    out.tparam = -1;
    return out;
}

bool entry_type_text(const struct cmpd_sig_param *p, struct cmpd_buf *out)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (TYPES[i].elem != p->elem || TYPES[i].vector != p->vector)
            continue;
        cmpd_buf_printf(out, "%s%s", p->is_const && p->pointers ? "const " : "", TYPES[i].name);
        if (p->pointers)
            cmpd_buf_putc(out, ' ');
        for (unsigned k = 0; k < p->pointers; k++)
            cmpd_buf_putc(out, '*');
        return true;
    }
    return false;
}

bool entry_dtype_of(enum cmpd_sig_elem e, enum cmpd_dtype *out)
{
    static const struct {
        enum cmpd_sig_elem elem;
        enum cmpd_dtype dtype;
    } rows[] = {{CMPD_SIG_F32, CMPD_F32},   {CMPD_SIG_F64, CMPD_F64}, {CMPD_SIG_F16, CMPD_F16},
                {CMPD_SIG_BF16, CMPD_BF16}, {CMPD_SIG_I8, CMPD_I8},   {CMPD_SIG_U8, CMPD_U8},
                {CMPD_SIG_I32, CMPD_I32},   {CMPD_SIG_U32, CMPD_U32}, {CMPD_SIG_I64, CMPD_I64},
                {CMPD_SIG_U64, CMPD_U64},   {CMPD_SIG_BOOL, CMPD_U8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].elem == e) {
            *out = rows[i].dtype;
            return true;
        }
    }
    return false;
}

/* ---- a function's name against an operator's ---- */

/* Lower case, without underscores. */
static void fold(const char *at, size_t len, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < size; i++) {
        if (at[i] != '_')
            out[n++] = (char)tolower((unsigned char)at[i]);
    }
    out[n] = '\0';
}

static unsigned score_word(const char *name, const char *word)
{
    static const char *const decorations[] = {
        "launch", "run",  "call",   "do",    "kernel",   "gpu", "cuda", "forward",
        "fwd",    "host", "device", "solve", "compute",  "op",  "f32",  "fp32",
        "f16",    "fp16", "half",   "float", "launcher", NULL};
    const char *at = strstr(name, word);
    if (!at || !word[0])
        return 0;
    if (strcmp(name, word) == 0)
        return 1000;
    /* What is left before and behind: is it decoration? */
    char left[128];
    size_t before = (size_t)(at - name);
    fold(name, before, left, sizeof left);
    strncat(left, at + strlen(word), sizeof left - strlen(left) - 1);
    for (bool again = true; again && left[0];) {
        again = false;
        for (size_t i = 0; decorations[i]; i++) {
            size_t n = strlen(decorations[i]);
            char *found = strstr(left, decorations[i]);
            if (found) {
                memmove(found, found + n, strlen(found + n) + 1);
                again = true;
            }
        }
    }
    return (left[0] ? 100 : 500) + (unsigned)strlen(word);
}

unsigned entry_name_score(const struct cmpd_sig_func *f, const struct cmpd_ref_op *op)
{
    char name[256] = "", word[128] = "";
    fold(f->name, strlen(f->name), name, sizeof name);
    fold(op->name, strlen(op->name), word, sizeof word);
    unsigned best = score_word(name, word);
    for (const char *p = op->aliases ? op->aliases : ""; *p;) {
        size_t n = strcspn(p, " ");
        fold(p, n, word, sizeof word);
        unsigned s = score_word(name, word);
        best = s > best ? s : best;
        p += n + strspn(p + n, " ");
    }
    return best;
}
