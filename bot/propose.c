#include "bot/propose.h"

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

static bool name_has(const char *name, const char *const *words)
{
    for (; *words; words++) {
        if (strcasestr(name, *words))
            return true;
    }
    return false;
}

static const char *pointer_role(const struct ir_type *t, const char *name)
{
    static const char *const both[] = {"inout", "in_out", "inplace", NULL};
    static const char *const scratch[] = {"work", "tmp", "temp", "scratch", NULL};
    if (t->elem && t->elem->is_const)
        return "in";
    if (name_has(name, both))
        return "inout";
    if (name_has(name, scratch))
        return "workspace";
    return "out";
}

/* "in:a"; NULL where the type can't be bound. */
static char *role_of(const struct ir_var *p)
{
    const struct ir_type *t = cmpd_ir_strip_ref(p->type);
    if (!p->name || !p->name[0])
        return NULL;
    if (t->name && strcmp(t->name, "cudaStream_t") == 0)
        return cmpd_strdup("stream");
    switch (t->kind) {
    case IR_T_PTR:
    case IR_T_ARRAY:
        return cmpd_asprintf("%s:%s", pointer_role(t, p->name), p->name);
    case IR_T_INT:
        return cmpd_asprintf("dim:%s", p->name);
    case IR_T_FLOAT:
        return cmpd_asprintf("scalar:%s=1.0", p->name);
    case IR_T_BOOL:
        return cmpd_asprintf("scalar:%s=1", p->name);
    default:
        return NULL;
    }
}

static json_t *roles(const struct ir_func *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->param_count; i++) {
        char *role = role_of(f->params[i]);
        json_t *text = role ? json_string(role) : NULL;
        free(role);
        if (!text) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, text);
    }
    return list;
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

/* A shape that no block size divides, and a larger one. */
static json_t *cases(const json_t *args)
{
    static const int odd[] = {1000, 37, 5, 3}, round[] = {1048576, 1024, 64, 8};
    json_t *small = json_object(), *large = json_object();
    size_t dims = 0, seen = 0;
    for (size_t i = 0; i < json_array_size(args); i++)
        dims += strncmp(json_string_value(json_array_get(args, i)), "dim:", 4) == 0;
    for (size_t i = 0; i < json_array_size(args); i++) {
        const char *role = json_string_value(json_array_get(args, i));
        if (strncmp(role, "dim:", 4) != 0)
            continue;
        size_t size = dims == 1 ? 0 : dims == 2 ? 1 : seen < 2 ? 1 : 2;
        json_object_set_new(small, role + 4, json_integer(odd[size] + (int)seen));
        json_object_set_new(large, role + 4, json_integer(round[size]));
        seen++;
    }
    if (!seen) {
        json_decref(small);
        json_decref(large);
        return NULL;
    }
    return json_pack("[oo]", small, large);
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

static json_t *entry_object(const struct ir_func *f, const char *op_comment, const char *path,
                            char *note, size_t size)
{
    json_t *file = json_string(path);
    if (!file) {
        snprintf(note, size, "its name is not UTF-8, so cmpd.json can't hold it");
        return NULL;
    }
    json_t *o = json_object(), *args = roles(f);
    CMPD_AUTOFREE char *op = op_comment ? cmpd_strdup(op_comment) : op_of(f->name);
    const char *dtype = dtype_of(f);
    json_object_set_new(o, "path", file);
    json_object_set_new(o, "op", json_string(op));
    json_object_set_new(o, "entry", json_string(f->name));
    if (dtype)
        json_object_set_new(o, "dtype", json_string(dtype));
    if (!args) {
        snprintf(note, size,
                 "parameters of %.80s can't be bound by their types: write its args yourself",
                 f->name);
        return o;
    }
    json_t *shapes = cases(args);
    json_object_set_new(o, "args", args);
    if (shapes)
        json_object_set_new(o, "cases", shapes);
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
