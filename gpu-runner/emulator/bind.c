/*
 * A PTX function made runnable: registers get their place in the frame, operands are resolved and each instruction
 * gets its handler, by the rows of ops_*.c or by the bind function of its opcode.
 */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

/* ---- operands ---- */

enum emu_lanes_kind emu_lanes_of(enum cmpd_ptx_type t)
{
    if (t == CMPD_PTX_PRED)
        return EMU_WPRED;
    return cmpd_ptx_type_size(t) == 8 ? EMU_W64 : EMU_W32;
}

static size_t constant_space(struct emu_module *m, size_t bytes)
{
    const size_t at = m->constants_len;
    CMPD_GROW(m->constants, at + bytes, m->constants_cap);
    m->constants_len += bytes;
    return at;
}

/* Of one module; the largest seen is 2 MB. */
#define CONSTANTS_CEILING_BYTES ((size_t)256 << 20)
/* How far back the pool is searched for an equal value: enough for the constants of one loop. */
#define CONSTANT_WINDOW_BYTES   ((size_t)16 << 10)

static uint32_t find_constant(const struct emu_module *m, const void *lanes, size_t bytes)
{
    size_t from = m->constants_len > CONSTANT_WINDOW_BYTES
                      ? m->constants_len - CONSTANT_WINDOW_BYTES
                      : 0;
    for (size_t at = from & ~(size_t)127; at + bytes <= m->constants_len; at += 128)
        if (memcmp(m->constants + at, lanes, bytes) == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

uint32_t emu_bind_constant(struct emu_binder *b, uint64_t value, bool wide)
{
    uint64_t lanes[EMU_LANES];
    const size_t bytes = wide ? sizeof lanes : sizeof lanes / 2;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        if (wide)
            lanes[l] = value;
        else
            ((uint32_t *)lanes)[l] = (uint32_t)value;
    }
    uint32_t at = find_constant(b->m, lanes, bytes);
    if (b->m->constants_len > CONSTANTS_CEILING_BYTES) {
        b->full = true;
        return 0;
    }
    if (at == UINT32_MAX) {
        at = (uint32_t)constant_space(b->m, bytes);
        memcpy(b->m->constants + at, lanes, bytes);
    }
    return at;
}

static bool constant(struct emu_binder *b, uint64_t value, enum emu_lanes_kind kind,
                     struct emu_operand *out)
{
    out->place = EMU_CONST;
    out->wide = kind == EMU_W64 || kind == EMU_WANY;
    if (kind == EMU_WPRED) {
        value = value ? EMU_FULL : 0;
        out->wide = false;
    }
    out->offset = emu_bind_constant(b, value, out->wide);
    return true;
}

static bool bind_register(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                          enum emu_lanes_kind kind, struct emu_operand *out)
{
    const enum cmpd_ptx_type t = b->f->ptx->registers[o->index].type;
    const enum emu_lanes_kind have = emu_lanes_of(t);
    if (cmpd_ptx_type_size(t) > 8 || (o->negated && kind != EMU_WPRED))
        return false;
    if (have != kind && !(kind == EMU_WANY && have != EMU_WPRED)) {
        b->why = "a register of another width";
        return false;
    }
    out->place = EMU_REG;
    out->negated = o->negated;
    out->wide = have == EMU_W64;
    out->offset = b->register_offset[o->index];
    out->reg = o->index;
    return true;
}

static bool bind_variable(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                          enum emu_lanes_kind kind, struct emu_operand *out)
{
    const struct cmpd_ptx_variable *v = &b->m->ptx->variables[o->index];
    uint64_t address = b->m->variable_address[o->index];
    if (v->space == CMPD_PTX_SPACE_PARAM && b->f->ptx->entry)
        address = v->offset;
    else if (v->space != CMPD_PTX_SPACE_GLOBAL && v->space != CMPD_PTX_SPACE_CONST &&
             v->space != CMPD_PTX_SPACE_SHARED)
        return false;
    if (v->is_extern && v->space != CMPD_PTX_SPACE_SHARED) {
        b->why = "a variable of another unit";
        return false;
    }
    return constant(b, address + (uint64_t)o->value, kind, out);
}

/* Floating constants come as the bits of the width they were written in. */
static bool bind_float(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                       enum emu_lanes_kind kind, enum cmpd_ptx_type type, struct emu_operand *out)
{
    uint64_t bits = (uint64_t)o->value;
    const bool is_64 = o->kind == CMPD_PTX_O_F64;
    if (is_64 && cmpd_ptx_type_size(type) == 4) {
        double d;
        memcpy(&d, &bits, sizeof d);
        const float f = (float)d;
        uint32_t narrow;
        memcpy(&narrow, &f, sizeof f);
        bits = narrow;
    } else if (!is_64 && cmpd_ptx_type_size(type) == 8) {
        const uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, sizeof f);
        const double d = (double)f;
        memcpy(&bits, &d, sizeof d);
    }
    return constant(b, bits, kind, out);
}

