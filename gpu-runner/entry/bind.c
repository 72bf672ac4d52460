#include "gpu-runner/entry/bind.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"

#define CANDIDATES_CEILING 64

/* ---- messages ---- */

/* Roles as far as they are known: "args": ["in:x", "?:foo"]. */
void cmpd_bind_args_text(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                         struct cmpd_buf *out)
{
    static const char *const roles[] = {"in", "out", "inout"};
    cmpd_buf_puts(out, "\"args\": [");
    for (size_t i = 0; i < b->param_count; i++) {
        const struct cmpd_bind_param *p = &b->params[i];
        const char *name = b->func->params[i].name;
        cmpd_buf_puts(out, i ? ", \"" : "\"");
        if (p->role <= CMPD_ROLE_INOUT && p->arg >= 0)
            cmpd_buf_printf(out, "%s:%s", roles[p->role], op->args[p->arg].name);
        else if (p->role == CMPD_ROLE_STREAM)
            cmpd_buf_puts(out, "stream");
        else if (p->role == CMPD_ROLE_WORKSPACE)
            cmpd_buf_printf(out, "workspace:%s", name);
        else if (p->role == CMPD_ROLE_SCALAR && p->fixed)
            cmpd_buf_printf(out, "scalar:%s=%g", p->arg >= 0 ? op->args[p->arg].name : name,
                            p->value);
        else if (p->role == CMPD_ROLE_SCALAR && p->arg >= 0)
            cmpd_buf_printf(out, "scalar:%s", op->args[p->arg].name);
        else if (p->role == CMPD_ROLE_DIM) {
            cmpd_buf_puts(out, "dim:");
            bool any = false;
            for (size_t d = 0; d < entry_dim_count(op); d++) {
                if (p->dim_mask & (1u << d)) {
                    cmpd_buf_printf(out, "%s%s", any ? "*" : "",
                                    op->args[entry_dim_arg(op, (int)d)].name);
                    any = true;
                }
            }
            if (!any || p->dim_factor > 1)
                cmpd_buf_printf(out, "%s%lld", any ? "*" : "", (long long)p->dim_factor);
            if (p->dim_divisor > 1)
                cmpd_buf_printf(out, "/%lld", (long long)p->dim_divisor);
        } else {
            cmpd_buf_printf(out, "?:%s", name);
        }
        cmpd_buf_putc(out, '"');
    }
    cmpd_buf_putc(out, ']');
}

static void put_hint(const struct cmpd_bind_request *q, const struct cmpd_binding *b,
                     struct cmpd_buf *out)
{
    cmpd_buf_printf(out, "in cmpd.json: {\"path\": \"%s\"", q->file ? q->file : "FILE");
    if (q->op)
        cmpd_buf_printf(out, ", \"op\": \"%s\"", q->op->name);
    if (b->func)
        cmpd_buf_printf(out, ", \"entry\": \"%s\"", b->display);
    if (b->func && q->op && b->param_count) {
        cmpd_buf_puts(out, ", ");
        cmpd_bind_args_text(b, q->op, out);
    }
    cmpd_buf_puts(out, "}");
}

__attribute__((format(printf, 3, 0))) static bool refuse(const struct cmpd_bind_request *q,
                                                         struct cmpd_binding *b, const char *fmt,
                                                         va_list ap)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf hint = CMPD_BUF_INIT;
    if (b->message)
        return false; /* the first reason is the one that counts */
    cmpd_buf_vprintf(&text, fmt, ap);
    put_hint(q, b, &hint);
    b->tag = CMPD_TAG_no_entry;
    b->tier = CMPD_TIER_REVIEW;
    b->message = cmpd_buf_steal(&text);
    b->hint = cmpd_buf_steal(&hint);
    b->task = CMPD_BIND_NONE;
    return false;
}

bool entry_refuse(const struct cmpd_bind_request *q, struct cmpd_binding *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    refuse(q, b, fmt, ap);
    va_end(ap);
    return false;
}

