/* The .nv_fatbin sections of an ELF64 object or library. Source of the layout: elf.h, System V ABI. */
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/fatbin.h"

struct elf {
    const uint8_t *data; /* borrowed */
    size_t len;
    Elf64_Ehdr header;
    uint64_t sections;
    Elf64_Shdr names; /* the section of section names */
};

static bool inside(const struct elf *e, uint64_t offset, uint64_t size)
{
    return offset <= e->len && size <= e->len - offset;
}

static Elf64_Shdr section(const struct elf *e, uint64_t index)
{
    Elf64_Shdr s;
    memcpy(&s, e->data + e->header.e_shoff + index * sizeof s, sizeof s);
    return s;
}

/* Many sections: their number and the index of the names stand in section 0. */
static bool open_elf(struct elf *e)
{
    if (e->len < sizeof e->header)
        return false;
    memcpy(&e->header, e->data, sizeof e->header);
    const Elf64_Ehdr *h = &e->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    if (!inside(e, h->e_shoff, sizeof(Elf64_Shdr)))
        return false;
    Elf64_Shdr first = section(e, 0);
    e->sections = h->e_shnum ? h->e_shnum : first.sh_size;
    uint64_t names = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
    if (e->sections > e->len / sizeof(Elf64_Shdr) ||
        !inside(e, h->e_shoff, e->sections * sizeof(Elf64_Shdr)) || names >= e->sections)
        return false;
    e->names = section(e, names);
    return inside(e, e->names.sh_offset, e->names.sh_size);
}

static bool is_named(const struct elf *e, const Elf64_Shdr *s, const char *name)
{
    size_t len = strlen(name) + 1;
    return s->sh_name <= e->names.sh_size && len <= e->names.sh_size - s->sh_name &&
           memcmp(e->data + e->names.sh_offset + s->sh_name, name, len) == 0;
}

/* Of a whole-program object and of one made for device linking (-rdc=true). */
static bool holds_fatbins(const struct elf *e, const Elf64_Shdr *s)
{
    return s->sh_type != SHT_NOBITS &&
           (is_named(e, s, ".nv_fatbin") || is_named(e, s, "__nv_relfatbin"));
}

/* All such sections behind one another; sections that overlap would make more bytes than the object has. */
static cmpd_rc gather(const struct elf *e, uint8_t *to, size_t *total, struct cmpd_err *err)
{
    size_t n = 0;
    for (uint64_t i = 1; i < e->sections; i++) {
        Elf64_Shdr s = section(e, i);
        if (!holds_fatbins(e, &s))
            continue;
        if (!inside(e, s.sh_offset, s.sh_size) || s.sh_size > e->len - n)
            return cmpd_err_set(err, CMPD_EINPUT, "the object is damaged: a section lies outside");
        memcpy(to + n, e->data + s.sh_offset, (size_t)s.sh_size);
        n += (size_t)s.sh_size;
    }
    *total = n;
    return CMPD_OK;
}

cmpd_rc cmpd_fatbin_read_elf(const void *elf, size_t len, struct cmpd_fatbin *out,
                             struct cmpd_err *err)
{
    struct elf e = {.data = elf, .len = len};
    size_t total = 0;
    if (!open_elf(&e))
        return cmpd_err_set(err, CMPD_EINPUT, "not a 64-bit little-endian ELF object, or damaged");
    uint8_t *all = cmpd_alloc(len);
    cmpd_rc rc = gather(&e, all, &total, err);
    if (rc == CMPD_OK)
        rc = cmpd_fatbin_read(all, total, out, err);
    free(all);
    return rc;
}
