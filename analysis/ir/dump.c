/* A readable dump: one statement a line, types behind a colon where they tell something. */
#include <inttypes.h>
#include <string.h>

#include "analysis/base/buf.h"
#include "analysis/ir/ir.h"

static void dump_expr(struct cmpd_buf *out, const struct ir_expr *x);
static void dump_stmt(struct cmpd_buf *out, const struct ir_stmt *s, int indent);

static void dump_type(struct cmpd_buf *out, const struct ir_type *t)
{
    if (!t) {
        cmpd_buf_puts(out, "(none)");
        return;
    }
    if (t->is_const && t->kind != IR_T_PTR)
        cmpd_buf_puts(out, "const ");
    if (t->is_volatile && t->kind != IR_T_PTR)
        cmpd_buf_puts(out, "volatile ");
    switch (t->kind) {
    case IR_T_PTR:
        if (t->name) {
            cmpd_buf_puts(out, t->name);
            break;
        }
        dump_type(out, t->elem);
        cmpd_buf_puts(out, t->is_const ? "*const" : "*");
        cmpd_buf_puts(out, t->is_restrict ? " restrict" : "");
        break;
    case IR_T_REF:
        dump_type(out, t->elem);
        cmpd_buf_puts(out, "&");
        break;
    case IR_T_ARRAY: {
        const struct ir_type *elem = t;
        while (elem->kind == IR_T_ARRAY)
            elem = elem->elem;
        dump_type(out, elem);
        for (; t->kind == IR_T_ARRAY; t = t->elem) {
            cmpd_buf_puts(out, "[");
            if (t->extent)
                dump_expr(out, t->extent);
            cmpd_buf_puts(out, "]");
        }
        break;
    }
    case IR_T_UNKNOWN:
        cmpd_buf_printf(out, "?%s", t->name && !t->is_auto ? t->name : "");
        break;
    case IR_T_TPARAM:
        cmpd_buf_printf(out, "%s#%d", t->name ? t->name : "", t->tparam);
        break;
    default:
        cmpd_buf_puts(out, t->name ? t->name : "(unnamed)");
    }
}

static void dump_args(struct cmpd_buf *out, const struct ir_expr *const *args, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            cmpd_buf_puts(out, ", ");
        dump_expr(out, args[i]);
    }
}

static void dump_targs(struct cmpd_buf *out, const struct ir_targ *targs, size_t count)
{
    if (!count)
        return;
    cmpd_buf_puts(out, "<");
    for (size_t i = 0; i < count; i++) {
        if (i)
            cmpd_buf_puts(out, ", ");
        if (targs[i].type)
            dump_type(out, targs[i].type);
        else
            dump_expr(out, targs[i].value);
    }
    cmpd_buf_puts(out, ">");
}

static const char *op_text(enum ir_op op)
{
    static const char *const texts[] = {
        [IR_OP_NONE] = "", [IR_OP_ADD] = "+",  [IR_OP_SUB] = "-",  [IR_OP_MUL] = "*",
        [IR_OP_DIV] = "/", [IR_OP_MOD] = "%",  [IR_OP_AND] = "&",  [IR_OP_OR] = "|",
        [IR_OP_XOR] = "^", [IR_OP_SHL] = "<<", [IR_OP_SHR] = ">>", [IR_OP_EQ] = "==",
        [IR_OP_NE] = "!=", [IR_OP_LT] = "<",   [IR_OP_LE] = "<=",  [IR_OP_GT] = ">",
        [IR_OP_GE] = ">=", [IR_OP_NEG] = "-",  [IR_OP_NOT] = "!",  [IR_OP_COMPL] = "~",
        [IR_OP_PLUS] = "+"};
    return texts[op];
}

static void dump_binary(struct cmpd_buf *out, const struct ir_expr *a, const char *op,
                        const struct ir_expr *b)
{
    cmpd_buf_puts(out, "(");
    dump_expr(out, a);
    cmpd_buf_printf(out, " %s ", op);
    dump_expr(out, b);
    cmpd_buf_puts(out, ")");
}

static void dump_launch(struct cmpd_buf *out, const struct ir_expr *x)
{
    const struct ir_launch *l = x->launch;
    const struct ir_expr *parts[] = {l->config, l->grid, l->block, l->shared, l->stream};
    cmpd_buf_printf(out, "launch%s %s", l->via_api ? "-api" : "",
                    l->kernel ? l->kernel->name : "?");
    dump_targs(out, l->targs, l->targ_count);
    cmpd_buf_puts(out, "<<<");
    const char *sep = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i])
            continue;
        cmpd_buf_puts(out, sep);
        dump_expr(out, parts[i]);
        sep = ", ";
    }
    cmpd_buf_puts(out, ">>>(");
    dump_args(out, x->args, x->arg_count);
    cmpd_buf_puts(out, l->args_unknown ? "...)" : ")");
}

