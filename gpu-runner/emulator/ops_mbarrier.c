/*
 * mbarrier in shared memory. The object is opaque to programs; here its 64 bits are: arrivals still missing in this
 * phase (20), arrivals of a phase (20), number of the phase (24). A state token is the object as it stood before.
 */
#include "gpu-runner/emulator/exec.h"

enum {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,
    MBARRIER_TEST,
    MBARRIER_PARITY,
    MBARRIER_PENDING,
    MBARRIER_COPIES
};
#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

static uint64_t make(uint64_t pending, uint64_t expected, uint64_t phase)
{
    return (pending & COUNT_MASK) | (expected & COUNT_MASK) << COUNT_BITS |
           phase << (2 * COUNT_BITS);
}
static uint64_t pending_of(uint64_t v)
{
    return v & COUNT_MASK;
}
static uint64_t expected_of(uint64_t v)
{
    return v >> COUNT_BITS & COUNT_MASK;
}
static uint64_t phase_of(uint64_t v)
{
    return v >> (2 * COUNT_BITS);
}

static uint64_t address_of(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const uint64_t a = emu_get(w, &in->src[0], l) + (uint64_t)in->imm;
    return in->narrow_address ? (uint32_t)a : a;
}

/* The object, checked as an atomic's operand; *at to change it. False: a fault was reported. */
static bool object(struct emu_warp *w, const struct emu_ins *in, unsigned l, struct emu_bytes *at,
                   uint64_t *value)
{
    const bool begins = in->mode == MBARRIER_INIT;
    const uint64_t none = 0;
    if (!emu_access(w, in, l, address_of(w, in, l), 8, in->space, begins ? EMU_WRITE : EMU_ATOMIC,
                    &none, at))
        return false;
    memcpy(value, at->data, 8);
    if (begins)
        return true;
    if (at->shadow[0] == EMU_UNWRITTEN) {
        emu_report(w, in, l, CMPD_TAG_uninitialized_read, false,
                   "an mbarrier that was not initialised");
        return false;
    }
    return true;
}

static void put_object(struct emu_warp *w, struct emu_bytes *at, uint64_t value)
{
    memcpy(at->data, &value, 8);
    memset(at->shadow, EMU_WRITTEN, 8);
    w->launch->writes++;
}

static uint64_t after_arrival(uint64_t v, uint64_t count, bool drop)
{
    const uint64_t expected = expected_of(v) - (drop ? count : 0);
    const uint64_t left = pending_of(v) > count ? pending_of(v) - count : 0;
    return left ? make(left, expected, phase_of(v)) : make(expected, expected, phase_of(v) + 1);
}

static void one_lane(struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    struct emu_bytes at;
    uint64_t v;
    const uint64_t second = in->src_count > 1 ? emu_get(w, &in->src[1], l) : 1;
    if (!object(w, in, l, &at, &v))
        return;
    switch (in->mode) {
    case MBARRIER_INIT:
        put_object(w, &at, make(second, second, 0));
        return;
    case MBARRIER_INVAL:
        put_object(w, &at, 0);
        return;
    case MBARRIER_COPIES:
    case MBARRIER_ARRIVE:
    case MBARRIER_DROP:
        emu_block_signal(w, address_of(w, in, l));
        put_object(w, &at, after_arrival(v, second, in->mode == MBARRIER_DROP));
        if (in->dst_count)
            emu_put(w, &in->dst[0], l, v);
        return;
    default: {
        const bool done = in->mode == MBARRIER_TEST ? phase_of(v) != phase_of(second)
                                                    : (phase_of(v) & 1) != (second & 1);
        if (done)
            emu_block_acquire(w, address_of(w, in, l), 1u << l);
        emu_set_predicate(w, &in->dst[0], 1u << l, done ? EMU_FULL : 0);
    }
    }
}

