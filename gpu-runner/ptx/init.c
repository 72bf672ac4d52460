/*
 * Initialisers: "{1, 2, {3, 4}}", "generic(name)+8", "0xff00(name)", function names. Source: PTX ISA 9.0, "Initializers".
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/names.h"
#include "gpu-runner/ptx/reader.h"

struct init {
    struct ptx_reader *r;
    struct cmpd_ptx_variable *v;
    const struct ptx_dims *dims;
    uint64_t cap; /* bytes of v->init */
    uint64_t at;  /* where the next value goes */
    uint64_t end; /* bytes seen so far; sizes an array of unknown length */
    uint32_t relocation_cap;
    bool open; /* the first dimension is not known */
};

/* Room for `size` bytes at in->at; an array of unknown length grows. */
static uint8_t *place(struct init *in, uint64_t size)
{
    struct cmpd_ptx_variable *v = in->v;
    uint64_t need = in->at + size;
    if (!in->open && need > v->size) {
        ptx_fail(in->r, CMPD_EINPUT, "more values than `%s` has elements", v->name ? v->name : "");
        return NULL;
    }
    if (need > in->cap) {
        uint64_t cap = in->open ? need * 2 : v->size;
        in->r->init_total += cap - in->cap;
        if (in->r->init_total > CMPD_PTX_VARIABLE_CEILING) {
            ptx_fail(in->r, CMPD_ELIMIT, "initialisers of over %llu bytes",
                     (unsigned long long)CMPD_PTX_VARIABLE_CEILING);
            return NULL;
        }
        v->init = v->init ? cmpd_realloc(v->init, cap, 1) : cmpd_calloc(cap, 1);
        if (in->cap > 0)
            memset(v->init + in->cap, 0, cap - in->cap);
        in->cap = cap;
    }
    if (need > in->end)
        in->end = need;
    return v->init + in->at;
}

/* A constant as the bits of the element's type. */
static uint64_t bits_of(const struct ptx_token *t, enum cmpd_ptx_type type, bool minus)
{
    double d;
    float f;
    uint64_t bits = t->value;
    uint32_t word = (uint32_t)t->value;
    bool floating = type == CMPD_PTX_F32 || type == CMPD_PTX_F64;
    if (t->kind == PTX_INT && !floating)
        return minus ? 0 - bits : bits;
    if (t->kind == PTX_INT) {
        d = (double)bits;
    } else if (t->kind == PTX_SINGLE) {
        if (type != CMPD_PTX_F64)
            return word ^ (minus ? 1u << 31 : 0);
        memcpy(&f, &word, sizeof f);
        d = (double)f;
    } else {
        memcpy(&d, &bits, sizeof d);
    }
    d = minus ? -d : d;
    memcpy(&bits, &d, sizeof bits);
    if (type != CMPD_PTX_F32)
        return bits;
    f = (float)d;
    memcpy(&word, &f, sizeof word);
    return word;
}

static void store(struct init *in, uint64_t bits)
{
    unsigned size = cmpd_ptx_type_size((enum cmpd_ptx_type)in->v->type);
    uint8_t *to = place(in, size);
    if (!to)
        return;
    memcpy(to, &bits, size < sizeof bits ? size : sizeof bits);
    in->at += size;
}

/* "name", "generic(name)", each with an offset: the target of a relocation. */
static bool read_target(struct ptx_reader *r, struct cmpd_ptx_relocation *rel)
{
    if (ptx_is_word(&r->lx.t, "generic") && ptx_lex_peek(&r->lx) == '(') {
        ptx_lex_next(&r->lx);
        ptx_need(r, '(');
        rel->generic = true;
    }
    uint32_t index = 0;
    const struct ptx_symbol *s =
        r->lx.t.kind == PTX_WORD ? ptx_symbols_find(&r->symbols, r->lx.t.at, r->lx.t.len, &index)
                                 : NULL;
    if (!s || (s->kind != PTX_SYMBOL_VARIABLE && s->kind != PTX_SYMBOL_FUNCTION)) {
        ptx_expected(r, "a variable or a function that was declared");
        return false;
    }
    ptx_lex_next(&r->lx);
    rel->function = s->kind == PTX_SYMBOL_FUNCTION;
    rel->target = index;
    for (unsigned closed = 0; closed < 2; closed++) {
        while (ptx_is(&r->lx.t, '+') || ptx_is(&r->lx.t, '-')) {
            bool minus = ptx_is(&r->lx.t, '-');
            ptx_lex_next(&r->lx);
            uint64_t by = ptx_number(r);
            rel->addend += (int64_t)(minus ? 0 - by : by);
        }
        if (closed == 0 && rel->generic)
            ptx_need(r, ')');
    }
    return r->rc == CMPD_OK;
}

static void add_relocation(struct init *in, const struct cmpd_ptx_relocation *rel)
{
    struct cmpd_ptx_variable *v = in->v;
    if (!ptx_room(in->r, v->relocation_count, CMPD_PTX_DECLARED_CEILING, "addresses"))
        return;
    CMPD_GROW(v->relocations, v->relocation_count + 1, in->relocation_cap);
    v->relocations[v->relocation_count++] = *rel;
}