bool emu_bind_operand(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                      enum emu_lanes_kind kind, enum cmpd_ptx_type type, struct emu_operand *out)
{
    *out = (struct emu_operand){.place = EMU_SINK, .reg = CMPD_PTX_NONE};
    switch (o->kind) {
    case CMPD_PTX_O_REG:
        return bind_register(b, o, kind, out);
    case CMPD_PTX_O_INT:
        return constant(b, (uint64_t)o->value, kind, out);
    case CMPD_PTX_O_F32:
    case CMPD_PTX_O_F64:
        return bind_float(b, o, kind, type, out);
    case CMPD_PTX_O_SPECIAL:
        return emu_bind_special(b, o->index, kind, out);
    case CMPD_PTX_O_VARIABLE:
        return bind_variable(b, o, kind, out);
    case CMPD_PTX_O_FUNCTION:
        return constant(b, EMU_CODE_BASE + (((uint64_t)b->m->index << 24 | o->index) << 4), kind,
                        out);
    default:
        return false;
    }
}

bool emu_bind_destination(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                          enum emu_lanes_kind kind, struct emu_operand *out)
{
    *out = (struct emu_operand){.place = EMU_SINK, .wide = kind == EMU_W64, .reg = CMPD_PTX_NONE};
    if (o->kind == CMPD_PTX_O_SINK)
        return true;
    return o->kind == CMPD_PTX_O_REG && !o->negated && bind_register(b, o, kind, out);
}

struct emu_operand *emu_bind_more(struct emu_binder *b, struct emu_ins *in, unsigned count)
{
    struct emu_operand *more = CMPD_ARENA_ARRAY(&b->m->arena, struct emu_operand, count);
    for (unsigned i = 0; i < count; i++)
        more[i] = (struct emu_operand){.place = EMU_SINK, .reg = CMPD_PTX_NONE};
    in->more = more;
    in->more_count = (uint16_t)count;
    return more;
}

bool emu_is_param(const struct emu_function *f, uint32_t variable)
{
    for (uint32_t i = 0; i < f->ptx->param_count; i++)
        if (f->ptx->params[i] == variable)
            return true;
    return false;
}

/* ---- rows ---- */

static uint64_t feature_of(unsigned mod)
{
    switch (mod) {
#define X(name)               \
    case CMPD_PTX_MOD_##name: \
        return EMU_F(name);
        EMU_FEATURES(X)
#undef X
    default:
        return EMU_F(other);
    }
}

uint64_t emu_bind_features(const struct cmpd_ptx_ins *p)
{
    uint64_t has = 0;
    for (unsigned i = 0; i < p->mod_count; i++)
        has |= feature_of(p->mods[i]);
    return has;
}

static bool row_fits(const struct emu_row *r, const struct cmpd_ptx_ins *p, uint64_t has)
{
    if (r->op != p->op || strlen(r->form) != p->operand_count)
        return false;
    if (p->type_count < 1 || !(r->types >> p->types[0] & 1))
        return false;
    if (r->types2 ? p->type_count != 2 || !(r->types2 >> p->types[1] & 1) : p->type_count != 1)
        return false;
    return (has & r->need) == r->need && !(has & ~(r->need | r->allow));
}

