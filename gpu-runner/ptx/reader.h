/*
 * The reader's state and the parts of the grammar, one file a part. Inside this folder only.
 *
 *   lex.c       tokens                    declare.c  variables, registers, parameters
 *   parse.c     directives of a module    init.c     initialisers
 *   function.c  entries and functions     body.c     statements, scopes, labels, tables
 *   locs.c      .loc and .file            operand.c  an instruction's operands
 *   opcode.c    "ld.global.f32" to its parts
 *
 * The first error wins and ends the text (ptx_fail), so that no caller has to ask after each step.
 */
#ifndef CMPD_GPU_RUNNER_PTX_READER_H
#define CMPD_GPU_RUNNER_PTX_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/ptx/lex.h"
#include "gpu-runner/ptx/ptx.h"
#include "gpu-runner/ptx/symbols.h"

/* A kind of operand that no caller ever sees: a name that may still be declared. index: its length, value: its place. */
#define PTX_O_PENDING 255

/* A name used before it was declared; found when its scope ends, or at the end of the module. */
struct ptx_fixup {
    uint32_t operand; /* module->operands; CMPD_PTX_NONE: entry `target` of table `table` */
    uint32_t table, target;
    const char *name; /* borrowed: the text */
    uint32_t len;
};

struct ptx_alias {
    uint32_t function;
    const char *target; /* borrowed: the text */
    uint32_t len, line;
};

struct ptx_opcode_cache; /* opcode.c */
struct ptx_place_map;    /* locs.c */

struct ptx_reader {
    struct ptx_lexer lx;
    struct cmpd_ptx_module *m; /* owned until it is handed over */
    struct ptx_symbols symbols;
    struct cmpd_err *err; /* borrowed, may be NULL */
    cmpd_rc rc;

    /* Room of the module's arrays. */
    uint32_t function_cap, variable_cap, ins_cap, operand_cap, loc_cap, file_cap, table_cap;

    struct ptx_fixup *fixups; /* owned */
    uint32_t fixup_count, fixup_cap;
    struct ptx_alias *aliases; /* owned */
    uint32_t alias_count, alias_cap;
    struct cmpd_ptx_operand *scratch; /* owned; a stack: operands of forms that are still open */
    uint32_t scratch_count, scratch_cap;
    struct ptx_opcode_cache *opcodes; /* owned */
    struct ptx_place_map *places;     /* owned */

    uint32_t function;     /* being read, CMPD_PTX_NONE: none */
    uint32_t register_cap; /* of that function */
    uint32_t loc;          /* in force, CMPD_PTX_NONE: none */
    bool end_is_target;    /* a label stands behind the last instruction so far */
    uint64_t register_total, init_total;
};

/* ---- parse.c ---- */
cmpd_rc ptx_fail(struct ptx_reader *r, cmpd_rc rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* CMPD_EINPUT "line 7: expected WHAT before `x`". */
void ptx_expected(struct ptx_reader *r, const char *what);
bool ptx_accept(struct ptx_reader *r, char punct); /* steps over it where it is current */
void ptx_need(struct ptx_reader *r, char punct);   /* the same, else an error */
bool ptx_accept_directive(struct ptx_reader *r, const char *name);
uint32_t ptx_number(struct ptx_reader *r); /* an integer of 32 bits, else an error and 0 */
/* From "(" to behind its ")", whatever lies between. */
void ptx_skip_parentheses(struct ptx_reader *r);
/* Has the vector room for one more below the ceiling? Else an error. */
bool ptx_room(struct ptx_reader *r, uint32_t count, uint32_t ceiling, const char *what);

/* ---- declare.c ---- */
struct ptx_linkage {
    bool is_extern, visible;
};
/* Which state space a directive names; CMPD_PTX_SPACE_GENERIC: none. */
enum cmpd_ptx_space ptx_space_of(const struct ptx_token *t);
/* Behind the state space: "[attributes] type name [dims] [= init] {, name ...} ;". */
void ptx_declare(struct ptx_reader *r, enum cmpd_ptx_space space, struct ptx_linkage linkage);
/* Behind ".reg": "type name, name<5> ;". */
void ptx_declare_registers(struct ptx_reader *r);
/* "(.param .u64 a, .reg .b32 b)"; *list is owned by the caller's function. */
void ptx_declare_params(struct ptx_reader *r, bool entry, uint32_t **list, uint32_t *count);
/* `count` new registers of the function; the first one's index. */
uint32_t ptx_new_registers(struct ptx_reader *r, enum cmpd_ptx_type type, uint32_t count);

/* ---- init.c ---- */
struct ptx_dims {
    uint64_t size[8]; /* elements; a vector is the innermost */
    unsigned count;
};
/*
 * Behind "=". Fills v->init and v->relocations; a first dimension of 0 (`x[] = {...}`) is set from the values, and
 * v->size with it.
 */
void ptx_initialise(struct ptx_reader *r, struct cmpd_ptx_variable *v, struct ptx_dims *dims);

/* ---- function.c, body.c ---- */
void ptx_function(struct ptx_reader *r, bool entry, struct ptx_linkage linkage);
void ptx_body(struct ptx_reader *r); /* at "{"; leaves behind its "}" */
/* At the end of the module: names of functions and variables that were used before they were declared. */
void ptx_resolve_rest(struct ptx_reader *r);

/* ---- locs.c ---- */
void ptx_loc(struct ptx_reader *r);  /* behind ".loc" */
void ptx_file(struct ptx_reader *r); /* behind ".file" */
void ptx_locs_begin_function(struct ptx_reader *r);
void ptx_locs_finish(
    struct ptx_reader *r); /* file numbers that no .file gave a name become CMPD_PTX_NONE */
void ptx_locs_free(struct ptx_reader *r);

/* ---- opcode.c ---- */
/* Fills op, types and mods. */
void ptx_opcode(struct ptx_reader *r, const char *text, uint32_t len, struct cmpd_ptx_ins *in);
void ptx_opcodes_free(struct ptx_reader *r);

/* ---- operand.c ---- */
/*
 * Up to the ";". false: a form that isn't known; the lexer stands anywhere before the ";".
 */
bool ptx_operands(struct ptx_reader *r, struct cmpd_ptx_ins *in);

#endif