static void dump_cast(struct cmpd_buf *out, const struct ir_expr *x)
{
    static const char *const names[] = {"", "static ", "reinterpret ", "const ", "functional "};
    cmpd_buf_printf(out, "(%s", names[x->cast]);
    dump_type(out, x->type);
    cmpd_buf_puts(out, ")");
    dump_expr(out, x->a);
}

static void dump_builtin(struct cmpd_buf *out, const struct ir_expr *x)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    cmpd_buf_puts(out, names[x->builtin]);
    if (x->dim >= 0)
        cmpd_buf_printf(out, ".%c", 'x' + x->dim);
}

static void dump_leaf(struct cmpd_buf *out, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_X_INT:
        cmpd_buf_printf(out, "%" PRId64, x->ival);
        if (x->type->kind == IR_T_INT && (x->type->size != 4 || !x->type->is_signed))
            cmpd_buf_printf(out, "%s%u", x->type->is_signed ? "i" : "u", x->type->size * 8);
        break;
    case IR_X_FLOAT:
        cmpd_buf_printf(out, "%g%s", x->fval, x->type->size == 4 ? "f" : "");
        break;
    case IR_X_STRING:
        cmpd_buf_printf(out, "\"%s\"", x->name);
        break;
    case IR_X_NULLPTR:
        cmpd_buf_puts(out, "nullptr");
        break;
    case IR_X_VAR:
        cmpd_buf_puts(out, x->var->name);
        break;
    case IR_X_NAME:
        cmpd_buf_printf(out, "'%s", x->name);
        dump_targs(out, x->targs, x->targ_count);
        break;
    case IR_X_FUNC:
        cmpd_buf_printf(out, "@%s", x->func->name);
        dump_targs(out, x->targs, x->targ_count);
        break;
    case IR_X_BUILTIN:
        dump_builtin(out, x);
        break;
    case IR_X_THIS:
        cmpd_buf_puts(out, "this");
        break;
    case IR_X_SIZEOF:
        cmpd_buf_puts(out, x->is_alignof ? "alignof(" : "sizeof(");
        dump_type(out, x->sizeof_type);
        cmpd_buf_puts(out, ")");
        break;
    default:
        cmpd_buf_puts(out, "UNKNOWN");
        break;
    }
}

static void dump_new(struct cmpd_buf *out, const struct ir_expr *x)
{
    cmpd_buf_puts(out, x->placement ? "new-placement " : "new ");
    dump_type(out, x->type->elem);
    if (x->b) {
        cmpd_buf_puts(out, "[");
        dump_expr(out, x->b);
        cmpd_buf_puts(out, "]");
    }
    cmpd_buf_puts(out, "(");
    dump_args(out, x->args, x->arg_count);
    cmpd_buf_puts(out, ")");
}

static void dump_lambda(struct cmpd_buf *out, const struct ir_lambda *l)
{
    cmpd_buf_printf(out, "lambda[%s](", l->by_reference ? "&" : "");
    for (size_t i = 0; i < l->func->param_count; i++) {
        cmpd_buf_puts(out, i ? ", " : "");
        dump_type(out, l->func->params[i]->type);
        cmpd_buf_printf(out, " %s", l->func->params[i]->name);
    }
    cmpd_buf_puts(out, ") -> ");
    dump_type(out, l->func->ret);
    cmpd_buf_puts(out, " {\n");
    dump_stmt(out, l->func->body, 4);
    cmpd_buf_puts(out, "        }");
}

static void dump_call(struct cmpd_buf *out, const struct ir_expr *x)
{
    dump_expr(out, x->a);
    if (x->a->kind == IR_X_MEMBER)
        dump_targs(out, x->targs, x->targ_count);
    cmpd_buf_puts(out, x->func ? "!(" : "(");
    dump_args(out, x->args, x->arg_count);
    cmpd_buf_puts(out, ")");
}

static void dump_init(struct cmpd_buf *out, const struct ir_expr *x)
{
    dump_type(out, x->type);
    cmpd_buf_puts(out, x->func ? "!" : "");
    cmpd_buf_puts(out, x->paren ? "(" : "{");
    dump_args(out, x->args, x->arg_count);
    cmpd_buf_puts(out, x->paren ? ")" : "}");
}

