/* Variables, registers and parameters. Source: PTX ISA 9.0, "State Spaces, Types, and Variables". */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/names.h"
#include "gpu-runner/ptx/reader.h"

#define LARGEST_ALIGN (1u << 20)

/* What stands before a name. */
struct declared {
    enum cmpd_ptx_type type;
    uint32_t align;  /* 0: by the type */
    uint32_t vector; /* elements of .v2, .v4, .v8; else 1 */
};

enum cmpd_ptx_space ptx_space_of(const struct ptx_token *t)
{
    static const struct {
        const char *name;
        enum cmpd_ptx_space space;
    } spaces[] = {
        {"reg", CMPD_PTX_SPACE_REG},       {"param", CMPD_PTX_SPACE_PARAM},
        {"local", CMPD_PTX_SPACE_LOCAL},   {"shared", CMPD_PTX_SPACE_SHARED},
        {"global", CMPD_PTX_SPACE_GLOBAL}, {"const", CMPD_PTX_SPACE_CONST},
        {"tex", CMPD_PTX_SPACE_TEX},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (ptx_is_directive(t, spaces[i].name))
            return spaces[i].space;
    }
    return CMPD_PTX_SPACE_GENERIC;
}

static uint32_t read_align(struct ptx_reader *r)
{
    uint32_t align = ptx_number(r);
    if (align == 0 || align > LARGEST_ALIGN || (align & (align - 1)) != 0) {
        ptx_fail(r, CMPD_EINPUT, "an alignment of %u is none", align);
        return 1;
    }
    return align;
}

/* Texture, sampler and surface references: opaque handles of 64 bits. */
static bool is_handle(const struct ptx_token *t)
{
    return ptx_is_directive(t, "texref") || ptx_is_directive(t, "samplerref") ||
           ptx_is_directive(t, "surfref");
}

/* One of the things between the state space and the name; false: it is none. */
static bool read_attribute(struct ptx_reader *r, struct declared *d)
{
    const struct ptx_token *t = &r->lx.t;
    enum cmpd_ptx_type type;
    if (t->kind != PTX_DIRECTIVE)
        return false;
    if (ptx_accept_directive(r, "align")) {
        d->align = read_align(r);
    } else if (ptx_accept_directive(r, "attribute")) {
        ptx_skip_parentheses(r);
    } else if (ptx_accept_directive(r, "ptr")) {
        /* What the parameter points to: nothing here relies on it. */
        if (ptx_space_of(t) != CMPD_PTX_SPACE_GENERIC)
            ptx_lex_next(&r->lx);
        if (ptx_accept_directive(r, "align"))
            (void)read_align(r);
    } else if (t->len == 2 && t->at[0] == 'v' &&
               (t->at[1] == '2' || t->at[1] == '4' || t->at[1] == '8')) {
        d->vector = (uint32_t)(t->at[1] - '0');
        ptx_lex_next(&r->lx);
    } else if (is_handle(t)) {
        d->type = CMPD_PTX_B64;
        ptx_lex_next(&r->lx);
    } else if ((type = ptx_type_find(t->at, t->len)) != CMPD_PTX_T_NONE) {
        d->type = type;
        ptx_lex_next(&r->lx);
    } else {
        return false;
    }
    return true;
}

static struct declared read_declared(struct ptx_reader *r)
{
    struct declared d = {.vector = 1};
    while (read_attribute(r, &d)) {
    }
    if (d.type == CMPD_PTX_T_NONE)
        ptx_expected(r, "a type");
    return d;
}

static bool product(uint64_t *total, uint64_t by)
{
    if (by != 0 && *total > CMPD_PTX_VARIABLE_CEILING / by)
        return false;
    *total *= by;
    return true;
}

static bool size_of_dims(struct ptx_reader *r, const struct ptx_dims *dims, uint64_t element,
                         uint64_t *size)
{
    *size = element;
    for (unsigned i = 0; i < dims->count; i++) {
        if (!product(size, dims->size[i])) {
            ptx_fail(r, CMPD_ELIMIT, "a variable of over %llu bytes",
                     (unsigned long long)CMPD_PTX_VARIABLE_CEILING);
            return false;
        }
    }
    return true;
}

