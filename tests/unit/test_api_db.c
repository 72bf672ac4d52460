/* The API lists: known and removed names, versions, near misses, and odd tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rules/api/api_db.h"

static struct cmpd_api_db *open_version(const char *version)
{
    struct cmpd_err err = {0};
    struct cmpd_api_db *db = NULL;
    if (cmpd_api_db_open(version, &db, &err) != CMPD_OK) {
        fail_msg("%s", err.msg);
    }
    return db;
}

static bool find(const struct cmpd_api_db *db, const char *name, struct cmpd_api_entry *e)
{
    return cmpd_api_db_find(db, name, strlen(name), e);
}

static void known_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum cmpd_api_kind kind;
        bool host, device;
    } rows[] = {
        {"cudaMemcpy", CMPD_API_RUNTIME, true, false},
        {"cudaMalloc", CMPD_API_RUNTIME, true, true},
        {"cudaDeviceSynchronize", CMPD_API_RUNTIME, true, false},
        {"cudaGetLastError", CMPD_API_RUNTIME, true, true},
        {"cudaLaunchKernelEx", CMPD_API_WRAPPER, true, false},
        {"cudaTriggerProgrammaticLaunchCompletion", CMPD_API_DEVRT, false, true},
        {"cuMemAlloc", CMPD_API_DRIVER, true, false},
        {"cuLaunchKernel", CMPD_API_DRIVER, true, false},
        {"make_float4", CMPD_API_VECTOR, true, true},
        {"__shfl_down_sync", CMPD_API_DEVICE, false, true},
        {"__syncthreads", CMPD_API_DEVICE, false, true},
        {"atomicAdd", CMPD_API_DEVICE, false, true},
        {"__expf", CMPD_API_DEVICE, false, true},
        {"expf", CMPD_API_DEVICE, true, true},
        {"__float2half2_rn", CMPD_API_DEVICE, true, true},
        {"__nv_cvt_float_to_fp8", CMPD_API_DEVICE, true, true},
        {"this_thread_block", CMPD_API_COOP, false, true},
        {"__pipeline_memcpy_async", CMPD_API_PIPELINE, false, true},
        {"curand_uniform", CMPD_API_LIBRARY, false, true},
        {"cublasSgemm_v2", CMPD_API_LIBRARY, true, false},
        {"rand", CMPD_API_HOST, true, false},
        {"std::sort", CMPD_API_HOST, true, false},
    };
    struct cmpd_api_db *db = open_version("13.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmpd_api_entry e;
        if (!find(db, rows[i].name, &e)) {
            fail_msg("%s is not known", rows[i].name);
        }
        if (e.kind != rows[i].kind || e.host != rows[i].host || e.device != rows[i].device) {
            fail_msg("%s: kind %d, host %d, device %d", rows[i].name, e.kind, e.host, e.device);
        }
        assert_int_equal(cmpd_api_db_status(db, &e, 80), CMPD_API_PRESENT);
    }
    cmpd_api_db_free(db);
}

static void other_kinds_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum cmpd_api_kind kind;
    } rows[] = {
        {"cudaMemcpyHostToDevice", CMPD_API_ENUMERATOR},
        {"cudaErrorInvalidValue", CMPD_API_ENUMERATOR},
        {"cudaFuncAttributeMaxDynamicSharedMemorySize", CMPD_API_ENUMERATOR},
        {"cudaStream_t", CMPD_API_TYPE},
        {"dim3", CMPD_API_TYPE},
        {"threadIdx", CMPD_API_OBJECT},
        {"CUDART_VERSION", CMPD_API_BASE_MACRO},
        {"CUDART_INF_F", CMPD_API_MACRO},
        {"M_PI", CMPD_API_BASE_MACRO},
        {"FLT_MAX", CMPD_API_STD_MACRO},
        {"printf", CMPD_API_DEVICE},
    };
    struct cmpd_api_db *db = open_version("13.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmpd_api_entry e;
        if (!find(db, rows[i].name, &e)) {
            fail_msg("%s is not known", rows[i].name);
        }
        if (e.kind != rows[i].kind) {
            fail_msg("%s: kind %d", rows[i].name, e.kind);
        }
    }
    static const char *const absent[] = {"",  "cudaM",     "cudaMalloc2", "zzzz",
                                         "0", "cudaMallo", "~",           "__"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        struct cmpd_api_entry e;
        assert_false(find(db, absent[i], &e));
    }
    cmpd_api_db_free(db);
}

static enum cmpd_api_status status_in(const char *version, const char *name, int sm, char use[64])
{
    struct cmpd_api_db *db = open_version(version);
    struct cmpd_api_entry e;
    if (!find(db, name, &e)) {
        fail_msg("%s is not known", name);
    }
    snprintf(use, 64, "%.*s", (int)e.use_len, e.use);
    enum cmpd_api_status status = cmpd_api_db_status(db, &e, sm);
    cmpd_api_db_free(db);
    return status;
}

static void versions(void **state)
{
    (void)state;
    char use[64];
    assert_int_equal(status_in("13.0", "cudaThreadSynchronize", 80, use), CMPD_API_REMOVED);
    assert_string_equal(use, "cudaDeviceSynchronize");
    assert_int_equal(status_in("12.9", "cudaThreadSynchronize", 80, use), CMPD_API_DEPRECATED);
    assert_int_equal(status_in("12.0", "cudaBindTexture", 80, use), CMPD_API_REMOVED);
    assert_int_equal(status_in("11.8", "cudaBindTexture", 80, use), CMPD_API_DEPRECATED);
    assert_int_equal(status_in("10.2", "cudaBindTexture", 80, use), CMPD_API_PRESENT);
    assert_int_equal(status_in("13.0", "cudaMemcpyToArray", 80, use), CMPD_API_DEPRECATED);
    assert_int_equal(status_in("11.1", "cudaMallocAsync", 80, use), CMPD_API_LATER);
    assert_int_equal(status_in("11.2", "cudaMallocAsync", 80, use), CMPD_API_PRESENT);
    assert_int_equal(status_in("13.0.88", "__shfl_down", 80, use), CMPD_API_REMOVED);
    assert_string_equal(use, "__shfl_down_sync with a mask");
    assert_int_equal(status_in("11.8", "__shfl_down", 61, use), CMPD_API_DEPRECATED);
    assert_int_equal(status_in("11.8", "__ballot", 75, use), CMPD_API_REMOVED);
}

static void members(void **state)
{
    (void)state;
    struct cmpd_api_entry e;
    struct cmpd_api_db *db = open_version("13.0");
    assert_true(cmpd_api_db_gone_member(db, "cudaDeviceProp", "clockRate", &e));
    assert_int_equal(e.removed, 13000);
    assert_true(e.use_len > 0);
    assert_true(cmpd_api_db_gone_member(db, "cudaPointerAttributes", "memoryType", &e));
    assert_false(cmpd_api_db_gone_member(db, "cudaDeviceProp", "major", &e));
    assert_false(cmpd_api_db_gone_member(db, "cudaDevice", "clockRate", &e));
    cmpd_api_db_free(db);
    db = open_version("12.6");
    assert_false(cmpd_api_db_gone_member(db, "cudaDeviceProp", "clockRate", &e));
    assert_true(cmpd_api_db_gone_member(db, "cudaPointerAttributes", "memoryType", &e));
    cmpd_api_db_free(db);
}

static void near_misses(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"cudaMaloc", "cudaMalloc"},
        {"cudaMallocc", "cudaMalloc"},
        {"cudaMemCpy", "cudaMemcpy"},
        {"cudaMemcopy", "cudaMemcpy"},
        {"cudaMemcpyAsnyc", "cudaMemcpyAsync"},
        {"cudaDeviceSyncronize", "cudaDeviceSynchronize"},
        {"cudaStreamSyncronise", "cudaStreamSynchronize"},
        {"cudaGetLastErr", "cudaGetLastError"},
        {"cudaEventElapsedtime", "cudaEventElapsedTime"},
        {"cuMemAloc", "cuMemAlloc"},
        {"cuLaunchKernal", "cuLaunchKernel"},
        {"__syncthread", "__syncthreads"},
        {"__synchthreads", "__syncthreads"},
        {"__shfl_dwon_sync", "__shfl_down_sync"},
        {"__shfl_xor_synch", "__shfl_xor_sync"},
        {"__float2halff", "__float2half"},
        {"__ballot_syc", "__ballot_sync"},
        {"atomicadd", "atomicAdd"},
        {"atomicCas", "atomicCAS"},
        {"atomicMaxx", "atomicMax"},
    };
    struct cmpd_api_db *db = open_version("13.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmpd_api_entry e;
        bool found = cmpd_api_db_nearest(db, rows[i][0], strlen(rows[i][0]), CMPD_ROLE_CALLED, &e);
        if (found != (rows[i][1] != NULL) ||
            (found &&
             (strlen(rows[i][1]) != e.name_len || memcmp(rows[i][1], e.name, e.name_len) != 0))) {
            fail_msg("%s: %.*s", rows[i][0], found ? (int)e.name_len : 4, found ? e.name : "none");
        }
    }
    cmpd_api_db_free(db);
}

static void no_false_near_misses(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "cudaCheck",
        "cudaCheckError",
        "cudaFooOfOurs",
        "cudaSafeCall",
        "cudaBench",
        "cuFoo",
        "atomicMaxFloat",
        "atomicMul",
        "__my_helper",
        "__shfl_all_sync_x",
        "checkCuda",
        "malloc",
        "x",
        "cudaThreadSynchronise_",
        "atomicAddDouble",
        "__warp_reduce",
        "cudaMatMul",
        "__a",
        "nvtx",
    };
    struct cmpd_api_db *db = open_version("13.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmpd_api_entry e;
        if (cmpd_api_db_nearest(db, rows[i], strlen(rows[i]), CMPD_ROLE_CALLED, &e)) {
            fail_msg("%s: %.*s", rows[i], (int)e.name_len, e.name);
        }
    }
    char huge[4096];
    memset(huge, 'a', sizeof huge);
    memcpy(huge, "cuda", 4);
    struct cmpd_api_entry e;
    assert_false(cmpd_api_db_nearest(db, huge, sizeof huge, CMPD_ROLE_CALLED, &e));
    assert_false(cmpd_api_db_find(db, huge, sizeof huge, &e));
    cmpd_api_db_free(db);
}

static void near_misses_of_constants(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"cudaMemcpyHosttoDevice", "cudaMemcpyHostToDevice"},
        {"cudaSucess", "cudaSuccess"},
        {"cudaStrem_t", "cudaStream_t"},
        {"CUDA_SUCESS", "CUDA_SUCCESS"},
        {"cudaMaloc", NULL},
        {"cudaMine", NULL},
    };
    struct cmpd_api_db *db = open_version("13.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmpd_api_entry e;
        bool found = cmpd_api_db_nearest(db, rows[i][0], strlen(rows[i][0]), CMPD_ROLE_NAMED, &e);
        if (found != (rows[i][1] != NULL) ||
            (found &&
             (strlen(rows[i][1]) != e.name_len || memcmp(rows[i][1], e.name, e.name_len) != 0))) {
            fail_msg("%s: %.*s", rows[i][0], found ? (int)e.name_len : 4, found ? e.name : "none");
        }
    }
    cmpd_api_db_free(db);
}

/* What an older toolkit lacks is not suggested for it. */
static void near_misses_of_a_version(void **state)
{
    (void)state;
    struct cmpd_api_entry e;
    struct cmpd_api_db *db = open_version("11.0");
    assert_false(cmpd_api_db_nearest(db, "cudaMallocAsinc", 15, CMPD_ROLE_CALLED, &e));
    cmpd_api_db_free(db);
    db = open_version("99.0");
    assert_false(cmpd_api_db_covers(db));
    cmpd_api_db_free(db);
}

