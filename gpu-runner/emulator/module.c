/* A module made ready: where its variables lie and what stands in them at first. */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

static uint64_t code_address(const struct emu_module *m, uint32_t function)
{
    return EMU_CODE_BASE + (((uint64_t)m->index << 24 | function) << 4);
}

static bool on_device(const struct cmpd_ptx_variable *v)
{
    return (v->space == CMPD_PTX_SPACE_GLOBAL || v->space == CMPD_PTX_SPACE_CONST) &&
           v->function == CMPD_PTX_NONE && !v->is_extern;
}

static cmpd_rc allocate(struct emu_module *m, struct cmpd_err *err)
{
    const struct cmpd_ptx_module *p = m->ptx;
    for (uint32_t i = 0; i < p->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &p->variables[i];
        struct emu_bytes bytes;
        /* Function-local static variables (`static __shared__` aside) are written as the module's own. */
        if (!on_device(v) &&
            !((v->space == CMPD_PTX_SPACE_GLOBAL || v->space == CMPD_PTX_SPACE_CONST) &&
              !v->is_extern))
            continue;
        cmpd_rc rc = emu_memory_alloc(m->device, v->size, CMPD_MEMORY_SYMBOL, -1, v->name,
                                      &m->variable_address[i], err);
        if (rc != CMPD_OK)
            return rc;
        if (!emu_memory_bytes(m->device, m->variable_address[i], v->size, &bytes))
            continue;
        if (v->init)
            memcpy(bytes.data, v->init, v->size);
        else
            memset(bytes.data, 0, v->size);
        if (bytes.shadow)
            memset(bytes.shadow, EMU_WRITTEN, v->size);
    }
    return CMPD_OK;
}

/* Shared variables get a slot each; all extern unsized ones are the same dynamic memory, slot 1. */
static cmpd_rc assign_shared(struct emu_module *m, struct cmpd_err *err)
{
    const struct cmpd_ptx_module *p = m->ptx;
    m->shared_slot_count = 2;
    m->shared_variable = cmpd_calloc(EMU_SHARED_SLOTS, sizeof *m->shared_variable);
    m->shared_variable[0] = m->shared_variable[1] = CMPD_PTX_NONE;
    for (uint32_t i = 0; i < p->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &p->variables[i];
        if (v->space != CMPD_PTX_SPACE_SHARED)
            continue;
        uint32_t slot = 1;
        if (!v->unsized) {
            if (m->shared_slot_count == EMU_SHARED_SLOTS || v->size > 1u << EMU_SHARED_SLOT_BITS)
                return cmpd_err_set(err, CMPD_ELIMIT, "too many or too large shared variables");
            slot = m->shared_slot_count++;
            m->shared_variable[slot] = i;
        }
        m->variable_address[i] = (uint64_t)slot << EMU_SHARED_SLOT_BITS;
    }
    return CMPD_OK;
}

static uint64_t generic_address(const struct emu_module *m, const struct cmpd_ptx_relocation *r)
{
    if (r->function)
        return code_address(m, r->target);
    uint64_t a = m->variable_address[r->target];
    if (r->generic && m->ptx->variables[r->target].space == CMPD_PTX_SPACE_SHARED)
        a += EMU_SHARED_WINDOW;
    return a;
}

static void relocate(struct emu_module *m)
{
    for (uint32_t i = 0; i < m->ptx->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &m->ptx->variables[i];
        struct emu_bytes bytes;
        if (!v->relocation_count || !m->variable_address[i] ||
            !emu_memory_bytes(m->device, m->variable_address[i], v->size, &bytes))
            continue;
        for (uint32_t k = 0; k < v->relocation_count; k++) {
            const struct cmpd_ptx_relocation *r = &v->relocations[k];
            const uint64_t value = generic_address(m, r) + (uint64_t)r->addend;
            if (r->offset <= v->size && r->size <= v->size - r->offset && r->size <= 8)
                memcpy(bytes.data + r->offset, &value, r->size);
        }
    }
}

static void init_functions(struct emu_module *m)
{
    m->functions = cmpd_calloc(m->ptx->function_count + 1, sizeof *m->functions);
    for (uint32_t i = 0; i < m->ptx->function_count; i++) {
        m->functions[i].ptx = &m->ptx->functions[i];
        m->functions[i].index = i;
        m->functions[i].unsupported = EMU_NO_INS;
    }
}

cmpd_rc emu_module_new_take(struct emu_device *d, struct cmpd_ptx_module *ptx,
                            struct emu_module **out, struct cmpd_err *err)
{
    struct emu_module *m = cmpd_calloc(1, sizeof *m);
    m->device = d;
    m->ptx = ptx;
    m->index = d->module_count;
    m->variable_address = cmpd_calloc(ptx->variable_count + 1, sizeof *m->variable_address);
    init_functions(m);
    emu_bind_frames(m);
    cmpd_rc rc = assign_shared(m, err);
    if (rc == CMPD_OK)
        rc = allocate(m, err);
    if (rc != CMPD_OK) {
        m->ptx = NULL;
        emu_module_free(m);
        return rc;
    }
    relocate(m);
    CMPD_GROW(d->modules, d->module_count + 1, d->module_cap);
    d->modules[d->module_count++] = m;
    *out = m;
    return CMPD_OK;
}

void emu_module_free(struct emu_module *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->ptx && i < m->ptx->function_count; i++) {
        free(m->functions[i].code);
        free(m->functions[i].live_in);
        free(m->functions[i].callees);
        free(m->functions[i].shared_slots);
        free(m->functions[i].unsupported_why);
    }
    free(m->functions);
    free(m->variable_address);
    free(m->shared_variable);
    free(m->constants);
    cmpd_arena_clear(&m->arena);
    cmpd_ptx_free(m->ptx);
    free(m);
}

uint32_t emu_module_find_kernel(const struct emu_module *m, const char *name)
{
    uint32_t i = cmpd_ptx_find_function(m->ptx, name);
    return i != CMPD_PTX_NONE && m->ptx->functions[i].entry && m->ptx->functions[i].defined
               ? i
               : CMPD_PTX_NONE;
}
