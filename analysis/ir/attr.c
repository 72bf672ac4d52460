/*
 * Attributes that the normaliser blanked: __launch_bounds__, __align__,
 * __device__ of a lambda, _Pragma. Their arguments are no part of the tree, so
 * a small reader of integer expressions stands here.
 */
#include <string.h>

#include "analysis/ir/lower.h"

static bool blank(const char *s, uint32_t from, uint32_t to)
{
    while (from < to && strchr(" \t\r\n\f\v", s[from]))
        from++;
    return from >= to;
}

/* Index of the first attribute at or behind an offset of the unit's text. */
static size_t first_attr(const struct cmpd_unit *u, uint32_t off)
{
    size_t lo = 0, hi = u->attr_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (u->attrs[mid].exp_off < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct cmpd_attr *ir_attr_in(const struct lower *L, uint32_t from, uint32_t to,
                                   const char *name)
{
    const struct cmpd_unit *u = L->unit;
    if (!u->attr_count)
        return NULL;
    for (size_t i = first_attr(u, from); i < u->attr_count && u->attrs[i].exp_off < to; i++)
        if (strcmp(u->attrs[i].name, name) == 0)
            return &u->attrs[i];
    /* Or before it, with nothing but blanks (and other attributes) between. */
    for (size_t i = first_attr(u, from); i-- > 0;) {
        const struct cmpd_attr *a = &u->attrs[i];
        if (!blank(L->text, a->exp_off + a->exp_len, from))
            break;
        if (strcmp(a->name, name) == 0)
            return a;
    }
    return NULL;
}

const struct cmpd_attr *ir_attr_behind(const struct lower *L, uint32_t end, const char *name)
{
    const struct cmpd_unit *u = L->unit;
    size_t i = u->attr_count ? first_attr(u, end) : 0;
    if (i >= u->attr_count || strcmp(u->attrs[i].name, name) != 0 ||
        !blank(L->text, end, u->attrs[i].exp_off))
        return NULL;
    return &u->attrs[i];
}

/* ---- integer expressions ---- */

struct reader {
    struct lower *L;
    const char *p;
    struct ir_loc loc;
    unsigned depth;
};

static const struct ir_expr *binary(struct reader *r, int level);

static void skip_blanks(struct reader *r)
{
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r')
        r->p++;
}

static struct ir_expr *node(struct reader *r, enum ir_expr_kind kind, const struct ir_type *type)
{
    struct ir_expr *x = CMPD_ARENA_NEW(r->L->arena, struct ir_expr);
    x->kind = kind;
    x->loc = r->loc;
    x->type = type;
    return x;
}

static bool word_char(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

static size_t word_len(const char *p)
{
    size_t n = 0;
    while (word_char(p[n]) || (p[n] == ':' && p[n + 1] == ':') ||
           (n && p[n] == ':' && p[n - 1] == ':'))
        n++;
    return n;
}

static const struct ir_expr *name(struct reader *r, size_t len)
{
    const char *text = cmpd_arena_strndup(r->L->arena, r->p, len);
    const char *last = ir_unqualified(text);
    const char *qual = last == text
                           ? NULL
                           : cmpd_arena_strndup(r->L->arena, text, (size_t)(last - text) - 2);
    const struct binding *b = ir_lookup_in(r->L, ir_symbol(r->L, last, strlen(last)), qual);
    r->p += len;
    struct ir_expr *x = node(r, IR_X_NAME, &ir_t_unknown);
    x->name = text;
    if (b && b->kind == BIND_VAR) {
        x->kind = IR_X_VAR;
        x->var = b->var;
        x->type = cmpd_ir_strip_ref(b->var->type);
    } else if (b && b->kind == BIND_ENUM) {
        x->kind = IR_X_INT;
        x->ival = b->ival;
        x->type = b->type;
    }
    return x;
}

static const struct ir_expr *size_of(struct reader *r)
{
    r->p += strlen("sizeof");
    skip_blanks(r);
    if (*r->p != '(')
        return NULL;
    const char *end = strchr(r->p, ')');
    if (!end)
        return NULL;
    size_t len = (size_t)(end - r->p) - 1;
    const struct symbol *sym = ir_symbol(r->L, r->p + 1, len);
    const struct binding *b = ir_lookup(r->L, sym);
    const struct ir_type *t = b && b->kind == BIND_TYPE ? b->type : sym->builtin;
    r->p = end + 1;
    struct ir_expr *x = node(r, IR_X_SIZEOF, &ir_t_size);
    x->sizeof_type = t ? t : &ir_t_unknown;
    return x;
}

static const struct ir_expr *primary(struct reader *r)
{
    skip_blanks(r);
    if (*r->p == '(') {
        r->p++;
        const struct ir_expr *x = binary(r, 0);
        skip_blanks(r);
        if (!x || *r->p != ')')
            return NULL;
        r->p++;
        return x;
    }
    size_t len = word_len(r->p);
    if (!len)
        return NULL;
    if (*r->p >= '0' && *r->p <= '9') {
        struct ir_expr *x = node(r, IR_X_UNKNOWN, &ir_t_unknown);
        ir_number(r->p, len, x);
        r->p += len;
        return x;
    }
    if (len == 6 && memcmp(r->p, "sizeof", 6) == 0)
        return size_of(r);
    return name(r, len);
}

static const struct ir_expr *binary(struct reader *r, int level)
{
    static const char *const levels[] = {"+-", "*/%"};
    static const struct {
        char c;
        enum ir_op op;
    } ops[] = {
        {'+', IR_OP_ADD}, {'-', IR_OP_SUB}, {'*', IR_OP_MUL}, {'/', IR_OP_DIV}, {'%', IR_OP_MOD}};
    if (level == 2)
        return primary(r);
    if (++r->depth > 64)
        return NULL;
    const struct ir_expr *x = binary(r, level + 1);
    for (skip_blanks(r); x && *r->p && strchr(levels[level], *r->p); skip_blanks(r)) {
        enum ir_op op = IR_OP_NONE;
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            if (ops[i].c == *r->p)
                op = ops[i].op;
        r->p++;
        const struct ir_expr *b = binary(r, level + 1);
        if (!b)
            return NULL;
        struct ir_expr *sum = node(r, IR_X_BINARY,
                                   ir_binary_type(r->L->arena, op, x->type, b->type));
        sum->op = op;
        sum->a = x;
        sum->b = b;
        x = sum;
    }
    r->depth--;
    return x;
}

size_t ir_attr_args(struct lower *L, const struct cmpd_attr *attr, const struct ir_expr **out,
                    size_t count)
{
    if (!attr->args)
        return 0;
    struct reader r = {L, attr->args, ir_loc_span(L, attr->exp_off, attr->exp_off + attr->exp_len),
                       0};
    size_t n = 0;
    while (n < count) {
        const struct ir_expr *x = binary(&r, 0);
        skip_blanks(&r);
        if (!x || (*r.p && *r.p != ','))
            break; /* more than this reader knows: left out */
        out[n++] = x;
        if (!*r.p)
            break;
        r.p++;
    }
    return n;
}

/* alignas(16) float x[4]: in the tree, bare or as a qualifier. */
static uint32_t alignas_of(struct lower *L, uint32_t decl)
{
    FOR_CHILDREN(L, c, decl)
    {
        uint32_t at = L->n[c].kind == TK_TYPE_QUALIFIER ? ir_child_kind(L, c, TK_ALIGNAS) : c;
        uint32_t inner = at && L->n[at].kind == TK_ALIGNAS ? ir_first_child(L, at) : 0;
        int64_t n;
        uint64_t size;
        uint32_t align;
        if (!inner)
            continue;
        if (L->n[inner].kind == TK_TYPE_DESCRIPTOR)
            return ir_type_size(ir_type_descriptor(L, inner), &size, &align) ? align : UINT32_MAX;
        return ir_const_int(ir_expr(L, inner), &n) && n > 0 && n <= 4096 ? (uint32_t)n : UINT32_MAX;
    }
    return 0;
}

uint32_t ir_attr_align(struct lower *L, uint32_t node_index, uint32_t head_end)
{
    const struct ir_tnode *n = &L->n[node_index];
    const struct cmpd_attr *a = ir_attr_in(L, n->start, head_end, "__align__");
    const struct ir_expr *x;
    int64_t v;
    if (!a)
        a = ir_attr_behind(L, n->end, "__align__");
    if (a && ir_attr_args(L, a, &x, 1) && ir_const_int(x, &v) && v > 0 && v <= 4096)
        return (uint32_t)v;
    if (!a && !(a = ir_attr_in(L, n->start, head_end, "__attribute__")))
        a = ir_attr_behind(L, n->end, "__attribute__");
    if (a && (strcmp(a->name, "__align__") == 0 ||
              (a->args && (strstr(a->args, "align") || strstr(a->args, "packed")))))
        return UINT32_MAX; /* there is one, but not plain to see */
    return alignas_of(L, node_index);
}
