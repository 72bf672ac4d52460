/* What base fails to compile in the same words is no fault of the change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "bot/review/review.h"

static struct cmpd_file_result *result(void)
{
    struct cmpd_err none = {.rc = CMPD_OK};
    struct cmpd_file_result *r = cmpd_file_result_failed("k.cu", &none);
    r->static_done = true;
    r->dynamic.status = CMPD_DYNAMIC_DONE;
    return r;
}

static void add(struct cmpd_file_result *r, const struct cmpd_policy *p, uint32_t line,
                const char *message)
{
    cmpd_file_result_add(r, p, CMPD_TAG_compile_error, CMPD_TIER_REJECT, line, 1, message);
}

static void test_same_words(void **state)
{
    (void)state;
    struct cmpd_policy *p = cmpd_policy_new();
    struct cmpd_file_result *head = result(), *base = result();
    add(base, p, 3, "identifier \"a\" is undefined (in h.cuh:7)");
    add(head, p, 9, "identifier \"a\" is undefined (in h.cuh:12)");
    head->findings.items[0].hint = cmpd_strdup("a hint");
    cmpd_review_forgive_base(head, base, p);
    assert_int_equal(head->findings.count, 1);
    const struct cmpd_finding *f = &head->findings.items[0];
    assert_int_equal(f->tag, CMPD_TAG_compile_environment);
    assert_int_equal(f->tier, CMPD_TIER_REVIEW);
    assert_int_equal(f->line, 9);
    assert_string_equal(f->hint, "a hint");
    assert_non_null(strstr(f->message, "base fails the same way"));
    assert_int_equal(head->verdict, CMPD_REVIEW);
    cmpd_file_result_free(head);
    cmpd_file_result_free(base);
    cmpd_policy_free(p);
}

static void test_other_errors_stay(void **state)
{
    (void)state;
    struct cmpd_policy *p = cmpd_policy_new();
    struct cmpd_file_result *head = result(), *base = result();
    add(base, p, 3, "identifier \"a\" is undefined");
    add(head, p, 1, "identifier \"b\" is undefined");
    add(head, p, 2, "identifier \"a\" is undefined");
    add(head, p, 3, "identifier \"a\" is undefined in device code");
    cmpd_review_forgive_base(head, base, p);
    assert_int_equal(head->findings.count, 3);
    assert_int_equal(head->findings.items[0].tag, CMPD_TAG_compile_error);
    assert_int_equal(head->findings.items[1].tag, CMPD_TAG_compile_environment);
    assert_int_equal(head->findings.items[2].tag, CMPD_TAG_compile_error);
    assert_int_equal(head->verdict, CMPD_REJECT);
    cmpd_file_result_free(head);
    cmpd_file_result_free(base);
    cmpd_policy_free(p);
}

static void test_base_without_errors(void **state)
{
    (void)state;
    struct cmpd_policy *p = cmpd_policy_new();
    struct cmpd_file_result *head = result(), *base = result();
    add(head, p, 1, "identifier \"b\" is undefined");
    cmpd_file_result_add(base, p, CMPD_TAG_compile_environment, CMPD_TIER_REVIEW, 1, 1,
                         "identifier \"b\" is undefined");
    cmpd_review_forgive_base(head, base, p);
    assert_int_equal(head->findings.items[0].tag, CMPD_TAG_compile_error);
    assert_int_equal(head->verdict, CMPD_REJECT);
    cmpd_file_result_free(head);
    cmpd_file_result_free(base);
    cmpd_policy_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_words),
                                       cmocka_unit_test(test_other_errors_stay),
                                       cmocka_unit_test(test_base_without_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
