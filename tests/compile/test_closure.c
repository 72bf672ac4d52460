/* Include lines and the include closure, seen from someone who wants to get past them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/closure.h"
#include "gpu-runner/compile/include_lines.h"
#include "gpu-runner/compile/repo_index.h"
#include "gpu-runner/compile/workdir.h"

static void test_include_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *name; /* NULL: none; "?": computed */
        uint32_t line;
    } rows[] = {
        {"#include \"a.h\"\n", "a.h", 1},
        {"\n\n  #  include <b/c.h>\n", "b/c.h", 3},
        {"#include_next <a.h>", "a.h", 1},
        {"#import \"a.h\"", "a.h", 1},
        {"%:include \"a.h\"", "a.h", 1},
        {"\?\?=include \"a.h\"", "a.h", 1},
        {"#inc\\\nlude \"a.h\"", "a.h", 1},
        {"#inc\\  \nlude \"a.h\"", "a.h", 1},
        {"#inc\?\?/\nlude \"a.h\"", "a.h", 1},
        {"#inc\\\r\nlude \"a.h\"\r\n", "a.h", 1},
        {"/* x */ # /* y */ include /* z */ \"a.h\"", "a.h", 1},
        {"/* begins\n ends */ #include \"a.h\"", "a.h", 2},
        {"/*\n// */ #include \"a.h\"", "a.h", 2},
        {"/* // */ #include \"a.h\"", "a.h", 1},
        {"int x;\r#include \"a.h\"\r", "a.h", 2},
        {"#include MACRO", "?", 1},
        {"// #include \"a.h\"", NULL, 0},
        {"#define include 3\n", NULL, 0},
        {"#pragma once\n", NULL, 0},
        {"#include \"unfinished\n", NULL, 0},
        {"int include;", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cmpd_include_lines l;
        cmpd_include_lines_find(rows[i].text, strlen(rows[i].text), &l);
        if (l.count != (rows[i].name ? 1 : 0))
            fail_msg("%s: %zu includes", rows[i].text, l.count);
        if (rows[i].name && strcmp(rows[i].name, "?") == 0)
            assert_null(l.items[0].name);
        else if (rows[i].name)
            assert_string_equal(l.items[0].name, rows[i].name);
        if (rows[i].name)
            assert_int_equal(l.items[0].line, rows[i].line);
        cmpd_include_lines_clear(&l);
    }
}

static void test_embeds(void **state)
{
    (void)state;
    static const char *const texts[] = {"asm(\".incbin \\\"x\\\"\");", "#embed \"x\"",
                                        "# embed <x>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_include_lines l;
        cmpd_include_lines_find(texts[i], strlen(texts[i]), &l);
        assert_true(l.embeds);
        cmpd_include_lines_clear(&l);
    }
}

static void test_hostile_text_is_quick(void **state)
{
    (void)state;
    static const char *const pieces[] = {"#include <", "#include \"", "/*",     "//",
                                         "#",          "\\\n",        "\?\?/\n"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
        while (text.len < (4u << 20))
            cmpd_buf_puts(&text, pieces[i]);
        struct cmpd_include_lines l;
        cmpd_include_lines_find(text.data, text.len, &l); /* the test's own time limit judges */
        cmpd_include_lines_clear(&l);
    }
}

static void test_normalise(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"a/b", "a/b"}, {"./a//b/", "a/b"},  {"a/../b", "b"}, {"a/./b/../c", "a/c"}, {"", ""},
        {"..", NULL},   {"a/../../b", NULL}, {"/a", NULL},    {"a/..", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CMPD_AUTOFREE char *got = cmpd_path_normalise(rows[i][0]);
        if (!rows[i][1])
            assert_null(got);
        else
            assert_string_equal(got, rows[i][1]);
    }
}

