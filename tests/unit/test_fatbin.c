/* Fat binaries and the objects that hold them, made here byte by byte. */
#include "tests/unit/unit.h"

#include <elf.h>
#include <zstd.h>

#include "analysis/base/buf.h"
#include "gpu-runner/ptx/fatbin.h"

static const char text[] = ".version 9.0\n.target sm_80\n.address_size 64\n";

static void put(struct cmpd_buf *b, size_t at, const void *data, size_t len)
{
    memcpy(b->data + at, data, len);
}

static void put32(struct cmpd_buf *b, size_t at, uint32_t v)
{
    put(b, at, &v, sizeof v);
}

static void pad(struct cmpd_buf *b, size_t bytes)
{
    while (bytes-- > 0)
        cmpd_buf_putc(b, '\0');
}

/* One entry behind what is there, and the header's size made to fit. */
static void add_entry(struct cmpd_buf *b, unsigned kind, uint32_t flags, const void *payload,
                      size_t len, size_t plain_len)
{
    size_t at = b->len, padded = (len + 7) & ~(size_t)7;
    pad(b, 64);
    put32(b, at, kind | 0x01010000u);
    put32(b, at + 4, 64);
    put32(b, at + 8, (uint32_t)padded);
    put32(b, at + 16, flags ? (uint32_t)len : 0);
    put32(b, at + 28, 80);
    put32(b, at + 40, flags | 0x11);
    put32(b, at + 56, (uint32_t)plain_len);
    cmpd_buf_append(b, payload, len);
    pad(b, padded - len);
}

static void begin(struct cmpd_buf *b)
{
    pad(b, 16);
    put32(b, 0, 0xba55ed50u);
    put32(b, 4, 0x00100001u);
}

static void finish(struct cmpd_buf *b)
{
    put32(b, 8, (uint32_t)(b->len - 16));
}

static void add_zstd(struct cmpd_buf *b)
{
    char packed[256];
    size_t n = ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 3);
    assert_false(ZSTD_isError(n));
    add_entry(b, 1, 0x8000, packed, n, sizeof text - 1);
}

static void plain_and_compressed(void **state)
{
    (void)state;
    CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
    struct cmpd_fatbin f = {0};
    begin(&b);
    add_entry(&b, 2, 0,
              "\x7f"
              "ELF",
              4, 0);
    add_zstd(&b);
    add_entry(&b, 1, 0, text, sizeof text - 1, 0);
    finish(&b);
    assert_int_equal(cmpd_fatbin_size(b.data, b.len), b.len);
    assert_int_equal(cmpd_fatbin_size(b.data, b.len - 1), 0);
    size_t one = b.len;
    pad(&b, 8);
    CMPD_BUF_AUTO struct cmpd_buf twice = CMPD_BUF_INIT;
    cmpd_buf_append(&twice, b.data, b.len);
    cmpd_buf_append(&twice, b.data, one);
    assert_int_equal(cmpd_fatbin_read(twice.data, twice.len, &f, NULL), CMPD_OK);
    assert_int_equal(f.count, 4);
    assert_int_equal(f.skipped, 2);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f.images[i].text, text);
        assert_int_equal(f.images[i].len, sizeof text - 1);
        assert_int_equal(f.images[i].arch, 80);
        assert_int_equal(f.images[i].container, i / 2);
    }
    cmpd_fatbin_clear(&f);
}

static void nothing_inside(void **state)
{
    (void)state;
    CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
    struct cmpd_fatbin f = {0};
    begin(&b);
    finish(&b);
    assert_int_equal(cmpd_fatbin_read(b.data, b.len, &f, NULL), CMPD_OK);
    assert_int_equal(f.count, 0);
    assert_int_equal(cmpd_fatbin_read("", 0, &f, NULL), CMPD_OK);
    assert_int_equal(f.count, 0);
}

static void damaged(struct cmpd_buf *b, cmpd_rc rc, const char *what)
{
    struct cmpd_fatbin f = {0};
    struct cmpd_err err = {.msg = ""};
    assert_int_equal(cmpd_fatbin_read(b->data, b->len, &f, &err), rc);
    if (!strstr(err.msg, what))
        fail_msg("`%s` is not in: %s", what, err.msg);
    assert_int_equal(f.count, 0);
}

static void damages(void **state)
{
    (void)state;
    CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
    begin(&b);
    add_zstd(&b);
    finish(&b);
    put32(&b, 16 + 8, 5000);
    damaged(&b, CMPD_EINPUT, "no entry");
    put32(&b, 16 + 8, (uint32_t)(b.len - 80));
    put32(&b, 16 + 16, 5000);
    damaged(&b, CMPD_EINPUT, "cut short");
    put32(&b, 16 + 16, 7);
    damaged(&b, CMPD_EINPUT, "zstd");
    put32(&b, 16 + 56, 0x7fffffff);
    damaged(&b, CMPD_ELIMIT, "ceiling");
    put32(&b, 16 + 40, 0x2011);
    damaged(&b, CMPD_EINPUT, "LZ4");
    put32(&b, 8, 5000);
    damaged(&b, CMPD_EINPUT, "cut short");
    put32(&b, 0, 1);
    damaged(&b, CMPD_EINPUT, "not a fat binary");
}

static const char names[] = "\0.shstrtab\0.nv_fatbin";

/* An object with a fat binary in its second section. */
static void make_object(struct cmpd_buf *b)
{
    CMPD_BUF_AUTO struct cmpd_buf fat = CMPD_BUF_INIT;
    begin(&fat);
    add_zstd(&fat);
    finish(&fat);
    Elf64_Ehdr h = {.e_shoff = sizeof h + sizeof names + fat.len,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 1};
    memcpy(h.e_ident, ELFMAG "\2\1\1", 7);
    Elf64_Shdr s[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = sizeof h, .sh_size = sizeof names},
        {.sh_name = 11,
         .sh_type = SHT_PROGBITS,
         .sh_offset = sizeof h + sizeof names,
         .sh_size = fat.len}};
    cmpd_buf_append(b, &h, sizeof h);
    cmpd_buf_append(b, names, sizeof names);
    cmpd_buf_append(b, fat.data, fat.len);
    cmpd_buf_append(b, s, sizeof s);
}

static void objects(void **state)
{
    (void)state;
    CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
    struct cmpd_fatbin f = {0};
    make_object(&b);
    assert_int_equal(cmpd_fatbin_read_elf(b.data, b.len, &f, NULL), CMPD_OK);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.images[0].text, text);
    cmpd_fatbin_clear(&f);
    /* Cut short anywhere it is refused: the section table stands last. */
    for (size_t n = 0; n < b.len; n++)
        assert_int_equal(cmpd_fatbin_read_elf(b.data, n, &f, NULL), CMPD_EINPUT);
    /* A section that leads out of the object. */
    uint64_t big = UINT64_MAX - 8;
    put(&b, b.len - sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), &big, sizeof big);
    assert_int_equal(cmpd_fatbin_read_elf(b.data, b.len, &f, NULL), CMPD_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_compressed),
        cmocka_unit_test(nothing_inside),
        cmocka_unit_test(damages),
        cmocka_unit_test(objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