/* "[4][5]"; "[]" is 0 and only the first may be so. */
static void read_dims(struct ptx_reader *r, struct ptx_dims *dims)
{
    while (ptx_accept(r, '[')) {
        /* One is kept for a vector. */
        if (dims->count + 1 >= sizeof dims->size / sizeof *dims->size) {
            ptx_fail(r, CMPD_ELIMIT, "an array of over %u dimensions", dims->count);
            return;
        }
        uint64_t n = 0;
        if (!ptx_is(&r->lx.t, ']')) {
            n = ptx_number(r);
        } else if (dims->count > 0) {
            ptx_expected(r, "a size");
        }
        ptx_need(r, ']');
        dims->size[dims->count++] = n;
    }
}

/* A name as a string; NULL where there is none (an error). */
static char *read_name(struct ptx_reader *r, struct ptx_token *at)
{
    *at = r->lx.t;
    if (at->kind != PTX_WORD) {
        ptx_expected(r, "a name");
        return NULL;
    }
    ptx_lex_next(&r->lx);
    return cmpd_strndup(at->at, at->len);
}

/*
 * The slot of a new variable. A module's variable that was declared before (extern, then defined) keeps its place;
 * the text's last word about it counts.
 */
static uint32_t variable_slot(struct ptx_reader *r, const struct ptx_token *name)
{
    struct cmpd_ptx_module *m = r->m;
    uint32_t index = 0;
    if (r->function == CMPD_PTX_NONE) {
        const struct ptx_symbol *s = ptx_symbols_find(&r->symbols, name->at, name->len, &index);
        if (s && s->kind == PTX_SYMBOL_VARIABLE && s->len == name->len) {
            struct cmpd_ptx_variable *old = &m->variables[index];
            free(old->name);
            free(old->init);
            free(old->relocations);
            return index;
        }
    }
    if (!ptx_room(r, m->variable_count, CMPD_PTX_DECLARED_CEILING, "variables"))
        return CMPD_PTX_NONE;
    CMPD_GROW(m->variables, m->variable_count + 1, r->variable_cap);
    index = m->variable_count++;
    m->variables[index] = (struct cmpd_ptx_variable){0};
    ptx_symbols_add(&r->symbols, name->at, name->len, PTX_SYMBOL_VARIABLE, index);
    return index;
}

/* Takes over v's parts. The result is CMPD_PTX_NONE after an error. */
static uint32_t store_variable_take(struct ptx_reader *r, struct cmpd_ptx_variable *v,
                                    const struct ptx_token *name)
{
    uint32_t index = r->rc == CMPD_OK ? variable_slot(r, name) : CMPD_PTX_NONE;
    if (index == CMPD_PTX_NONE) {
        free(v->name);
        free(v->init);
        free(v->relocations);
        return CMPD_PTX_NONE;
    }
    r->m->variables[index] = *v;
    return index;
}

/* Name, dimensions and initialiser of one variable. */
static uint32_t read_variable(struct ptx_reader *r, const struct declared *d,
                              enum cmpd_ptx_space space, struct ptx_linkage linkage)
{
    struct ptx_token name;
    struct ptx_dims dims = {.count = 0};
    struct cmpd_ptx_variable v = {.space = (uint8_t)space,
                                  .type = (uint8_t)d->type,
                                  .is_extern = linkage.is_extern,
                                  .visible = linkage.visible,
                                  .function = r->function};
    v.name = read_name(r, &name);
    read_dims(r, &dims);
    v.is_array = dims.count > 0;
    v.unsized = v.is_array && dims.size[0] == 0;
    if (d->vector > 1)
        dims.size[dims.count++] = d->vector;
    uint64_t element = cmpd_ptx_type_size(d->type);
    v.align = d->align ? d->align : (uint32_t)(element ? element * d->vector : 1);
    if (size_of_dims(r, &dims, element, &v.size) && ptx_accept(r, '=')) {
        ptx_initialise(r, &v, &dims);
        v.unsized = false;
    }
    return store_variable_take(r, &v, &name);
}

void ptx_declare(struct ptx_reader *r, enum cmpd_ptx_space space, struct ptx_linkage linkage)
{
    struct declared d = read_declared(r);
    do {
        (void)read_variable(r, &d, space, linkage);
    } while (ptx_accept(r, ','));
    ptx_need(r, ';');
}

