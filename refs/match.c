/* Parameter names to arguments. */
#include <ctype.h>
#include <string.h>

#include "refs/ref.h"
#include "refs/words.h"

#define NAME_CEILING 64

struct folded {
    char text[NAME_CEILING];
    size_t len;
};

/* Lower case, without underscores; false: too long or empty. */
static bool fold(const char *at, size_t len, struct folded *out)
{
    out->len = 0;
    for (size_t i = 0; i < len; i++) {
        if (at[i] == '_') {
            continue;
        }
        if (out->len + 1 >= NAME_CEILING) {
            return false;
        }
        out->text[out->len++] = (char)tolower((unsigned char)at[i]);
    }
    out->text[out->len] = 0;
    return out->len > 0;
}

static bool word_folds_to(struct cmpd_word word, const struct folded *name)
{
    struct folded f;
    return fold(word.at, word.len, &f) && f.len == name->len &&
           memcmp(f.text, name->text, f.len) == 0;
}

static bool own_name(const struct cmpd_ref_arg *arg, const struct folded *name)
{
    return word_folds_to((struct cmpd_word){arg->name, strlen(arg->name)}, name);
}

static bool has_alias(const struct cmpd_ref_arg *arg, const struct folded *name)
{
    const char *rest = arg->aliases;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        if (word_folds_to(word, name)) {
            return true;
        }
    }
    return false;
}

enum { TENSORS = 1, NUMBERS = 2 };

static bool wanted(const struct cmpd_ref_arg *arg, unsigned kinds)
{
    bool number = arg->role == CMPD_ROLE_DIM || arg->role == CMPD_ROLE_SCALAR;
    return kinds & (number ? NUMBERS : TENSORS);
}

static int match(const struct cmpd_ref_op *op, const struct folded *name, unsigned kinds,
                 bool *exact)
{
    int found = -1;
    for (size_t i = 0; i < op->arg_count; i++) {
        if (wanted(&op->args[i], kinds) && own_name(&op->args[i], name)) {
            *exact = true;
            return (int)i;
        }
    }
    *exact = false;
    for (size_t i = 0; i < op->arg_count; i++) {
        if (wanted(&op->args[i], kinds) && has_alias(&op->args[i], name)) {
            if (found >= 0) {
                return -1;
            }
            found = (int)i;
        }
    }
    return found;
}

/* Where a pointer points, as people put it into its name. Longest first. */
static const char *const PREFIXES[] = {"device_", "host_", "dev_", "gpu_", "ptr_", "d_",
                                       "h_",      "g_",    "p_",   "in_",  "out_"};
static const char *const SUFFIXES[] = {"_device", "_host", "_dev", "_gpu", "_ptr",
                                       "_data",   "_d",    "_h",   "_g",   "_buf"};

static int match_stripped(const struct cmpd_ref_op *op, const char *param, unsigned kinds,
                          bool *exact)
{
    struct folded name;
    size_t len = strlen(param);
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t n = strlen(PREFIXES[i]);
        if (strncmp(param, PREFIXES[i], n) == 0 && fold(param + n, len - n, &name)) {
            int arg = match(op, &name, kinds, exact);
            if (arg >= 0) {
                return arg;
            }
        }
    }
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
        size_t n = strlen(SUFFIXES[i]);
        if (len > n && strcmp(param + len - n, SUFFIXES[i]) == 0 && fold(param, len - n, &name)) {
            int arg = match(op, &name, kinds, exact);
            if (arg >= 0) {
                return arg;
            }
        }
    }
    /* dX, hX: one letter before a capital. */
    if ((param[0] == 'd' || param[0] == 'h') && isupper((unsigned char)param[1]) &&
        fold(param + 1, len - 1, &name)) {
        return match(op, &name, kinds, exact);
    }
    return -1;
}

static int match_kinds(const struct cmpd_ref_op *op, const char *param, unsigned kinds, bool *exact)
{
    bool ignored;
    exact = exact ? exact : &ignored;
    struct folded name;
    *exact = false;
    if (!fold(param, strlen(param), &name)) {
        return -1;
    }
    int arg = match(op, &name, kinds, exact);
    if (arg < 0 && (kinds & TENSORS)) {
        arg = match_stripped(op, param, kinds, exact);
    }
    return arg;
}

int cmpd_ref_match_arg(const struct cmpd_ref_op *op, const char *param, bool *exact)
{
    return match_kinds(op, param, TENSORS | NUMBERS, exact);
}

int cmpd_ref_match_param(const struct cmpd_ref_op *op, const char *param, bool pointer, bool *exact)
{
    return match_kinds(op, param, pointer ? TENSORS : NUMBERS, exact);
}
