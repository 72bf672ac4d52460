/*
 * PTX as data: what a module's text says, in full, with nothing decided about how to run it. The reader knows the
 * grammar, not the opcodes: an instruction is a guard, an opcode, its dotted modifiers in order and a list of operands.
 * Whether a device can run it is the device's affair (see emulator/bind.h). Source: the PTX ISA manual, version 9.0.
 *
 * The text is hostile. Nothing here trusts a count, a size or a name of it; all ceilings are in this header.
 */
#ifndef CMPD_GPU_RUNNER_PTX_PTX_H
#define CMPD_GPU_RUNNER_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

#define CMPD_PTX_TEXT_CEILING_BYTES    ((size_t)64 << 20)
#define CMPD_PTX_INS_CEILING           4000000
#define CMPD_PTX_OPERANDS_CEILING      16000000
#define CMPD_PTX_REGISTERS_CEILING     200000   /* a function */
#define CMPD_PTX_ALL_REGISTERS_CEILING 16000000 /* all functions together */
#define CMPD_PTX_VARIABLE_CEILING \
    ((uint64_t)1 << 30)                    /* bytes of one variable; of all initialisers together */
#define CMPD_PTX_DECLARED_CEILING  1000000 /* variables, functions, tables: each */
#define CMPD_PTX_FILES_CEILING     65536
#define CMPD_PTX_NESTING_CEILING   64         /* braces open at once in a body */
#define CMPD_PTX_MODIFIERS_CEILING 12         /* of one instruction; more: op UNKNOWN */
#define CMPD_PTX_NONE              UINT32_MAX /* no index */

enum cmpd_ptx_type {
    CMPD_PTX_T_NONE,
    CMPD_PTX_U8,
    CMPD_PTX_U16,
    CMPD_PTX_U32,
    CMPD_PTX_U64,
    CMPD_PTX_S8,
    CMPD_PTX_S16,
    CMPD_PTX_S32,
    CMPD_PTX_S64,
    CMPD_PTX_B8,
    CMPD_PTX_B16,
    CMPD_PTX_B32,
    CMPD_PTX_B64,
    CMPD_PTX_B128,
    CMPD_PTX_F16,
    CMPD_PTX_F16X2,
    CMPD_PTX_BF16,
    CMPD_PTX_BF16X2,
    CMPD_PTX_TF32,
    CMPD_PTX_F32,
    CMPD_PTX_F64,
    CMPD_PTX_PRED,
    CMPD_PTX_TYPE_COUNT
};
/* Bytes; PRED and NONE: 0. */
unsigned cmpd_ptx_type_size(enum cmpd_ptx_type t);
const char *cmpd_ptx_type_name(enum cmpd_ptx_type t); /* "f32" */

/* The part before the first dot ("add", "ld", "atom"). One row a base opcode in ops.def. */
enum cmpd_ptx_op {
    CMPD_PTX_OP_UNKNOWN,
#define PTX_OP(name) CMPD_PTX_OP_##name,
#include "gpu-runner/ptx/ops.def"
#undef PTX_OP
    CMPD_PTX_OP_COUNT
};
/* A dotted part that is no type (".rn", ".global", ".v4", ".sync", ".m16n8k16"). One row each in mods.def. */
enum cmpd_ptx_mod {
    CMPD_PTX_MOD_UNKNOWN,
#define PTX_MOD(id, text) CMPD_PTX_MOD_##id,
#include "gpu-runner/ptx/mods.def"
#undef PTX_MOD
    CMPD_PTX_MOD_COUNT
};
const char *cmpd_ptx_op_name(enum cmpd_ptx_op op);
const char *cmpd_ptx_mod_name(enum cmpd_ptx_mod mod);

/* %tid.x and its kin. One row each in specials.def. */
enum cmpd_ptx_special {
#define PTX_SPECIAL(id, text, type) CMPD_PTX_SPECIAL_##id,
#include "gpu-runner/ptx/specials.def"
#undef PTX_SPECIAL
    CMPD_PTX_SPECIAL_COUNT
};
const char *cmpd_ptx_special_name(enum cmpd_ptx_special special); /* "%tid.x" */
enum cmpd_ptx_type cmpd_ptx_special_type(enum cmpd_ptx_special special);

enum cmpd_ptx_space {
    CMPD_PTX_SPACE_GENERIC, /* none was named */
    CMPD_PTX_SPACE_REG,
    CMPD_PTX_SPACE_PARAM,
    CMPD_PTX_SPACE_LOCAL,
    CMPD_PTX_SPACE_SHARED,
    CMPD_PTX_SPACE_GLOBAL,
    CMPD_PTX_SPACE_CONST,
    CMPD_PTX_SPACE_TEX,
};

enum cmpd_ptx_operand_kind {
    CMPD_PTX_O_NONE,
    CMPD_PTX_O_REG,      /* index: into function->registers; negated: "!p" or "-r" */
    CMPD_PTX_O_INT,      /* value (a leading minus is applied) */
    CMPD_PTX_O_F32,      /* value: the bits of 0fXXXXXXXX */
    CMPD_PTX_O_F64,      /* value: the bits of 0dXXXX or of a decimal */
    CMPD_PTX_O_SPECIAL,  /* index: enum cmpd_ptx_special */
    CMPD_PTX_O_VARIABLE, /* the address of variable `index` (module->variables) plus value */
    CMPD_PTX_O_FUNCTION, /* index: module->functions */
    CMPD_PTX_O_LABEL,    /* index: instruction (module->ins), always inside the function */
    CMPD_PTX_O_TABLE, /* index: module->tables (brx.idx, or the targets of an indirect call; of a call by
                          * .callprototype the table is one of functions with none in it: any) */
    CMPD_PTX_O_SINK,   /* "_" */
    CMPD_PTX_O_VECTOR, /* {a, b, ...}: count operands from module->operands[index] */
    CMPD_PTX_O_PAIR,   /* p|q: two operands from module->operands[index] */
    CMPD_PTX_O_ADDRESS, /* [base + value]: base is module->operands[index] (REG, VARIABLE, INT; PARAM names too).
                         * count is 1; more for a texture's [name, sampler, {x, y}], which lie side by side */
    CMPD_PTX_O_LIST,    /* (a, b): of a call */
    CMPD_PTX_O_UNKNOWN, /* a name that was never declared, or a form that isn't known: not runnable */
};

