/* bot/git without a repository: paths, similarity, include lines, line ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/limits.h"
#include "bot/git/diff.h"
#include "bot/git/include.h"
#include "bot/git/path.h"
#include "bot/git/similarity.h"

static void check_join(const char *dir, const char *relative, const char *want)
{
    CMPD_AUTOFREE char *got = cmpd_path_join(dir, relative, strlen(relative));
    if (!want)
        assert_null(got);
    else
        assert_string_equal(got ? got : "(none)", want);
}

static void paths_are_joined(void **state)
{
    (void)state;
    check_join("", "a.cuh", "a.cuh");
    check_join("k", "a.cuh", "k/a.cuh");
    check_join("k/deep", "../a.cuh", "k/a.cuh");
    check_join("k", ".././k//x/../a.cuh", "k/a.cuh");
    check_join("./k/", "a.cuh", "k/a.cuh");
    check_join("k", "../../a.cuh", NULL);
    check_join("", "..", NULL);
    check_join("k", "..", NULL);
    check_join("k", "/etc/passwd", NULL);
    check_join("k", "", NULL);
    check_join("..", "a.cuh", NULL);
    check_join("a", "..a/...", "a/..a/...");
    assert_null(cmpd_path_join("k", "a\0b", 3));
    CMPD_AUTOFREE char *longest = cmpd_calloc(CMPD_PATH_CEILING_BYTES + 2, 1);
    memset(longest, 'x', CMPD_PATH_CEILING_BYTES + 1);
    check_join("", longest, NULL);
}

static void check_shown(const char *path, const char *want)
{
    CMPD_AUTOFREE char *got = cmpd_path_shown(path);
    assert_string_equal(got, want);
}

static void names_are_shown_safely(void **state)
{
    (void)state;
    check_shown("k/a b.cu", "k/a b.cu");
    check_shown("\xc3\xa9.cu", "\xc3\xa9.cu");
    check_shown("\xe9.cu", "\\xE9.cu");
    check_shown("a\nb\x1b\x7f", "a\\x0Ab\\x1B\\x7F");
    check_shown("\xc2\x9b", "\\xC2\\x9B");          /* a control character of two bytes */
    check_shown("\xc0\xaf", "\\xC0\\xAF");          /* over-long */
    check_shown("\xed\xa0\x80", "\\xED\\xA0\\x80"); /* a surrogate */
    check_shown("\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
    check_shown("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
    check_shown("\xe2\x82", "\\xE2\\x82"); /* cut short */
}

static void unsafe_paths_are_refused(void **state)
{
    static const char *const bad[] = {"",     "/a",   "a/",    "a//b",      "..",  ".",
                                      "a/..", "../a", "a/./b", "a/../../b", "./a", "a/.."};
    static const char *const good[] = {"a", "a/b.cu", "..a/b..", ".hidden/x", "a b"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(cmpd_path_is_safe(bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(cmpd_path_is_safe(good[i]));
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(cmpd_path_is_safe(name));
}

static void kinds_of_paths(void **state)
{
    (void)state;
    assert_true(cmpd_path_is_cuda("k/a.cu") && cmpd_path_is_cuda("a.b.cuh"));
    assert_false(cmpd_path_is_cuda("a.CU") || cmpd_path_is_cuda("cu") ||
                 cmpd_path_is_cuda("a.cu/b"));
    assert_false(cmpd_path_is_cuda("a.cux") || cmpd_path_is_cuda("a.c") || cmpd_path_is_cuda(""));
    assert_true(cmpd_path_is_code("a.h") && cmpd_path_is_code("a.inl") &&
                cmpd_path_is_code("a.cu"));
    assert_false(cmpd_path_is_code("a.md") || cmpd_path_is_code("h"));
    CMPD_AUTOFREE char *dir = cmpd_path_dir("k/deep/a.cu");
    CMPD_AUTOFREE char *root = cmpd_path_dir("a.cu");
    assert_string_equal(dir, "k/deep");
    assert_string_equal(root, "");
    assert_string_equal(cmpd_path_base("k/a.cu"), "a.cu");
}

static int similarity(const char *a, const char *b)
{
    struct cmpd_pieces from, to;
    cmpd_pieces_make(a, strlen(a), &from);
    cmpd_pieces_make(b, strlen(b), &to);
    int score = cmpd_similarity(&from, strlen(a), &to, strlen(b));
    cmpd_pieces_clear(&from);
    cmpd_pieces_clear(&to);
    return score;
}

/* The scores are those that `git diff --raw -M01` prints for the same texts (git 2.39), in 60000ths. */
static void similarity_is_gits(void **state)
{
    (void)state;
    assert_int_equal(similarity("one\ntwo\nthree\n", "one\ntwo\nthree\n"), CMPD_SIMILARITY_MAX);
    assert_int_equal(similarity("one\ntwo\nthree\n", "three\none\ntwo\n"), CMPD_SIMILARITY_MAX);
    assert_int_equal(similarity("one\ntwo\n", "one\nsix\n"), 30000);
    assert_int_equal(similarity("one\r\ntwo\r\n", "one\ntwo\n"),
                     48000); /* line ends count in the size alone */
    assert_int_equal(similarity("one\ntwo", "one\ntwo"),
                     60000 * 4 / 7); /* the last line does not count */
    assert_int_equal(similarity("one\n", "two\n"), 0);
    assert_int_equal(similarity("x\n", ""), 0);
    assert_int_equal(similarity("", "x\n"), 0);
    assert_true(cmpd_similarity_possible(100, 50, CMPD_SIMILARITY_RENAME));
    assert_false(cmpd_similarity_possible(100, 49, CMPD_SIMILARITY_RENAME));
    assert_true(cmpd_similarity_possible(0, 0, CMPD_SIMILARITY_RENAME));
}

static void on_include(void *ctx, const char *name, size_t len, bool angle)
{
    struct cmpd_buf *out = ctx;
    cmpd_buf_append(out, angle ? "<" : "\"", 1);
    cmpd_buf_append(out, name, len);
    cmpd_buf_putc(out, ' ');
}

static void check_includes(const char *text, const char *want)
{
    CMPD_BUF_AUTO struct cmpd_buf got = CMPD_BUF_INIT;
    /* A copy of just that size: reading past the end is seen by a sanitizer. */
    size_t len = strlen(text);
    CMPD_AUTOFREE char *copy = cmpd_alloc(len);
    memcpy(copy, text, len);
    cmpd_include_scan(copy, len, on_include, &got);
    assert_string_equal(cmpd_buf_str(&got), want);
}

static void include_lines_are_found(void **state)
{
    (void)state;
    check_includes("#include \"a.h\"\n#include <b.h>\n", "\"a.h <b.h ");
    check_includes("\xef\xbb\xbf  #\tinclude /* x */ \"a.h\" // y", "\"a.h ");
    check_includes("#include_next <a.h>\n#import \"b.h\"\n", "<a.h ");
    check_includes("#inc\\\nlude \\\r\n\"a.h\"\n", "");
    check_includes("# \\\ninclude \\\r\n\"a.h\"\n", "\"a.h ");
    check_includes("// #include \"a.h\"\n/* \n#include \"b.h\"\n*/ #include \"c.h\"\n", "\"c.h ");
    check_includes("// joined \\\n#include \"a.h\"\n#include \"b.h\"\n", "\"b.h ");
    check_includes("const char *s = \"\\\"\n#include \\\"a.h\\\"\";\n", "");
    check_includes("R\"(\n#include \"a.h\"\n)\"\n#include \"b.h\"\n", "\"b.h ");
    check_includes("R\"x(\n)\"\n#include \"a.h\"\n)x\"\n#include \"b.h\"\n", "\"b.h ");
    check_includes("int x; #include \"a.h\"\n", "");
    check_includes("#include MACRO\n#include \"open.h\n#include \"b.h\"\n", "\"b.h ");
    check_includes("'\"'\n#include \"b.h\"\n", "\"b.h ");
    check_includes("#include \"\"\r\n#include \"b.h\"\r\n", "\" \"b.h ");
    check_includes("#include", "");
    check_includes("#include \"", "");
    check_includes("/*", "");
    check_includes("R\"", "");
    check_includes("\"\\", "");
    check_includes("", "");
}

static void lines_between(const char *a, const char *b, struct cmpd_git_lines *out)
{
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_git_lines(a, a ? strlen(a) : 0, b, b ? strlen(b) : 0, out, &err),
                     CMPD_OK);
}

static void line_ranges(void **state)
{
    struct cmpd_git_lines l;
    (void)state;
    lines_between("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\nx\ny\n4\n5\n6\n7\n9\n", &l);
    assert_int_equal(l.added_count, 1);
    assert_int_equal(l.added[0].from, 3);
    assert_int_equal(l.added[0].to, 4);
    assert_int_equal(l.removed_count, 2);
    assert_int_equal(l.removed[0].from, 3);
    assert_int_equal(l.removed[1].from, 8);
    assert_int_equal(l.hunk_count, 1);
    assert_true(cmpd_git_line_added(&l, 3) && cmpd_git_line_added(&l, 4));
    assert_false(cmpd_git_line_added(&l, 2) || cmpd_git_line_added(&l, 5));
    assert_true(cmpd_git_line_in_diff(&l, 1) && cmpd_git_line_in_diff(&l, 9));
    assert_false(cmpd_git_line_in_diff(&l, 0) || cmpd_git_line_in_diff(&l, 10));
    assert_true(cmpd_git_lines_touch(&l, 1, 3));
    assert_true(cmpd_git_lines_touch(&l, 8, 9)); /* an old line is gone between them */
    assert_false(cmpd_git_lines_touch(&l, 5, 8));
    assert_false(cmpd_git_lines_touch(&l, 9, 9));
    cmpd_git_lines_clear(&l);
}

static void whole_files(void **state)
{
    struct cmpd_git_lines l;
    (void)state;
    lines_between(NULL, "1\n2", &l);
    assert_int_equal(l.added[0].to, 2);
    assert_int_equal(l.removed_count, 0);
    cmpd_git_lines_clear(&l);
    lines_between("1\n2\n", NULL, &l);
    assert_int_equal(l.removed[0].to, 2);
    assert_int_equal(l.added_count, 0);
    cmpd_git_lines_clear(&l);
    lines_between("1\n", "1\n", &l);
    assert_int_equal(l.hunk_count, 0);
    cmpd_git_lines_clear(&l);
    lines_between("", "1\n", &l);
    assert_int_equal(l.added_count, 1);
    cmpd_git_lines_clear(&l);
    lines_between("1", "1\n", &l); /* the newline at the end alone */
    assert_int_equal(l.added_count, 1);
    assert_int_equal(l.removed_count, 1);
    cmpd_git_lines_clear(&l);
    lines_between("1\n2\n3\n", "3\n", &l); /* gone from the top */
    assert_int_equal(l.cut_count, 1);
    assert_int_equal(l.cut_after[0], 0);
    assert_false(cmpd_git_lines_touch(&l, 1, 1));
    assert_true(cmpd_git_lines_touch(&l, 0, 1));
    cmpd_git_lines_clear(&l);
    assert_int_equal(cmpd_git_lines("a\0b", 3, "x\n", 2, &l, NULL), CMPD_OK);
    assert_true(l.binary && cmpd_git_line_added(&l, 7));
    cmpd_git_lines_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_joined),
        cmocka_unit_test(names_are_shown_safely),
        cmocka_unit_test(unsafe_paths_are_refused),
        cmocka_unit_test(kinds_of_paths),
        cmocka_unit_test(similarity_is_gits),
        cmocka_unit_test(include_lines_are_found),
        cmocka_unit_test(line_ranges),
        cmocka_unit_test(whole_files),
    };
    return cmocka_run_group_tests_name("git_text", tests, NULL, NULL);
}
