#include "analysis/signature/signature.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"
#include "analysis/signature/sig.h"
#include "analysis/syntax/ast.h"
#include "analysis/verdict/policy.h"

static const struct {
    const char *name;
    unsigned size;
} ELEMS[CMPD_SIG_ELEM_COUNT] = {
    [CMPD_SIG_UNKNOWN] = {"unknown", 0}, [CMPD_SIG_VOID] = {"void", 0},
    [CMPD_SIG_BOOL] = {"bool", 1},       [CMPD_SIG_I8] = {"i8", 1},
    [CMPD_SIG_U8] = {"u8", 1},           [CMPD_SIG_I16] = {"i16", 2},
    [CMPD_SIG_U16] = {"u16", 2},         [CMPD_SIG_I32] = {"i32", 4},
    [CMPD_SIG_U32] = {"u32", 4},         [CMPD_SIG_I64] = {"i64", 8},
    [CMPD_SIG_U64] = {"u64", 8},         [CMPD_SIG_F16] = {"f16", 2},
    [CMPD_SIG_BF16] = {"bf16", 2},       [CMPD_SIG_F32] = {"f32", 4},
    [CMPD_SIG_F64] = {"f64", 8},         [CMPD_SIG_STREAM] = {"stream", 8},
    [CMPD_SIG_STATUS] = {"status", 4},   [CMPD_SIG_TPARAM] = {"tparam", 0},
    [CMPD_SIG_STRUCT] = {"struct", 0},
};

const char *cmpd_sig_elem_name(enum cmpd_sig_elem e)
{
    return ELEMS[e].name;
}

unsigned cmpd_sig_elem_size(enum cmpd_sig_elem e)
{
    return ELEMS[e].size;
}

bool cmpd_sig_elem_find(const char *name, enum cmpd_sig_elem *out)
{
    for (int i = 0; i < CMPD_SIG_ELEM_COUNT; i++) {
        if (strcmp(ELEMS[i].name, name) == 0) {
            *out = (enum cmpd_sig_elem)i;
            return true;
        }
    }
    return false;
}

/* ---- building ---- */

uint32_t sig_index_of(const struct sig_build *b, const struct ir_func *f)
{
    if (!f)
        return UINT32_MAX;
    if (b->index[f->index] != UINT32_MAX)
        return b->index[f->index];
    /* A declaration stands for the definition of the same name, scope and number of parameters. */
    for (size_t i = 0; i < b->module->func_count; i++) {
        const struct ir_func *g = b->module->funcs[i];
        if (b->index[g->index] != UINT32_MAX && strcmp(g->name, f->name) == 0 &&
            strcmp(g->scope, f->scope) == 0 && g->param_count == f->param_count)
            return b->index[g->index];
    }
    return UINT32_MAX;
}

static bool word_in(const struct cmpd_source *src, uint32_t off, uint32_t end, const char *word)
{
    size_t len = strlen(word);
    for (uint32_t i = off; i + len <= end && i + len <= src->len; i++) {
        if (memcmp(src->text + i, word, len) == 0)
            return true;
    }
    return false;
}

/* Does the place stand inside `namespace {`? Such functions have no symbol that another object could see. */
static bool in_unnamed_namespace(const struct cmpd_tokens *toks, uint32_t off)
{
    unsigned depth = 0, within = 0; /* the depth at which an unnamed namespace is open, 0: none */
    for (size_t i = 0; i < toks->count && toks->items[i].off < off; i++) {
        if (toks->items[i].ctx & CMPD_CTX_DIRECTIVE)
            continue;
        if (cmpd_token_is(toks, i, "{")) {
            depth++;
            if (!within && i && cmpd_token_is(toks, i - 1, "namespace"))
                within = depth;
        } else if (cmpd_token_is(toks, i, "}")) {
            within = within == depth ? 0 : within;
            depth -= depth > 0;
        }
    }
    return within > 0;
}

