/* The fat binaries of an ELF object. The bytes are the compiler's, but nothing here trusts them. */
#include <elf.h>
#include <string.h>

#include "gpu-runner/ptx/fatbin.h"
#include "gpu-runner/server/internal.h"

#define SECTION ".nv_fatbin"

struct elf {
    const uint8_t *data;
    size_t len;
    Elf64_Ehdr head;
};

static bool part(const struct elf *e, uint64_t offset, uint64_t size)
{
    return offset <= e->len && size <= e->len - offset;
}

static bool section(const struct elf *e, unsigned i, Elf64_Shdr *out)
{
    uint64_t offset = e->head.e_shoff + (uint64_t)i * sizeof(*out);

    if (e->head.e_shoff > e->len || !part(e, offset, sizeof(*out)))
        return false;
    memcpy(out, e->data + offset, sizeof(*out));
    return true;
}

static cmpd_rc open_elf(struct elf *e, struct cmpd_err *err)
{
    if (e->len >= sizeof(e->head))
        memcpy(&e->head, e->data, sizeof(e->head));
    if (e->len < sizeof(e->head) || memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
        e->head.e_ident[EI_CLASS] != ELFCLASS64 || e->head.e_shentsize != sizeof(Elf64_Shdr))
        return cmpd_err_set(err, CMPD_EINPUT, "not an ELF object of 64 bits");
    return CMPD_OK;
}

static bool named(const struct elf *e, const Elf64_Shdr *strings, const Elf64_Shdr *s)
{
    uint64_t at = strings->sh_offset + s->sh_name;

    return part(e, strings->sh_offset, strings->sh_size) && s->sh_name < strings->sh_size &&
           strings->sh_size - s->sh_name >= sizeof(SECTION) &&
           memcmp(e->data + at, SECTION, sizeof(SECTION)) == 0;
}

static cmpd_rc load_all(struct cmpd_server *s, const uint8_t *data, size_t len,
                        struct cmpd_err *err)
{
    while (len > 0) {
        uint32_t index;
        size_t size = cmpd_fatbin_size(data, len);
        if (size == 0) { /* padding between two of them */
            data++;
            len--;
            continue;
        }
        cmpd_rc rc = srv_module_load(s, data, size, &index, err);
        if (rc != CMPD_OK)
            return rc;
        data += size;
        len -= size;
    }
    return CMPD_OK;
}

cmpd_rc cmpd_server_load_object(struct cmpd_server *s, const void *elf, size_t len, uint32_t *first,
                                uint32_t *count, struct cmpd_err *err)
{
    struct elf e = {.data = elf, .len = len};
    Elf64_Shdr strings, sh;
    size_t before = s->module_count;
    cmpd_rc rc = open_elf(&e, err);

    if (rc != CMPD_OK)
        return rc;
    if (!section(&e, e.head.e_shstrndx, &strings))
        return cmpd_err_set(err, CMPD_EINPUT, "an ELF object without names of sections");
    for (unsigned i = 0; i < e.head.e_shnum && section(&e, i, &sh); i++) {
        if (sh.sh_type == SHT_NOBITS || !named(&e, &strings, &sh) ||
            !part(&e, sh.sh_offset, sh.sh_size))
            continue;
        rc = load_all(s, e.data + sh.sh_offset, sh.sh_size, err);
        if (rc != CMPD_OK)
            return rc;
    }
    if (s->module_count == before)
        return cmpd_err_set(err, CMPD_ENOENT, "the object holds no device code");
    *first = s->modules[before].device_module;
    *count = (uint32_t)(s->module_count - before);
    return CMPD_OK;
}
