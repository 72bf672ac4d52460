/* Names of symbols, whose they are, and the functions of object files, whole and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/link/elf.h"
#include "gpu-runner/link/libdir.h"
#include "gpu-runner/link/link.h"

static void displays(void **state)
{
    static const struct {
        const char *symbol, *display;
    } rows[] = {
        {"launch", "launch"},
        {"_Z6launchPfi", "launch"},
        {"_ZL6hiddenPfi", "hidden"},
        {"_ZN2ns6launchEPfi", "ns::launch"},
        {"_ZN1a1b1cEv", "a::b::c"},
        {"_ZN12_GLOBAL__N_16launchEPfi", "(anonymous namespace)::launch"},
        {"_Z6launchIfEvPT_i", "launch<...>"},
        {"_ZN2ns6launchIfEEvPT_i", "ns::launch<...>"},
        {"_ZNSt6vectorIfE4sizeEv", "std::vector<...>"},
        {"_ZSt9terminatev", "std::terminate"},
        {"_ZNK3cub4sizeEv", "cub::size"},
        /* not to be read: as they are */
        {"_Z", "_Z"},
        {"_ZN", "_ZN"},
        {"_Z99shortv", "_Z99shortv"},
        {"_ZTV5Thing", "_ZTV5Thing"},
        {"_Zpl1AS_", "_Zpl1AS_"},
        {"", ""},
        {"red\x1b[31m", "red?[31m"},
        {"_ZN3a\nb1cEv", "a?b::c"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CMPD_AUTOFREE char *got = cmpd_link_display(rows[i].symbol);
        assert_string_equal(got, rows[i].display);
    }
}

static void owners(void **state)
{
    static const struct {
        const char *symbol;
        enum cmpd_tag tag;
        const char *what; /* NULL: nobody's */
    } rows[] = {
        {"cublasSgemm_v2", CMPD_TAG_library_call, "cuBLAS"},
        {"cublasLtMatmul", CMPD_TAG_library_call, "cuBLASLt"},
        {"cudnnCreate", CMPD_TAG_library_call, "cuDNN"},
        {"curandCreateGenerator", CMPD_TAG_library_call, "cuRAND"},
        {"ncclAllReduce", CMPD_TAG_library_call, "NCCL"},
        {"cuLaunchKernel", CMPD_TAG_not_emulated, "the CUDA driver API"},
        {"nvrtcCompileProgram", CMPD_TAG_not_emulated, "NVRTC"},
        {"cudaNewThing", CMPD_TAG_not_emulated, "the CUDA runtime"},
        {"__cudaRegisterLinkedBinary_abc", CMPD_TAG_not_emulated, "relocatable device code (-rdc)"},
        {"custom_launch", CMPD_TAG_compile_environment, NULL},
        {"cuddle", CMPD_TAG_compile_environment, NULL},
        {"cudagraph_helper", CMPD_TAG_compile_environment, NULL},
        {"_Z6helperPfi", CMPD_TAG_compile_environment, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum cmpd_tag tag = CMPD_TAG_compile_environment;
        const char *what = NULL;
        bool known = cmpd_link_foreign(rows[i].symbol, &tag, &what);
        assert_int_equal(known, rows[i].what != NULL);
        assert_int_equal(tag, rows[i].tag);
        if (known)
            assert_string_equal(what, rows[i].what);
    }
}

static void read_dso(struct cmpd_buf *out)
{
    struct cmpd_err err = {0};
    char *path;

    if (cmpd_libdir_path(CMPD_LIBDIR_CUDART, &path, &err) != CMPD_OK ||
        cmpd_file_read(path, (size_t)64 << 20, out, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    free(path);
}

/* The runtime itself serves as a library that has functions. */
static void functions(void **state)
{
    CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
    struct cmpd_elf_functions f;
    struct cmpd_err err = {0};

    (void)state;
    read_dso(&file);
    assert_int_equal(cmpd_elf_functions(file.data, file.len, &f, &err), CMPD_OK);
    const struct cmpd_elf_function *malloc_ = cmpd_elf_functions_find(&f, "cudaMalloc");
    const struct cmpd_elf_function *ask = cmpd_elf_functions_find(&f, "rt_ask");
    assert_non_null(malloc_);
    assert_false(malloc_->local);
    assert_true(malloc_->size > 0);
    assert_non_null(ask); /* hidden, and found all the same */
    assert_null(cmpd_elf_functions_find(&f, "no_such_function"));
    struct cmpd_elf elf;
    const char *why;
    assert_true(cmpd_elf_open(&elf, file.data, file.len, &why));
    assert_string_equal(cmpd_elf_function_at(&elf, malloc_->offset), "cudaMalloc");
    assert_null(cmpd_elf_function_at(&elf, (uint64_t)1 << 40));
    cmpd_elf_functions_clear(&f);
    cmpd_elf_functions_clear(&f);
}

/* Cut anywhere, or with any byte of its head turned over, it is refused or read within its bounds (ASan looks). */
static void damaged(void **state)
{
    CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
    struct cmpd_elf_functions f;
    struct cmpd_err err = {0};

    (void)state;
    read_dso(&file);
    for (size_t len = 0; len < file.len; len += 1 + len / 7) {
        CMPD_AUTOFREE char *cut = cmpd_alloc(len + 1);
        memcpy(cut, file.data, len);
        if (cmpd_elf_functions(cut, len, &f, &err) == CMPD_OK)
            cmpd_elf_functions_clear(&f);
    }
    for (size_t i = 0; i < 64; i++) {
        file.data[i] = (char)~file.data[i];
        if (cmpd_elf_functions(file.data, file.len, &f, &err) == CMPD_OK)
            cmpd_elf_functions_clear(&f);
        file.data[i] = (char)~file.data[i];
    }
    assert_int_equal(cmpd_elf_functions("#!/bin/sh\n", 10, &f, &err), CMPD_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displays),
        cmocka_unit_test(owners),
        cmocka_unit_test(functions),
        cmocka_unit_test(damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