static void test_path_ok(void **state)
{
    (void)state;
    static const char *const good[] = {"a.cu", "sub dir/b-1_2.cu", "k\xc3\xa9rnel.cu",
                                       "a+b@c=d.cu"};
    static const char *const bad[] = {"a$(b).cu", "a`b`.cu", "a\"b.cu", "a'b.cu",  "a;b.cu",
                                      "a|b.cu",   "a&b.cu",  "a\\b.cu", "a\nb.cu", "a,b.cu",
                                      "-o.cu",    "",        "a*b.cu",  "a<b.cu"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(cmpd_nvcc_path_ok(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cmpd_nvcc_path_ok(bad[i]));
}

/* ---- a repository on disk ---- */

static char *root;

static void put(const char *path, const char *text)
{
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", root, path);
    for (char *s = full + strlen(root) + 1; *s; s++) {
        if (*s == '/') {
            *s = '\0';
            mkdir(full, 0700);
            *s = '/';
        }
    }
    assert_int_equal(cmpd_file_write_atomic(full, text, strlen(text), NULL), CMPD_OK);
}

static int make_root(void **state)
{
    (void)state;
    return cmpd_workdir_make(&root, NULL) == CMPD_OK ? 0 : 1;
}

static int remove_root(void **state)
{
    (void)state;
    cmpd_workdir_remove(root);
    assert_int_not_equal(access(root, F_OK), 0);
    free(root);
    return 0;
}

static void scan(const char *file, const char *include, struct cmpd_closure *c)
{
    char *items[] = {(char *)(uintptr_t)include};
    struct cmpd_strings dirs = {items, include ? 1 : 0, 1};
    struct cmpd_err err = {0};
    if (cmpd_closure_scan(root, file, &dirs, "/no/toolkit", c, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
}

static void test_closure(void **state)
{
    (void)state;
    struct cmpd_closure c;
    put("src/k.cu",
        "#include \"a.h\"\n#include <lib/b.h>\n#include <stdio.h>\n#include \"../inc/d.h\"\n");
    put("src/a.h", "\n#include \"c.h\"\n");
    put("src/c.h", "#include \"a.h\"\n");
    put("inc/lib/b.h", "");
    put("inc/d.h", "");
    scan("src/k.cu", "inc", &c);
    assert_null(c.refused);
    assert_int_equal(c.count, 5);
    assert_int_equal(c.found_dirs.count, 0);
    assert_int_equal(cmpd_closure_find(&c, "src/c.h")->main_line, 1);
    assert_int_equal(cmpd_closure_find(&c, "inc/lib/b.h")->main_line, 2);
    assert_int_equal(cmpd_closure_find(&c, "inc/d.h")->main_line, 4);
    char digest[65];
    memcpy(digest, c.digest, sizeof digest);
    cmpd_closure_clear(&c);
    put("src/lib/b.h", ""); /* not quoted: does not hide the other */
    scan("src/k.cu", "inc", &c);
    assert_string_equal(c.digest, digest);
    cmpd_closure_clear(&c);
    put("src/d.h", "");
    put("src/k.cu", "#include \"d.h\"\n");
    scan("src/k.cu", "inc", &c);
    assert_non_null(cmpd_closure_find(&c, "src/d.h"));
    assert_string_not_equal(c.digest, digest);
    cmpd_closure_clear(&c);
}

static void test_found_elsewhere(void **state)
{
    (void)state;
    struct cmpd_closure c;
    put("one/k.cu", "#include \"common/once.h\"\n");
    put("third/common/once.h", "");
    scan("one/k.cu", NULL, &c);
    assert_int_equal(c.found_dirs.count, 1);
    assert_string_equal(c.found_dirs.items[0], "third");
    assert_false(c.ambiguous);
    cmpd_closure_clear(&c);
    put("one/inner/common/once.h", ""); /* nearer, but now it is a guess */
    scan("one/k.cu", NULL, &c);
    assert_string_equal(c.found_dirs.items[0], "one/inner");
    assert_true(c.ambiguous);
    cmpd_closure_clear(&c);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"\n#include \"/etc/passwd\"\n",
                                        "\n#include </etc/passwd>\n",
                                        "\n#include \"../../etc/passwd\"\n",
                                        "\n#include <../../../etc/passwd>\n",
                                        "\n#include \"link.h\"\n",
                                        "\n#include \"dir/passwd\"\n",
                                        "\nasm(\".incbin \\\"/etc/passwd\\\"\");\n",
                                        "\n/* */ # /* */ include \"/etc/passwd\"\n"};
    CMPD_AUTOFREE char *link = cmpd_asprintf("%s/link.h", root);
    CMPD_AUTOFREE char *dir = cmpd_asprintf("%s/dir", root);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(symlink("/etc", dir), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_closure c;
        put("evil.cu", texts[i]);
        scan("evil.cu", NULL, &c);
        if (!c.refused)
            fail_msg("not refused: %s", texts[i]);
        assert_int_equal(c.refused_line, 2);
        cmpd_closure_clear(&c);
    }
    /* By way of a header, it is the file's own line that is named. */
    struct cmpd_closure c;
    put("good.cu", "\n\n#include \"evil.h\"\n");
    put("evil.h", "#include \"/etc/passwd\"\n");
    scan("good.cu", NULL, &c);
    assert_int_equal(c.refused_line, 3);
    cmpd_closure_clear(&c);
    put("computed.cu", "#include NAME\n");
    scan("computed.cu", NULL, &c);
    assert_true(c.computed);
    cmpd_closure_clear(&c);
}

static void test_the_file_itself(void **state)
{
    (void)state;
    struct cmpd_closure c;
    struct cmpd_strings none = {0};
    struct cmpd_err err = {0};
    CMPD_AUTOFREE char *link = cmpd_asprintf("%s/away.cu", root);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(cmpd_closure_scan(root, "absent.cu", &none, "/", &c, &err), CMPD_ENOENT);
    assert_int_equal(cmpd_closure_scan(root, "../x.cu", &none, "/", &c, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_closure_scan(root, "away.cu", &none, "/", &c, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_closure_scan("/no/such/root", "x.cu", &none, "/", &c, &err), CMPD_ENOENT);
}

static void test_build_files(void **state)
{
    (void)state;
    put("CMakeLists.txt", "target_compile_definitions(x PRIVATE TILE_M=128)\n");
    put("sub/rules.mk", "FLAGS += -DTILE_N=64\n");
    put("notes.txt", "TILE_K=3\n");
    assert_true(cmpd_repo_build_file_names(root, "TILE_M"));
    assert_true(cmpd_repo_build_file_names(root, "TILE_N"));
    assert_false(cmpd_repo_build_file_names(root, "TILE_K"));
    assert_false(cmpd_repo_build_file_names(root, "TILE"));
    assert_false(cmpd_repo_build_file_names(root, "PRIVATE_"));
    put("a/CMakeLists.txt", "add_executable(main main.cu)\nset(N 3)\n");
    put("a/run.py", "x = ['-DBF=3']\nBG = 4\n");
    put("a/BUILD", "defines = [\n  \"WITH_X=1\",\n],\nsrcs = [\"SRC\"]\n");
    assert_true(cmpd_repo_build_file_names(root, "BF"));
    assert_true(cmpd_repo_build_file_names(root, "WITH_X"));
    assert_false(cmpd_repo_build_file_names(root, "BG"));
    assert_false(cmpd_repo_build_file_names(root, "SRC"));
    assert_false(cmpd_repo_build_file_names(root, "main"));
    assert_false(cmpd_repo_build_file_names(root, "N"));
}

static void user_is(const char *file, const char *user)
{
    CMPD_AUTOFREE char *got = cmpd_repo_user_of(root, file);
    if (!user)
        assert_null(got);
    else
        assert_string_equal(got, user);
}

static void test_users(void **state)
{
    (void)state;
    put("p/kernels.cu", "");
    user_is("p/kernels.cu", NULL);
    put("q/kernels.cu", "");
    put("q/main.cu", "#include \"kernels.cu\"\n");
    user_is("q/kernels.cu", "q/main.cu");
    user_is("p/kernels.cu", NULL); /* another folder's main.cu means its own */
    put("p/sub/part.cu", "");
    put("p/host.cpp", "compile(\"sub/part.cu\");\n");
    user_is("p/sub/part.cu", NULL); /* a string alone means little */
    put("p/host.cpp", "#include <nvrtc.h>\ncompile(\"sub/part.cu\");\n");
    user_is("p/sub/part.cu", "p/host.cpp");
    put("p/named.cu", "// see named.cu\n");
    put("p/other.cu", "// see named.cu, \"unnamed.cu\"\n");
    user_is("p/named.cu", NULL);
    put("r/up.cu", "");
    put("r/src/x.cu", "#include \"../up.cu\"\n");
    user_is("r/up.cu", "r/src/x.cu");
}

static void test_conditions(void **state)
{
    (void)state;
    const char *text =
        "#ifndef GUARD\n#define GUARD\n#if defined(A) && B > 3\n#include \"x.h\"\n#elif C\n#else\n"
        "#include \"y.h\"\n#endif\n#ifdef LATER\nint x;\n#endif\n#endif\n";
    struct cmpd_include_lines l;
    cmpd_include_lines_find(text, strlen(text), &l);
    assert_int_equal(l.count, 2);
    static const char *const names[] = {"GUARD", "A", "B", "C"};
    assert_int_equal(l.conditions.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(l.conditions.items[i], names[i]);
    cmpd_include_lines_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_include_lines),
        cmocka_unit_test(test_embeds),
        cmocka_unit_test(test_hostile_text_is_quick),
        cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_path_ok),
        cmocka_unit_test_setup_teardown(test_closure, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_found_elsewhere, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_refused, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_the_file_itself, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_build_files, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_users, make_root, remove_root),
        cmocka_unit_test(test_conditions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
