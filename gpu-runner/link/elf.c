#include "gpu-runner/link/elf.h"

#include <elf.h>
#include <string.h>

static bool within(const struct cmpd_elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->len && bytes <= elf->len - offset;
}

static bool section_at(const struct cmpd_elf *elf, const Elf64_Ehdr *head, uint64_t i,
                       Elf64_Shdr *out)
{
    if (i >= head->e_shnum)
        return false;
    uint64_t offset = head->e_shoff + i * sizeof(*out); /* both were checked to lie within */
    memcpy(out, elf->data + offset, sizeof(*out));
    return true;
}

static bool take_symbols(struct cmpd_elf *elf, const Elf64_Ehdr *head, const Elf64_Shdr *symbols)
{
    Elf64_Shdr names;

    if (symbols->sh_entsize != sizeof(Elf64_Sym) ||
        !within(elf, symbols->sh_offset, symbols->sh_size) ||
        !section_at(elf, head, symbols->sh_link, &names) || names.sh_type != SHT_STRTAB ||
        names.sh_size == 0 || !within(elf, names.sh_offset, names.sh_size))
        return false;
    elf->symbols = elf->data + symbols->sh_offset;
    elf->symbol_count = symbols->sh_size / sizeof(Elf64_Sym);
    elf->names = (const char *)elf->data + names.sh_offset;
    elf->names_len = names.sh_size;
    return elf->names[elf->names_len - 1] == '\0';
}

static bool find_symbols(struct cmpd_elf *elf, const Elf64_Ehdr *head)
{
    static const Elf64_Word wanted[] = {SHT_SYMTAB, SHT_DYNSYM};
    Elf64_Shdr section;

    for (size_t w = 0; w < 2; w++)
        for (uint64_t i = 0; i < head->e_shnum; i++)
            if (section_at(elf, head, i, &section) && section.sh_type == wanted[w])
                return take_symbols(elf, head, &section);
    return true; /* stripped: it has none */
}

bool cmpd_elf_open(struct cmpd_elf *elf, const void *data, size_t len, const char **why)
{
    Elf64_Ehdr head;

    *elf = (struct cmpd_elf){.data = data, .len = len};
    *why = "no ELF file for x86-64";
    if (len < sizeof(head))
        return false;
    memcpy(&head, data, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_X86_64)
        return false;
    *why = "a damaged ELF file";
    if (head.e_shnum == 0)
        return true;
    if (head.e_shentsize != sizeof(Elf64_Shdr) ||
        !within(elf, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr)))
        return false;
    return find_symbols(elf, &head);
}

bool cmpd_elf_symbol(const struct cmpd_elf *elf, size_t i, struct cmpd_elf_symbol *out)
{
    Elf64_Sym s;

    memcpy(&s, elf->symbols + i * sizeof(s), sizeof(s));
    if (s.st_name >= elf->names_len)
        return false;
    unsigned bind = ELF64_ST_BIND(s.st_info);
    *out = (struct cmpd_elf_symbol){.name = elf->names + s.st_name,
                                    .value = s.st_value,
                                    .size = s.st_size,
                                    .function = ELF64_ST_TYPE(s.st_info) == STT_FUNC,
                                    .defined = s.st_shndx != SHN_UNDEF,
                                    .local = bind == STB_LOCAL,
                                    .weak = bind == STB_WEAK};
    return true;
}

const char *cmpd_elf_function_at(const struct cmpd_elf *elf, uint64_t offset)
{
    struct cmpd_elf_symbol s;

    for (size_t i = 0; i < elf->symbol_count; i++)
        if (cmpd_elf_symbol(elf, i, &s) && s.function && s.defined && offset >= s.value &&
            offset - s.value < s.size)
            return s.name;
    return NULL;
}
