/* One element of a tensor as double, and back. */
#include <math.h>
#include <string.h>

#include "refs/dtype.h"
#include "refs/ref.h"

#define LOAD(type) \
    type v_;       \
    memcpy(&v_, at, sizeof v_)
#define STORE(type, value)          \
    do {                            \
        type v_ = (value);          \
        memcpy(at, &v_, sizeof v_); \
    } while (0)

double cmpd_tensor_get(const struct cmpd_tensor *t, size_t i)
{
    const char *at = (const char *)t->data + i * cmpd_dtype_size(t->dtype);
    switch (t->dtype) {
    case CMPD_F32: {
        LOAD(float);
        return v_;
    }
    case CMPD_F64: {
        LOAD(double);
        return v_;
    }
    case CMPD_F16: {
        LOAD(uint16_t);
        return cmpd_f16_to_double(v_);
    }
    case CMPD_BF16: {
        LOAD(uint16_t);
        return cmpd_bf16_to_double(v_);
    }
    case CMPD_I8:
        return (int8_t)*at;
    case CMPD_U8:
        return (uint8_t)*at;
    case CMPD_I32: {
        LOAD(int32_t);
        return v_;
    }
    case CMPD_U32: {
        LOAD(uint32_t);
        return v_;
    }
    case CMPD_I64: {
        LOAD(int64_t);
        return (double)v_;
    }
    case CMPD_U64: {
        LOAD(uint64_t);
        return (double)v_;
    }
    default:
        return NAN;
    }
}

/* v rounded and held within lo .. hi; NaN becomes 0, as CUDA's conversions do. */
static double held(double v, double lo, double hi)
{
    if (isnan(v)) {
        return 0;
    }
    v = nearbyint(v);
    return v < lo ? lo : v > hi ? hi : v;
}

static int64_t held_i64(double v)
{
    /* 2^63 itself does not fit. */
    return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)held(v, -0x1p63, 0x1p63);
}

static uint64_t held_u64(double v)
{
    return v >= 0x1p64 ? UINT64_MAX : (uint64_t)held(v, 0, 0x1p64);
}

void cmpd_tensor_set(struct cmpd_tensor *t, size_t i, double v)
{
    char *at = (char *)t->data + i * cmpd_dtype_size(t->dtype);
    switch (t->dtype) {
    case CMPD_F32:
        STORE(float, (float)v);
        break;
    case CMPD_F64:
        STORE(double, v);
        break;
    case CMPD_F16:
        STORE(uint16_t, cmpd_f16_from_double(v));
        break;
    case CMPD_BF16:
        STORE(uint16_t, cmpd_bf16_from_double(v));
        break;
    case CMPD_I8:
        STORE(int8_t, (int8_t)held(v, INT8_MIN, INT8_MAX));
        break;
    case CMPD_U8:
        STORE(uint8_t, (uint8_t)held(v, 0, UINT8_MAX));
        break;
    case CMPD_I32:
        STORE(int32_t, (int32_t)held(v, INT32_MIN, INT32_MAX));
        break;
    case CMPD_U32:
        STORE(uint32_t, (uint32_t)held(v, 0, UINT32_MAX));
        break;
    case CMPD_I64:
        STORE(int64_t, held_i64(v));
        break;
    case CMPD_U64:
        STORE(uint64_t, held_u64(v));
        break;
    default:
        break;
    }
}
