#include "bot/propose.h"
#include "refs/ref.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/ir.h"
#include "analysis/syntax/ast.h"
#include "analysis/text/unit.h"
#include "analysis/verdict/report.h"

static bool note_launch(const struct ir_expr *x, void *ctx)
{
    bool *found = ctx;
    *found = *found || x->kind == IR_X_LAUNCH;
    return !*found;
}

static bool launches(const struct ir_func *f)
{
    bool found = false;
    cmpd_ir_walk_stmt(f->body, note_launch, &found);
    return found;
}

static bool callable(const struct ir_func *f)
{
    return f->body && !f->is_method && !f->is_lambda && !f->tparam_count && f->name && f->name[0];
}

/* The first launcher, else the first kernel; *others gets how many more launchers there are. */
static const struct ir_func *choose_entry(const struct ir_module *m, size_t *others)
{
    const struct ir_func *launcher = NULL, *kernel = NULL;
    *others = 0;
    for (size_t i = 0; i < m->func_count; i++) {
        const struct ir_func *f = m->funcs[i];
        if (!callable(f))
            continue;
        if (f->kind == IR_F_KERNEL && !kernel)
            kernel = f;
        if (f->kind != IR_F_HOST || f->is_static || strcmp(f->name, "main") == 0 || !launches(f))
            continue;
        if (launcher)
            ++*others;
        else
            launcher = f;
    }
    return launcher ? launcher : kernel;
}

static const char *dtype_of(const struct ir_func *f)
{
    for (size_t i = 0; i < f->param_count; i++) {
        const struct ir_type *t = cmpd_ir_strip_ref(f->params[i]->type)->elem;
        if (!t)
            continue;
        if (t->kind == IR_T_FLOAT)
            return t->size == 8                       ? "f64"
                   : t->size == 4                     ? "f32"
                   : t->name && strstr(t->name, "bf") ? "bf16"
                                                      : "f16";
        if (t->kind == IR_T_INT && t->size == 4)
            return t->is_signed ? "i32" : "u32";
        if (t->kind == IR_T_INT && t->size == 8)
            return t->is_signed ? "i64" : "u64";
        if (t->kind == IR_T_INT && t->size == 1)
            return t->is_signed ? "i8" : "u8";
    }
    return NULL;
}

/* "launch_tanh_add" and "tanh_add_kernel" are both about tanh_add. */
static char *op_of(const char *entry)
{
    static const char *const before[] = {"launch_", "run_", NULL};
    static const char *const behind[] = {"_kernel", "_launcher", "_cuda", NULL};
    const char *from = entry;
    size_t n;
    for (size_t i = 0; before[i]; i++) {
        if (strncmp(entry, before[i], strlen(before[i])) == 0)
            from = entry + strlen(before[i]);
    }
    n = strlen(from);
    for (size_t i = 0; behind[i]; i++) {
        size_t k = strlen(behind[i]);
        if (n > k && strcmp(from + n - k, behind[i]) == 0)
            n -= k;
    }
    return cmpd_strndup(from, n);
}

/*
 * Only what names the file's affair. Roles of arguments, shapes and numbers follow from the signature and the operator
 * when it is judged; a guess written down here would be taken for the user's word.
 */
static json_t *entry_object(const struct ir_func *f, const char *op_comment, const char *path,
                            char *note, size_t size)
{
    json_t *file = json_string(path);
    if (!file) {
        snprintf(note, size, "its name is not UTF-8, so cmpd.json can't hold it");
        return NULL;
    }
    json_t *o = json_object();
    CMPD_AUTOFREE char *op = op_comment ? cmpd_strdup(op_comment) : op_of(f->name);
    const char *dtype = dtype_of(f);
    json_object_set_new(o, "path", file);
    json_object_set_new(o, "entry", json_string(f->name));
    if (dtype)
        json_object_set_new(o, "dtype", json_string(dtype));
    if (op_comment || cmpd_ref_find(op))
        json_object_set_new(o, "op", json_string(op));
    else
        snprintf(note, size,
                 "there is no operator '%.60s': add its \"op\", or a \"reference\" of your own",
                 op);
    return o;
}

static json_t *propose(const struct ir_module *m, const char *op_comment, const char *path,
                       char *note, size_t size)
{
    size_t others;
    const struct ir_func *f = choose_entry(m, &others);
    if (!f)
        return NULL;
    json_t *o = entry_object(f, op_comment, path, note, size);
    if (others && !note[0])
        snprintf(note, size, "it has %zu launchers more than %.80s", others, f->name);
    return o;
}

json_t *cmpd_propose_kernel(const struct cmpd_source *src, const char *path, char *note,
                            size_t size)
{
    struct cmpd_arena arena = {0};
    struct cmpd_err err = {0};
    struct cmpd_remarks remarks = {0};
    struct cmpd_ast *ast = NULL;
    json_t *o = NULL;
    note[0] = '\0';
    if (src->binary) {
        snprintf(note, size, "it is binary");
        return NULL;
    }
    struct cmpd_tokens *toks = cmpd_lex(src, &arena);
    cmpd_remarks_read(toks, &arena, &remarks);
    struct cmpd_unit *unit = cmpd_unit_build(toks, NULL, 0, NULL, NULL, &arena);
    if (cmpd_ast_parse(unit, &ast, &err) != CMPD_OK)
        snprintf(note, size, "%.150s", err.msg);
    else
        o = propose(cmpd_ir_lower(ast, &arena), remarks.op, path, note, size);
    cmpd_ast_free(ast);
    cmpd_arena_clear(&arena);
    return o;
}
