/* Any bytes as PTX. Beside memory faults it looks for indexes that lead out of the module's arrays. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/ptx/ptx.h"

/* In every build type, unlike assert. */
#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_operand(const struct cmpd_ptx_module *m, const struct cmpd_ptx_function *f,
                          const struct cmpd_ptx_operand *o, unsigned depth)
{
    switch (o->kind) {
    case CMPD_PTX_O_REG:
        MUST(o->index < f->register_count);
        break;
    case CMPD_PTX_O_SPECIAL:
        MUST(o->index < CMPD_PTX_SPECIAL_COUNT);
        break;
    case CMPD_PTX_O_VARIABLE:
        MUST(o->index < m->variable_count);
        break;
    case CMPD_PTX_O_FUNCTION:
        MUST(o->index < m->function_count);
        break;
    case CMPD_PTX_O_LABEL:
        MUST(o->index >= f->first && o->index < f->first + f->count);
        break;
    case CMPD_PTX_O_TABLE:
        MUST(o->index < m->table_count);
        break;
    case CMPD_PTX_O_VECTOR:
    case CMPD_PTX_O_PAIR:
    case CMPD_PTX_O_ADDRESS:
    case CMPD_PTX_O_LIST:
        MUST(depth < 4 && (size_t)o->index + o->count <= m->operand_count);
        for (uint32_t i = 0; i < o->count; i++)
            check_operand(m, f, &m->operands[o->index + i], depth + 1);
        break;
    default:
        MUST(o->kind <= CMPD_PTX_O_UNKNOWN);
    }
}

static void check_ins(const struct cmpd_ptx_module *m, const struct cmpd_ptx_function *f,
                      const struct cmpd_ptx_ins *in)
{
    MUST(in->op < CMPD_PTX_OP_COUNT && in->type_count <= 4);
    MUST(in->mod_count <= CMPD_PTX_MODIFIERS_CEILING);
    MUST(in->guard == CMPD_PTX_NONE || in->guard < f->register_count);
    MUST(in->loc == CMPD_PTX_NONE || in->loc < m->loc_count);
    MUST((size_t)in->text + in->text_len <= m->text_len);
    MUST((size_t)in->operands + in->operand_count <= m->operand_count);
    for (unsigned i = 0; i < in->mod_count; i++)
        MUST(in->mods[i] < CMPD_PTX_MOD_COUNT);
    for (unsigned i = 0; i < in->operand_count; i++)
        check_operand(m, f, &m->operands[in->operands + i], 0);
}

static void check_function(const struct cmpd_ptx_module *m, const struct cmpd_ptx_function *f)
{
    MUST(f->name);
    for (uint32_t i = 0; i < f->param_count; i++)
        MUST(f->params[i] < m->variable_count);
    for (uint32_t i = 0; i < f->return_count; i++)
        MUST(f->returns[i] < m->variable_count);
    MUST(!f->defined || f->count > 0);
    MUST((size_t)f->first + f->count <= m->ins_count);
    for (uint32_t i = 0; i < f->count; i++)
        check_ins(m, f, &m->ins[f->first + i]);
}

static void check_variable(const struct cmpd_ptx_module *m, const struct cmpd_ptx_variable *v)
{
    MUST(v->name && v->align >= 1 && (v->align & (v->align - 1)) == 0);
    MUST(v->size <= CMPD_PTX_VARIABLE_CEILING);
    MUST(v->function == CMPD_PTX_NONE || v->function < m->function_count);
    if (v->init && v->size > 0) {
        volatile uint8_t last = v->init[v->size - 1];
        (void)last;
    }
    for (uint32_t i = 0; i < v->relocation_count; i++) {
        const struct cmpd_ptx_relocation *r = &v->relocations[i];
        MUST(r->size >= 1 && r->size <= 8 && r->offset + r->size <= v->size);
        MUST(r->target < (r->function ? m->function_count : m->variable_count));
    }
}

static void check_module(const struct cmpd_ptx_module *m)
{
    for (uint32_t i = 0; i < m->function_count; i++)
        check_function(m, &m->functions[i]);
    for (uint32_t i = 0; i < m->variable_count; i++)
        check_variable(m, &m->variables[i]);
    for (uint32_t i = 0; i < m->loc_count; i++) {
        MUST(m->locs[i].inlined_at == CMPD_PTX_NONE || m->locs[i].inlined_at < i);
        MUST(m->locs[i].file == CMPD_PTX_NONE || m->files[m->locs[i].file]);
    }
    for (uint32_t i = 0; i < m->table_count; i++) {
        for (uint32_t k = 0; k < m->tables[i].count; k++) {
            uint32_t t = m->tables[i].targets[k];
            MUST(t == CMPD_PTX_NONE ||
                 t < (m->tables[i].functions ? m->function_count : m->ins_count));
        }
    }
    MUST(cmpd_ptx_find_variable(m, "no such name") == CMPD_PTX_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_ptx_module *m = NULL;
    struct cmpd_err err = {.rc = CMPD_OK};
    cmpd_rc rc = cmpd_ptx_parse((const char *)data, size, &m, &err);
    MUST((rc == CMPD_OK) == (m != NULL));
    MUST(rc == CMPD_OK || (rc == err.rc && err.msg[0] != '\0'));
    if (m)
        check_module(m);
    cmpd_ptx_free(m);
    return 0;
}