static void dump_compound(struct cmpd_buf *out, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_X_UNARY:
        cmpd_buf_puts(out, op_text(x->op));
        dump_expr(out, x->a);
        break;
    case IR_X_ASSIGN:
        cmpd_buf_puts(out, "(");
        dump_expr(out, x->a);
        cmpd_buf_printf(out, " %s= ", op_text(x->op));
        dump_expr(out, x->b);
        cmpd_buf_puts(out, ")");
        break;
    case IR_X_INCDEC: {
        const char *op = x->op == IR_OP_ADD ? "++" : "--";
        cmpd_buf_puts(out, x->postfix ? "" : op);
        dump_expr(out, x->a);
        cmpd_buf_puts(out, x->postfix ? op : "");
        break;
    }
    case IR_X_COND:
        cmpd_buf_puts(out, "(");
        dump_expr(out, x->a);
        cmpd_buf_puts(out, " ? ");
        dump_expr(out, x->b);
        cmpd_buf_puts(out, " : ");
        dump_expr(out, x->c);
        cmpd_buf_puts(out, ")");
        break;
    case IR_X_INDEX:
        if (x->a)
            dump_expr(out, x->a);
        cmpd_buf_puts(out, "[");
        dump_expr(out, x->b);
        cmpd_buf_puts(out, "]");
        break;
    case IR_X_MEMBER:
        dump_expr(out, x->a);
        cmpd_buf_printf(out, "%s%s", x->arrow ? "->" : ".", x->name);
        if (x->field >= 0)
            cmpd_buf_printf(out, "#%d", x->field);
        break;
    case IR_X_DEREF:
    case IR_X_ADDR:
        cmpd_buf_puts(out, x->kind == IR_X_DEREF ? "*" : "&");
        dump_expr(out, x->a);
        break;
    case IR_X_DELETE:
        cmpd_buf_puts(out, "delete ");
        dump_expr(out, x->a);
        break;
    default:
        dump_leaf(out, x);
        break;
    }
}

static void dump_expr(struct cmpd_buf *out, const struct ir_expr *x)
{
    if (!x) {
        cmpd_buf_puts(out, "-");
        return;
    }
    switch (x->kind) {
    case IR_X_BINARY:
        dump_binary(out, x->a, op_text(x->op), x->b);
        break;
    case IR_X_LAND:
        dump_binary(out, x->a, "&&", x->b);
        break;
    case IR_X_LOR:
        dump_binary(out, x->a, "||", x->b);
        break;
    case IR_X_COMMA:
        dump_binary(out, x->a, ",", x->b);
        break;
    case IR_X_CALL:
        dump_call(out, x);
        break;
    case IR_X_CAST:
        dump_cast(out, x);
        break;
    case IR_X_INIT:
        dump_init(out, x);
        break;
    case IR_X_LAUNCH:
        dump_launch(out, x);
        break;
    case IR_X_LAMBDA:
        dump_lambda(out, x->lambda);
        break;
    case IR_X_NEW:
        dump_new(out, x);
        break;
    case IR_X_UNKNOWN:
        cmpd_buf_puts(out, "UNKNOWN(");
        dump_args(out, x->args, x->arg_count);
        cmpd_buf_puts(out, ")");
        break;
    default:
        dump_compound(out, x);
        break;
    }
}

/* An expression with its type. */
static void dump_typed(struct cmpd_buf *out, const struct ir_expr *x)
{
    dump_expr(out, x);
    if (x) {
        cmpd_buf_puts(out, " : ");
        dump_type(out, x->type);
    }
}

static const char *storage_text(enum ir_storage s)
{
    static const char *const texts[] = {[IR_V_LOCAL] = "local",   [IR_V_PARAM] = "param",
                                        [IR_V_SHARED] = "shared", [IR_V_SHARED_DYNAMIC] = "dynamic",
                                        [IR_V_DEVICE] = "device", [IR_V_CONSTANT] = "constant",
                                        [IR_V_GLOBAL] = "global", [IR_V_STATIC] = "static",
                                        [IR_V_TPARAM] = "tparam"};
    return texts[s];
}

