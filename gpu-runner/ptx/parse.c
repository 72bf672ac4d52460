/* The directives of a module, and what all parts of the reader use. */
#include "gpu-runner/ptx/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

cmpd_rc ptx_fail(struct ptx_reader *r, cmpd_rc rc, const char *fmt, ...)
{
    if (r->rc == CMPD_OK) {
        char what[512];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(what, sizeof what, fmt, ap);
        va_end(ap);
        r->rc = cmpd_err_set(r->err, rc, "PTX line %u: %s", r->lx.t.line, what);
    }
    ptx_lex_stop(&r->lx);
    return r->rc;
}

void ptx_expected(struct ptx_reader *r, const char *what)
{
    const struct ptx_token *t = &r->lx.t;
    int len = t->len > 60 ? 60 : (int)t->len;
    if (t->kind == PTX_END)
        ptx_fail(r, CMPD_EINPUT, "expected %s before the end of the text", what);
    else
        ptx_fail(r, CMPD_EINPUT, "expected %s before `%.*s`", what, len, t->at);
}

bool ptx_accept(struct ptx_reader *r, char punct)
{
    if (!ptx_is(&r->lx.t, punct))
        return false;
    ptx_lex_next(&r->lx);
    return true;
}

void ptx_need(struct ptx_reader *r, char punct)
{
    char what[] = {'`', punct, '`', '\0'};
    if (!ptx_accept(r, punct))
        ptx_expected(r, what);
}

bool ptx_accept_directive(struct ptx_reader *r, const char *name)
{
    if (!ptx_is_directive(&r->lx.t, name))
        return false;
    ptx_lex_next(&r->lx);
    return true;
}

uint32_t ptx_number(struct ptx_reader *r)
{
    if (r->lx.t.kind != PTX_INT || r->lx.t.value > UINT32_MAX) {
        ptx_expected(r, "a number of at most 32 bits");
        return 0;
    }
    uint32_t n = (uint32_t)r->lx.t.value;
    ptx_lex_next(&r->lx);
    return n;
}

void ptx_skip_parentheses(struct ptx_reader *r)
{
    unsigned depth = 0;
    while (r->lx.t.kind != PTX_END) {
        if (ptx_is(&r->lx.t, '('))
            depth++;
        else if (ptx_is(&r->lx.t, ')'))
            depth--;
        ptx_lex_next(&r->lx);
        if (depth == 0)
            return;
    }
    ptx_expected(r, "`)`");
}

bool ptx_room(struct ptx_reader *r, uint32_t count, uint32_t ceiling, const char *what)
{
    if (count < ceiling)
        return true;
    ptx_fail(r, CMPD_ELIMIT, "more than %u %s", ceiling, what);
    return false;
}

/* "9.0" is 90; the lexer has read a decimal, whose text is wanted. */
static void read_version(struct ptx_reader *r)
{
    const struct ptx_token *t = &r->lx.t;
    const char *dot = t->kind == PTX_DOUBLE ? memchr(t->at, '.', t->len) : NULL;
    if (!dot || dot - t->at > 2 || dot == t->at || dot + 2 != t->at + t->len) {
        ptx_expected(r, "a version");
        return;
    }
    uint32_t major = 0;
    for (const char *p = t->at; p < dot; p++)
        major = major * 10 + (uint32_t)(*p - '0');
    r->m->version = major * 10 + (uint32_t)(dot[1] - '0');
    ptx_lex_next(&r->lx);
}

/* "sm_80, texmode_independent": sm_90a is 90. */
static void read_target(struct ptx_reader *r)
{
    do {
        const struct ptx_token *t = &r->lx.t;
        if (t->kind != PTX_WORD) {
            ptx_expected(r, "a target");
            return;
        }
        if (t->len > 3 && memcmp(t->at, "sm_", 3) == 0) {
            uint32_t n = 0;
            for (uint32_t i = 3; i < t->len && i < 8 && t->at[i] >= '0' && t->at[i] <= '9'; i++)
                n = n * 10 + (uint32_t)(t->at[i] - '0');
            r->m->target = n;
        }
        ptx_lex_next(&r->lx);
    } while (ptx_accept(r, ','));
}

static void read_alias(struct ptx_reader *r)
{
    struct ptx_alias alias = {.line = r->lx.t.line};
    uint32_t index = 0;
    const struct ptx_symbol *s =
        r->lx.t.kind == PTX_WORD ? ptx_symbols_find(&r->symbols, r->lx.t.at, r->lx.t.len, &index)
                                 : NULL;
    if (!s || s->kind != PTX_SYMBOL_FUNCTION) {
        ptx_expected(r, "a declared function");
        return;
    }
    ptx_lex_next(&r->lx);
    ptx_need(r, ',');
    if (r->lx.t.kind != PTX_WORD) {
        ptx_expected(r, "a function's name");
        return;
    }
    alias.function = index;
    alias.target = r->lx.t.at;
    alias.len = r->lx.t.len;
    ptx_lex_next(&r->lx);
    ptx_need(r, ';');
    CMPD_GROW(r->aliases, r->alias_count + 1, r->alias_cap);
    r->aliases[r->alias_count++] = alias;
}

/* .section NAME { data }: what a debugger wants. Braces don't nest in it. */
static void skip_section(struct ptx_reader *r)
{
    if (r->lx.t.kind != PTX_DIRECTIVE && r->lx.t.kind != PTX_WORD) {
        ptx_expected(r, "a section's name");
        return;
    }
    ptx_lex_next(&r->lx);
    if (!ptx_is(&r->lx.t, '{'))
        ptx_expected(r, "`{`");
    else
        ptx_lex_skip_past(&r->lx, '}');
}