static const struct emu_row *find_row(const struct emu_ops *ops, const struct cmpd_ptx_ins *p,
                                      uint64_t has)
{
    for (unsigned t = 0; ops->tables[t]; t++)
        for (const struct emu_row *r = ops->tables[t]; r->op; r++)
            if (row_fits(r, p, has))
                return r;
    return NULL;
}

static enum emu_lanes_kind kind_of(char letter, const struct cmpd_ptx_ins *p)
{
    switch (letter) {
    case 't':
        return emu_lanes_of(p->types[0]);
    case '2':
        return emu_lanes_of(p->types[1]);
    case 'w':
        return cmpd_ptx_type_size(p->types[0]) >= 4 ? EMU_W64 : EMU_W32;
    case 'p':
        return EMU_WPRED;
    case 'a':
        return EMU_WANY;
    default:
        return EMU_W32;
    }
}

void emu_bind_rounding(uint64_t has, struct emu_ins *in)
{
    in->ftz = has & EMU_F(ftz);
    in->sat = has & EMU_F(sat);
    in->rounding = has & (EMU_F(rz) | EMU_F(rzi))   ? EMU_RZ
                   : has & (EMU_F(rm) | EMU_F(rmi)) ? EMU_RM
                   : has & (EMU_F(rp) | EMU_F(rpi)) ? EMU_RP
                   : has & EMU_F(rna)               ? EMU_RNA
                                                    : EMU_RN;
}

/* What handlers of rows find in emu_ins.mode. */
static uint8_t mode_of(const struct cmpd_ptx_ins *p, uint64_t has)
{
    static const uint16_t permute[] = {CMPD_PTX_MOD_f4e, CMPD_PTX_MOD_b4e, CMPD_PTX_MOD_rc8,
                                       CMPD_PTX_MOD_ecl, CMPD_PTX_MOD_ecr, CMPD_PTX_MOD_rc16};
    const bool reads_carry = p->op == CMPD_PTX_OP_addc || p->op == CMPD_PTX_OP_subc ||
                             p->op == CMPD_PTX_OP_madc;
    if (p->op == CMPD_PTX_OP_prmt) {
        for (unsigned i = 0; i < sizeof permute / sizeof *permute; i++)
            if (emu_has(p, permute[i]))
                return (uint8_t)(i + 1);
        return 0;
    }
    if (p->op == CMPD_PTX_OP_fma)
        return has & EMU_F(relu) ? 4 : 0;
    if (p->op == CMPD_PTX_OP_min || p->op == CMPD_PTX_OP_max)
        return (uint8_t)((has & EMU_F(NaN) ? 1 : 0) | (has & EMU_F(xorsign) ? 2
                                                       : has & EMU_F(abs)   ? 8
                                                                            : 0));
    return (uint8_t)((has & EMU_F(cc) ? 1 : 0) | (reads_carry ? 2 : 0));
}

static bool prmt_mode_known(const struct cmpd_ptx_ins *p, const struct emu_ins *in)
{
    return p->op != CMPD_PTX_OP_prmt || p->mod_count == 0 || in->mode != 0;
}

bool emu_bind_row(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const uint64_t has = emu_bind_features(p);
    const struct emu_row *r = find_row(b->ops, p, has);
    if (!r)
        return false;
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    in->type = p->types[0];
    in->type2 = p->type_count > 1 ? p->types[1] : 0;
    in->taint = r->taint;
    in->run = r->run;
    in->mode = mode_of(p, has);
    emu_bind_rounding(has, in);
    if (!prmt_mode_known(p, in) ||
        !emu_bind_destination(b, &o[0], kind_of(r->form[0], p), &in->dst[0]))
        return false;
    in->dst_count = 1;
    for (unsigned i = 1; r->form[i]; i++) {
        if (r->form[i] == '-') {
            in->imm = o[i].value;
            if (o[i].kind != CMPD_PTX_O_INT)
                return false;
            continue;
        }
        const enum cmpd_ptx_type t = r->form[i] == '2' ? p->types[1] : p->types[0];
        if (in->src_count == 4 ||
            !emu_bind_operand(b, &o[i], kind_of(r->form[i], p), t, &in->src[in->src_count]))
            return false;
        in->src_count++;
    }
    return true;
}

