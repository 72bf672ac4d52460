/*
 * What is known of names without reading a header: nvcc's own macros, names of
 * other compilers and systems, and headers that the toolkit and the C++
 * library bring.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/text/pp.h"

static const char arch_name[] = "__CUDA_ARCH__";

/* With g++ 12 on Linux x86-64 as the host compiler, -std=c++17. */
static const struct cmpd_define fixed[] = {
    {"__CUDACC__", NULL},
    {"__NVCC__", NULL},
    {"__cplusplus", "201703L"},
    {"__STDC__", NULL},
    {"__STDC_HOSTED__", NULL},
    {"__GNUC__", "12"},
    {"__GNUC_MINOR__", "2"},
    {"__GNUC_PATCHLEVEL__", "0"},
    {"__GNUG__", "12"},
    {"_GNU_SOURCE", NULL},
    {"__linux__", NULL},
    {"__linux", NULL},
    {"linux", NULL},
    {"__gnu_linux__", NULL},
    {"__unix__", NULL},
    {"__unix", NULL},
    {"unix", NULL},
    {"__ELF__", NULL},
    {"__x86_64__", NULL},
    {"__x86_64", NULL},
    {"__amd64__", NULL},
    {"__amd64", NULL},
    {"__LP64__", NULL},
    {"_LP64", NULL},
    {"__SSE__", NULL},
    {"__SSE2__", NULL},
    {"__CHAR_BIT__", "8"},
    {"__SIZEOF_POINTER__", "8"},
    {"__SIZEOF_INT__", "4"},
    {"__SIZEOF_LONG__", "8"},
    {"__SIZEOF_INT128__", "16"},
    {"__EXCEPTIONS", NULL},
    {"__GXX_RTTI", NULL},
    {"__cpp_if_constexpr", "201606L"},
    {"__cpp_lib_optional", "201606L"},
    {"__ORDER_LITTLE_ENDIAN__", "1234"},
    {"__ORDER_BIG_ENDIAN__", "4321"},
    {"__BYTE_ORDER__", "1234"},
};

static const char *const undefined[] = {
    "_WIN32",
    "WIN32",
    "_WIN64",
    "WIN64",
    "_WINDOWS",
    "_MSC_VER",
    "_MSC_FULL_VER",
    "__CYGWIN__",
    "__MINGW32__",
    "__MINGW64__",
    "__APPLE__",
    "__MACH__",
    "__MACOSX",
    "MACOSX",
    "__APPLE_CC__",
    "__FreeBSD__",
    "__ANDROID__",
    "__QNX__",
    "__QNXNTO__",
    "__HOS__",
    "__EMSCRIPTEN__",
    "__sun",
    "__hpux",
    "__clang__",
    "__clang_major__",
    "__CUDA__",
    "__INTEL_COMPILER",
    "__INTEL_LLVM_COMPILER",
    "__ICC",
    "__PGI",
    "__PGIC__",
    "__NVCOMPILER",
    "_NVHPC_CUDA",
    "__CUDACC_RTC__",
    "__CUDACC_RDC__",
    "__CUDACC_DEBUG__",
    "__CUDACC_EXTENDED_LAMBDA__",
    "__CUDA_LIBDEVICE__",
    "__CUDANVVM__",
    "__HIP__",
    "__HIPCC__",
    "__HIPCC_RTC__",
    "__HIP_DEVICE_COMPILE__",
    "__HIP_PLATFORM_AMD__",
    "__HIP_PLATFORM_HCC__",
    "__HIP_PLATFORM_NVIDIA__",
    "__MUSACC__",
    "__MUSA__",
    "__SYCL_DEVICE_ONLY__",
    "SYCL_LANGUAGE_VERSION",
    "__OPENCL_VERSION__",
    "__OPENCL_C_VERSION__",
    "__arm__",
    "__arm",
    "__aarch64__",
    "_M_ARM",
    "_M_ARM64",
    "_M_X64",
    "_M_AMD64",
    "_M_IX86",
    "__i386__",
    "__i386",
    "i386",
    "__powerpc__",
    "__powerpc64__",
    "__PPC__",
    "__riscv",
    "__s390x__",
    "__SANITIZE_ADDRESS__",
    "__OBJC__",
    "__AVX__",
    "__AVX2__",
    "__AVX512F__",
    "__FMA__",
    "__ARM_NEON",
    "_DEBUG",
    "__ILP32__",
    "__DOXYGEN__",
    "DOXYGEN_SHOULD_SKIP_THIS",
    "__CDT_PARSER__",
    "__INTELLISENSE__",
    "__RESHARPER__",
    "SWIG",
    "__FAST_MATH__",
    "__TINYC__",
    "__BORLANDC__",
    "__STRICT_ANSI__",
    "__cpp_lib_span",
    "__cpp_concepts",
    "__cpp_modules",
};