static void dump_var(struct cmpd_buf *out, const struct ir_var *v)
{
    cmpd_buf_printf(out, "%s %s", storage_text(v->storage), v->name);
    if (v->slot >= 0)
        cmpd_buf_printf(out, "/%d", v->slot);
    cmpd_buf_puts(out, v->is_constexpr ? " constexpr" : "");
    cmpd_buf_puts(out, v->address_taken ? " addressed" : "");
    cmpd_buf_puts(out, v->is_pack ? " pack" : "");
    cmpd_buf_puts(out, " : ");
    dump_type(out, v->type);
    if (v->init) {
        cmpd_buf_puts(out, " = ");
        dump_expr(out, v->init);
    }
}

static void dump_bodies(struct cmpd_buf *out, const struct ir_stmt *s, int indent)
{
    for (size_t i = 0; i < s->body_count; i++) {
        if (!s->body[i])
            continue;
        if (i && s->kind == IR_S_IF)
            cmpd_buf_printf(out, "%*selse\n", (indent - 1) * 2, "");
        dump_stmt(out, s->body[i], indent);
    }
}

static void dump_exprs(struct cmpd_buf *out, const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->expr_count; i++) {
        cmpd_buf_puts(out, i == s->asm_outputs && s->kind == IR_S_ASM ? " | " : i ? ", " : " ");
        dump_expr(out, s->exprs[i]);
    }
}

static void dump_head(struct cmpd_buf *out, const char *word, const struct ir_expr *x)
{
    cmpd_buf_puts(out, word);
    if (x) {
        cmpd_buf_puts(out, " ");
        dump_expr(out, x);
    }
}

static void dump_for(struct cmpd_buf *out, const struct ir_stmt *s, int indent)
{
    dump_head(out, "for", s->x);
    cmpd_buf_puts(out, " step ");
    dump_expr(out, s->step);
    if (s->unroll >= 0)
        cmpd_buf_printf(out, " unroll %d", s->unroll);
    cmpd_buf_puts(out, "\n");
    if (s->init)
        dump_stmt(out, s->init, indent + 1);
    dump_bodies(out, s, indent + 1);
}

static const char *plain_word(enum ir_stmt_kind k)
{
    switch (k) {
    case IR_S_EMPTY:
        return "empty";
    case IR_S_BLOCK:
        return "block";
    case IR_S_BREAK:
        return "break";
    case IR_S_CONTINUE:
        return "continue";
    case IR_S_RETURN:
        return "return";
    case IR_S_GOTO:
        return "goto";
    case IR_S_LABEL:
        return "label";
    case IR_S_TRY:
        return "try";
    case IR_S_WHILE:
        return "while";
    case IR_S_DO:
        return "do";
    case IR_S_SWITCH:
        return "switch";
    case IR_S_IF:
        return "if";
    case IR_S_RANGE_FOR:
        return "for-range";
    default:
        return "unknown";
    }
}

static void dump_structured(struct cmpd_buf *out, const struct ir_stmt *s, int indent)
{
    dump_head(out, plain_word(s->kind), s->x);
    cmpd_buf_puts(out, s->is_constexpr ? " constexpr" : "");
    if (s->name)
        cmpd_buf_printf(out, " %s", s->name);
    if (s->kind == IR_S_RANGE_FOR) {
        cmpd_buf_puts(out, " each ");
        dump_var(out, s->var);
    }
    if (s->unroll >= 0)
        cmpd_buf_printf(out, " unroll %d", s->unroll);
    cmpd_buf_puts(out, "\n");
    if (s->init)
        dump_stmt(out, s->init, indent + 1);
    dump_bodies(out, s, indent + 1);
}

static void dump_stmt(struct cmpd_buf *out, const struct ir_stmt *s, int indent)
{
    cmpd_buf_printf(out, "%*s", indent * 2, "");
    switch (s->kind) {
    case IR_S_EXPR:
        dump_typed(out, s->x);
        cmpd_buf_puts(out, "\n");
        break;
    case IR_S_DECL:
        dump_var(out, s->var);
        cmpd_buf_puts(out, "\n");
        break;
    case IR_S_CASE:
        dump_head(out, s->x ? "case" : "default", s->x);
        cmpd_buf_puts(out, "\n");
        break;
    case IR_S_ASM:
        cmpd_buf_printf(out, "asm%s \"%s\"", s->is_volatile ? " volatile" : "", s->name);
        dump_exprs(out, s);
        cmpd_buf_puts(out, "\n");
        break;
    case IR_S_UNKNOWN:
        cmpd_buf_puts(out, "UNKNOWN");
        dump_exprs(out, s);
        cmpd_buf_puts(out, "\n");
        break;
    case IR_S_FOR:
        dump_for(out, s, indent);
        break;
    default:
        dump_structured(out, s, indent);
        break;
    }
}

