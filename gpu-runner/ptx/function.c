/* Entries and functions: everything round the body. Source: PTX ISA 9.0, "Kernel and Function Directives". */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/reader.h"

/* The name stands behind the returned parameters, which need the function: look ahead. */
static struct ptx_token peek_name(struct ptx_reader *r)
{
    struct ptx_lexer before = r->lx;
    if (ptx_is(&r->lx.t, '('))
        ptx_skip_parentheses(r);
    struct ptx_token name = r->lx.t;
    if (name.kind != PTX_WORD)
        ptx_expected(r, "a function's name");
    else
        r->lx = before;
    return name;
}

static uint32_t function_slot(struct ptx_reader *r, const struct ptx_token *name)
{
    struct cmpd_ptx_module *m = r->m;
    uint32_t index = 0;
    const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, name->at, name->len, &index);
    if (s && s->kind == PTX_SYMBOL_FUNCTION)
        return index;
    if (!ptx_room(r, m->function_count, CMPD_PTX_DECLARED_CEILING, "functions"))
        return CMPD_PTX_NONE;
    CMPD_GROW(m->functions, m->function_count + 1, r->function_cap);
    index = m->function_count++;
    m->functions[index] = (struct cmpd_ptx_function){.name = cmpd_strndup(name->at, name->len),
                                                     .loc = CMPD_PTX_NONE};
    ptx_symbols_add(&r->symbols, name->at, name->len, PTX_SYMBOL_FUNCTION, index);
    return index;
}

/* What an earlier declaration said is forgotten; the name and the place stay. */
static void forget_declaration(struct cmpd_ptx_function *f)
{
    free(f->params);
    free(f->returns);
    free(f->registers);
    *f = (struct cmpd_ptx_function){.name = f->name, .loc = CMPD_PTX_NONE};
}

/* "128, 1, 1": what isn't said is 1. */
static void read_threads(struct ptx_reader *r, uint32_t threads[3])
{
    threads[0] = threads[1] = threads[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        threads[i] = ptx_number(r);
        if (!ptx_accept(r, ','))
            return;
    }
}

static void read_tuning(struct ptx_reader *r, struct cmpd_ptx_function *f)
{
    while (r->lx.t.kind == PTX_DIRECTIVE) {
        if (ptx_accept_directive(r, "maxntid")) {
            read_threads(r, f->max_threads);
        } else if (ptx_accept_directive(r, "reqntid")) {
            read_threads(r, f->required_threads);
        } else if (ptx_is_directive(&r->lx.t, "pragma")) {
            ptx_lex_skip_past(&r->lx, ';');
        } else {
            /* .minnctapersm 2, .noreturn, .maxnreg 32, .reqnctapercluster 2, 1, 1, ... */
            ptx_lex_next(&r->lx);
            while (r->lx.t.kind == PTX_INT || ptx_is(&r->lx.t, ','))
                ptx_lex_next(&r->lx);
        }
    }
}

static bool falls_through(const struct cmpd_ptx_ins *in)
{
    if (in->guard != CMPD_PTX_NONE)
        return true;
    return in->op != CMPD_PTX_OP_ret && in->op != CMPD_PTX_OP_exit && in->op != CMPD_PTX_OP_bra &&
           in->op != CMPD_PTX_OP_brx && in->op != CMPD_PTX_OP_trap;
}

static void close_body(struct ptx_reader *r, struct cmpd_ptx_function *f)
{
    struct cmpd_ptx_module *m = r->m;
    f->count = m->ins_count - f->first;
    if (f->count == 0 || r->end_is_target || falls_through(&m->ins[m->ins_count - 1])) {
        CMPD_GROW(m->ins, m->ins_count + 1, r->ins_cap);
        m->ins[m->ins_count++] = (struct cmpd_ptx_ins){.op = CMPD_PTX_OP_ret,
                                                       .guard = CMPD_PTX_NONE,
                                                       .loc = r->loc,
                                                       .line = r->lx.t.line,
                                                       .operands = m->operand_count,
                                                       .text = (uint32_t)m->text_len};
        f->count++;
    }
    f->defined = true;
    f->is_extern = false;
    f->loc = m->ins[f->first].loc;
}

static void read_body(struct ptx_reader *r)
{
    struct cmpd_ptx_function *f = &r->m->functions[r->function];
    f->first = r->m->ins_count;
    r->end_is_target = false;
    ptx_locs_begin_function(r);
    ptx_body(r);
    /* The body adds no functions, so the pointer still holds. */
    if (r->rc == CMPD_OK)
        close_body(r, f);
}

/* A declaration behind the definition says nothing new. */
static void skip_declaration(struct ptx_reader *r)
{
    while (r->lx.t.kind != PTX_END && !ptx_is(&r->lx.t, ';') && !ptx_is(&r->lx.t, '{'))
        ptx_lex_next(&r->lx);
    if (ptx_is(&r->lx.t, '{'))
        ptx_fail(r, CMPD_EINPUT, "a function is defined a second time");
    else
        ptx_need(r, ';');
}

static void read_function(struct ptx_reader *r, bool entry, struct ptx_linkage linkage)
{
    struct cmpd_ptx_function *f = &r->m->functions[r->function];
    forget_declaration(f);
    f->entry = entry;
    f->is_extern = linkage.is_extern;
    r->register_cap = 0;
    if (ptx_is(&r->lx.t, '('))
        ptx_declare_params(r, false, &f->returns, &f->return_count);
    ptx_lex_next(&r->lx);
    if (ptx_is(&r->lx.t, '('))
        ptx_declare_params(r, entry, &f->params, &f->param_count);
    read_tuning(r, f);
    if (ptx_is(&r->lx.t, '{'))
        read_body(r);
    else
        ptx_need(r, ';');
}

void ptx_function(struct ptx_reader *r, bool entry, struct ptx_linkage linkage)
{
    while (ptx_accept_directive(r, "attribute"))
        ptx_skip_parentheses(r);
    struct ptx_token name = peek_name(r);
    if (r->rc != CMPD_OK)
        return;
    uint32_t index = function_slot(r, &name);
    if (index == CMPD_PTX_NONE)
        return;
    if (r->m->functions[index].defined) {
        skip_declaration(r);
        return;
    }
    r->function = index;
    ptx_symbols_push(&r->symbols);
    read_function(r, entry, linkage);
    ptx_symbols_pop(&r->symbols);
    r->function = CMPD_PTX_NONE;
}