bool pp_known_undefined(const char *s, size_t len)
{
    for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; i++)
        if (strlen(undefined[i]) == len && memcmp(undefined[i], s, len) == 0)
            return true;
    return false;
}

bool pp_hidden_arch(const struct pp *pp, const struct pp_name *n)
{
    return !pp->device_pass && strcmp(n->name, arch_name) == 0;
}

/* "13.0" as 13000, CUDART_VERSION's form. */
static void versions(struct pp *pp, const char *toolkit)
{
    char *end;
    unsigned long major = strtoul(toolkit ? toolkit : "13.0", &end, 10), minor = 0;
    if (major < 1 || major > 99)
        major = 13;
    else if (*end == '.')
        minor = strtoul(end + 1, NULL, 10) % 100;
    const char *all = cmpd_arena_printf(pp->arena, "%lu", major * 1000 + minor * 10);
    const char *maj = cmpd_arena_printf(pp->arena, "%lu", major);
    const char *min = cmpd_arena_printf(pp->arena, "%lu", minor);
    pp_predefine(pp, "CUDART_VERSION", all, true);
    pp_predefine(pp, "CUDA_VERSION", all, true);
    pp_predefine(pp, "__CUDART_API_VERSION", all, true);
    pp_predefine(pp, "__CUDA_API_VERSION", all, true);
    pp_predefine(pp, "__CUDACC_VER_MAJOR__", maj, true);
    pp_predefine(pp, "__CUDACC_VER_MINOR__", min, true);
    pp_predefine(pp, "__CUDACC_VER_BUILD__", "0", true);
    pp_predefine(pp, "__CUDA_API_VER_MAJOR__", maj, true);
    pp_predefine(pp, "__CUDA_API_VER_MINOR__", min, true);
}

void pp_predefine_compiler(struct pp *pp, const char *toolkit, const char *arch)
{
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        pp_predefine(pp, fixed[i].name, fixed[i].value, true);
    versions(pp, toolkit);
    const char *digits = arch ? strpbrk(arch, "0123456789") : NULL;
    unsigned long number = digits ? strtoul(digits, NULL, 10) : 80;
    if (number < 20 || number > 999)
        number = 80;
    pp->arch = (uint32_t)number * 10;
    const char *value = cmpd_arena_printf(pp->arena, "%u", pp->arch);
    pp_predefine(pp, arch_name, value, true);
    pp_predefine(pp, "__CUDA_ARCH_LIST__", value, true);
    size_t suffix = digits ? strspn(digits, "0123456789") : 0;
    if (digits && digits[suffix] == 'a')
        pp_predefine(pp, cmpd_arena_printf(pp->arena, "__CUDA_ARCH_FEAT_SM%lu_ALL", number), NULL,
                     true);
}

static bool starts(const char *s, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);
    return len >= n && memcmp(s, prefix, n) == 0;
}

/* Does a toolkit of the policy's version, or the C++ library, bring the header? */
bool pp_known_header(const char *s, size_t len)
{
    static const char *const prefixes[] = {
        "cuda_",
        "cuda.h",
        "cooperative_groups",
        "cub/",
        "thrust/",
        "cuda/std/",
        "cuda/",
        "nv/target",
        "mma.h",
        "cublas",
        "cufft",
        "curand",
        "cusparse",
        "cusolver",
        "nvtx3/",
        "nvToolsExt.h",
        "crt/",
        "sm_",
        "vector_types.h",
        "vector_functions.h",
        "math_constants.h",
        "device_launch_parameters.h",
        "nvrtc.h",
        "nvml.h",
        "npp",
        "texture_indirect_functions.h",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (starts(s, len, prefixes[i]))
            return true;
    if (len > 0 && !memchr(s, '.', len) && !memchr(s, '/', len))
        return !starts(s, len, "experimental"); /* <vector>, <optional> */
    return false;
}
