/*
 * Statements. A name in a branch is a label of the innermost scope around it that has one, and labels may follow; so
 * names that aren't declared yet wait in a list until their scope ends, then in that of the scope around it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/names.h"
#include "gpu-runner/ptx/reader.h"

static struct cmpd_ptx_ins *add_ins(struct ptx_reader *r)
{
    struct cmpd_ptx_module *m = r->m;
    /* One is kept for the `ret` that closes a function. */
    if (!ptx_room(r, m->ins_count, CMPD_PTX_INS_CEILING - 1, "instructions"))
        return NULL;
    CMPD_GROW(m->ins, m->ins_count + 1, r->ins_cap);
    struct cmpd_ptx_ins *in = &m->ins[m->ins_count++];
    *in =
        (struct cmpd_ptx_ins){.guard = CMPD_PTX_NONE, .loc = r->loc, .operands = m->operand_count};
    r->end_is_target = false;
    return in;
}

/* Operands of one instruction that aren't known yet: their places in the list of fixups. */
static void note_pending(struct ptx_reader *r, uint32_t from)
{
    struct cmpd_ptx_module *m = r->m;
    for (uint32_t i = from; i < m->operand_count; i++) {
        struct cmpd_ptx_operand *o = &m->operands[i];
        if (o->kind != PTX_O_PENDING)
            continue;
        CMPD_GROW(r->fixups, r->fixup_count + 1, r->fixup_cap);
        r->fixups[r->fixup_count++] =
            (struct ptx_fixup){.operand = i, .name = m->text + o->value, .len = o->index};
        o->kind = CMPD_PTX_O_UNKNOWN;
        o->index = 0;
        o->value = 0;
    }
}

/* "@p", "@!p"; false: not a predicate register. */
static bool read_guard(struct ptx_reader *r, uint32_t *guard, bool *negated)
{
    *negated = ptx_accept(r, '!');
    uint32_t index = 0;
    const struct ptx_symbol *s =
        r->lx.t.kind == PTX_WORD ? ptx_symbols_find(&r->symbols, r->lx.t.at, r->lx.t.len, &index)
                                 : NULL;
    ptx_lex_next(&r->lx);
    if (!s || s->kind != PTX_SYMBOL_REGISTER ||
        r->m->functions[r->function].registers[index].type != CMPD_PTX_PRED)
        return false;
    *guard = index;
    return true;
}

/* The rest of an instruction that isn't known, up to and with its ";". A brace of its own may hold one. */
static void skip_instruction(struct ptx_reader *r)
{
    while (r->lx.t.kind != PTX_END && !ptx_is(&r->lx.t, ';'))
        ptx_lex_next(&r->lx);
    ptx_need(r, ';');
}

static void read_instruction(struct ptx_reader *r)
{
    struct cmpd_ptx_ins *in = add_ins(r);
    if (!in)
        return;
    uint32_t operands = r->m->operand_count;
    bool known = true;
    if (ptx_accept(r, '@'))
        known = read_guard(r, &in->guard, &in->guard_negated);
    in->line = r->lx.t.line;
    if (r->lx.t.kind != PTX_WORD) {
        ptx_expected(r, "an instruction");
        return;
    }
    in->text = (uint32_t)(r->lx.t.at - r->m->text);
    in->text_len = r->lx.t.len;
    ptx_opcode(r, r->lx.t.at, r->lx.t.len, in);
    ptx_lex_next(&r->lx);
    known = ptx_operands(r, in) && known;
    if (!known)
        in->op = CMPD_PTX_OP_UNKNOWN;
    skip_instruction(r);
    note_pending(r, operands);
}

static struct cmpd_ptx_table *add_table(struct ptx_reader *r, const struct ptx_token *name,
                                        bool functions)
{
    struct cmpd_ptx_module *m = r->m;
    if (!ptx_room(r, m->table_count, CMPD_PTX_DECLARED_CEILING, "tables"))
        return NULL;
    CMPD_GROW(m->tables, m->table_count + 1, r->table_cap);
    m->tables[m->table_count] = (struct cmpd_ptx_table){.functions = functions};
    ptx_symbols_add(&r->symbols, name->at, name->len, PTX_SYMBOL_TABLE, m->table_count);
    return &m->tables[m->table_count++];
}

/* "L1, L2, L3;": of labels, which may follow, or of functions. */
static void read_targets(struct ptx_reader *r, struct cmpd_ptx_table *t)
{
    uint32_t cap = 0, table = (uint32_t)(t - r->m->tables);
    do {
        if (r->lx.t.kind != PTX_WORD) {
            ptx_expected(r, "a target");
            return;
        }
        CMPD_GROW(t->targets, t->count + 1, cap);
        t->targets[t->count] = CMPD_PTX_NONE;
        CMPD_GROW(r->fixups, r->fixup_count + 1, r->fixup_cap);
        r->fixups[r->fixup_count++] = (struct ptx_fixup){.operand = CMPD_PTX_NONE,
                                                         .table = table,
                                                         .target = t->count++,
                                                         .name = r->lx.t.at,
                                                         .len = r->lx.t.len};
        ptx_lex_next(&r->lx);
    } while (ptx_accept(r, ','));
    ptx_need(r, ';');
}

