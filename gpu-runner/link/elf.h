/*
 * Reading the symbols of an ELF file for x86-64 (an object, a shared library) that may be damaged or hostile. Hangs on
 * nothing but the C library: the candidate program uses it too. Nothing is copied: the bytes have to stay.
 */
#ifndef CMPD_GPU_RUNNER_LINK_ELF_H
#define CMPD_GPU_RUNNER_LINK_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmpd_elf {
    const uint8_t *data; /* borrowed */
    size_t len;
    const uint8_t *symbols; /* inside data; of .symtab, else of .dynsym */
    size_t symbol_count;
    const char *names; /* its string table; terminated */
    size_t names_len;
};

struct cmpd_elf_symbol {
    const char *name; /* borrowed; "" for a section */
    uint64_t value;   /* st_value: in a shared library the offset from its load address */
    uint64_t size;
    bool function; /* STT_FUNC, STT_GNU_IFUNC excepted */
    bool defined;
    bool local;
    bool weak;
};

/* False: no ELF file of this kind, or one whose symbol table doesn't lie within it. *why: static text. */
bool cmpd_elf_open(struct cmpd_elf *elf, const void *data, size_t len, const char **why);
/* i below symbol_count. False: its name lies outside of the table. */
bool cmpd_elf_symbol(const struct cmpd_elf *elf, size_t i, struct cmpd_elf_symbol *out);
/* Name of the function that holds an offset of a shared library; NULL: none does. Safe in a signal handler. */
const char *cmpd_elf_function_at(const struct cmpd_elf *elf, uint64_t offset);

#endif