static struct ptx_linkage read_linkage(struct ptx_reader *r)
{
    struct ptx_linkage l = {0};
    for (;;) {
        if (ptx_accept_directive(r, "extern"))
            l.is_extern = true;
        else if (ptx_accept_directive(r, "visible") || ptx_accept_directive(r, "weak") ||
                 ptx_accept_directive(r, "common"))
            l.visible = true;
        else
            return l;
    }
}

/* An entry, a function or a variable. */
static void read_declaration(struct ptx_reader *r)
{
    struct ptx_linkage linkage = read_linkage(r);
    if (ptx_accept_directive(r, "entry")) {
        ptx_function(r, true, linkage);
        return;
    }
    if (ptx_accept_directive(r, "func")) {
        ptx_function(r, false, linkage);
        return;
    }
    enum cmpd_ptx_space space = ptx_space_of(&r->lx.t);
    if (space == CMPD_PTX_SPACE_GENERIC || space == CMPD_PTX_SPACE_REG) {
        ptx_expected(r, "a directive of a module");
        return;
    }
    ptx_lex_next(&r->lx);
    ptx_declare(r, space, linkage);
}

static void read_directive(struct ptx_reader *r)
{
    if (ptx_accept_directive(r, "version")) {
        read_version(r);
    } else if (ptx_accept_directive(r, "target")) {
        read_target(r);
    } else if (ptx_accept_directive(r, "address_size")) {
        if (ptx_number(r) != 64)
            ptx_fail(r, CMPD_EINPUT, "addresses of other than 64 bits are not known here");
    } else if (ptx_accept_directive(r, "file")) {
        ptx_file(r);
    } else if (ptx_accept_directive(r, "loc")) {
        ptx_loc(r);
    } else if (ptx_accept_directive(r, "section")) {
        skip_section(r);
    } else if (ptx_accept_directive(r, "alias")) {
        read_alias(r);
    } else if (ptx_is_directive(&r->lx.t, "pragma")) {
        ptx_lex_skip_past(&r->lx, ';');
    } else {
        read_declaration(r);
    }
}

static void read_module(struct ptx_reader *r)
{
    if (!ptx_is_directive(&r->lx.t, "version")) {
        ptx_expected(r, ".version");
        return;
    }
    while (r->lx.t.kind != PTX_END) {
        if (ptx_accept(r, ';'))
            continue;
        if (r->lx.t.kind != PTX_DIRECTIVE)
            ptx_expected(r, "a directive");
        else
            read_directive(r);
    }
}

/* What was called by another name is called by its own. */
static void apply_aliases(struct ptx_reader *r)
{
    struct cmpd_ptx_module *m = r->m;
    if (r->alias_count == 0 || r->rc != CMPD_OK)
        return;
    uint32_t *means = cmpd_alloc(sizeof *means * m->function_count);
    for (uint32_t i = 0; i < m->function_count; i++)
        means[i] = i;
    for (uint32_t i = 0; i < r->alias_count; i++) {
        uint32_t target = 0;
        const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, r->aliases[i].target,
                                                      r->aliases[i].len, &target);
        if (s && s->kind == PTX_SYMBOL_FUNCTION)
            means[r->aliases[i].function] = target;
    }
    for (uint32_t i = 0; i < m->operand_count; i++) {
        if (m->operands[i].kind == CMPD_PTX_O_FUNCTION)
            m->operands[i].index = means[m->operands[i].index];
    }
    for (uint32_t i = 0; i < m->table_count; i++) {
        for (uint32_t k = 0; m->tables[i].functions && k < m->tables[i].count; k++)
            m->tables[i].targets[k] = means[m->tables[i].targets[k]];
    }
    for (uint32_t i = 0; i < m->variable_count; i++) {
        struct cmpd_ptx_variable *v = &m->variables[i];
        for (uint32_t k = 0; k < v->relocation_count; k++) {
            if (v->relocations[k].function)
                v->relocations[k].target = means[v->relocations[k].target];
        }
    }
    free(means);
}

static void reader_clear(struct ptx_reader *r)
{
    ptx_symbols_clear(&r->symbols);
    ptx_opcodes_free(r);
    ptx_locs_free(r);
    free(r->fixups);
    free(r->aliases);
    free(r->scratch);
    cmpd_ptx_free(r->m);
}

cmpd_rc cmpd_ptx_parse(const char *text, size_t len, struct cmpd_ptx_module **out,
                       struct cmpd_err *err)
{
    if (len > CMPD_PTX_TEXT_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "PTX of %zu bytes; the ceiling is %zu", len,
                            CMPD_PTX_TEXT_CEILING_BYTES);
    /* Images are padded with NULs. */
    const char *nul = len > 0 ? memchr(text, '\0', len) : NULL;
    if (nul)
        len = (size_t)(nul - text);
    struct ptx_reader r = {
        .err = err, .function = CMPD_PTX_NONE, .loc = CMPD_PTX_NONE, .rc = CMPD_OK};
    r.m = cmpd_calloc(1, sizeof *r.m);
    r.m->text = cmpd_strndup(len > 0 ? text : "", len);
    r.m->text_len = len;
    ptx_symbols_init(&r.symbols);
    ptx_lex_open(&r.lx, r.m->text, r.m->text + len);
    read_module(&r);
    ptx_resolve_rest(&r);
    apply_aliases(&r);
    ptx_locs_finish(&r);
    if (r.rc == CMPD_OK) {
        *out = r.m;
        r.m = NULL;
    }
    reader_clear(&r);
    return r.rc;
}