/* "NAME :" was read: a label, or the name of what follows. */
static void read_label(struct ptx_reader *r, const struct ptx_token *name)
{
    struct cmpd_ptx_table *t;
    if (ptx_accept_directive(r, "branchtargets")) {
        t = add_table(r, name, false);
        if (t)
            read_targets(r, t);
    } else if (ptx_accept_directive(r, "calltargets")) {
        t = add_table(r, name, true);
        if (t)
            read_targets(r, t);
    } else if (ptx_is_directive(&r->lx.t, "callprototype")) {
        (void)add_table(r, name, true);
        ptx_lex_skip_past(&r->lx, ';');
    } else {
        ptx_symbols_add(&r->symbols, name->at, name->len, PTX_SYMBOL_LABEL, r->m->ins_count);
        r->end_is_target = true;
    }
}

/* A directive that isn't known stands where an instruction would: it may mean anything. */
static void read_unknown_directive(struct ptx_reader *r)
{
    struct cmpd_ptx_ins *in = add_ins(r);
    if (!in)
        return;
    in->line = r->lx.t.line;
    in->text = (uint32_t)(r->lx.t.at - r->m->text);
    in->text_len = r->lx.t.len;
    skip_instruction(r);
}

static void read_directive(struct ptx_reader *r)
{
    enum cmpd_ptx_space space = ptx_space_of(&r->lx.t);
    if (space == CMPD_PTX_SPACE_REG) {
        ptx_lex_next(&r->lx);
        ptx_declare_registers(r);
    } else if (space != CMPD_PTX_SPACE_GENERIC) {
        ptx_lex_next(&r->lx);
        ptx_declare(r, space, (struct ptx_linkage){0});
    } else if (ptx_accept_directive(r, "extern")) {
        space = ptx_space_of(&r->lx.t);
        ptx_lex_next(&r->lx);
        ptx_declare(r, space, (struct ptx_linkage){.is_extern = true});
    } else if (ptx_accept_directive(r, "loc")) {
        ptx_loc(r);
    } else if (ptx_accept_directive(r, "file")) {
        ptx_file(r);
    } else if (ptx_is_directive(&r->lx.t, "pragma")) {
        ptx_lex_skip_past(&r->lx, ';');
    } else {
        read_unknown_directive(r);
    }
}

static void read_word(struct ptx_reader *r)
{
    struct ptx_token name = r->lx.t;
    if (ptx_lex_peek(&r->lx) != ':') {
        read_instruction(r);
        return;
    }
    ptx_lex_next(&r->lx);
    ptx_need(r, ':');
    read_label(r, &name);
}

static void set_target(struct ptx_reader *r, const struct ptx_fixup *f,
                       enum cmpd_ptx_operand_kind kind, uint32_t index)
{
    struct cmpd_ptx_module *m = r->m;
    if (f->operand != CMPD_PTX_NONE) {
        m->operands[f->operand].kind = (uint8_t)kind;
        m->operands[f->operand].index = index;
        return;
    }
    struct cmpd_ptx_table *t = &m->tables[f->table];
    if (t->functions == (kind == CMPD_PTX_O_FUNCTION) && kind != CMPD_PTX_O_TABLE)
        t->targets[f->target] = index;
}

/* At the end of a scope: what it has a label for is found; the rest is looked for in the scope around it. */
static void resolve_scope(struct ptx_reader *r, uint32_t from)
{
    uint32_t kept = from;
    for (uint32_t i = from; i < r->fixup_count; i++) {
        struct ptx_fixup f = r->fixups[i];
        const struct ptx_symbol *s = ptx_symbols_find_target(&r->symbols, f.name, f.len);
        if (s) {
            bool label = s->kind == PTX_SYMBOL_LABEL;
            set_target(r, &f, label ? CMPD_PTX_O_LABEL : CMPD_PTX_O_TABLE, s->index);
            continue;
        }
        r->fixups[kept++] = f;
    }
    r->fixup_count = kept;
}

static void read_statement(struct ptx_reader *r)
{
    switch (r->lx.t.kind) {
    case PTX_DIRECTIVE:
        read_directive(r);
        break;
    case PTX_WORD:
        read_word(r);
        break;
    default:
        if (ptx_is(&r->lx.t, '@'))
            read_instruction(r);
        else if (!ptx_accept(r, ';'))
            ptx_expected(r, "an instruction");
    }
}

void ptx_body(struct ptx_reader *r)
{
    uint32_t starts[CMPD_PTX_NESTING_CEILING], open = 0;
    while (r->lx.t.kind != PTX_END) {
        if (ptx_accept(r, '{')) {
            if (!ptx_room(r, open, CMPD_PTX_NESTING_CEILING, "braces open at once"))
                return;
            starts[open++] = r->fixup_count;
            ptx_symbols_push(&r->symbols);
        } else if (open > 0 && ptx_is(&r->lx.t, '}')) {
            resolve_scope(r, starts[--open]);
            ptx_symbols_pop(&r->symbols);
            ptx_lex_next(&r->lx);
            if (open == 0)
                return;
        } else {
            read_statement(r);
        }
    }
    ptx_expected(r, "`}`");
}

/* Functions and variables may be declared behind the body that names them. */
void ptx_resolve_rest(struct ptx_reader *r)
{
    for (uint32_t i = 0; i < r->fixup_count && r->rc == CMPD_OK; i++) {
        const struct ptx_fixup *f = &r->fixups[i];
        uint32_t index = 0;
        const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, f->name, f->len, &index);
        if (s && s->kind == PTX_SYMBOL_FUNCTION)
            set_target(r, f, CMPD_PTX_O_FUNCTION, index);
        else if (s && s->kind == PTX_SYMBOL_VARIABLE && f->operand != CMPD_PTX_NONE)
            set_target(r, f, CMPD_PTX_O_VARIABLE, index);
    }
}