static void add_params(const struct ir_func *f, struct cmpd_sig_func *s)
{
    for (size_t i = 0; i < f->param_count && i < CMPD_SIG_PARAMS_CEILING; i++) {
        const struct ir_var *v = f->params[i];
        struct cmpd_sig_param p = {.tparam = -1, .vector = 1};
        sig_param_type(v->type, &p);
        p.name = cmpd_strndup(v->name ? v->name : "", strnlen(v->name ? v->name : "", 200));
        p.is_pack = v->is_pack;
        p.has_default = v->init != NULL;
        int64_t n;
        if (v->init && v->init->kind == IR_X_FLOAT) {
            p.default_known = true;
            p.default_value = v->init->fval;
        } else if (v->init && ir_const_int(v->init, &n)) {
            p.default_known = true;
            p.default_value = (double)n;
        } else if (v->init && v->init->kind == IR_X_NULLPTR) {
            p.default_known = true;
        }
        CMPD_GROW(s->params, s->param_count + 1, s->param_cap);
        s->params[s->param_count++] = p;
    }
}

static void add_tparams(const struct ir_func *f, struct cmpd_sig_func *s)
{
    for (size_t i = 0; i < f->tparam_count && i < CMPD_SIG_PARAMS_CEILING; i++) {
        const struct ir_tparam *t = &f->tparams[i];
        struct cmpd_sig_tparam p = {.is_type = t->is_type, .is_pack = t->is_pack};
        p.name = cmpd_strndup(t->name ? t->name : "", strnlen(t->name ? t->name : "", 200));
        struct ir_targ def = {.type = t->is_type ? t->type : NULL, .value = t->def};
        if (def.type || def.value) {
            CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
            sig_targs_text(&def, 1, &text);
            if (text.len <= CMPD_SIG_TEXT_CEILING)
                p.default_value = cmpd_strdup(cmpd_buf_str(&text));
        }
        CMPD_GROW(s->tparams, s->tparam_count + 1, s->tparam_cap);
        s->tparams[s->tparam_count++] = p;
    }
}

static bool listed(const struct ir_func *f)
{
    if (!f->is_defined || !f->body || f->is_lambda || f->is_constructor || !f->name)
        return false;
    return f->kind == IR_F_HOST || f->kind == IR_F_KERNEL;
}

static void add_func(struct sig_build *b, const struct ir_func *f)
{
    const struct cmpd_source *src = b->module->unit->src;
    struct cmpd_signatures *out = b->out;
    if (out->func_count == CMPD_SIG_FUNCS_CEILING || strlen(f->name) > CMPD_SIG_TEXT_CEILING ||
        strlen(f->scope) > CMPD_SIG_TEXT_CEILING) {
        out->cut = true;
        return;
    }
    struct cmpd_sig_func s = {.kind = f->kind == IR_F_KERNEL ? CMPD_SIG_KERNEL : CMPD_SIG_HOST,
                              .line = cmpd_source_pos(src, f->name_loc.off).line,
                              .is_extern_c = f->is_extern_c,
                              .is_static = f->is_static,
                              .is_method = f->is_method,
                              .is_variadic = f->is_variadic,
                              .ret = {.tparam = -1, .vector = 1}};
    s.name = cmpd_strdup(f->name);
    s.scope = cmpd_strdup(f->scope);
    s.is_local = in_unnamed_namespace(b->module->unit->tokens, f->loc.off);
    s.is_inline = word_in(src, f->loc.off, f->name_loc.off, "inline") ||
                  word_in(src, f->loc.off, f->name_loc.off, "constexpr");
    sig_param_type(f->ret, &s.ret);
    s.ret.name = cmpd_strdup("");
    int64_t threads;
    if (f->launch_bounds_threads && ir_const_int(f->launch_bounds_threads, &threads) &&
        threads > 0 && threads <= 1024)
        s.max_threads = (uint32_t)threads;
    add_params(f, &s);
    add_tparams(f, &s);
    CMPD_GROW(out->funcs, out->func_count + 1, out->func_cap);
    b->index[f->index] = (uint32_t)out->func_count;
    out->funcs[out->func_count++] = s;
}

void cmpd_signatures_build(const struct ir_module *module, struct cmpd_signatures *out)
{
    memset(out, 0, sizeof *out);
    struct sig_build b = {.module = module, .out = out};
    b.index = cmpd_calloc(module->func_count + 1, sizeof *b.index);
    for (size_t i = 0; i < module->func_count; i++)
        b.index[i] = UINT32_MAX;
    for (size_t i = 0; i < module->func_count; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->index >= module->func_count || !listed(f))
            continue;
        if (strcmp(f->name, "main") == 0 && !f->is_method && !f->scope[0])
            out->has_main = true;
        else
            add_func(&b, f);
    }
    sig_find_evidence(&b);
    sig_find_launches(&b);
    sig_find_instances(&b);
    free(b.index);
}