void entry_assume(struct cmpd_binding *b, const char *fmt, ...)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    if (b->assumed)
        cmpd_buf_printf(&text, "%s; ", b->assumed);
    va_list ap;
    va_start(ap, fmt);
    cmpd_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    free(b->assumed);
    b->assumed = cmpd_buf_steal(&text);
}

void cmpd_binding_clear(struct cmpd_binding *b)
{
    free(b->message);
    free(b->hint);
    free(b->assumed);
    free(b->args_hint);
    free(b->symbol);
    free(b->display);
    free(b->targs);
    for (size_t i = 0; i < b->param_count; i++)
        free(b->params[i].workspace_bytes);
    for (int c = 0; c < 3; c++) {
        free(b->launch.grid[c]);
        free(b->launch.block[c]);
    }
    free(b->launch.shared);
    memset(b, 0, sizeof *b);
}

/* ---- one candidate ---- */

static void set_display(struct cmpd_binding *b)
{
    CMPD_AUTOFREE char *name = cmpd_sig_qualified(b->func);
    free(b->display);
    b->display = b->targs ? cmpd_asprintf("%s<%s>", name, b->targs) : cmpd_strdup(name);
}

/* What --entry gave, filled up with the template's defaults. */
static char *complete_targs(const struct cmpd_sig_func *f, const char *given)
{
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    for (size_t i = 0; i < f->tparam_count; i++) {
        CMPD_AUTOFREE char *one = entry_targ(given, i);
        const char *with = one ? one : f->tparams[i].default_value;
        if (!with)
            break;
        cmpd_buf_printf(&out, "%s%s", i ? ", " : "", with);
    }
    return cmpd_strdup(cmpd_buf_str(&out));
}

static void try_candidate(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f,
                          const char *targs, struct cmpd_binding *b)
{
    memset(b, 0, sizeof *b);
    b->func = f;
    b->line = f->line;
    b->task = f->kind == CMPD_SIG_KERNEL ? CMPD_BIND_KERNEL : CMPD_BIND_LAUNCHER;
    if (f->tparam_count)
        b->targs = targs && targs[0] ? complete_targs(f, targs) : entry_find_targs(q, f);
    set_display(b);
    if (f->tparam_count && !b->targs) {
        entry_refuse(q, b,
                     "%s is a template of which the file makes no instance; name one, as in "
                     "\"entry\": \"%s<float>\"",
                     b->display, b->display);
        return;
    }
    if (f->is_method || f->is_variadic) {
        entry_refuse(q, b,
                     "%s is a method or takes a variable number of arguments; add a plain "
                     "function that calls it",
                     b->display);
        return;
    }
    bool listed = q->args && q->args->count;
    if (!entry_pass_params(q, b) ||
        !(listed ? entry_bind_by_policy(q, b) : entry_bind_by_names(q, b)) ||
        !entry_settle_dtype(q, b))
        return;
    if (b->task == CMPD_BIND_KERNEL)
        entry_find_launch(q, b);
    if (b->message || !entry_settle_dims(q, b))
        return;
    entry_find_symbol(q, b);
    for (size_t i = 0; b->needs_shim && b->task == CMPD_BIND_LAUNCHER && i < b->param_count; i++)
        b->params[i].by_reference = false; /* the shim takes the value */
    CMPD_BUF_AUTO struct cmpd_buf hint = CMPD_BUF_INIT;
    put_hint(q, b, &hint);
    b->args_hint = cmpd_buf_steal(&hint);
}

/* ---- which function ---- */

static void not_found(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    CMPD_BUF_AUTO struct cmpd_buf seen = CMPD_BUF_INIT;
    for (size_t i = 0; i < q->sigs->func_count && i < 12; i++) {
        CMPD_AUTOFREE char *name = cmpd_sig_qualified(&q->sigs->funcs[i]);
        cmpd_buf_printf(&seen, "%s%s", i ? ", " : "", name);
    }
    b->task = CMPD_BIND_NONE;
    b->tag = CMPD_TAG_entry_not_found;
    /* A header or a macro may make what the text does not show. */
    b->tier = q->entry_required && !q->sigs->cut ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW;
    b->message = cmpd_asprintf("the entry %s is not in this file, which has %s", q->entry,
                               seen.len ? cmpd_buf_str(&seen) : "no functions of its own");
    b->hint = cmpd_strdup("name a function of the file as the entry");
}

