/* See names.h; and the names of ptx.h's enums. */
#include "gpu-runner/ptx/names.h"

#include <string.h>

static const char *const op_names[] = {
#define PTX_OP(name) #name,
#include "gpu-runner/ptx/ops.def"
#undef PTX_OP
};

static const char *const mod_names[] = {
#define PTX_MOD(id, text) text,
#include "gpu-runner/ptx/mods.def"
#undef PTX_MOD
};

static const char *const special_names[] = {
#define PTX_SPECIAL(id, text, type) text,
#include "gpu-runner/ptx/specials.def"
#undef PTX_SPECIAL
};

static const uint8_t special_types[] = {
#define PTX_SPECIAL(id, text, type) CMPD_PTX_##type,
#include "gpu-runner/ptx/specials.def"
#undef PTX_SPECIAL
};

static const struct {
    const char *name;
    uint8_t size; /* bytes */
} types[CMPD_PTX_TYPE_COUNT] = {
    [CMPD_PTX_T_NONE] = {"", 0},   [CMPD_PTX_U8] = {"u8", 1},
    [CMPD_PTX_U16] = {"u16", 2},   [CMPD_PTX_U32] = {"u32", 4},
    [CMPD_PTX_U64] = {"u64", 8},   [CMPD_PTX_S8] = {"s8", 1},
    [CMPD_PTX_S16] = {"s16", 2},   [CMPD_PTX_S32] = {"s32", 4},
    [CMPD_PTX_S64] = {"s64", 8},   [CMPD_PTX_B8] = {"b8", 1},
    [CMPD_PTX_B16] = {"b16", 2},   [CMPD_PTX_B32] = {"b32", 4},
    [CMPD_PTX_B64] = {"b64", 8},   [CMPD_PTX_B128] = {"b128", 16},
    [CMPD_PTX_F16] = {"f16", 2},   [CMPD_PTX_F16X2] = {"f16x2", 4},
    [CMPD_PTX_BF16] = {"bf16", 2}, [CMPD_PTX_BF16X2] = {"bf16x2", 4},
    [CMPD_PTX_TF32] = {"tf32", 4}, [CMPD_PTX_F32] = {"f32", 4},
    [CMPD_PTX_F64] = {"f64", 8},   [CMPD_PTX_PRED] = {"pred", 0},
};

static uint32_t search(const char *const *names, uint32_t count, const char *text, uint32_t len)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = strncmp(names[mid], text, len);
        if (order == 0 && names[mid][len] != '\0')
            order = 1;
        if (order == 0)
            return mid;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return CMPD_PTX_NONE;
}

enum cmpd_ptx_type ptx_type_find(const char *text, uint32_t len)
{
    if (len < 2 || len > 6)
        return CMPD_PTX_T_NONE;
    for (int t = 1; t < CMPD_PTX_TYPE_COUNT; t++) {
        if (types[t].name[0] == text[0] && strlen(types[t].name) == len &&
            memcmp(types[t].name, text, len) == 0)
            return (enum cmpd_ptx_type)t;
    }
    return CMPD_PTX_T_NONE;
}

enum cmpd_ptx_op ptx_op_find(const char *text, uint32_t len)
{
    uint32_t i = search(op_names, sizeof op_names / sizeof *op_names, text, len);
    return i == CMPD_PTX_NONE ? CMPD_PTX_OP_UNKNOWN : (enum cmpd_ptx_op)(i + 1);
}

enum cmpd_ptx_mod ptx_mod_find(const char *text, uint32_t len)
{
    uint32_t i = search(mod_names, sizeof mod_names / sizeof *mod_names, text, len);
    return i == CMPD_PTX_NONE ? CMPD_PTX_MOD_UNKNOWN : (enum cmpd_ptx_mod)(i + 1);
}

uint32_t ptx_special_find(const char *text, uint32_t len)
{
    return search(special_names, CMPD_PTX_SPECIAL_COUNT, text, len);
}

unsigned cmpd_ptx_type_size(enum cmpd_ptx_type t)
{
    return (unsigned)t < CMPD_PTX_TYPE_COUNT ? types[t].size : 0;
}

const char *cmpd_ptx_type_name(enum cmpd_ptx_type t)
{
    return (unsigned)t < CMPD_PTX_TYPE_COUNT ? types[t].name : "";
}

const char *cmpd_ptx_op_name(enum cmpd_ptx_op op)
{
    return op > CMPD_PTX_OP_UNKNOWN && op < CMPD_PTX_OP_COUNT ? op_names[op - 1] : "unknown";
}

const char *cmpd_ptx_mod_name(enum cmpd_ptx_mod mod)
{
    return mod > CMPD_PTX_MOD_UNKNOWN && mod < CMPD_PTX_MOD_COUNT ? mod_names[mod - 1] : "unknown";
}

const char *cmpd_ptx_special_name(enum cmpd_ptx_special special)
{
    return (unsigned)special < CMPD_PTX_SPECIAL_COUNT ? special_names[special] : "unknown";
}

enum cmpd_ptx_type cmpd_ptx_special_type(enum cmpd_ptx_special special)
{
    return (unsigned)special < CMPD_PTX_SPECIAL_COUNT ? (enum cmpd_ptx_type)special_types[special]
                                                      : CMPD_PTX_T_NONE;
}
