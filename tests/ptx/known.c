/*
 * known FILE.ptx...: reads each and says what of it isn't known. Exit 1 where there is something.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/file.h"
#include "gpu-runner/ptx/ptx.h"

#define SHOWN 5 /* unknown instructions named for each file */

static bool operand_known(const struct cmpd_ptx_module *m, const struct cmpd_ptx_operand *o)
{
    if (o->kind == CMPD_PTX_O_NONE || o->kind == CMPD_PTX_O_UNKNOWN)
        return false;
    if (o->kind < CMPD_PTX_O_VECTOR)
        return true;
    for (uint32_t i = 0; i < o->count; i++) {
        if (!operand_known(m, &m->operands[o->index + i]))
            return false;
    }
    return true;
}

static bool ins_known(const struct cmpd_ptx_module *m, const struct cmpd_ptx_ins *in)
{
    bool known = in->op != CMPD_PTX_OP_UNKNOWN;
    for (unsigned i = 0; i < in->mod_count; i++)
        known = known && in->mods[i] != CMPD_PTX_MOD_UNKNOWN;
    for (unsigned i = 0; i < in->operand_count; i++)
        known = known && operand_known(m, &m->operands[in->operands + i]);
    return known;
}

static bool check(const char *path, const struct cmpd_ptx_module *m)
{
    unsigned unknown = 0, lines = 0;
    for (uint32_t i = 0; i < m->ins_count; i++) {
        const struct cmpd_ptx_ins *in = &m->ins[i];
        lines += in->loc != CMPD_PTX_NONE && m->locs[in->loc].file != CMPD_PTX_NONE;
        if (ins_known(m, in))
            continue;
        if (unknown++ < SHOWN)
            printf("%s:%u: not known: %.*s\n", path, in->line, (int)in->text_len,
                   m->text + in->text);
    }
    if (m->ins_count == 0 || lines == 0)
        printf("%s: no instructions, or none with a line\n", path);
    return unknown == 0 && m->ins_count > 0 && lines > 0;
}

static bool read_one(const char *path)
{
    struct cmpd_buf text = CMPD_BUF_INIT;
    struct cmpd_err err = {.msg = ""};
    struct cmpd_ptx_module *m = NULL;
    cmpd_rc rc = cmpd_file_read(path, CMPD_PTX_TEXT_CEILING_BYTES, &text, &err);
    if (rc == CMPD_OK)
        rc = cmpd_ptx_parse(cmpd_buf_str(&text), text.len, &m, &err);
    cmpd_buf_clear(&text);
    if (rc != CMPD_OK) {
        printf("%s: %s\n", path, err.msg);
        return false;
    }
    bool good = check(path, m);
    cmpd_ptx_free(m);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = read_one(argv[i]) && good;
    return good ? 0 : 1;
}