/* ---- opcodes with bind functions ---- */

static emu_bind *const binders[CMPD_PTX_OP_COUNT] = {
    [CMPD_PTX_OP_ld] = emu_bind_ld,
    [CMPD_PTX_OP_ldu] = emu_bind_ld,
    [CMPD_PTX_OP_st] = emu_bind_st,
    [CMPD_PTX_OP_mov] = emu_bind_mov,
    [CMPD_PTX_OP_cvta] = emu_bind_cvta,
    [CMPD_PTX_OP_cvt] = emu_bind_cvt,
    [CMPD_PTX_OP_setp] = emu_bind_setp,
    [CMPD_PTX_OP_set] = emu_bind_set,
    [CMPD_PTX_OP_testp] = emu_bind_testp,
    [CMPD_PTX_OP_isspacep] = emu_bind_isspacep,
    [CMPD_PTX_OP_bra] = emu_bind_bra,
    [CMPD_PTX_OP_brx] = emu_bind_brx,
    [CMPD_PTX_OP_call] = emu_bind_call,
    [CMPD_PTX_OP_ret] = emu_bind_ret,
    [CMPD_PTX_OP_exit] = emu_bind_exit,
    [CMPD_PTX_OP_trap] = emu_bind_trap,
    [CMPD_PTX_OP_brkpt] = emu_bind_trap,
    [CMPD_PTX_OP_bar] = emu_bind_bar,
    [CMPD_PTX_OP_barrier] = emu_bind_bar,
    [CMPD_PTX_OP_shfl] = emu_bind_shfl,
    [CMPD_PTX_OP_vote] = emu_bind_vote,
    [CMPD_PTX_OP_match] = emu_bind_match,
    [CMPD_PTX_OP_redux] = emu_bind_redux,
    [CMPD_PTX_OP_activemask] = emu_bind_activemask,
    [CMPD_PTX_OP_membar] = emu_bind_fence,
    [CMPD_PTX_OP_fence] = emu_bind_fence,
    [CMPD_PTX_OP_nanosleep] = emu_bind_nanosleep,
    [CMPD_PTX_OP_prefetch] = emu_bind_nothing,
    [CMPD_PTX_OP_prefetchu] = emu_bind_nothing,
    [CMPD_PTX_OP_applypriority] = emu_bind_nothing,
    [CMPD_PTX_OP_pmevent] = emu_bind_nothing,
    [CMPD_PTX_OP_atom] = emu_bind_atom,
    [CMPD_PTX_OP_red] = emu_bind_atom,
    [CMPD_PTX_OP_cp] = emu_bind_cp,
    [CMPD_PTX_OP_vadd2] = emu_bind_video,
    [CMPD_PTX_OP_vadd4] = emu_bind_video,
    [CMPD_PTX_OP_vsub2] = emu_bind_video,
    [CMPD_PTX_OP_vsub4] = emu_bind_video,
    [CMPD_PTX_OP_vavrg2] = emu_bind_video,
    [CMPD_PTX_OP_vavrg4] = emu_bind_video,
    [CMPD_PTX_OP_vabsdiff2] = emu_bind_video,
    [CMPD_PTX_OP_vabsdiff4] = emu_bind_video,
    [CMPD_PTX_OP_vmin2] = emu_bind_video,
    [CMPD_PTX_OP_vmin4] = emu_bind_video,
    [CMPD_PTX_OP_vmax2] = emu_bind_video,
    [CMPD_PTX_OP_vmax4] = emu_bind_video,
    [CMPD_PTX_OP_createpolicy] = emu_bind_policy,
    [CMPD_PTX_OP_alloca] = emu_bind_alloca,
    [CMPD_PTX_OP_stacksave] = emu_bind_alloca,
    [CMPD_PTX_OP_stackrestore] = emu_bind_alloca,
    [CMPD_PTX_OP_mbarrier] = emu_bind_mbarrier,
    [CMPD_PTX_OP_mma] = emu_bind_mma,
    [CMPD_PTX_OP_wmma] = emu_bind_wmma,
    [CMPD_PTX_OP_ldmatrix] = emu_bind_ldmatrix,
    [CMPD_PTX_OP_stmatrix] = emu_bind_ldmatrix,
    [CMPD_PTX_OP_movmatrix] = emu_bind_movmatrix,
};

