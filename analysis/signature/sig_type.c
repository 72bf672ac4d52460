/* Types: as text, and as what a binding needs to know of them. */
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"
#include "analysis/signature/sig.h"

#define DEPTH_CEILING 16

static void put_type(const struct ir_type *t, struct cmpd_buf *out, int depth)
{
    if (!t || depth > DEPTH_CEILING) {
        cmpd_buf_puts(out, "?");
        return;
    }
    bool derived = !t->name &&
                   (t->kind == IR_T_PTR || t->kind == IR_T_REF || t->kind == IR_T_ARRAY);
    if (derived) {
        put_type(t->elem, out, depth + 1);
        bool follows = out->len && strchr("*&", out->data[out->len - 1]);
        cmpd_buf_puts(out, follows ? "" : " ");
        cmpd_buf_putc(out, t->kind == IR_T_REF ? '&' : '*');
        return;
    }
    cmpd_buf_printf(out, "%s%s", t->is_const ? "const " : "", t->name ? t->name : "?");
    if (t->targ_count && !(t->name && strchr(t->name, '<'))) {
        cmpd_buf_putc(out, '<');
        sig_targs_text(t->targs, t->targ_count, out);
        cmpd_buf_putc(out, '>');
    }
}

void sig_type_text(const struct ir_type *t, struct cmpd_buf *out)
{
    put_type(t, out, 0);
}

void sig_targs_text(const struct ir_targ *targs, size_t count, struct cmpd_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        int64_t n;
        if (i)
            cmpd_buf_puts(out, ", ");
        if (targs[i].type)
            sig_type_text(targs[i].type, out);
        else if (ir_const_int(targs[i].value, &n) && targs[i].value->type->kind == IR_T_BOOL)
            cmpd_buf_puts(out, n ? "true" : "false");
        else if (ir_const_int(targs[i].value, &n))
            cmpd_buf_printf(out, "%lld", (long long)n);
        else if (targs[i].value && targs[i].value->kind == IR_X_VAR)
            cmpd_buf_puts(out, targs[i].value->var->name);
        else if (targs[i].value && targs[i].value->name)
            cmpd_buf_puts(out, targs[i].value->name);
        else
            cmpd_buf_puts(out, "?");
    }
}

static enum cmpd_sig_elem int_elem(const struct ir_type *t)
{
    if (t->name && strncmp(t->name, "cudaError", 9) == 0)
        return CMPD_SIG_STATUS;
    switch (t->size) {
    case 1:
        return t->is_signed ? CMPD_SIG_I8 : CMPD_SIG_U8;
    case 2:
        return t->is_signed ? CMPD_SIG_I16 : CMPD_SIG_U16;
    case 4:
        return t->is_signed ? CMPD_SIG_I32 : CMPD_SIG_U32;
    case 8:
        return t->is_signed ? CMPD_SIG_I64 : CMPD_SIG_U64;
    default:
        return CMPD_SIG_UNKNOWN;
    }
}

static enum cmpd_sig_elem float_elem(const struct ir_type *t)
{
    if (t->size == 2)
        return t->name && strstr(t->name, "bf") ? CMPD_SIG_BF16 : CMPD_SIG_F16;
    return t->size == 4 ? CMPD_SIG_F32 : t->size == 8 ? CMPD_SIG_F64 : CMPD_SIG_UNKNOWN;
}

static enum cmpd_sig_elem scalar_elem(const struct ir_type *t)
{
    switch (t->kind) {
    case IR_T_VOID:
        return CMPD_SIG_VOID;
    case IR_T_BOOL:
        return CMPD_SIG_BOOL;
    case IR_T_INT:
        return int_elem(t);
    case IR_T_FLOAT:
        return float_elem(t);
    case IR_T_TPARAM:
        return CMPD_SIG_TPARAM;
    case IR_T_STRUCT:
        return CMPD_SIG_STRUCT;
    case IR_T_PTR: /* a handle that has a name */
        if (t->name && (strcmp(t->name, "cudaStream_t") == 0 || strcmp(t->name, "CUstream") == 0))
            return CMPD_SIG_STREAM;
        return CMPD_SIG_STRUCT;
    default:
        return CMPD_SIG_UNKNOWN;
    }
}

/* float4, __half2 and their like: all members of one type. */
static bool vector_type(const struct ir_type *t, struct cmpd_sig_param *p)
{
    const struct ir_struct *s = t->kind == IR_T_STRUCT ? t->record : NULL;
    if (!s || !s->builtin || s->field_count < 1 || s->field_count > 4 ||
        strcmp(s->name, "dim3") == 0)
        return false;
    for (size_t i = 0; i < s->field_count; i++) {
        if (s->fields[i].type != s->fields[0].type)
            return false;
    }
    p->elem = scalar_elem(s->fields[0].type);
    p->vector = (unsigned)s->field_count;
    return p->elem != CMPD_SIG_UNKNOWN;
}

void sig_param_type(const struct ir_type *t, struct cmpd_sig_param *p)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    sig_type_text(t, &text);
    p->type = cmpd_strndup(cmpd_buf_str(&text),
                           strnlen(cmpd_buf_str(&text), CMPD_SIG_TEXT_CEILING));
    p->vector = 1;
    p->tparam = -1;
    if (t && t->kind == IR_T_REF) {
        p->is_reference = true;
        t = t->elem;
    }
    while (t && !t->name && (t->kind == IR_T_PTR || t->kind == IR_T_ARRAY)) {
        p->pointers++;
        t = t->elem;
    }
    if (p->pointers > CMPD_SIG_POINTERS_CEILING) {
        p->pointers = CMPD_SIG_POINTERS_CEILING;
        t = NULL;
    }
    if (!t)
        return;
    p->is_const = t->is_const;
    if (vector_type(t, p))
        return;
    p->elem = scalar_elem(t);
    if (p->elem == CMPD_SIG_TPARAM && t->tparam <= CMPD_SIG_TPARAM_CEILING)
        p->tparam = t->tparam;
}
