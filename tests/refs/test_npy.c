/* .npy files: what is written is read, what is wrong is refused. */
#include "unit/unit.h"

#include <string.h>

#include "refs/npy.h"

/* A file of version 1 with this header text and `bytes` bytes of data. */
static void make(struct cmpd_buf *b, const char *header, size_t bytes)
{
    size_t len = strlen(header);
    cmpd_buf_reset(b);
    cmpd_buf_append(b, "\x93NUMPY\x01\x00", 8);
    cmpd_buf_putc(b, (char)(len & 0xff));
    cmpd_buf_putc(b, (char)(len >> 8));
    cmpd_buf_append(b, header, len);
    for (size_t i = 0; i < bytes; i++) {
        cmpd_buf_putc(b, (char)i);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    for (unsigned t = 0; t < CMPD_DTYPE_COUNT; t++) {
        for (unsigned rank = 0; rank <= CMPD_NPY_RANK_CEILING; rank++) {
            unsigned char data[256 * 8];
            struct cmpd_npy a = {.dtype = (enum cmpd_dtype)t, .rank = rank, .count = 1}, back;
            for (unsigned i = 0; i < rank; i++) {
                a.shape[i] = 1 + i % 3;
                a.count *= a.shape[i];
            }
            assert_true(a.count <= 256);
            for (size_t i = 0; i < sizeof data; i++) {
                data[i] = (unsigned char)(i * 7);
            }
            a.data = data;
            CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
            struct cmpd_err err = {0};
            if (t == CMPD_BF16) {
                assert_int_equal(cmpd_npy_write(&a, &file, &err), CMPD_EINPUT);
                continue;
            }
            assert_int_equal(cmpd_npy_write(&a, &file, &err), CMPD_OK);
            assert_int_equal((file.len - a.count * cmpd_dtype_size(a.dtype)) % 64, 0);
            if (cmpd_npy_parse(file.data, file.len, &back, &err) != CMPD_OK) {
                fail_msg("%s rank %u: %s", cmpd_dtype_name(a.dtype), rank, err.msg);
            }
            assert_int_equal(back.dtype, a.dtype);
            assert_int_equal(back.rank, rank);
            assert_int_equal(back.count, a.count);
            assert_memory_equal(back.shape, a.shape, rank * sizeof *a.shape);
            assert_memory_equal(back.data, data, a.count * cmpd_dtype_size(a.dtype));
        }
    }
}

static void test_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t bytes, count;
        enum cmpd_dtype dtype;
        bool fortran;
    } FILES[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  \n", 12, 3, CMPD_F32, false},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", 8, 1, CMPD_F64, false},
        {"{\"shape\": (2, 3), \"descr\": \"<f2\", \"fortran_order\": True}", 12, 6, CMPD_F16, true},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 5)}", 20, 5, CMPD_F32, false},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 2L)}", 4, 4, CMPD_U8, false},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", 2, 2, CMPD_U8, false},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 7)}", 0, 0, CMPD_I64, false},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 18446744073709551615)}", 0, 0,
         CMPD_I64, false},
    };
    for (size_t i = 0; i < COUNT(FILES); i++) {
        CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
        struct cmpd_npy a;
        struct cmpd_err err = {0};
        make(&b, FILES[i].header, FILES[i].bytes);
        if (cmpd_npy_parse(b.data, b.len, &a, &err) != CMPD_OK) {
            fail_msg("%s: %s", FILES[i].header, err.msg);
        }
        assert_int_equal(a.count, FILES[i].count);
        assert_int_equal(a.dtype, FILES[i].dtype);
        assert_int_equal(a.fortran_order, FILES[i].fortran);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t bytes;
        const char *why;
    } FILES[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 11, "shorter"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 13, "longer"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}", 12, "element type"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", 24, "element type"},
        {"{'descr': '<O', 'fortran_order': False, 'shape': (3,)}", 24, "element type"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", 12, "element type"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", 12, "fortran_order"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", 12, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", 12, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4)}", 4,
         "shorter"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}", 0, "shorter"},
        {"{'descr': '<f4', 'fortran_order': False}", 4, "lacks"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4, "twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", 4, "unknown"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, "lacks"},
        {"{'descr': '<f4'", 4, "dict"},
        {"{'descr", 4, "dict"},
        {"", 4, "dict"},
    };
    for (size_t i = 0; i < COUNT(FILES); i++) {
        CMPD_BUF_AUTO struct cmpd_buf b = CMPD_BUF_INIT;
        struct cmpd_npy a;
        struct cmpd_err err = {0};
        make(&b, FILES[i].header, FILES[i].bytes);
        assert_int_equal(cmpd_npy_parse(b.data, b.len, &a, &err), CMPD_EINPUT);
        if (!strstr(err.msg, FILES[i].why)) {
            fail_msg("%s: %s", FILES[i].header, err.msg);
        }
    }
    struct cmpd_npy a;
    assert_int_equal(cmpd_npy_parse("", 0, &a, NULL), CMPD_EINPUT);
    assert_int_equal(cmpd_npy_parse("\x93NUMPY\x01\x00\xff\xff", 10, &a, NULL), CMPD_EINPUT);
    assert_int_equal(cmpd_npy_parse("\x93NUMPY\x02\x00\x01\x00\x00", 11, &a, NULL), CMPD_EINPUT);
    assert_int_equal(cmpd_npy_parse("\x93NUMPY\x04\x00\x01\x00\x00\x00", 12, &a, NULL),
                     CMPD_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
