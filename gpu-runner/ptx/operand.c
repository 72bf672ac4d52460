/*
 * Operands: PTX ISA 9.0, "Instruction Operands". What an instruction makes of them is not known here, so every form is
 * read wherever it stands. Parts of a form ({a, b}, [a + 4], p|q, (a, b)) lie side by side in module->operands; while a
 * form is open its parts wait on the reader's scratch stack.
 */
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/names.h"
#include "gpu-runner/ptx/reader.h"

#define MOST_OPERANDS 64  /* of one instruction */
#define MOST_PARTS    256 /* of one form; tcgen05.ld has vectors of 128 */

static void push(struct ptx_reader *r, struct cmpd_ptx_operand o)
{
    CMPD_GROW(r->scratch, r->scratch_count + 1, r->scratch_cap);
    r->scratch[r->scratch_count++] = o;
}

/* What was pushed since `from` goes to module->operands; the index of the first. */
static uint32_t settle(struct ptx_reader *r, uint32_t from, uint32_t *count)
{
    struct cmpd_ptx_module *m = r->m;
    uint32_t n = r->scratch_count - from, first = m->operand_count;
    *count = n;
    r->scratch_count = from;
    if (n == 0 || !ptx_room(r, first, CMPD_PTX_OPERANDS_CEILING, "operands"))
        return first;
    CMPD_GROW(m->operands, first + n, r->operand_cap);
    memcpy(m->operands + first, r->scratch + from, sizeof *m->operands * n);
    m->operand_count += n;
    return first;
}

static struct cmpd_ptx_operand form(struct ptx_reader *r, enum cmpd_ptx_operand_kind kind,
                                    uint32_t from)
{
    uint32_t count = 0;
    struct cmpd_ptx_operand o = {.kind = (uint8_t)kind};
    o.index = settle(r, from, &count);
    o.count = (uint16_t)count;
    return o;
}

static bool is_number(const struct ptx_token *t)
{
    return t->kind == PTX_INT || t->kind == PTX_SINGLE || t->kind == PTX_DOUBLE;
}

static struct cmpd_ptx_operand read_number(struct ptx_reader *r, bool minus)
{
    const struct ptx_token *t = &r->lx.t;
    struct cmpd_ptx_operand o = {.value = (int64_t)t->value};
    if (t->kind == PTX_INT) {
        o.kind = CMPD_PTX_O_INT;
        o.value = minus ? (int64_t)(0 - t->value) : o.value;
    } else {
        o.kind = t->kind == PTX_SINGLE ? CMPD_PTX_O_F32 : CMPD_PTX_O_F64;
        if (minus)
            o.value = (int64_t)(t->value ^ (t->kind == PTX_SINGLE ? 1ull << 31 : 1ull << 63));
    }
    ptx_lex_next(&r->lx);
    return o;
}

/* "%v.y" of a vector register. */
static bool vector_element(struct ptx_reader *r, const struct ptx_token *t, uint32_t *reg)
{
    static const char letters[2][5] = {"xyzw", "rgba"};
    if (t->len < 3 || t->at[t->len - 2] != '.')
        return false;
    uint32_t index = 0;
    const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, t->at, t->len - 2, &index);
    if (!s || s->kind != PTX_SYMBOL_VECTOR)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const char *at = memchr(letters[i], t->at[t->len - 1], 4);
        if (at && (uint32_t)(at - letters[i]) < s->count) {
            *reg = index + (uint32_t)(at - letters[i]);
            return true;
        }
    }
    return false;
}

static struct cmpd_ptx_operand whole_vector(struct ptx_reader *r, uint32_t first, uint32_t count)
{
    uint32_t from = r->scratch_count;
    for (uint32_t i = 0; i < count; i++)
        push(r, (struct cmpd_ptx_operand){.kind = CMPD_PTX_O_REG, .index = first + i});
    return form(r, CMPD_PTX_O_VECTOR, from);
}

/* A name that no scope knows: a special register, or something that is declared later. */
static struct cmpd_ptx_operand undeclared(struct ptx_reader *r, const struct ptx_token *t)
{
    struct cmpd_ptx_operand o = {.kind = PTX_O_PENDING};
    uint32_t index = ptx_special_find(t->at, t->len);
    if (index != CMPD_PTX_NONE) {
        o.kind = CMPD_PTX_O_SPECIAL;
        o.index = index;
    } else if (vector_element(r, t, &index)) {
        o.kind = CMPD_PTX_O_REG;
        o.index = index;
    } else {
        o.index = t->len;
        o.value = t->at - r->m->text;
    }
    return o;
}

static struct cmpd_ptx_operand name_operand(struct ptx_reader *r, const struct ptx_token *t)
{
    uint32_t index = 0;
    const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, t->at, t->len, &index);
    struct cmpd_ptx_operand o = {.index = index};
    switch (s ? s->kind : PTX_SYMBOL_NONE) {
    case PTX_SYMBOL_REGISTER:
        o.kind = CMPD_PTX_O_REG;
        return o;
    case PTX_SYMBOL_VECTOR:
        return whole_vector(r, index, s->count);
    case PTX_SYMBOL_VARIABLE:
        o.kind = CMPD_PTX_O_VARIABLE;
        return o;
    case PTX_SYMBOL_FUNCTION:
        o.kind = CMPD_PTX_O_FUNCTION;
        return o;
    default:
        /* Labels and tables are found when the scope ends: an inner one may still follow. */
        return undeclared(r, t);
    }
}