bool emu_bind_knows(enum cmpd_ptx_op op)
{
    for (unsigned t = 0; emu_ops_baseline.tables[t]; t++)
        for (const struct emu_row *r = emu_ops_baseline.tables[t]; r->op; r++)
            if (r->op == op)
                return true;
    return binders[op] != NULL;
}

static void bind_ins(struct emu_binder *b, uint32_t index, struct emu_ins *in)
{
    const struct cmpd_ptx_ins *p = &b->m->ptx->ins[index];
    const struct emu_operand nothing = {.place = EMU_SINK, .reg = CMPD_PTX_NONE};
    struct emu_ins fresh = {.ptx = index, .guard = p->guard, .guard_offset = CMPD_PTX_NONE};
    for (unsigned i = 0; i < 4; i++)
        fresh.src[i] = nothing;
    fresh.dst[0] = fresh.dst[1] = nothing;
    fresh.vec = 1;
    if (p->guard != CMPD_PTX_NONE) {
        fresh.guard_offset = b->register_offset[p->guard];
        fresh.guard_negated = p->guard_negated;
    }
    *in = fresh;
    b->why = NULL;
    bool done = p->op < CMPD_PTX_OP_COUNT && binders[p->op] && binders[p->op](b, p, in);
    if (!done && !b->why) {
        *in = fresh;
        done = emu_bind_row(b, p, in);
    }
    if (done && b->full) {
        b->why = "too many constants";
        done = false;
    }
    if (!done)
        in->run = NULL;
    if (!done && b->f->unsupported == EMU_NO_INS) {
        b->f->unsupported = index;
        b->f->unsupported_why = cmpd_strdup(b->why);
    }
}

/* ---- frames ---- */

static uint32_t lane_bytes(enum cmpd_ptx_type t)
{
    return t == CMPD_PTX_PRED ? 4 : cmpd_ptx_type_size(t) == 8 ? 8 * EMU_LANES : 4 * EMU_LANES;
}

struct classes {
    uint32_t predicates, narrow, wide;
};
static struct classes count_registers(const struct cmpd_ptx_function *f)
{
    struct classes c = {0};
    for (uint32_t i = 0; i < f->register_count; i++) {
        const uint32_t bytes = lane_bytes(f->registers[i].type);
        c.predicates += bytes == 4;
        c.narrow += bytes == 4 * EMU_LANES;
        c.wide += bytes == 8 * EMU_LANES;
    }
    return c;
}

/*
 * Functions that are called share one layout: lanes of one warp may stand in different functions at one depth, and a
 * lane's column must be its own whatever the other lanes run. A kernel's frame is nobody else's.
 */
static struct classes frame_classes(const struct emu_module *m, const struct emu_function *f)
{
    if (f->ptx->entry)
        return count_registers(f->ptx);
    return (struct classes){m->called_predicates, m->called_narrow, m->called_wide};
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
void emu_bind_frames(struct emu_module *m)
{
    for (uint32_t i = 0; i < m->ptx->function_count; i++) {
        if (m->ptx->functions[i].entry)
            continue;
        const struct classes c = count_registers(&m->ptx->functions[i]);
        m->called_predicates = larger(m->called_predicates, c.predicates);
        m->called_narrow = larger(m->called_narrow, c.narrow);
        m->called_wide = larger(m->called_wide, c.wide);
    }
}

static uint32_t *place_registers(const struct emu_module *m, struct emu_function *f)
{
    const struct classes c = frame_classes(m, f);
    uint32_t *offset = cmpd_calloc(f->ptx->register_count + 1, sizeof *offset);
    uint32_t wide = 0, narrow = c.wide * 8 * EMU_LANES;
    uint32_t predicate = narrow + c.narrow * 4 * EMU_LANES;
    f->register_bytes = (predicate + c.predicates * 4 + 127) & ~127u;
    for (uint32_t i = 0; i < f->ptx->register_count; i++) {
        const uint32_t bytes = lane_bytes(f->ptx->registers[i].type);
        uint32_t *next = bytes == 4 ? &predicate : bytes == 4 * EMU_LANES ? &narrow : &wide;
        offset[i] = *next;
        *next += bytes;
    }
    return offset;
}

/* Local variables, the params of calls and, of a function, its own params and results. */
static void place_locals(struct emu_module *m, struct emu_function *f)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->ptx->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &m->ptx->variables[i];
        const bool framed = v->space == CMPD_PTX_SPACE_LOCAL ||
                            (v->space == CMPD_PTX_SPACE_PARAM &&
                             !(f->ptx->entry && emu_is_param(f, i)));
        if (v->function != f->index || !framed)
            continue;
        const uint64_t align = v->align ? v->align : 1;
        at = (at + align - 1) & ~(align - 1);
        m->variable_address[i] = at;
        at += v->size;
        if (at > EMU_LOCAL_BYTES)
            break;
    }
    f->local_bytes = at > EMU_LOCAL_BYTES ? EMU_LOCAL_BYTES + 1 : (uint32_t)((at + 15) & ~15u);
}

