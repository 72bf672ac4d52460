/* Line table, positions and what a source says of its bytes. */
#include "text_helper.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/limits.h"

static struct cmpd_source *make(const char *text, size_t len)
{
    struct cmpd_source *src = NULL;
    assert_int_equal(cmpd_source_new_take("a.cu", cmpd_strndup(text, len), len, &src, NULL),
                     CMPD_OK);
    return src;
}

static void assert_pos(const struct cmpd_source *src, size_t off, uint32_t line, uint32_t column)
{
    struct cmpd_pos pos = cmpd_source_pos(src, off);
    assert_int_equal(pos.line, line);
    assert_int_equal(pos.column, column);
}

static void lines_of_all_kinds(void **state)
{
    (void)state;
    struct cmpd_source *src = make("a\nbc\r\nd\re\n", 10);
    assert_int_equal(src->line_count, 5);
    assert_pos(src, 0, 1, 1);
    assert_pos(src, 1, 1, 2);
    assert_pos(src, 2, 2, 1);
    assert_pos(src, 5, 2, 4); /* the LF of a CRLF */
    assert_pos(src, 6, 3, 1);
    assert_pos(src, 8, 4, 1);
    assert_pos(src, 10, 5, 1);
    assert_pos(src, 1000, 5, 1);
    cmpd_source_free(src);
}

static void plain_lines(void **state)
{
    (void)state;
    struct cmpd_source *src = make("int a;\n\nint b;", 14);
    assert_int_equal(src->line_count, 3);
    assert_pos(src, 12, 3, 5);
    assert_false(src->has_bom || src->binary);
    assert_true(src->valid_utf8);
    cmpd_source_free(src);
}

static void empty(void **state)
{
    (void)state;
    struct cmpd_source *src = make("", 0);
    assert_int_equal(src->line_count, 1);
    assert_pos(src, 0, 1, 1);
    assert_string_equal(src->sha256,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    cmpd_source_free(src);
    cmpd_source_free(NULL);
}

static void bytes_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        bool bom, binary, utf8;
    } cases[] = {
        {"\xef\xbb\xbfint a;", 9, true, false, true},
        {"a\0b", 3, false, true, true},
        {"gr\xc3\xbc\xc3\x9f\x65 und noch mehr", 21, false, false, true},
        {"\xf0\x9f\x98\x80", 4, false, false, true},
        {"abcdefgh\xff", 9, false, false, false},
        {"\xc0\xaf", 2, false, false, false},
        {"\xed\xa0\x80", 3, false, false, false},
        {"\xf4\x90\x80\x80", 4, false, false, false},
        {"\xe0\x80\x80", 3, false, false, false},
        {"\xe2\x82", 2, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cmpd_source *src = make(cases[i].text, cases[i].len);
        assert_int_equal(src->has_bom, cases[i].bom);
        assert_int_equal(src->binary, cases[i].binary);
        assert_int_equal(src->valid_utf8, cases[i].utf8);
        cmpd_source_free(src);
    }
}

static void too_long(void **state)
{
    (void)state;
    size_t len = CMPD_SOURCE_CEILING_BYTES + 1;
    char *text = cmpd_calloc(len + 1, 1);
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_source_new_take("long.cu", text, len, &src, &err), CMPD_ELIMIT);
    assert_null(src);
    assert_non_null(strstr(err.msg, "long.cu"));
    free(text); /* still ours */
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/cmpd-source-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "int a;\n", 7), 7);
    close(fd);
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_source_open(path, &src, &err), CMPD_OK);
    assert_string_equal(src->text, "int a;\n");
    assert_string_equal(src->path, path);
    cmpd_source_free(src);
    unlink(path);
    src = NULL;
    assert_int_equal(cmpd_source_open(path, &src, &err), CMPD_ENOENT);
    assert_int_equal(cmpd_source_open("/tmp", &src, &err), CMPD_EINPUT);
    assert_null(src);
}

static void empty_file(void **state)
{
    (void)state;
    char path[] = "/tmp/cmpd-source-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct cmpd_source *src = NULL;
    assert_int_equal(cmpd_source_open(path, &src, NULL), CMPD_OK);
    assert_int_equal(src->len, 0);
    assert_string_equal(src->text, "");
    cmpd_source_free(src);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_kinds),
        cmocka_unit_test(plain_lines),
        cmocka_unit_test(empty),
        cmocka_unit_test(bytes_told_apart),
        cmocka_unit_test(too_long),
        cmocka_unit_test(files),
        cmocka_unit_test(empty_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
