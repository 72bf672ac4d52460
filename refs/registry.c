/* The table of operators. */
#include "refs/ref.h"
#include "refs/words.h"

#define REF_OP(name) extern const struct cmpd_ref_op cmpd_op_##name;
#include "refs/refs.def"
#undef REF_OP

static const struct cmpd_ref_op *const OPS[] = {
#define REF_OP(name) &cmpd_op_##name,
#include "refs/refs.def"
#undef REF_OP
};

const struct cmpd_ref_op *cmpd_ref_at(size_t i)
{
    return i < sizeof OPS / sizeof *OPS ? OPS[i] : NULL;
}

const struct cmpd_ref_op *cmpd_ref_find(const char *name)
{
    if (!name || !*name || strchr(name, ' ')) {
        return NULL;
    }
    const struct cmpd_ref_op *op;
    for (size_t i = 0; (op = cmpd_ref_at(i)); i++) {
        if (strcmp(op->name, name) == 0) {
            return op;
        }
    }
    for (size_t i = 0; (op = cmpd_ref_at(i)); i++) {
        if (cmpd_words_have(op->aliases, name)) {
            return op;
        }
    }
    return NULL;
}