/* ---- the module ---- */

static void dump_tparams(struct cmpd_buf *out, const struct ir_func *f)
{
    if (!f->tparam_count)
        return;
    cmpd_buf_puts(out, "template<");
    for (size_t i = 0; i < f->tparam_count; i++) {
        const struct ir_tparam *p = &f->tparams[i];
        cmpd_buf_puts(out, i ? ", " : "");
        if (!p->is_type) {
            dump_type(out, p->type);
            cmpd_buf_puts(out, " ");
        }
        cmpd_buf_printf(out, "%s%s", p->is_pack ? "..." : "", p->name);
        if (p->is_type ? p->type != NULL : p->def != NULL) {
            cmpd_buf_puts(out, " = ");
            if (p->is_type)
                dump_type(out, p->type);
            else
                dump_expr(out, p->def);
        }
    }
    cmpd_buf_puts(out, "> ");
}

static void dump_func(struct cmpd_buf *out, const struct ir_func *f)
{
    static const char *const kinds[] = {"host", "kernel", "device", "host-device"};
    dump_tparams(out, f);
    cmpd_buf_printf(out, "%s ", kinds[f->kind]);
    dump_type(out, f->ret);
    cmpd_buf_printf(out, " %s%s%s", f->scope, *f->scope ? "::" : "", f->name);
    dump_targs(out, f->spec_targs, f->spec_targ_count);
    const struct {
        bool on;
        const char *word;
    } marks[] = {{f->is_static && !f->is_lambda, " static"},
                 {f->is_method, " method"},
                 {f->is_constructor, " constructor"},
                 {f->is_extern_c, " extern-c"},
                 {f->is_variadic, " variadic"},
                 {f->is_specialization, " specialization"},
                 {f->has_error, " ERROR"},
                 {!f->body, " declared"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        cmpd_buf_puts(out, marks[i].on ? marks[i].word : "");
    if (f->launch_bounds_threads) {
        cmpd_buf_puts(out, " bounds ");
        dump_expr(out, f->launch_bounds_threads);
        cmpd_buf_puts(out, " ");
        dump_expr(out, f->launch_bounds_blocks);
    }
    cmpd_buf_puts(out, "\n");
    for (size_t i = 0; i < f->param_count; i++) {
        cmpd_buf_puts(out, "  ");
        dump_var(out, f->params[i]);
        cmpd_buf_puts(out, "\n");
    }
    if (f->body)
        dump_stmt(out, f->body, 1);
}

static void dump_struct(struct cmpd_buf *out, const struct ir_struct *rec)
{
    cmpd_buf_printf(out, "%s %s%s%s size %u align %u%s%s\n", rec->is_union ? "union" : "struct",
                    rec->scope, *rec->scope ? "::" : "", rec->name, rec->size, rec->align,
                    rec->is_template ? " template" : "", rec->has_bases ? " bases" : "");
    for (size_t i = 0; i < rec->field_count; i++) {
        const struct ir_field *f = &rec->fields[i];
        cmpd_buf_printf(out, "  +%u %s : ", f->offset, f->name ? f->name : "(unnamed)");
        dump_type(out, f->type);
        if (f->init) {
            cmpd_buf_puts(out, " = ");
            dump_expr(out, f->init);
        }
        cmpd_buf_puts(out, "\n");
    }
}

void cmpd_ir_dump(const struct ir_module *m, struct cmpd_buf *out)
{
    for (size_t i = 0; i < m->struct_count; i++)
        dump_struct(out, m->structs[i]);
    for (size_t i = 0; i < m->global_count; i++) {
        dump_var(out, m->globals[i]);
        cmpd_buf_puts(out, "\n");
    }
    for (size_t i = 0; i < m->func_count; i++)
        if (!m->funcs[i]->is_lambda)
            dump_func(out, m->funcs[i]);
    for (size_t i = 0; i < m->instantiation_count; i++) {
        const struct ir_instantiation *inst = &m->instantiations[i];
        cmpd_buf_printf(out, "instantiate %s%s", inst->name, inst->func ? "" : " ?");
        dump_targs(out, inst->targs, inst->targ_count);
        cmpd_buf_puts(out, "\n");
    }
    if (m->error_count)
        cmpd_buf_printf(out, "errors %u\n", m->error_count);
}