/* "ns::launch<float>" against a function: its own name, or with its scope from the end. */
static bool is_named(const struct cmpd_sig_func *f, const char *entry)
{
    size_t n = strcspn(entry, "<");
    CMPD_AUTOFREE char *want = cmpd_strndup(strncmp(entry, "::", 2) == 0 ? entry + 2 : entry,
                                            strncmp(entry, "::", 2) == 0 ? n - 2 : n);
    CMPD_AUTOFREE char *full = cmpd_sig_qualified(f);
    size_t have = strlen(full), len = strlen(want);
    if (len > have || strcmp(full + have - len, want) != 0)
        return false;
    return len == have || (have - len >= 2 && strncmp(full + have - len - 2, "::", 2) == 0);
}

static char *targs_in(const char *entry)
{
    const char *open = strchr(entry, '<'), *close = strrchr(entry, '>');
    return open && close > open ? cmpd_strndup(open + 1, (size_t)(close - open - 1)) : NULL;
}

static bool takes_pointers(const struct cmpd_sig_func *f)
{
    for (size_t i = 0; i < f->param_count; i++) {
        if (f->params[i].pointers && f->params[i].elem != CMPD_SIG_STREAM)
            return true;
    }
    return false;
}

/* Functions among which the entry is sought, the likeliest kind first. */
static size_t candidates(const struct cmpd_bind_request *q, int kind,
                         const struct cmpd_sig_func *out[CANDIDATES_CEILING])
{
    size_t count = 0;
    for (size_t i = 0; i < q->sigs->func_count && count < CANDIDATES_CEILING; i++) {
        const struct cmpd_sig_func *f = &q->sigs->funcs[i];
        bool host = f->kind == CMPD_SIG_HOST;
        bool speaks = q->op && entry_name_score(f, q->op) > 0;
        bool takes = false;
        switch (kind) {
        case 0: /* launchers, and what claims to be one */
            takes = host && !f->is_method && !f->is_called &&
                    (f->is_launcher || ((f->is_extern_c || f->calls_library) && takes_pointers(f)));
            break;
        case 1: /* host functions of the operator's name that launch nothing */
            takes = host && !f->is_method && !f->is_called && speaks && takes_pointers(f);
            break;
        case 2: /* a launcher that others call as well, or a method */
            takes = host && f->is_launcher;
            break;
        default:
            takes = !host;
        }
        if (takes)
            out[count++] = f;
    }
    return count;
}

/* Only those whose name speaks most clearly of the operator, where any does. */
static size_t keep_best_names(const struct cmpd_bind_request *q, const struct cmpd_sig_func **list,
                              size_t count)
{
    unsigned best = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned s = entry_name_score(list[i], q->op);
        best = s > best ? s : best;
    }
    for (size_t i = 0; best && i < count; i++) {
        if (entry_name_score(list[i], q->op) == best)
            list[kept++] = list[i];
    }
    return best ? kept : count;
}

static size_t keep_extern_c(const struct cmpd_sig_func **list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += list[i]->is_extern_c;
    if (kept == 0)
        return count;
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i]->is_extern_c)
            list[kept++] = list[i];
    }
    return kept;
}

static void ambiguous(const struct cmpd_bind_request *q, const struct cmpd_sig_func **list,
                      size_t count, struct cmpd_binding *b)
{
    CMPD_BUF_AUTO struct cmpd_buf names = CMPD_BUF_INIT;
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < count && i < 8; i++) {
        CMPD_AUTOFREE char *name = cmpd_sig_qualified(list[i]);
        cmpd_buf_printf(&names, "%s%s (line %u)", i ? ", " : "", name, list[i]->line);
    }
    entry_refuse(q, b,
                 "several functions may be the entry: %s; name one with --entry or as \"entry\" "
                 "in cmpd.json",
                 cmpd_buf_str(&names));
}