struct cmpd_ptx_operand {
    uint8_t kind; /* enum cmpd_ptx_operand_kind */
    bool negated;
    uint16_t count; /* VECTOR, LIST */
    uint32_t index;
    int64_t value;
};

struct cmpd_ptx_ins {
    uint16_t op; /* enum cmpd_ptx_op */
    uint8_t type_count, mod_count, operand_count;
    bool guard_negated;
    uint8_t types[4];                          /* enum cmpd_ptx_type, in the order written */
    uint16_t mods[CMPD_PTX_MODIFIERS_CEILING]; /* enum cmpd_ptx_mod, in the order written */
    uint32_t guard;                            /* register index, CMPD_PTX_NONE: none */
    uint32_t operands; /* first one in module->operands; destinations come first, as written */
    uint32_t loc;      /* module->locs, CMPD_PTX_NONE: none */
    uint32_t line;     /* 1-based, of the PTX text */
    uint32_t text, text_len; /* the opcode with its modifiers, in module->text */
};

struct cmpd_ptx_register {
    uint8_t type; /* enum cmpd_ptx_type */
};

struct cmpd_ptx_relocation { /* an address inside an initialiser */
    uint64_t offset;
    uint8_t size;  /* bytes at offset that get the low bytes of the address; 1 to 8 */
    bool function; /* target is module->functions, else module->variables */
    bool generic;  /* generic(name) */
    uint32_t target;
    int64_t addend;
};

struct cmpd_ptx_variable {
    char *name; /* owned */
    uint8_t space, type;
    bool is_extern, visible, is_array;
    bool unsized;      /* extern .shared x[]: dynamic shared memory */
    uint32_t align;    /* power of two, at least 1 */
    uint64_t size;     /* bytes */
    uint32_t function; /* of which it is local (params too), CMPD_PTX_NONE: of the module */
    uint64_t
        offset; /* params of an entry: their place in the parameter block; space REG: its register; else 0 */
    uint8_t *init;                           /* owned, `size` bytes, NULL: zero */
    struct cmpd_ptx_relocation *relocations; /* owned */
    uint32_t relocation_count;
};

/* The end of a defined function is never run into: a `ret` (text_len 0) is added where control could reach it. */
struct cmpd_ptx_function {
    char *name; /* owned; mangled */
    bool entry, is_extern, defined;
    uint32_t first,
        count; /* instructions: module->ins[first .. first+count); count > 0 where defined */
    uint32_t *params, *returns; /* owned; indexes of module->variables (space PARAM or REG) */
    uint32_t param_count, return_count;
    uint32_t param_bytes;                /* size of an entry's parameter block */
    struct cmpd_ptx_register *registers; /* owned */
    uint32_t register_count;
    uint32_t max_threads[3];      /* .maxntid; 0: not given */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t loc;                 /* of its first instruction */
};

struct cmpd_ptx_loc {
    uint32_t file; /* module->files; CMPD_PTX_NONE: unknown */
    uint32_t line, column;
    uint32_t inlined_at; /* module->locs, CMPD_PTX_NONE: not inlined. Never a cycle. */
};

struct cmpd_ptx_table {
    uint32_t *
        targets; /* owned; instructions (branch targets) or functions (call targets); CMPD_PTX_NONE: not known */
    uint32_t count;
    bool functions;
};

struct cmpd_ptx_module {
    char *text; /* owned */
    size_t text_len;
    uint32_t version, target; /* 90, 80 */
    struct cmpd_ptx_function *functions;
    uint32_t function_count;
    struct cmpd_ptx_variable *variables;
    uint32_t variable_count;
    struct cmpd_ptx_ins *ins;
    uint32_t ins_count;
    struct cmpd_ptx_operand *operands;
    uint32_t operand_count;
    struct cmpd_ptx_loc *locs;
    uint32_t loc_count;
    char **files; /* owned; index as in .file, NULL where there is none */
    uint32_t file_count;
    struct cmpd_ptx_table *tables;
    uint32_t table_count;
};

/*
 * CMPD_EINPUT: the text is not PTX (message: line and what was expected); CMPD_ELIMIT: over a ceiling. What merely
 * isn't known (an opcode, a modifier, a directive inside a body) becomes UNKNOWN and is no error here.
 */
cmpd_rc cmpd_ptx_parse(const char *text, size_t len, struct cmpd_ptx_module **out,
                       struct cmpd_err *err);
void cmpd_ptx_free(struct cmpd_ptx_module *m);

/* CMPD_PTX_NONE: none of that name. */
uint32_t cmpd_ptx_find_function(const struct cmpd_ptx_module *m, const char *name);
uint32_t cmpd_ptx_find_variable(const struct cmpd_ptx_module *m, const char *name);

#endif