cmpd_rc cmpd_signatures_of_source(const struct cmpd_source *src, const struct cmpd_nvcc *nvcc,
                                  struct cmpd_signatures *out, struct cmpd_err *err)
{
    struct cmpd_arena arena = {0};
    struct cmpd_tokens *toks = cmpd_lex(src, &arena);
    size_t count = nvcc ? nvcc->define.count : 0;
    struct cmpd_define *defines = CMPD_ARENA_ARRAY(&arena, struct cmpd_define, count + 1);
    for (size_t i = 0; i < count; i++) {
        char *name = cmpd_arena_strndup(&arena, nvcc->define.items[i],
                                        strlen(nvcc->define.items[i]));
        char *eq = strchr(name, '=');
        if (eq)
            *eq = '\0';
        defines[i] = (struct cmpd_define){name, eq ? eq + 1 : NULL};
    }
    struct cmpd_unit *unit = cmpd_unit_build(toks, defines, count, NULL, nvcc ? nvcc->arch : NULL,
                                             &arena);
    struct cmpd_ast *ast = NULL;
    cmpd_rc rc = cmpd_ast_parse(unit, &ast, err);
    struct ir_module *module = rc == CMPD_OK ? cmpd_ir_lower(ast, &arena) : NULL;
    if (module) {
        cmpd_signatures_build(module, out);
        out->cut = out->cut || unit->cut || toks->cut || arena.exhausted;
    } else if (rc == CMPD_OK) {
        memset(out, 0, sizeof *out);
        out->cut = true;
    }
    cmpd_ast_free(ast);
    cmpd_arena_clear(&arena);
    return rc;
}

/* ---- clearing, texts ---- */

static void clear_param(struct cmpd_sig_param *p)
{
    free(p->name);
    free(p->type);
}

static void clear_func(struct cmpd_sig_func *f)
{
    free(f->name);
    free(f->scope);
    clear_param(&f->ret);
    for (size_t i = 0; i < f->param_count; i++)
        clear_param(&f->params[i]);
    for (size_t i = 0; i < f->tparam_count; i++) {
        free(f->tparams[i].name);
        free(f->tparams[i].default_value);
    }
    for (size_t i = 0; i < f->instance_count; i++)
        free(f->instances[i]);
    free(f->params);
    free(f->tparams);
    free(f->instances);
}

void cmpd_signatures_clear(struct cmpd_signatures *s)
{
    for (size_t i = 0; i < s->func_count; i++)
        clear_func(&s->funcs[i]);
    for (size_t i = 0; i < s->launch_count; i++) {
        struct cmpd_sig_launch *l = &s->launches[i];
        for (int c = 0; c < 3; c++) {
            free(l->grid[c]);
            free(l->block[c]);
        }
        free(l->shared);
        free(l->stream);
        free(l->targs);
    }
    free(s->funcs);
    free(s->launches);
    memset(s, 0, sizeof *s);
}

char *cmpd_sig_qualified(const struct cmpd_sig_func *f)
{
    return f->scope[0] ? cmpd_asprintf("%s::%s", f->scope, f->name) : cmpd_strdup(f->name);
}

static void put_param(struct cmpd_buf *out, const struct cmpd_sig_param *p)
{
    size_t len = strlen(p->type);
    bool tight = len && (p->type[len - 1] == '*' || p->type[len - 1] == '&');
    cmpd_buf_puts(out, p->type);
    if (p->name[0])
        cmpd_buf_printf(out, "%s%s", tight ? "" : " ", p->name);
}

char *cmpd_sig_text(const struct cmpd_sig_func *f)
{
    struct cmpd_buf out = CMPD_BUF_INIT;
    CMPD_AUTOFREE char *name = cmpd_sig_qualified(f);
    if (f->kind == CMPD_SIG_KERNEL)
        cmpd_buf_puts(&out, "__global__ ");
    cmpd_buf_printf(&out, "%s %s(", f->ret.type, name);
    for (size_t i = 0; i < f->param_count; i++) {
        if (i)
            cmpd_buf_puts(&out, ", ");
        put_param(&out, &f->params[i]);
    }
    cmpd_buf_putc(&out, ')');
    return cmpd_buf_steal(&out);
}
