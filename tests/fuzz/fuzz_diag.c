/* The compiler's messages, which quote the file under review: parsed, classified, anchored, folded.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/compile/compile_findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] = "#include \"inner.h\"\n"
                             "__global__ void k(float *p, int n)\n{\n"
                             "    __shared__ float s[32];\n"
                             "    asm volatile(\"x\" :: \"r\"(n));\n"
                             "    p[threadIdx.x] = s[n]\n}\n";
static const char ptx[] =
    "\t.loc\t1 5 5\n\tx %r1;\n\t.loc\t2 1 1, function_name $a, inlined_at 1 6 5\n"
    "\t.file\t1 \"/src/a.cu\"\n\t.file\t2 \"/other\"\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_nvcc nvcc = {.path = "/usr/local/cuda/bin/nvcc", .std = "c++17", .arch = "sm_80"};
    struct cmpd_closure_file files[] = {{"a.cu", 0}, {"inner.h", 1}};
    struct cmpd_closure closure = {.files = files, .count = 2};
    struct cmpd_compile_context ctx = {.root = "/src",
                                       .file = "a.cu",
                                       .text = source,
                                       .len = sizeof source - 1,
                                       .closure = &closure,
                                       .nvcc = &nvcc,
                                       .toolkit = "/usr/local/cuda",
                                       .work = "/work-folder",
                                       .ptx = ptx,
                                       .ptx_len = sizeof ptx - 1};
    struct cmpd_compile_findings out = {0};
    struct cmpd_diags diags;
    cmpd_diag_parse((const char *)data, size, &diags);
    cmpd_compile_findings_make(&diags, &ctx, &out);
    for (size_t i = 0; i < out.count; i++) {
        /* Every finding has a message, and a place that the file has or none. */
        if (!out.items[i].message || strlen(out.items[i].message) > 4096)
            abort();
    }
    cmpd_compile_findings_clear(&out);
    cmpd_diags_clear(&diags);
    return 0;
}