static void run_mbarrier(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    for (unsigned i = 0; i < in->dst_count; i++)
        emu_taint_clear(w, in->dst[i].reg, m);
    EMU_BITS(m, l)
    one_lane(w, in, l);
}
/* What the thread has copied so far arrives, then it arrives itself. (.noinc; else the count is as before.) */
static void run_copies(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    emu_async_wait(w, m, 0, true);
    if (in->combine)
        run_mbarrier(w, in, m);
}
static void run_pending(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t *d = emu_dst(w, in, 0);
    EMU_BITS(m, l)
    d[l] = (uint32_t)pending_of(emu_get(w, &in->src[0], l));
}

static bool bind_object(struct emu_binder *b, const struct cmpd_ptx_ins *p,
                        const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    if (!emu_bind_address(b, o, in) || in->mode)
        return false;
    in->space = emu_has(p, CMPD_PTX_MOD_shared) || emu_has(p, CMPD_PTX_MOD_shared_cta)
                    ? CMPD_PTX_SPACE_SHARED
                    : CMPD_PTX_SPACE_GENERIC;
    in->flags |= EMU_F_ACQUIRE | EMU_F_RELEASE | EMU_F_CTA;
    in->taint = EMU_TAINT_LOAD;
    in->run = run_mbarrier;
    return true;
}

static bool bind_arrive(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count < 2 || p->operand_count > 3 || emu_has(p, CMPD_PTX_MOD_expect_tx) ||
        !bind_object(b, p, &o[1], in) || !emu_bind_destination(b, &o[0], EMU_W64, &in->dst[0]))
        return false;
    in->mode = emu_has(p, CMPD_PTX_MOD_arrive_drop) ? MBARRIER_DROP : MBARRIER_ARRIVE;
    in->dst_count = 1;
    in->src_count = p->operand_count - 1;
    return p->operand_count == 2 || emu_bind_operand(b, &o[2], EMU_W32, CMPD_PTX_U32, &in->src[1]);
}

static bool bind_wait(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool parity = emu_has(p, CMPD_PTX_MOD_parity);
    if (p->operand_count < 3 || !bind_object(b, p, &o[1], in) ||
        !emu_bind_destination(b, &o[0], EMU_WPRED, &in->dst[0]))
        return false;
    in->mode = parity ? MBARRIER_PARITY : MBARRIER_TEST;
    in->dst_count = 1;
    in->src_count = 2;
    return emu_bind_operand(b, &o[2], parity ? EMU_W32 : EMU_W64,
                            parity ? CMPD_PTX_U32 : CMPD_PTX_B64, &in->src[1]);
}

bool emu_bind_mbarrier(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (emu_has(p, CMPD_PTX_MOD_arrive) || emu_has(p, CMPD_PTX_MOD_arrive_drop))
        return bind_arrive(b, p, in);
    if (emu_has(p, CMPD_PTX_MOD_test_wait) || emu_has(p, CMPD_PTX_MOD_try_wait))
        return bind_wait(b, p, in);
    if (emu_has(p, CMPD_PTX_MOD_pending_count)) {
        in->run = run_pending;
        in->dst_count = in->src_count = 1;
        return p->operand_count == 2 && emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]) &&
               emu_bind_operand(b, &o[1], EMU_W64, CMPD_PTX_B64, &in->src[0]);
    }
    const bool begins = emu_has(p, CMPD_PTX_MOD_init);
    if ((!begins && !emu_has(p, CMPD_PTX_MOD_inval)) || p->operand_count != (begins ? 2 : 1) ||
        !bind_object(b, p, &o[0], in))
        return false;
    in->mode = begins ? MBARRIER_INIT : MBARRIER_INVAL;
    in->src_count = begins ? 2 : 1;
    return !begins || emu_bind_operand(b, &o[1], EMU_W32, CMPD_PTX_U32, &in->src[1]);
}

/* cp.async.mbarrier.arrive{.noinc} */
bool emu_bind_copies_arrive(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    if (p->operand_count != 1 || !bind_object(b, p, &b->m->ptx->operands[p->operands], in))
        return false;
    in->mode = MBARRIER_COPIES;
    in->combine = emu_has(p, CMPD_PTX_MOD_noinc);
    in->run = run_copies;
    return true;
}