/* "+4", "+-4", "-4": added up. false: something else follows the sign. */
static bool read_offsets(struct ptx_reader *r, int64_t *value)
{
    uint64_t sum = (uint64_t)*value;
    while (ptx_is(&r->lx.t, '+') || ptx_is(&r->lx.t, '-')) {
        bool minus = ptx_is(&r->lx.t, '-');
        ptx_lex_next(&r->lx);
        if (ptx_accept(r, '-'))
            minus = !minus;
        if (r->lx.t.kind != PTX_INT)
            return false;
        sum = minus ? sum - r->lx.t.value : sum + r->lx.t.value;
        ptx_lex_next(&r->lx);
    }
    *value = (int64_t)sum;
    return true;
}

/* A name or a number, with its sign. */
static bool read_simple(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    bool minus = false, bang = ptx_accept(r, '!');
    while (ptx_accept(r, '-'))
        minus = !minus;
    struct ptx_token t = r->lx.t;
    if (is_number(&t)) {
        *o = read_number(r, minus);
        return !bang;
    }
    if (t.kind != PTX_WORD)
        return false;
    ptx_lex_next(&r->lx);
    if (t.len == 1 && *t.at == '_') {
        o->kind = CMPD_PTX_O_SINK;
        return !bang && !minus;
    }
    *o = name_operand(r, &t);
    o->negated = bang || minus;
    return !o->negated || o->kind == CMPD_PTX_O_REG;
}

/* "{a, b, _}". The sign of a whole vector is none. */
static bool read_vector(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    uint32_t from = r->scratch_count;
    ptx_need(r, '{');
    do {
        struct cmpd_ptx_operand part = {.kind = CMPD_PTX_O_UNKNOWN};
        if (r->scratch_count - from >= MOST_PARTS || !read_simple(r, &part) ||
            part.kind == CMPD_PTX_O_VECTOR)
            return false;
        push(r, part);
    } while (ptx_accept(r, ','));
    *o = form(r, CMPD_PTX_O_VECTOR, from);
    return ptx_accept(r, '}');
}

/* "[base + 4]", "[texture, sampler, {x, y}]". */
static bool read_address(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    uint32_t from = r->scratch_count;
    int64_t offset = 0;
    ptx_need(r, '[');
    do {
        struct cmpd_ptx_operand part = {.kind = CMPD_PTX_O_UNKNOWN};
        if (r->scratch_count - from >= MOST_PARTS)
            return false;
        if (ptx_is(&r->lx.t, '{') ? !read_vector(r, &part) : !read_simple(r, &part))
            return false;
        push(r, part);
        if (r->scratch_count - from == 1 && !read_offsets(r, &offset))
            return false;
    } while (ptx_accept(r, ','));
    *o = form(r, CMPD_PTX_O_ADDRESS, from);
    o->value = offset;
    return ptx_accept(r, ']');
}

/* "(a, b)" of a call; "()" too. */
static bool read_list(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    uint32_t from = r->scratch_count;
    ptx_need(r, '(');
    while (!ptx_is(&r->lx.t, ')')) {
        struct cmpd_ptx_operand part = {.kind = CMPD_PTX_O_UNKNOWN};
        if (r->scratch_count - from >= MOST_PARTS || !read_simple(r, &part))
            return false;
        push(r, part);
        if (!ptx_accept(r, ','))
            break;
    }
    *o = form(r, CMPD_PTX_O_LIST, from);
    return ptx_accept(r, ')');
}

/* "p|q" behind p. */
static bool read_second(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    struct cmpd_ptx_operand second = {.kind = CMPD_PTX_O_UNKNOWN};
    uint32_t from = r->scratch_count;
    if (!read_simple(r, &second))
        return false;
    push(r, *o);
    push(r, second);
    *o = form(r, CMPD_PTX_O_PAIR, from);
    return true;
}

static bool read_operand(struct ptx_reader *r, struct cmpd_ptx_operand *o)
{
    if (ptx_is(&r->lx.t, '{'))
        return read_vector(r, o);
    if (ptx_is(&r->lx.t, '['))
        return read_address(r, o);
    if (ptx_is(&r->lx.t, '('))
        return read_list(r, o);
    if (!read_simple(r, o))
        return false;
    if (ptx_accept(r, '|'))
        return read_second(r, o);
    if (!ptx_is(&r->lx.t, '+') && !ptx_is(&r->lx.t, '-'))
        return true;
    /* "name + 4" is the address of a variable's fifth byte; arithmetic on anything else isn't known. */
    return o->kind == CMPD_PTX_O_VARIABLE && read_offsets(r, &o->value);
}

bool ptx_operands(struct ptx_reader *r, struct cmpd_ptx_ins *in)
{
    r->scratch_count = 0;
    bool known = true;
    while (known && !ptx_is(&r->lx.t, ';')) {
        struct cmpd_ptx_operand o = {.kind = CMPD_PTX_O_UNKNOWN};
        known = r->scratch_count < MOST_OPERANDS && read_operand(r, &o);
        push(r, o);
        if (known && !ptx_accept(r, ','))
            known = ptx_is(&r->lx.t, ';');
    }
    uint32_t count = 0;
    in->operands = settle(r, 0, &count);
    in->operand_count = (uint8_t)count;
    return known;
}
