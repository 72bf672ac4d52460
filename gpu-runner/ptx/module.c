/* A module's end, and its names. */
#include "gpu-runner/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static void free_function(struct cmpd_ptx_function *f)
{
    free(f->name);
    free(f->params);
    free(f->returns);
    free(f->registers);
}

static void free_variable(struct cmpd_ptx_variable *v)
{
    free(v->name);
    free(v->init);
    free(v->relocations);
}

void cmpd_ptx_free(struct cmpd_ptx_module *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->function_count; i++)
        free_function(&m->functions[i]);
    for (uint32_t i = 0; i < m->variable_count; i++)
        free_variable(&m->variables[i]);
    for (uint32_t i = 0; i < m->table_count; i++)
        free(m->tables[i].targets);
    for (uint32_t i = 0; i < m->file_count; i++)
        free(m->files[i]);
    free(m->functions);
    free(m->variables);
    free(m->ins);
    free(m->operands);
    free(m->locs);
    free(m->files);
    free(m->tables);
    free(m->text);
    free(m);
}

uint32_t cmpd_ptx_find_function(const struct cmpd_ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->function_count; i++) {
        if (strcmp(m->functions[i].name, name) == 0)
            return i;
    }
    return CMPD_PTX_NONE;
}

uint32_t cmpd_ptx_find_variable(const struct cmpd_ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        if (m->variables[i].function == CMPD_PTX_NONE && strcmp(m->variables[i].name, name) == 0)
            return i;
    }
    return CMPD_PTX_NONE;
}
