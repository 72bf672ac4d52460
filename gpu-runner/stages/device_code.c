#include "gpu-runner/stages/device_code.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/fatbin.h"
#include "gpu-runner/ptx/ptx.h"
#include "gpu-runner/stages/findings.h"
#include "refs/ref.h"

/* The innermost line of an instruction that lies in the judged file. */
static uint32_t line_of(const struct cmpd_ptx_module *m, const struct cmpd_ptx_ins *in,
                        const char *file)
{
    for (uint32_t at = in->loc; at != CMPD_PTX_NONE; at = m->locs[at].inlined_at) {
        const struct cmpd_ptx_loc *l = &m->locs[at];
        if (l->file < m->file_count && m->files[l->file] &&
            cmpd_stage_is_file(m->files[l->file], file))
            return l->line;
    }
    return 0;
}

static bool has_mod(const struct cmpd_ptx_ins *in, enum cmpd_ptx_mod mod)
{
    for (unsigned i = 0; i < in->mod_count; i++) {
        if (in->mods[i] == mod)
            return true;
    }
    return false;
}

static bool is_store(const struct cmpd_ptx_ins *in)
{
    if (in->op != CMPD_PTX_OP_st && in->op != CMPD_PTX_OP_atom && in->op != CMPD_PTX_OP_red)
        return false;
    return !has_mod(in, CMPD_PTX_MOD_shared) && !has_mod(in, CMPD_PTX_MOD_local) &&
           !has_mod(in, CMPD_PTX_MOD_param);
}

static bool is_half(unsigned type)
{
    return type == CMPD_PTX_F16 || type == CMPD_PTX_F16X2 || type == CMPD_PTX_BF16 ||
           type == CMPD_PTX_BF16X2;
}

static bool narrows(const struct cmpd_ptx_ins *in)
{
    return in->op == CMPD_PTX_OP_cvt && in->type_count >= 2 && is_half(in->types[0]) &&
           !is_half(in->types[1]);
}

static void read_kernel(struct cmpd_device_code *c, const struct cmpd_ptx_module *m,
                        const struct cmpd_ptx_function *f, const char *file)
{
    CMPD_GROW(c->kernels, c->count + 1, c->cap);
    struct cmpd_code_kernel *k = &c->kernels[c->count++];
    *k = (struct cmpd_code_kernel){.name = cmpd_strdup(f->name)};
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        if (!k->store_line && is_store(&m->ins[i]))
            k->store_line = line_of(m, &m->ins[i], file);
        if (!k->narrow_line && narrows(&m->ins[i]))
            k->narrow_line = line_of(m, &m->ins[i], file);
    }
}

static void read_module(struct cmpd_device_code *c, const struct cmpd_fatbin_image *image,
                        const char *file)
{
    struct cmpd_ptx_module *m;
    c->approximate |= strstr(image->text, ".approx") != NULL;
    if (strstr(image->text, "tanh.approx"))
        c->approximations |= CMPD_APPROX_TANH;
    if (cmpd_ptx_parse(image->text, image->len, &m, NULL) != CMPD_OK)
        return;
    for (uint32_t i = 0; i < m->function_count; i++) {
        if (m->functions[i].entry && m->functions[i].defined)
            read_kernel(c, m, &m->functions[i], file);
    }
    cmpd_ptx_free(m);
}

void cmpd_device_code_read(const void *object, size_t len, const char *file,
                           struct cmpd_device_code *out)
{
    struct cmpd_fatbin f;
    memset(out, 0, sizeof *out);
    if (cmpd_fatbin_read_elf(object, len, &f, NULL) != CMPD_OK)
        return;
    for (size_t i = 0; i < f.count; i++)
        read_module(out, &f.images[i], file);
    cmpd_fatbin_clear(&f);
}

void cmpd_device_code_clear(struct cmpd_device_code *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->kernels[i].name);
    free(c->kernels);
    memset(c, 0, sizeof *c);
}

const struct cmpd_code_kernel *cmpd_device_code_find(const struct cmpd_device_code *c,
                                                     const char *mangled)
{
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->kernels[i].name, mangled) == 0)
            return &c->kernels[i];
    }
    return NULL;
}