static void read_name_value(struct init *in)
{
    struct cmpd_ptx_relocation rel = {.offset = in->at};
    unsigned size = cmpd_ptx_type_size((enum cmpd_ptx_type)in->v->type);
    if (!read_target(in->r, &rel))
        return;
    rel.size = (uint8_t)(size > 8 ? 8 : size);
    add_relocation(in, &rel);
    store(in, 0);
}

/* "0xff(name), 0xff00(name), ...": the bytes of one address, from the lowest on, make one relocation. */
static void read_masked(struct init *in, uint64_t mask)
{
    struct ptx_reader *r = in->r;
    struct cmpd_ptx_variable *v = in->v;
    struct cmpd_ptx_relocation rel = {.offset = in->at, .size = 1};
    unsigned byte = 0;
    while (byte < 8 && mask != 0xffull << (8 * byte))
        byte++;
    ptx_need(r, '(');
    if (!read_target(r, &rel))
        return;
    ptx_need(r, ')');
    struct cmpd_ptx_relocation *last = v->relocation_count > 0
                                           ? &v->relocations[v->relocation_count - 1]
                                           : NULL;
    if (byte == 0) {
        add_relocation(in, &rel);
    } else if (byte < 8 && last && last->size == byte && last->offset + byte == in->at &&
               last->target == rel.target && last->function == rel.function &&
               last->generic == rel.generic && last->addend == rel.addend) {
        last->size++;
    } else {
        ptx_fail(r, CMPD_EINPUT, "a masked address that isn't given byte by byte from the lowest");
        return;
    }
    store(in, 0);
}

static void read_value(struct init *in)
{
    struct ptx_reader *r = in->r;
    bool minus = false;
    if (r->lx.t.kind == PTX_WORD) {
        read_name_value(in);
        return;
    }
    while (ptx_is(&r->lx.t, '-') || ptx_is(&r->lx.t, '+')) {
        minus ^= ptx_is(&r->lx.t, '-');
        ptx_lex_next(&r->lx);
    }
    struct ptx_token t = r->lx.t;
    if (t.kind != PTX_INT && t.kind != PTX_SINGLE && t.kind != PTX_DOUBLE) {
        ptx_expected(r, "a value");
        return;
    }
    ptx_lex_next(&r->lx);
    if (t.kind == PTX_INT && ptx_is(&r->lx.t, '(') && in->v->type != CMPD_PTX_T_NONE)
        read_masked(in, t.value);
    else
        store(in, bits_of(&t, (enum cmpd_ptx_type)in->v->type, minus));
}

/* Bytes of one step in that dimension. */
static uint64_t stride_of(const struct init *in, unsigned dim)
{
    uint64_t n = cmpd_ptx_type_size((enum cmpd_ptx_type)in->v->type);
    for (unsigned i = dim + 1; i < in->dims->count; i++)
        n *= in->dims->size[i];
    return n;
}

/* At "{": the values of dimension `dim`. A nested brace fills one step, a bare value the next place. */
static void read_braces(struct init *in, unsigned dim)
{
    struct ptx_reader *r = in->r;
    uint64_t base = in->at, stride = stride_of(in, dim);
    ptx_need(r, '{');
    while (r->lx.t.kind != PTX_END && !ptx_is(&r->lx.t, '}')) {
        if (ptx_is(&r->lx.t, '{')) {
            if (dim + 1 >= in->dims->count || stride == 0) {
                ptx_fail(r, CMPD_EINPUT, "braces deeper than the array");
                return;
            }
            uint64_t start = base + (in->at - base + stride - 1) / stride * stride;
            in->at = start;
            read_braces(in, dim + 1);
            in->at = start + stride;
            if (in->at > in->end)
                in->end = in->at;
        } else {
            read_value(in);
        }
        if (!ptx_accept(r, ','))
            break;
    }
    ptx_need(r, '}');
}

static void close_open_array(struct init *in, struct ptx_dims *dims)
{
    uint64_t stride = stride_of(in, 0);
    if (stride == 0 || in->r->rc != CMPD_OK)
        return;
    dims->size[0] = (in->end + stride - 1) / stride;
    in->at = 0;
    in->v->size = dims->size[0] * stride;
    if (in->v->size > 0)
        (void)place(in, in->v->size);
}

void ptx_initialise(struct ptx_reader *r, struct cmpd_ptx_variable *v, struct ptx_dims *dims)
{
    struct init in = {.r = r, .v = v, .dims = dims};
    in.open = dims->count > 0 && dims->size[0] == 0;
    if (cmpd_ptx_type_size((enum cmpd_ptx_type)v->type) == 0) {
        ptx_expected(r, "no values of this type");
        return;
    }
    if (ptx_is(&r->lx.t, '{'))
        read_braces(&in, 0);
    else
        read_value(&in);
    if (in.open)
        close_open_array(&in, dims);
}
