/*
 * Which template arguments the file uses: written at a launch or call, spelled out by an explicit instantiation, or
 * deduced from the types of the arguments. An instance made inside another template counts for each of that one's.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/signature/sig.h"

#define ROUNDS 4

struct walk {
    struct sig_build *b;
    const struct ir_func *host;
    bool changed;
};

static void add_instance(struct walk *w, struct cmpd_sig_func *f, const char *text)
{
    if (strchr(text, '?') || !text[0] || strlen(text) > CMPD_SIG_TEXT_CEILING)
        return;
    for (size_t i = 0; i < f->instance_count; i++) {
        if (strcmp(f->instances[i], text) == 0)
            return;
    }
    if (f->instance_count == CMPD_SIG_INSTANCES_CEILING)
        return;
    CMPD_GROW(f->instances, f->instance_count + 1, f->instance_cap);
    f->instances[f->instance_count++] = cmpd_strdup(text);
    w->changed = true;
}

/* The n-th of the arguments in "float, 4"; NULL: there are not that many. Owned. */
static char *nth(const char *targs, size_t n)
{
    int depth = 0;
    const char *begin = targs;
    for (const char *p = targs;; p++) {
        if (*p == '<' || *p == '(')
            depth++;
        if (*p == '>' || *p == ')')
            depth--;
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
}

/* An argument as written, with the names of the enclosing template's parameters replaced. */
static void put_arg(struct cmpd_buf *out, const char *text, const struct ir_func *host,
                    const char *host_targs)
{
    for (size_t i = 0; host && host_targs && i < host->tparam_count; i++) {
        if (!host->tparams[i].name || strcmp(host->tparams[i].name, text) != 0)
            continue;
        CMPD_AUTOFREE char *with = nth(host_targs, i);
        cmpd_buf_puts(out, with ? with : "?");
        return;
    }
    bool open = false;
    for (size_t i = 0; host && !host_targs && i < host->tparam_count; i++)
        open = open || (host->tparams[i].name && strcmp(host->tparams[i].name, text) == 0);
    cmpd_buf_puts(out, open ? "?" : text);
}

/* The type argument that parameter `p` of the template gets from an argument; false: it tells nothing. */
static bool deduce(const struct ir_func *f, size_t tparam, const struct ir_expr *const *args,
                   size_t count, struct cmpd_buf *out)
{
    for (size_t i = 0; i < count && i < f->param_count; i++) {
        const struct ir_type *p = cmpd_ir_strip_ref(f->params[i]->type);
        const struct ir_type *a = cmpd_ir_strip_ref(args[i]->type);
        while (p && a && p->kind == IR_T_PTR && (a->kind == IR_T_PTR || a->kind == IR_T_ARRAY)) {
            p = p->elem;
            a = a->elem;
        }
        if (!p || !a || p->kind != IR_T_TPARAM || p->tparam != (int)tparam ||
            a->kind == IR_T_UNKNOWN)
            continue;
        struct ir_type bare = *a;
        bare.is_const = false;
        sig_type_text(&bare, out);
        return true;
    }
    return false;
}

static void one_use(struct walk *w, const struct ir_func *f, const struct ir_targ *targs,
                    size_t targ_count, const struct ir_expr *const *args, size_t count,
                    const char *host_targs)
{
    uint32_t at = sig_index_of(w->b, f);
    if (at == UINT32_MAX || f->tparam_count == 0)
        return;
    struct cmpd_sig_func *s = &w->b->out->funcs[at];
    CMPD_BUF_AUTO struct cmpd_buf all = CMPD_BUF_INIT;
    for (size_t i = 0; i < f->tparam_count; i++) {
        CMPD_BUF_AUTO struct cmpd_buf one = CMPD_BUF_INIT;
        if (i < targ_count)
            sig_targs_text(&targs[i], 1, &one);
        else if (f->tparams[i].is_type && deduce(f, i, args, count, &one))
            ;
        else if (i < s->tparam_count && s->tparams[i].default_value)
            cmpd_buf_puts(&one, s->tparams[i].default_value);
        else
            return;
        if (i)
            cmpd_buf_puts(&all, ", ");
        put_arg(&all, cmpd_buf_str(&one), w->host, host_targs);
    }
    add_instance(w, s, cmpd_buf_str(&all));
}

static void use(struct walk *w, const struct ir_func *f, const struct ir_targ *targs,
                size_t targ_count, const struct ir_expr *const *args, size_t count)
{
    uint32_t host = w->host ? sig_index_of(w->b, w->host) : UINT32_MAX;
    if (!f)
        return;
    one_use(w, f, targs, targ_count, args, count, NULL);
    if (host == UINT32_MAX || !w->host->tparam_count)
        return;
    for (size_t i = 0; i < w->b->out->funcs[host].instance_count; i++)
        one_use(w, f, targs, targ_count, args, count, w->b->out->funcs[host].instances[i]);
}

static bool visit(const struct ir_expr *x, void *ctx)
{
    struct walk *w = ctx;
    if (x->kind == IR_X_LAUNCH)
        use(w, x->launch->kernel, x->launch->targs, x->launch->targ_count, x->args, x->arg_count);
    else if (x->kind == IR_X_CALL)
        use(w, x->func, x->targs, x->targ_count, x->args, x->arg_count);
    return true;
}

void sig_find_instances(struct sig_build *b)
{
    const struct ir_module *m = b->module;
    struct walk w = {.b = b, .changed = true};
    for (size_t i = 0; i < m->instantiation_count; i++) {
        const struct ir_instantiation *in = &m->instantiations[i];
        if (in->func)
            one_use(&w, in->func, in->targs, in->targ_count, NULL, 0, NULL);
    }
    for (int round = 0; w.changed && round < ROUNDS; round++) {
        w.changed = false;
        for (size_t i = 0; i < m->func_count; i++) {
            w.host = m->funcs[i];
            if (w.host->body && !w.host->is_lambda)
                cmpd_ir_walk_stmt(w.host->body, visit, &w);
        }
    }
}