static void note_callee(struct emu_function *f, uint32_t callee, uint32_t *cap)
{
    for (uint32_t i = 0; i < f->callee_count; i++)
        if (f->callees[i] == callee)
            return;
    CMPD_GROW(f->callees, f->callee_count + 1, *cap);
    f->callees[f->callee_count++] = callee;
}
static void note_slot(struct emu_module *m, struct emu_function *f, uint32_t variable,
                      uint32_t *cap)
{
    const uint32_t slot = (uint32_t)(m->variable_address[variable] >> EMU_SHARED_SLOT_BITS);
    for (uint32_t i = 0; i < f->shared_slot_count; i++)
        if (f->shared_slots[i] == slot)
            return;
    CMPD_GROW(f->shared_slots, f->shared_slot_count + 1, *cap);
    f->shared_slots[f->shared_slot_count++] = slot;
}

/* Functions and shared variables that an operand names, those inside lists and vectors too. */
static void note_names(struct emu_module *m, struct emu_function *f,
                       const struct cmpd_ptx_operand *o, uint32_t caps[2])
{
    const bool nest = o->kind == CMPD_PTX_O_VECTOR || o->kind == CMPD_PTX_O_LIST ||
                      o->kind == CMPD_PTX_O_ADDRESS || o->kind == CMPD_PTX_O_PAIR;
    if (o->kind == CMPD_PTX_O_FUNCTION)
        note_callee(f, o->index, &caps[0]);
    else if (o->kind == CMPD_PTX_O_TABLE && m->ptx->tables[o->index].functions)
        for (uint32_t i = 0; i < m->ptx->tables[o->index].count; i++)
            note_callee(f, m->ptx->tables[o->index].targets[i], &caps[0]);
    else if (o->kind == CMPD_PTX_O_VARIABLE &&
             m->ptx->variables[o->index].space == CMPD_PTX_SPACE_SHARED)
        note_slot(m, f, o->index, &caps[1]);
    else if (nest) {
        const uint32_t count = o->kind == CMPD_PTX_O_PAIR ? 2 : o->count ? o->count : 1;
        for (uint32_t i = 0; i < count; i++)
            note_names(m, f, &m->ptx->operands[o->index + i], caps);
    }
}

static void note_all_names(struct emu_module *m, struct emu_function *f)
{
    uint32_t caps[2] = {0};
    for (uint32_t i = 0; i < f->ptx->count; i++) {
        const struct cmpd_ptx_ins *p = &m->ptx->ins[f->ptx->first + i];
        for (unsigned k = 0; k < p->operand_count; k++)
            note_names(m, f, &m->ptx->operands[p->operands + k], caps);
        if (p->op == CMPD_PTX_OP_membar || p->op == CMPD_PTX_OP_fence ||
            f->code[i].flags & (EMU_F_ACQUIRE | EMU_F_RELEASE))
            f->uses_fence = true;
    }
}