static void headers_and_prefixes(void **state)
{
    (void)state;
    static const char *const ours[] = {
        "cuda_runtime.h", "cstdio",          "stdint.h",      "cub/cub.cuh",
        "cuda_fp16.h",    "cuda/std/atomic", "thrust/sort.h", "cooperative_groups/reduce.h"};
    static const char *const others[] = {"common.h", "torch/extension.h", "cudnn.h",
                                         "cub",      "cutlass/a.h",       "cuda.hpp"};
    struct cmpd_api_db *db = open_version(NULL);
    assert_int_equal(cmpd_api_db_version(db), 13000);
    assert_true(cmpd_api_db_covers(db));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        assert_true(cmpd_api_db_header(db, ours[i], strlen(ours[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(cmpd_api_db_header(db, others[i], strlen(others[i])));
    }
    assert_true(cmpd_api_db_foreign(db, "cudnnCreate", 11));
    assert_true(cmpd_api_db_foreign(db, "ncclAllReduce", 13));
    assert_false(cmpd_api_db_foreign(db, "cudaMalloc", 10));
    assert_false(cmpd_api_db_foreign(db, "cu", 2));
    cmpd_api_db_free(db);
}

static cmpd_rc open_text(const char *text)
{
    FILE *f = fopen("api_db_test.tbl", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    struct cmpd_api_db *db = NULL;
    struct cmpd_err err = {0};
    cmpd_rc rc = cmpd_api_db_open_file("api_db_test.tbl", NULL, &db, &err);
    if (rc == CMPD_OK) {
        struct cmpd_api_entry e;
        static const char *const names[] = {"", "a", "cudaMalloc", "zz"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            (void)find(db, names[i], &e);
            (void)cmpd_api_db_nearest(db, names[i], strlen(names[i]), CMPD_ROLE_CALLED, &e);
            (void)cmpd_api_db_header(db, names[i], strlen(names[i]));
            (void)cmpd_api_db_gone_member(db, names[i], "m", &e);
        }
        cmpd_api_db_free(db);
    } else {
        assert_null(db);
        assert_true(err.msg[0] != '\0');
    }
    remove("api_db_test.tbl");
    return rc;
}

static void odd_tables_and_versions(void **state)
{
    (void)state;
    struct cmpd_api_db *db = NULL;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_api_db_open("new", &db, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_api_db_open("", &db, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_api_db_open("-3.0", &db, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_api_db_open_file("/nonexistent/api.tbl", NULL, &db, &err), CMPD_ENOENT);
    assert_int_equal(cmpd_api_db_open_file(".", NULL, &db, &err), CMPD_EINPUT);
    assert_int_equal(open_text(""), CMPD_EINPUT);
    assert_int_equal(open_text("#cmpd.api.tbl.1 "), CMPD_EINPUT);
    assert_int_equal(open_text("#cmpd.api.tbl.2 13.0\n"), CMPD_EINPUT);
    assert_int_equal(open_text("#cmpd.api.tbl.1 x\n"), CMPD_EINPUT);
    assert_int_equal(open_text("#cmpd.api.tbl.1 13.0\n"), CMPD_OK);
    assert_int_equal(open_text("#cmpd.api.tbl.1 13.0\n#M\t\n#H\t\n#\n\n\ncudaMalloc\n"), CMPD_OK);
    assert_int_equal(open_text("#cmpd.api.tbl.1 13.0\ncudaMalloc\tr\n\t\t\t\n"), CMPD_OK);
    assert_int_equal(open_text("#cmpd.api.tbl.1 13.0\ncudaMalloc\tr\t99999999999\t\t\t\n"),
                     CMPD_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names),
        cmocka_unit_test(other_kinds_of_names),
        cmocka_unit_test(versions),
        cmocka_unit_test(members),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(no_false_near_misses),
        cmocka_unit_test(near_misses_of_constants),
        cmocka_unit_test(near_misses_of_a_version),
        cmocka_unit_test(headers_and_prefixes),
        cmocka_unit_test(odd_tables_and_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
