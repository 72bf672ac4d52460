/*
 * Names and what they mean, in nested scopes: 0 the module, 1 a function with its parameters, then one a brace. A range
 * (".reg .b32 %r<54>") is one symbol. Names are views into the text. Inside this folder only.
 */
#ifndef CMPD_GPU_RUNNER_PTX_SYMBOLS_H
#define CMPD_GPU_RUNNER_PTX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_symbol_kind {
    PTX_SYMBOL_NONE,
    PTX_SYMBOL_REGISTER, /* index: the register (a range: the first), count: of a range, else 0 */
    PTX_SYMBOL_VECTOR,   /* index: the first of `count` registers */
    PTX_SYMBOL_VARIABLE,
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_LABEL, /* index: the instruction that follows */
    PTX_SYMBOL_TABLE,
};

struct ptx_symbol {
    const char *name; /* borrowed: the text */
    uint32_t len, hash;
    uint32_t depth;
    uint32_t next; /* in its bucket, CMPD_PTX_NONE at the end */
    uint8_t kind;  /* enum ptx_symbol_kind */
    bool range;
    uint32_t index, count;
};

struct ptx_symbols {
    struct ptx_symbol *items; /* owned */
    uint32_t count, cap, depth;
    uint32_t *buckets; /* owned */
    uint32_t bucket_count;
    uint32_t seed; /* of the hash: names are chosen by others */
};

void ptx_symbols_init(struct ptx_symbols *s);
void ptx_symbols_clear(struct ptx_symbols *s);
void ptx_symbols_push(struct ptx_symbols *s); /* a scope opens */
void ptx_symbols_pop(struct ptx_symbols *s);  /* and ends: its names are forgotten */

/* Into the current scope. The result is borrowed until the next call that adds. */
struct ptx_symbol *ptx_symbols_add(struct ptx_symbols *s, const char *name, uint32_t len,
                                   enum ptx_symbol_kind kind, uint32_t index);

/*
 * The innermost meaning; of a range, *index is the register meant. NULL: none. Borrowed until the next call that adds.
 */
const struct ptx_symbol *ptx_symbols_find(const struct ptx_symbols *s, const char *name,
                                          uint32_t len, uint32_t *index);
/* A label or a table in the current scope alone. */
const struct ptx_symbol *ptx_symbols_find_target(const struct ptx_symbols *s, const char *name,
                                                 uint32_t len);

#endif