/* Of several the one that can be bound without assumptions, else the one that can be bound at all. */
static void try_all(const struct cmpd_bind_request *q, const struct cmpd_sig_func **list,
                    size_t count, const char *targs, struct cmpd_binding *out)
{
    size_t bound = 0, sure = 0, which = 0, which_sure = 0;
    for (size_t i = 0; i < count; i++) {
        struct cmpd_binding b;
        try_candidate(q, list[i], targs, &b);
        if (b.task != CMPD_BIND_NONE) {
            bound++;
            which = i;
            if (!b.assumed) {
                sure++;
                which_sure = i;
            }
        }
        cmpd_binding_clear(&b);
    }
    if (sure == 1 || bound == 1)
        try_candidate(q, list[sure == 1 ? which_sure : which], targs, out);
    else if (bound == 0 && count == 1)
        try_candidate(q, list[0], targs, out); /* for its message */
    else
        ambiguous(q, list, count, out);
}

static void by_name(const struct cmpd_bind_request *q, struct cmpd_binding *out)
{
    const struct cmpd_sig_func *list[CANDIDATES_CEILING];
    size_t count = 0;
    CMPD_AUTOFREE char *targs = targs_in(q->entry);
    for (size_t i = 0; i < q->sigs->func_count && count < CANDIDATES_CEILING; i++) {
        if (is_named(&q->sigs->funcs[i], q->entry))
            list[count++] = &q->sigs->funcs[i];
    }
    if (count == 0)
        not_found(q, out);
    else
        try_all(q, list, count, targs, out);
}

static void nothing_there(const struct cmpd_bind_request *q, struct cmpd_binding *out)
{
    if (q->sigs->has_main) {
        out->task = CMPD_BIND_MAIN;
        return;
    }
    entry_refuse(q, out,
                 "the file has no host function that launches a kernel and no __global__ "
                 "function that could be called%s",
                 q->sigs->cut ? " (or it could not be read to its end)" : "");
}

static void by_search(const struct cmpd_bind_request *q, struct cmpd_binding *out)
{
    const struct cmpd_sig_func *list[CANDIDATES_CEILING];
    for (int kind = 0; kind < 4; kind++) {
        size_t count = candidates(q, kind, list);
        if (count == 0)
            continue;
        if (count > 1)
            count = keep_best_names(q, list, count);
        if (count > 1)
            count = keep_extern_c(list, count);
        try_all(q, list, count, NULL, out);
        return;
    }
    nothing_there(q, out);
}

static void no_operator(const struct cmpd_bind_request *q, struct cmpd_binding *out)
{
    out->task = CMPD_BIND_NONE;
    out->tag = CMPD_TAG_no_reference;
    out->tier = CMPD_TIER_REVIEW;
    out->message = cmpd_strdup("it is not known which operator this file implements, so there is "
                               "nothing to compare its results with");
    out->hint =
        cmpd_asprintf("--op NAME, a comment `// cmpd: op=NAME`, or in cmpd.json: {\"path\": "
                      "\"%s\", \"op\": \"NAME\"}",
                      q->file ? q->file : "FILE");
}

void cmpd_bind(const struct cmpd_bind_request *q, struct cmpd_binding *out)
{
    memset(out, 0, sizeof *out);
    if (!q->op && q->entry) {
        bool found = false;
        for (size_t i = 0; i < q->sigs->func_count; i++)
            found = found || is_named(&q->sigs->funcs[i], q->entry);
        if (!found) {
            not_found(q, out);
            return;
        }
    }
    if (!q->op && q->sigs->has_main && !q->entry) {
        out->task = CMPD_BIND_MAIN;
        return;
    }
    if (!q->op) {
        no_operator(q, out);
        return;
    }
    if (q->entry)
        by_name(q, out);
    else
        by_search(q, out);
    /* A program whose functions can't be bound still runs as a whole. */
    if (out->task == CMPD_BIND_NONE && out->tag == CMPD_TAG_no_entry && q->sigs->has_main &&
        !q->entry) {
        cmpd_binding_clear(out);
        out->task = CMPD_BIND_MAIN;
    }
}