uint32_t ptx_new_registers(struct ptx_reader *r, enum cmpd_ptx_type type, uint32_t count)
{
    struct cmpd_ptx_function *f = &r->m->functions[r->function];
    if (count > CMPD_PTX_REGISTERS_CEILING ||
        f->register_count + count > CMPD_PTX_REGISTERS_CEILING ||
        r->register_total + count > CMPD_PTX_ALL_REGISTERS_CEILING) {
        ptx_fail(r, CMPD_ELIMIT, "more than %d registers in a function, or %d in all",
                 CMPD_PTX_REGISTERS_CEILING, CMPD_PTX_ALL_REGISTERS_CEILING);
        return CMPD_PTX_NONE;
    }
    r->register_total += count;
    CMPD_GROW(f->registers, f->register_count + count, r->register_cap);
    uint32_t first = f->register_count;
    memset(f->registers + first, type, sizeof *f->registers * count);
    f->register_count += count;
    return first;
}

static void read_register(struct ptx_reader *r, const struct declared *d)
{
    struct ptx_token name = r->lx.t;
    if (name.kind != PTX_WORD) {
        ptx_expected(r, "a register's name");
        return;
    }
    ptx_lex_next(&r->lx);
    bool range = ptx_accept(r, '<');
    uint32_t count = range ? ptx_number(r) : d->vector;
    if (range)
        ptx_need(r, '>');
    uint32_t first = ptx_new_registers(r, d->type, count);
    if (first == CMPD_PTX_NONE)
        return;
    enum ptx_symbol_kind kind = !range && d->vector > 1 ? PTX_SYMBOL_VECTOR : PTX_SYMBOL_REGISTER;
    struct ptx_symbol *s = ptx_symbols_add(&r->symbols, name.at, name.len, kind, first);
    s->range = range;
    s->count = count;
}

void ptx_declare_registers(struct ptx_reader *r)
{
    struct declared d = read_declared(r);
    do {
        read_register(r, &d);
    } while (ptx_accept(r, ','));
    ptx_need(r, ';');
}

/* A parameter that lies in a register is a variable of that space, and a register of that name. */
static uint32_t read_register_param(struct ptx_reader *r, const struct declared *d)
{
    struct ptx_token name;
    struct cmpd_ptx_variable v = {.space = CMPD_PTX_SPACE_REG,
                                  .type = (uint8_t)d->type,
                                  .align = 1,
                                  .size = cmpd_ptx_type_size(d->type),
                                  .function = r->function};
    v.name = read_name(r, &name);
    uint32_t reg = ptx_new_registers(r, d->type, 1);
    v.offset = reg;
    uint32_t index = store_variable_take(r, &v, &name);
    if (index != CMPD_PTX_NONE)
        ptx_symbols_add(&r->symbols, name.at, name.len, PTX_SYMBOL_REGISTER, reg);
    return index;
}

static uint32_t read_param(struct ptx_reader *r)
{
    enum cmpd_ptx_space space = ptx_space_of(&r->lx.t);
    if (space != CMPD_PTX_SPACE_PARAM && space != CMPD_PTX_SPACE_REG) {
        ptx_expected(r, ".param or .reg");
        return CMPD_PTX_NONE;
    }
    ptx_lex_next(&r->lx);
    struct declared d = read_declared(r);
    if (space == CMPD_PTX_SPACE_REG)
        return read_register_param(r, &d);
    return read_variable(r, &d, space, (struct ptx_linkage){0});
}

/* Where the parameter lies in the entry's block. */
static void place_param(struct ptx_reader *r, uint32_t index)
{
    struct cmpd_ptx_function *f = &r->m->functions[r->function];
    struct cmpd_ptx_variable *v = &r->m->variables[index];
    uint64_t at = ((uint64_t)f->param_bytes + v->align - 1) & ~((uint64_t)v->align - 1);
    if (at + v->size > UINT16_MAX) {
        ptx_fail(r, CMPD_ELIMIT, "parameters of over %u bytes", UINT16_MAX);
        return;
    }
    v->offset = at;
    f->param_bytes = (uint32_t)(at + v->size);
}

void ptx_declare_params(struct ptx_reader *r, bool entry, uint32_t **list, uint32_t *count)
{
    uint32_t cap = 0;
    ptx_need(r, '(');
    while (r->lx.t.kind != PTX_END && !ptx_is(&r->lx.t, ')')) {
        uint32_t index = read_param(r);
        if (index == CMPD_PTX_NONE)
            return;
        CMPD_GROW(*list, *count + 1, cap);
        (*list)[(*count)++] = index;
        if (entry)
            place_param(r, index);
        if (!ptx_accept(r, ','))
            break;
    }
    ptx_need(r, ')');
}
