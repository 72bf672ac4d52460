#include <ffi.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/candidate/candidate.h"

/* __half and __nv_bfloat16: a class of one unsigned short that C++ passes like the number. */
static ffi_type *type_of(uint32_t type)
{
    switch (type) {
    case CMPD_WIRE_VOID:
        return &ffi_type_void;
    case CMPD_WIRE_I8:
        return &ffi_type_sint8;
    case CMPD_WIRE_U8:
        return &ffi_type_uint8;
    case CMPD_WIRE_I16:
        return &ffi_type_sint16;
    case CMPD_WIRE_U16:
    case CMPD_WIRE_F16:
        return &ffi_type_uint16;
    case CMPD_WIRE_I32:
        return &ffi_type_sint32;
    case CMPD_WIRE_U32:
        return &ffi_type_uint32;
    case CMPD_WIRE_I64:
        return &ffi_type_sint64;
    case CMPD_WIRE_U64:
        return &ffi_type_uint64;
    case CMPD_WIRE_F32:
        return &ffi_type_float;
    case CMPD_WIRE_F64:
        return &ffi_type_double;
    case CMPD_WIRE_POINTER_DEVICE:
    case CMPD_WIRE_POINTER_HOST:
    case CMPD_WIRE_STREAM:
        return &ffi_type_pointer;
    default:
        return NULL;
    }
}

/* libffi widens small results to a whole register: what counts is cut out again. */
static uint64_t result_bits(uint32_t type, uint64_t raw)
{
    switch (type) {
    case CMPD_WIRE_VOID:
        return 0;
    case CMPD_WIRE_I8:
        return (uint64_t)(int64_t)(int8_t)raw;
    case CMPD_WIRE_U8:
        return (uint8_t)raw;
    case CMPD_WIRE_I16:
        return (uint64_t)(int64_t)(int16_t)raw;
    case CMPD_WIRE_U16:
    case CMPD_WIRE_F16:
        return (uint16_t)raw;
    case CMPD_WIRE_I32:
    case CMPD_WIRE_U32:
    case CMPD_WIRE_F32:
        return (uint32_t)raw;
    default:
        return raw;
    }
}

bool candidate_call(void *fn, const struct cmpd_wire_arg *args, uint32_t count,
                    uint32_t result_type, uint64_t *result)
{
    ffi_type **types = calloc(count + 1, sizeof(*types));
    uint64_t *bits = calloc(count + 1, sizeof(*bits));
    void **values = calloc(count + 1, sizeof(*values));
    ffi_type *result_as = type_of(result_type);
    bool ok = types && bits && values && result_as;

    for (uint32_t i = 0; ok && i < count; i++) {
        types[i] = type_of(args[i].type);
        bits[i] = args[i].type == CMPD_WIRE_POINTER_HOST ? args[i].address : args[i].value;
        values[i] = &bits[i];
        ok = types[i] && types[i] != &ffi_type_void;
    }
    ffi_cif cif;
    ok = ok && ffi_prep_cif(&cif, FFI_DEFAULT_ABI, count, result_as, types) == FFI_OK;
    if (ok) {
        uint64_t raw = 0;
        ffi_call(&cif, FFI_FN(fn), &raw, values);
        *result = result_bits(result_type, raw);
    }
    free(types);
    free(bits);
    free(values);
    return ok;
}
