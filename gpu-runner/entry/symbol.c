/* Which symbol of the object the chosen function is. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"
#include "gpu-runner/entry/mangle.h"

/* Texts of template arguments agree: "float, 256" and "float,256"; "half" and "__half". */
static bool same_targs(const char *a, const char *b)
{
    for (size_t i = 0;; i++) {
        CMPD_AUTOFREE char *x = entry_targ(a, i);
        CMPD_AUTOFREE char *y = entry_targ(b, i);
        enum cmpd_sig_elem ex, ey;
        unsigned vx, vy;
        if (!x || !y)
            return !x && !y;
        if (strcmp(x, y) == 0)
            continue;
        if (!entry_elem_of_name(x, &ex, &vx) || !entry_elem_of_name(y, &ey, &vy) || ex != ey ||
            vx != vy)
            return false;
    }
}

/* Parameters as a demangled symbol writes them: "float const*, int". */
static bool put_params(const struct cmpd_sig_func *f, const char *targs, struct cmpd_buf *out)
{
    for (size_t i = 0; i < f->param_count; i++) {
        struct cmpd_sig_param p = entry_instantiate(&f->params[i], targs);
        CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
        struct cmpd_sig_param bare = p;
        bare.pointers = 0;
        bare.is_const = false;
        if (!entry_type_text(&bare, &text))
            return false;
        cmpd_buf_printf(out, "%s%s%s", i ? ", " : "", cmpd_buf_str(&text),
                        p.is_const && (p.pointers || p.is_reference) ? " const" : "");
        for (unsigned k = 0; k < p.pointers; k++)
            cmpd_buf_putc(out, '*');
        cmpd_buf_puts(out, p.is_reference ? "&" : "");
    }
    return true;
}

static bool is_function(const struct cmpd_sig_func *f, const struct cmpd_demangled *d)
{
    CMPD_AUTOFREE char *name = cmpd_sig_qualified(f);
    if (strcmp(d->name, name) != 0 || d->plain != (f->is_extern_c && !f->tparam_count))
        return false;
    return d->plain || !d->params || d->param_count == f->param_count;
}

/* An overload of the same number of parameters, told apart by their types. */
static bool same_params(const struct cmpd_sig_func *f, const char *targs,
                        const struct cmpd_demangled *d)
{
    CMPD_BUF_AUTO struct cmpd_buf want = CMPD_BUF_INIT;
    return d->plain || !d->params || !put_params(f, targs, &want) ||
           strcmp(cmpd_buf_str(&want), d->params) == 0;
}

static void symbols_of(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f,
                       const char *const **list, size_t *count)
{
    bool kernel = f->kind == CMPD_SIG_KERNEL;
    *list = kernel ? q->kernels : q->symbols;
    *count = kernel ? q->kernel_count : q->symbol_count;
}

void entry_find_symbol(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    const char *const *list;
    size_t count;
    const char *loose =
        NULL; /* name and number of parameters agree, the types are written otherwise */
    unsigned loose_count = 0;
    symbols_of(q, b->func, &list, &count);
    for (size_t i = 0; list && i < count && !b->symbol; i++) {
        struct cmpd_demangled d;
        if (!cmpd_demangle(list[i], &d))
            continue;
        bool ours = is_function(b->func, &d) &&
                    (!b->func->tparam_count ||
                     (b->targs && d.targs && same_targs(b->targs, d.targs)));
        if (ours && same_params(b->func, b->targs, &d)) {
            b->symbol = cmpd_strdup(list[i]);
        } else if (ours) {
            loose = list[i];
            loose_count++;
        }
        cmpd_demangled_clear(&d);
    }
    if (!b->symbol && loose_count == 1)
        b->symbol = cmpd_strdup(loose);
    if (!b->symbol && !list && b->func->is_extern_c)
        b->symbol = cmpd_strdup(b->func->name);
    b->needs_shim = b->symbol == NULL;
}

bool cmpd_bind_kernel_symbol(struct cmpd_binding *b, const char *const *kernels, size_t count)
{
    const struct cmpd_bind_request q = {.kernels = kernels, .kernel_count = count};
    free(b->symbol);
    b->symbol = NULL;
    entry_find_symbol(&q, b);
    return b->symbol != NULL;
}

/* ---- template arguments ---- */

/* Do they make the tensors of the wanted dtype? Without a wish float is the usual one. */
static unsigned targs_score(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f,
                            const char *targs)
{
    enum cmpd_dtype wanted = CMPD_F32, is;
    if (q->dtype)
        cmpd_dtype_parse(q->dtype, &wanted);
    unsigned score = 1;
    for (size_t i = 0; i < f->param_count; i++) {
        struct cmpd_sig_param p = entry_instantiate(&f->params[i], targs);
        if (f->params[i].elem == CMPD_SIG_TPARAM && p.pointers && entry_dtype_of(p.elem, &is))
            score = is == wanted ? 3 : score > 1 ? score : 2;
    }
    return score;
}

static void consider(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f,
                     const char *targs, char **best, unsigned *score)
{
    unsigned s = targs ? targs_score(q, f, targs) : 0;
    if (s <= *score)
        return;
    *score = s;
    free(*best);
    *best = cmpd_strdup(targs);
}

/* What an uninstantiated template is called with: the wanted dtype (or float) and its own defaults. */
static char *made_up(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f)
{
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    enum cmpd_dtype wanted = CMPD_F32;
    if (q->dtype)
        cmpd_dtype_parse(q->dtype, &wanted);
    static const char *const names[CMPD_DTYPE_COUNT] = {
        [CMPD_F32] = "float",      [CMPD_F64] = "double",
        [CMPD_F16] = "__half",     [CMPD_BF16] = "__nv_bfloat16",
        [CMPD_I8] = "signed char", [CMPD_U8] = "unsigned char",
        [CMPD_I32] = "int",        [CMPD_U32] = "unsigned int",
        [CMPD_I64] = "long long",  [CMPD_U64] = "unsigned long long"};
    for (size_t i = 0; i < f->tparam_count; i++) {
        const struct cmpd_sig_tparam *t = &f->tparams[i];
        const char *with = t->default_value ? t->default_value : t->is_type ? names[wanted] : NULL;
        if (!with || t->is_pack || strchr(with, '?'))
            return NULL;
        cmpd_buf_printf(&out, "%s%s", i ? ", " : "", with);
    }
    return cmpd_strdup(cmpd_buf_str(&out));
}

char *entry_find_targs(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f)
{
    const char *const *list;
    size_t count;
    char *best = NULL;
    unsigned score = 0;
    symbols_of(q, f, &list, &count);
    for (size_t i = 0; list && i < count; i++) {
        struct cmpd_demangled d;
        if (!cmpd_demangle(list[i], &d))
            continue;
        if (d.targs && !strchr(d.targs, '?') && is_function(f, &d))
            consider(q, f, d.targs, &best, &score);
        cmpd_demangled_clear(&d);
    }
    for (size_t i = 0; i < f->instance_count; i++)
        consider(q, f, f->instances[i], &best, &score);
    return best ? best : made_up(q, f);
}
