#include "refs/dtype.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    unsigned size;
    const char *aliases; /* how policies, PyTorch, NumPy and C write it */
} TYPES[CMPD_DTYPE_COUNT] = {
    [CMPD_F32] = {"f32", 4, "float32 float fp32 single"},
    [CMPD_F64] = {"f64", 8, "float64 double fp64"},
    [CMPD_F16] = {"f16", 2, "float16 half fp16 __half"},
    [CMPD_BF16] = {"bf16", 2, "bfloat16 __nv_bfloat16 nv_bfloat16"},
    [CMPD_I8] = {"i8", 1, "int8 int8_t char schar"},
    [CMPD_U8] = {"u8", 1, "uint8 uint8_t uchar byte"},
    [CMPD_I32] = {"i32", 4, "int32 int32_t int"},
    [CMPD_U32] = {"u32", 4, "uint32 uint32_t uint unsigned"},
    [CMPD_I64] = {"i64", 8, "int64 int64_t long"},
    [CMPD_U64] = {"u64", 8, "uint64 uint64_t ulong"},
};

const char *cmpd_dtype_name(enum cmpd_dtype t)
{
    return (unsigned)t < CMPD_DTYPE_COUNT ? TYPES[t].name : "?";
}

unsigned cmpd_dtype_size(enum cmpd_dtype t)
{
    return (unsigned)t < CMPD_DTYPE_COUNT ? TYPES[t].size : 0;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && strncasecmp(p, word, len) == 0) {
            return true;
        }
        p += n;
        p += strspn(p, " ");
    }
    return false;
}

bool cmpd_dtype_parse(const char *name, enum cmpd_dtype *out)
{
    if (!name || !*name || strchr(name, ' ')) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned t = 0; t < CMPD_DTYPE_COUNT; t++) {
            if (pass == 0 ? strcmp(name, TYPES[t].name) == 0 : has_word(TYPES[t].aliases, name)) {
                *out = (enum cmpd_dtype)t;
                return true;
            }
        }
    }
    return false;
}

bool cmpd_dtype_is_float(enum cmpd_dtype t)
{
    return t == CMPD_F32 || t == CMPD_F64 || t == CMPD_F16 || t == CMPD_BF16;
}

double cmpd_dtype_unit_roundoff(enum cmpd_dtype t)
{
    switch (t) {
    case CMPD_F32:
        return 0x1p-24;
    case CMPD_F64:
        return 0x1p-53;
    case CMPD_F16:
        return 0x1p-11;
    case CMPD_BF16:
        return 0x1p-8;
    default:
        return 0;
    }
}

/*
 * A float format of 16 bits by its count of mantissa bits and its smallest normal exponent. Scaling by a power of two
 * is exact in double and nearbyint rounds to nearest even, so one formula serves normals, subnormals and the carry
 * into the next exponent.
 */
struct small_float {
    int mantissa_bits;
    int least_exponent; /* of a normal number 1.m * 2^e */
    uint16_t infinity;
};
static const struct small_float F16 = {10, -14, 0x7c00};
static const struct small_float BF16 = {7, -126, 0x7f80};

static double small_to_double(const struct small_float *f, uint16_t bits)
{
    int m = bits & ((1 << f->mantissa_bits) - 1);
    int e = (bits & 0x7fff) >> f->mantissa_bits;
    double v;
    if ((bits & 0x7fff) > f->infinity) {
        v = NAN;
    } else if ((bits & 0x7fff) == f->infinity) {
        v = INFINITY;
    } else if (e == 0) {
        v = ldexp(m, f->least_exponent - f->mantissa_bits);
    } else {
        v = ldexp(m + (1 << f->mantissa_bits), f->least_exponent - f->mantissa_bits + e - 1);
    }
    return bits & 0x8000 ? -v : v;
}

static uint16_t small_from_double(const struct small_float *f, double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) {
        return (uint16_t)(sign | f->infinity | (1u << (f->mantissa_bits - 1)));
    }
    if (isinf(v)) {
        return sign | f->infinity;
    }
    double a = fabs(v);
    int e;
    frexp(a, &e);
    e--; /* a = 1.m * 2^e */
    if (a == 0 || e < f->least_exponent) {
        e = f->least_exponent;
    }
    /* In units of the last place; 2^(bits+1) after rounding is the next exponent's first value. */
    double units = nearbyint(ldexp(a, f->mantissa_bits - e));
    if (e > -f->least_exponent + 2) {
        return sign | f->infinity;
    }
    uint32_t code = (uint32_t)units + ((uint32_t)(e - f->least_exponent) << f->mantissa_bits);
    return sign | (uint16_t)(code >= f->infinity ? f->infinity : code);
}

double cmpd_f16_to_double(uint16_t bits)
{
    return small_to_double(&F16, bits);
}

uint16_t cmpd_f16_from_double(double v)
{
    return small_from_double(&F16, v);
}

double cmpd_bf16_to_double(uint16_t bits)
{
    return small_to_double(&BF16, bits);
}

uint16_t cmpd_bf16_from_double(double v)
{
    return small_from_double(&BF16, v);
}

double cmpd_dtype_round(enum cmpd_dtype t, double v)
{
    uint64_t room = 0;
    struct cmpd_tensor one = {&room, 1, t};
    cmpd_tensor_set(&one, 0, v);
    return cmpd_tensor_get(&one, 0);
}