void emu_function_bind(struct emu_module *m, uint32_t function)
{
    struct emu_function *f = &m->functions[function];
    if (f->bound || !f->ptx->defined)
        return;
    f->bound = true;
    uint32_t *offset = place_registers(m, f);
    place_locals(m, f);
    f->code = cmpd_calloc(f->ptx->count + 1, sizeof *f->code);
    const bool v3 = !m->device->baseline_code && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    struct emu_binder b = {
        .m = m, .f = f, .ops = v3 ? &emu_ops_v3 : &emu_ops_baseline, .register_offset = offset};
    for (uint32_t i = 0; i < f->ptx->count; i++)
        bind_ins(&b, f->ptx->first + i, &f->code[i]);
    if (f->local_bytes > EMU_LOCAL_BYTES && f->unsupported == EMU_NO_INS) {
        f->unsupported = f->ptx->first;
        f->unsupported_why = cmpd_strdup("more local memory than a thread may have");
    }
    note_all_names(m, f);
    emu_flow_live_in(m, f);
    free(offset);
}

/* ---- what a kernel reaches ---- */

struct reach {
    struct emu_module *m;
    uint8_t *seen;
    uint32_t *todo;
    uint32_t todo_count;
    uint32_t bad;
    bool fence, pointers;
};

static void reach_add(struct reach *r, uint32_t f)
{
    if (f < r->m->ptx->function_count && !r->seen[f]) {
        r->seen[f] = 1;
        r->todo[r->todo_count++] = f;
    }
}

/* Functions whose address stands in a variable: an indirect call may reach them. */
static void reach_tables(struct reach *r)
{
    if (r->pointers)
        return;
    r->pointers = true;
    for (uint32_t i = 0; i < r->m->ptx->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &r->m->ptx->variables[i];
        for (uint32_t k = 0; k < v->relocation_count; k++)
            if (v->relocations[k].function)
                reach_add(r, v->relocations[k].target);
    }
}

static void reach_run(struct reach *r)
{
    while (r->todo_count) {
        const uint32_t i = r->todo[--r->todo_count];
        struct emu_function *f = &r->m->functions[i];
        if (!f->ptx->defined) {
            if (emu_builtin_find(f->ptx->name) == CMPD_PTX_NONE && r->bad == CMPD_PTX_NONE)
                r->bad = i;
            continue;
        }
        emu_function_bind(r->m, i);
        if (f->unsupported != EMU_NO_INS && r->bad == CMPD_PTX_NONE)
            r->bad = i;
        r->fence |= f->uses_fence;
        for (uint32_t k = 0; k < f->callee_count; k++)
            reach_add(r, f->callees[k]);
        if (f->calls_pointers)
            reach_tables(r);
    }
}

uint8_t *emu_function_reach(struct emu_module *m, uint32_t kernel, uint32_t *bad, bool *fence)
{
    struct reach r = {.m = m, .bad = CMPD_PTX_NONE};
    r.seen = cmpd_calloc(m->ptx->function_count + 1, 1);
    r.todo = cmpd_calloc(m->ptx->function_count + 1, sizeof *r.todo);
    reach_add(&r, kernel);
    reach_run(&r);
    free(r.todo);
    *bad = r.bad;
    *fence = r.fence;
    return r.seen;
}

uint64_t emu_module_shared_bytes(struct emu_module *m, uint32_t function)
{
    uint32_t bad;
    bool fence;
    uint64_t bytes = 0;
    uint8_t *seen = emu_function_reach(m, function, &bad, &fence);
    uint8_t *slots = cmpd_calloc(m->shared_slot_count, 1);
    for (uint32_t i = 0; i < m->ptx->function_count; i++)
        for (uint32_t k = 0; seen[i] && k < m->functions[i].shared_slot_count; k++)
            slots[m->functions[i].shared_slots[k]] = 1;
    for (uint32_t i = 2; i < m->shared_slot_count; i++)
        if (slots[i])
            bytes += m->ptx->variables[m->shared_variable[i]].size;
    free(slots);
    free(seen);
    return bytes;
}

uint64_t emu_module_local_bytes(struct emu_module *m, uint32_t function)
{
    emu_function_bind(m, function);
    return m->functions[function].local_bytes;
}
