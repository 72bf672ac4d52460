/* The compile cache: what it finds again, and what it must not. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/cache.h"
#include "gpu-runner/compile/workdir.h"

static const char key[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static char *base, *repo, *outside;
static struct cmpd_cache cache;

static void put(const char *dir, const char *name, const char *text)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", dir, name);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
}

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int setup(void **state)
{
    (void)state;
    if (cmpd_workdir_make(&base, NULL) != CMPD_OK)
        return 1;
    repo = cmpd_asprintf("%s/repo", base);
    outside = cmpd_asprintf("%s/outside", base);
    mkdir(repo, 0700);
    mkdir(outside, 0700);
    setenv("XDG_CACHE_HOME", base, 1);
    unsetenv("CMPD_COMPILE_CACHE_MIB");
    cmpd_cache_open(&cache, true);
    assert_non_null(cache.dir);
    put(repo, "a.cu", "source");
    put(outside, "system.h", "header");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cmpd_cache_clear(&cache);
    cmpd_workdir_remove(base);
    free(base);
    free(repo);
    free(outside);
    return 0;
}

static void store(const char *meta, const char *object, int64_t started)
{
    CMPD_AUTOFREE char *system_header = cmpd_asprintf("%s/system.h", outside);
    char *items[] = {"a.cu", system_header};
    struct cmpd_strings inputs = {items, 2, 2};
    cmpd_cache_put(&cache, key, repo, &inputs, started, meta, object, strlen(object));
}

static bool get(const char *meta, const char *object)
{
    CMPD_BUF_AUTO struct cmpd_buf m = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf o = CMPD_BUF_INIT;
    if (!cmpd_cache_get(&cache, key, repo, &m, &o))
        return false;
    assert_string_equal(cmpd_buf_str(&m), meta);
    assert_string_equal(cmpd_buf_str(&o), object);
    return true;
}

/* Applies to each entry of a kind ('m' or 'r'); returns how many there are. */
static size_t each_entry(char kind, void (*what)(const char *path))
{
    size_t n = 0;
    DIR *d = opendir(cache.dir);
    struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        if (e->d_name[0] != kind || e->d_name[1] != '-')
            continue;
        n++;
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", cache.dir, e->d_name);
        if (what)
            what(path);
    }
    closedir(d);
    return n;
}

static void test_hit_and_miss(void **state)
{
    (void)state;
    assert_false(get("", ""));
    store("{}", "OBJECT", now_ns());
    assert_true(get("{}", "OBJECT"));
    put(repo, "a.cu", "other source");
    assert_false(get("{}", "OBJECT"));
    store("{\"v\":2}", "OTHER", now_ns());
    assert_true(get("{\"v\":2}", "OTHER"));
    put(repo, "a.cu", "source"); /* back again: both are known */
    assert_true(get("{}", "OBJECT"));
}

static void test_header_outside(void **state)
{
    (void)state;
    store("{}", "OBJECT", now_ns());
    put(outside, "system.h", "header"); /* new inode, same bytes */
    assert_true(get("{}", "OBJECT"));
    put(outside, "system.h", "hEader");
    assert_false(get("{}", "OBJECT"));
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/system.h", outside);
    unlink(path);
    assert_false(get("{}", "OBJECT"));
}

static void test_changed_while_compiling(void **state)
{
    (void)state;
    store("{}", "OBJECT",
          now_ns() - (int64_t)60 * 1000000000); /* began before the file was written */
    assert_false(get("{}", "OBJECT"));
    assert_int_equal(each_entry('r', NULL), 0);
}

static void flip_last_byte(const char *path)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    assert_int_equal(cmpd_file_read(path, 1 << 20, &text, NULL), CMPD_OK);
    text.data[text.len - 1] ^= 1;
    assert_int_equal(cmpd_file_write_atomic(path, text.data, text.len, NULL), CMPD_OK);
}

static void cut(const char *path)
{
    assert_int_equal(truncate(path, 40), 0);
}

static void empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void test_damage(void **state)
{
    (void)state;
    void (*const harm[])(const char *) = {flip_last_byte, cut, empty};
    const char kinds[] = {'m', 'r'};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 2; k++) {
            store("{}", "OBJECT", now_ns());
            assert_true(get("{}", "OBJECT"));
            assert_true(each_entry(kinds[k], harm[i]) > 0);
            assert_false(get("{}", "OBJECT"));
        }
    }
    store("{}", "OBJECT", now_ns());
    assert_true(get("{}", "OBJECT"));
}

static void test_eviction(void **state)
{
    (void)state;
    char big[20000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    cache.ceiling_bytes = 100000;
    for (int i = 0; i < 12; i++) {
        char source[32];
        snprintf(source, sizeof source, "source %d", i);
        put(repo, "a.cu", source);
        store("{}", big, now_ns());
    }
    size_t left = each_entry('r', NULL);
    assert_true(left >= 1 && left <= 5);
    assert_true(get("{}", big)); /* the newest stays */
}

static void test_off(void **state)
{
    (void)state;
    struct cmpd_cache off;
    cmpd_cache_open(&off, false);
    assert_null(off.dir);
    setenv("CMPD_COMPILE_CACHE_MIB", "0", 1);
    cmpd_cache_open(&off, true);
    assert_null(off.dir);
    unsetenv("CMPD_COMPILE_CACHE_MIB");
    CMPD_AUTOFREE char *file = cmpd_asprintf("%s/a.cu", repo);
    setenv("XDG_CACHE_HOME", file, 1); /* not a folder */
    cmpd_cache_open(&off, true);
    assert_null(off.dir);
    CMPD_BUF_AUTO struct cmpd_buf m = CMPD_BUF_INIT;
    assert_false(cmpd_cache_get(&off, key, repo, &m, &m));
}

static void test_rule(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *last;
    } rows[] = {{"a.o : a.cu \\\n    b.h \\\n    c\\ d.h\n", 3, "c d.h"},
                {"a.o: a.cu\n\nb.h:\n", 1, "a.cu"},
                {"a.o : x$$y.h z\\#1.h", 2, "z#1.h"},
                {"a.o : a.cu \\\r\n b.h\r\n", 2, "b.h"},
                {"C:x.o : a.cu", 1, "a.cu"},
                {"", 0, NULL},
                {"no colon", 0, NULL},
                {"a.o :", 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cmpd_strings l;
        cmpd_cache_parse_rule(rows[i].text, strlen(rows[i].text), &l);
        if (l.count != rows[i].count)
            fail_msg("%s: %zu files", rows[i].text, l.count);
        if (rows[i].last)
            assert_string_equal(l.items[l.count - 1], rows[i].last);
        cmpd_strings_clear_all(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hit_and_miss, setup, teardown),
        cmocka_unit_test_setup_teardown(test_header_outside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed_while_compiling, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_eviction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_off, setup, teardown),
        cmocka_unit_test(test_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
