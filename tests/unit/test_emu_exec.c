/*
 * The emulated device's control flow, by small kernels in PTX: paths that part and meet, calls, collectives, barriers,
 * what never ends. Each runs in both flavours of the handlers and in several orders of the schedule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/device_text.h"
#include "gpu-runner/emulator/emu.h"

#define WORDS 256

/* Every kernel gets %out (its only parameter, a buffer of WORDS words), %t (thread in the block), %b (block). */
#define HEAD(declarations)                                                             \
    ".version 8.5\n.target sm_80\n.address_size 64\n" declarations                     \
    "\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n"     \
    ".reg .b32 %r<32>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<16>;\n.reg .b32 %t, %b, %x;\n" \
    ".reg .b64 %out, %at;\n"                                                           \
    "ld.param.u64 %out, [p];\ncvta.to.global.u64 %out, %out;\nmov.u32 %t, %tid.x;\n"   \
    "mov.u32 %b, %ctaid.x;\nmov.u32 %x, %ntid.x;\nmad.lo.s32 %x, %b, %x, %t;\n"        \
    "mul.wide.u32 %at, %x, 4;\nadd.s64 %at, %out, %at;\n"
#define KERNEL(body)             HEAD("") body "\nret;\n}\n"
#define KERNEL_WITH(decls, body) HEAD(decls) body "\nret;\n}\n"

struct outcome {
    enum cmpd_launch_end end;
    uint32_t words[WORDS];
    uint64_t unwritten;
    struct cmpd_sightings sightings;
    char output[256];
};

struct how {
    uint32_t blocks, threads, seed;
    uint64_t budget;
    bool baseline, cooperative;
};

static void run(const char *text, struct how how, struct outcome *o)
{
    struct cmpd_device_options options = {
        .cancel_fd = -1, .schedule_seed = how.seed, .lane_instructions = how.budget};
    const struct cmpd_device_ops *ops = &cmpd_device_emulator;
    struct cmpd_device *d = NULL;
    struct cmpd_err err = {0};
    uint32_t module;
    uint64_t address, first;
    const uint32_t zeros[WORDS] = {0};
    memset(o, 0, sizeof *o);
    assert_int_equal(ops->open(&options, &d, &err), CMPD_OK);
    ((struct emu_device *)d)->baseline_code = how.baseline;
    if (emu_device_load_text(d, text, strlen(text), &module, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(ops->alloc(d, sizeof o->words, CMPD_MEMORY_DEVICE, -1, "out", &address, &err),
                     CMPD_OK);
    assert_int_equal(ops->write(d, address, zeros, sizeof zeros, &err), CMPD_OK);
    struct cmpd_launch l = {.module = module,
                            .kernel = "k",
                            .grid = {how.blocks ? how.blocks : 1, 1, 1},
                            .block = {how.threads ? how.threads : 32, 1, 1},
                            .cooperative = how.cooperative,
                            .params = &address,
                            .param_bytes = 8};
    struct cmpd_launch_result result;
    assert_int_equal(ops->launch(d, &l, &result, &o->sightings, &err), CMPD_OK);
    o->end = result.end;
    assert_int_equal(ops->read(d, o->words, address, sizeof o->words, &err), CMPD_OK);
    assert_int_equal(ops->unwritten(d, address, sizeof o->words, &o->unwritten, &first, &err),
                     CMPD_OK);
    snprintf(o->output, sizeof o->output, "%s", cmpd_buf_str(&((struct emu_device *)d)->output));
    ops->close(d);
}

static bool seen(const struct outcome *o, enum cmpd_tag tag, bool note)
{
    for (size_t i = 0; i < o->sightings.count; i++)
        if (o->sightings.items[i].tag == tag && o->sightings.items[i].note == note)
            return true;
    return false;
}

static void no_faults(const struct outcome *o)
{
    for (size_t i = 0; i < o->sightings.count; i++)
        if (!o->sightings.items[i].note)
            fail_msg("%s", o->sightings.items[i].message);
}

typedef uint32_t expected(uint32_t x);

/* In both flavours and three orders: ends well, sees nothing, and word x is what is expected of thread x. */
static void good(const char *text, uint32_t blocks, uint32_t threads, expected *want)
{
    for (unsigned i = 0; i < 6; i++) {
        struct outcome o;
        run(text,
            (struct how){
                .blocks = blocks, .threads = threads, .seed = i / 2 * 7, .baseline = i & 1},
            &o);
        no_faults(&o);
        assert_int_equal(o.end, CMPD_LAUNCH_DONE);
        for (uint32_t x = 0; x < blocks * threads && x < WORDS; x++)
            if (o.words[x] != want(x))
                fail_msg("thread %u: %u, not %u (order %u)", x, o.words[x], want(x), i);
        cmpd_sightings_clear(&o.sightings);
    }
}

static void ends(const char *text, struct how how, enum cmpd_launch_end end, enum cmpd_tag tag)
{
    struct outcome o;
    run(text, how, &o);
    assert_int_equal(o.end, end);
    if (!seen(&o, tag, false))
        fail_msg("not seen: %s", cmpd_tag_info(tag)->name);
    cmpd_sightings_clear(&o.sightings);
}

/* ---- paths ---- */

static uint32_t want_nested(uint32_t x)
{
    x %= 48;
    return x < 10 ? (x & 1 ? 100 + x : 200 + x) : (x % 3 ? 300 : 400);
}
static void nested_branches(void **state)
{
    (void)state;
    good(
        KERNEL(
            "setp.lt.u32 %p1, %t, 10;\n@!%p1 bra B;\n"
            "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra A0;\n"
            "add.u32 %r2, %t, 100;\nbra END;\nA0: add.u32 %r2, %t, 200;\nbra END;\n"
            "B: rem.u32 %r1, %t, 3;\nsetp.eq.u32 %p2, %r1, 0;\nmov.u32 %r2, 300;\n@%p2 mov.u32 %r2, 400;\n"
            "END: st.global.u32 [%at], %r2;"),
        2, 48, want_nested);
}

static uint32_t want_trips(uint32_t x)
{
    uint32_t n = (x % 64) * 7 % 13, s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += i * i;
    return s;
}
static void loops_of_different_length(void **state)
{
    (void)state;
    good(KERNEL("mul.lo.u32 %r1, %t, 7;\nrem.u32 %r1, %r1, 13;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                "L: setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra END;\nmad.lo.u32 %r3, %r2, %r2, %r3;\n"
                "add.u32 %r2, %r2, 1;\nbra L;\nEND: st.global.u32 [%at], %r3;"),
         3, 64, want_trips);
}

static uint32_t want_table(uint32_t x)
{
    static const uint32_t values[] = {11, 22, 33, 44};
    return values[x % 4];
}
static void branch_tables(void **state)
{
    (void)state;
    good(KERNEL(
             "and.b32 %r1, %t, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx %r1, T;\n"
             "A: mov.u32 %r2, 11;\nbra END;\nB: mov.u32 %r2, 22;\nbra END;\n"
             "C: mov.u32 %r2, 33;\nbra END;\nD: mov.u32 %r2, 44;\nEND: st.global.u32 [%at], %r2;"),
         1, 64, want_table);
}

/* ---- calls ---- */

#define FACTORIAL                                                                      \
    ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a<4>;\n" \
    "ld.param.u32 %a1, [n];\nsetp.gt.u32 %q, %a1, 1;\n@%q bra MORE;\n"                 \
    "mov.u32 %a2, 1;\nbra OUT;\nMORE: sub.u32 %a3, %a1, 1;\n{\n.param .b32 n0;\n"      \
    ".param .b32 r0;\nst.param.b32 [n0], %a3;\ncall (r0), fact, (n0);\n"               \
    "ld.param.b32 %a2, [r0];\n}\nmul.lo.u32 %a2, %a2, %a1;\n"                          \
    "OUT: st.param.b32 [r], %a2;\nret;\n}\n"
#define SQUARE                                                                          \
    ".func (.param .b32 r) square(.param .b32 n)\n{\n.reg .b64 %w;\n.reg .b32 %a<3>;\n" \
    "ld.param.u32 %a1, [n];\nmul.wide.u32 %w, %a1, %a1;\ncvt.u32.u64 %a2, %w;\n"        \
    "st.param.b32 [r], %a2;\nret;\n}\n"
#define CALL(result, f, n)                                                          \
    "{\n.param .b32 n1;\n.param .b32 r1;\nst.param.b32 [n1], " n ";\ncall (r1), " f \
    ", (n1);\nld.param.b32 " result ", [r1];\n}\n"

static uint32_t want_calls(uint32_t x)
{
    uint32_t f = 1;
    for (uint32_t i = 2; i <= x % 8; i++)
        f *= i;
    return x & 1 ? f : x * x;
}
/* Lanes stand in different functions, at different depths, at one time. */
static void calls_that_part(void **state)
{
    (void)state;
    good(KERNEL_WITH(FACTORIAL SQUARE,
                     "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra S;\n"
                     "and.b32 %r2, %t, 7;\n" CALL(
                         "%r3", "fact", "%r2") "bra END;\n"
                                               "S:\n" CALL("%r3", "square",
                                                           "%t") "END: st.global.u32 [%at], %r3;"),
         1, 96, want_calls);
}

static void indirect_calls(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             FACTORIAL SQUARE ".global .align 8 .u64 tab[2] = {square, fact};\n",
             "and.b32 %r1, %t, 1;\nmul.wide.u32 %rd1, %r1, 8;\nmov.u64 %rd2, tab;\n"
             "add.s64 %rd2, %rd2, %rd1;\nld.global.u64 %rd3, [%rd2];\nand.b32 %r2, %t, 7;\n"
             "setp.eq.u32 %p1, %r1, 0;\nselp.b32 %r2, %t, %r2, %p1;\n"
             "{\n.param .b32 n1;\n.param .b32 r1;\nst.param.b32 [n1], %r2;\n"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "call (r1), %rd3, (n1), P;\nld.param.b32 %r3, [r1];\n}\nst.global.u32 [%at], %r3;"),
         1, 64, want_calls);
    ends(
        KERNEL_WITH(SQUARE,
                    "mov.u64 %rd3, 4096;\n{\n.param .b32 n1;\n.param .b32 r1;\n"
                    "st.param.b32 [n1], %t;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                    "call (r1), %rd3, (n1), P;\n}"),
        (struct how){0}, CMPD_LAUNCH_FAULT, CMPD_TAG_crashed);
}

static uint32_t want_alloca(uint32_t x)
{
    return x * 3;
}
static void stacks(void **state)
{
    (void)state;
    good(KERNEL("add.u32 %r1, %t, 1;\nmul.wide.u32 %rd1, %r1, 4;\nalloca.u64 %rd2, %rd1, 8;\n"
                "mul.lo.u32 %r2, %t, 3;\nst.local.u32 [%rd2], %r2;\ncvta.local.u64 %rd3, %rd2;\n"
                "ld.u32 %r3, [%rd3];\nst.global.u32 [%at], %r3;"),
         1, 64, want_alloca);
}

/* ---- collectives ---- */

static uint32_t want_halves(uint32_t x)
{
    return x % 32 < 16 ? (x % 32 + 1) % 16 + x / 32 * 32 : 1000 + (x % 32 - 16 + 3) % 16;
}
/* Each half of a warp shuffles with a mask of its own, on a path of its own. */
static void shuffles_by_half(void **state)
{
    (void)state;
    good(KERNEL("mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra B;\n"
                "add.u32 %r2, %r1, 1;\nand.b32 %r2, %r2, 15;\n"
                "shfl.sync.idx.b32 %r3|%p2, %x, %r2, 31, 0xffff;\nbra END;\n"
                "B: add.u32 %r2, %r1, 3;\nand.b32 %r2, %r2, 15;\nadd.u32 %r2, %r2, 16;\n"
                "add.u32 %r4, %r1, 984;\nshfl.sync.idx.b32 %r3|%p2, %r4, %r2, 31, 0xffff0000;\n"
                "END: st.global.u32 [%at], %r3;"),
         1, 64, want_halves);
}

static uint32_t want_warp_barrier(uint32_t x)
{
    return x % 32 < 8 ? 7 - x % 32 : 0;
}
/* bar.warp.sync of some lanes orders those, whatever the others do; they may come from different places. */
static void warp_barriers(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             ".shared .align 4 .b8 s[64];\n",
             "mov.u32 %r1, %laneid;\nmov.u32 %r9, 0;\nsetp.ge.u32 %p1, %r1, 8;\n@%p1 bra END;\n"
             "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, 4, %r2;\nst.shared.u32 [%r3], %r1;\n"
             "setp.lt.u32 %p2, %r1, 4;\n@%p2 bra A;\nbar.warp.sync 0xff;\nbra C;\n"
             "A: bar.warp.sync 0xff;\nC: xor.b32 %r4, %r1, 7;\nmad.lo.u32 %r5, %r4, 4, %r2;\n"
             "ld.shared.u32 %r9, [%r5];\nEND: st.global.u32 [%at], %r9;"),
         1, 32, want_warp_barrier);
}

static void masks(void **state)
{
    (void)state;
    /* Some lanes wait for ever. */
    ends(
        KERNEL(
            "setp.lt.u32 %p1, %t, 16;\n@!%p1 bra L;\nshfl.sync.bfly.b32 %r1|%p2, %t, 1, 31, 0xffffffff;\n"
            "st.global.u32 [%at], %r1;\nbra END;\nL: bar.sync 0;\nEND:"),
        (struct how){0}, CMPD_LAUNCH_STUCK, CMPD_TAG_invalid_warp_mask);
    /* The caller isn't named. */
    ends(KERNEL("vote.sync.ballot.b32 %r1, 1, 0xfffffffe;\nst.global.u32 [%at], %r1;"),
         (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_invalid_warp_mask);
    /* Others went on and did what comes after. */
    ends(KERNEL(
             "mov.u32 %r1, %t;\nsetp.lt.u32 %p1, %t, 16;\n@!%p1 bra END;\n"
             "shfl.sync.bfly.b32 %r1|%p2, %t, 1, 31, 0xffffffff;\nEND: st.global.u32 [%at], %r1;"),
         (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_invalid_warp_mask);
    /* Others returned early: worth a note. */
    struct outcome o;
    run(KERNEL(
            "setp.lt.u32 %p1, %t, 16;\n@!%p1 ret;\nshfl.sync.bfly.b32 %r1|%p2, %t, 1, 31, 0xffffffff;\n"
            "st.global.u32 [%at], %r1;"),
        (struct how){0}, &o);
    assert_int_equal(o.end, CMPD_LAUNCH_DONE);
    no_faults(&o);
    assert_true(seen(&o, CMPD_TAG_invalid_warp_mask, true));
    cmpd_sightings_clear(&o.sightings);
}

/* ---- barriers ---- */

static uint32_t want_exchange(uint32_t x)
{
    return x / 128 * 128 + 127 - x % 128;
}
static void block_barriers(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             ".shared .align 4 .b8 s[512];\n",
             "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nst.shared.u32 [%r3], %x;\nbar.sync 0;\n"
             "xor.b32 %r4, %t, 127;\nmad.lo.u32 %r5, %r4, 4, %r2;\nld.shared.u32 %r6, [%r5];\n"
             "st.global.u32 [%at], %r6;"),
         2, 128, want_exchange);
}

static uint32_t want_consumer(uint32_t x)
{
    return x < 64 ? 0 : (x - 64) * 5;
}
/* Two warps arrive and go on, two wait: barrier 3, 128 threads. */
static void producers_and_consumers(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             ".shared .align 4 .b8 s[256];\n",
             "mov.u32 %r2, s;\nmov.u32 %r9, 0;\nsetp.lt.u32 %p1, %t, 64;\n@!%p1 bra C;\n"
             "mad.lo.u32 %r3, %t, 4, %r2;\nmul.lo.u32 %r4, %t, 5;\nst.shared.u32 [%r3], %r4;\n"
             "bar.arrive 3, 128;\nbra END;\n"
             "C: bar.sync 3, 128;\nadd.u32 %r5, %t, -64;\nmad.lo.u32 %r3, %r5, 4, %r2;\n"
             "ld.shared.u32 %r9, [%r3];\nEND: st.global.u32 [%at], %r9;"),
         1, 128, want_consumer);
}

static uint32_t want_reductions(uint32_t x)
{
    (void)x;
    return 34 + 1000;
}
static void barrier_reductions(void **state)
{
    (void)state;
    good(
        KERNEL(
            "rem.u32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 0;\nbar.red.popc.u32 %r2, 0, %p1;\n"
            "setp.lt.u32 %p2, %t, 200;\nbar.red.and.pred %p3, 0, %p2;\nsetp.eq.u32 %p4, %t, 300;\n"
            "bar.red.or.pred %p5, 0, %p4;\n@%p3 add.u32 %r2, %r2, 1000;\n@%p5 add.u32 %r2, %r2, 5000;\n"
            "st.global.u32 [%at], %r2;"),
        1, 100, want_reductions);
}

static void barriers_gone_wrong(void **state)
{
    (void)state;
    ends(KERNEL_WITH(".file 1 \"k.cu\"\n",
                     ".loc 1 5 1\nsetp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\n.loc 1 6 1\nbar.sync 0;\n"
                     "bra END;\nA:\n.loc 1 7 1\nbar.sync 0;\nEND: st.global.u32 [%at], %t;"),
         (struct how){.threads = 64}, CMPD_LAUNCH_DONE, CMPD_TAG_barrier_divergence);
    ends(
        KERNEL(
            "setp.lt.u32 %p1, %t, 32;\n@!%p1 bra B;\nbar.sync 1, 96;\nB: st.global.u32 [%at], %t;"),
        (struct how){.threads = 64}, CMPD_LAUNCH_STUCK, CMPD_TAG_deadlock);
    ends(KERNEL("setp.lt.u32 %p1, %t, 8;\n@!%p1 bra B;\nbar.sync 0;\nB: st.global.u32 [%at], %t;"),
         (struct how){.threads = 64}, CMPD_LAUNCH_DONE, CMPD_TAG_barrier_divergence);
}

/* ---- what waits, and what never ends ---- */

static uint32_t want_lock(uint32_t x)
{
    return x == 0 ? 64 * 2 : 0;
}
/* Each thread takes a lock, in a loop that the holder must not be kept out of by those who wait. */
static void locks(void **state)
{
    (void)state;
    good(
        KERNEL_WITH(
            ".global .align 4 .u32 lock;\n",
            "mov.u64 %rd1, lock;\nL: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nmembar.gl;\nld.volatile.global.u32 %r2, [%out];\n"
            "add.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%out], %r2;\nmembar.gl;\n"
            "atom.global.exch.b32 %r3, [%rd1], 0;"),
        2, 64, want_lock);
}

static uint32_t want_grid(uint32_t x)
{
    (void)x;
    return 6;
}
/* All blocks wait for the last one to count up: those that fit must be there together. */
static void blocks_that_wait(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             ".global .align 4 .u32 count;\n",
             "mov.u64 %rd1, count;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra W;\n"
             "red.global.add.u32 [%rd1], 1;\n"
             "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p2, %r1, 6;\n@%p2 bra L;\n"
             "W: bar.sync 0;\nld.volatile.global.u32 %r2, [%rd1];\nst.global.u32 [%at], %r2;"),
         6, 32, want_grid);
}

static void loops_that_never_end(void **state)
{
    (void)state;
    ends(KERNEL("L: ld.volatile.global.u32 %r1, [%out];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"),
         (struct how){.threads = 64}, CMPD_LAUNCH_STUCK, CMPD_TAG_timeout);
    ends(KERNEL("mov.u32 %r1, 0;\nL: xor.b32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra L;"),
         (struct how){.threads = 1}, CMPD_LAUNCH_STUCK, CMPD_TAG_timeout);
    /* It counts: no proof, but the budget ends. */
    ends(KERNEL(
             "mov.u64 %rd1, 0;\nL: add.u64 %rd1, %rd1, 1;\nsetp.ne.u64 %p1, %rd1, 0;\n@%p1 bra L;"),
         (struct how){.threads = 32, .budget = 1000000}, CMPD_LAUNCH_BUDGET,
         CMPD_TAG_emulation_budget);
    /* A long loop that does end is none of these. */
    struct outcome o;
    run(KERNEL(
            "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 20000;\n@%p1 bra L;\n"
            "st.global.u32 [%at], %r1;"),
        (struct how){.threads = 32}, &o);
    assert_int_equal(o.end, CMPD_LAUNCH_DONE);
    assert_int_equal(o.words[31], 20000);
    cmpd_sightings_clear(&o.sightings);
}

static void unknown_instructions(void **state)
{
    (void)state;
    struct outcome o;
    run(KERNEL(
            "st.global.u32 [%at], %t;\nsetp.eq.u32 %p1, %t, 77;\n@!%p1 ret;\nfrobnicate.s32 %r1, %t;"),
        (struct how){0}, &o);
    assert_int_equal(o.end, CMPD_LAUNCH_UNSUPPORTED);
    assert_true(seen(&o, CMPD_TAG_not_emulated, false));
    assert_non_null(strstr(o.sightings.items[0].message, "frobnicate.s32"));
    for (unsigned i = 0; i < WORDS; i++) /* never in part */
        assert_int_equal(o.words[i], 0);
    cmpd_sightings_clear(&o.sightings);
}

static void traps(void **state)
{
    (void)state;
    ends(KERNEL("setp.eq.u32 %p1, %t, 7;\n@%p1 trap;\nst.global.u32 [%at], %t;"), (struct how){0},
         CMPD_LAUNCH_FAULT, CMPD_TAG_crashed);
}

/* ---- undefined values ---- */

#define TILE ".shared .align 8 .b8 s[256];\n"
#define READ "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nld.shared.u32 %r4, [%r3];\n"

static void undefined_values(void **state)
{
    (void)state;
    ends(KERNEL_WITH(TILE, READ
                     "setp.eq.u32 %p1, %r4, 5;\n@%p1 bra END;\nst.global.u32 [%at], %t;\nEND:"),
         (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_uninitialized_read);
    ends(
        KERNEL_WITH(TILE, READ
                    "and.b32 %r4, %r4, 31;\nmul.wide.u32 %rd1, %r4, 4;\nadd.s64 %rd1, %rd1, %out;\n"
                    "st.global.u32 [%rd1], %t;"),
        (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_uninitialized_read);
    /* A register that nothing was put in. */
    ends(KERNEL("setp.eq.u32 %p1, %r9, 5;\n@%p1 bra END;\nst.global.u32 [%at], %t;\nEND:"),
         (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_uninitialized_read);
}

static uint32_t want_field(uint32_t x)
{
    return x + 1;
}
/* The written byte of a word that is else unwritten; a product with zero; what a select doesn't choose. */
static void defined_parts(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             TILE,
             "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nadd.u32 %r5, %t, 1;\n"
             "cvt.u16.u32 %h1, %r5;\nst.shared.u8 [%r3+1], %h1;\nld.shared.u32 %r4, [%r3];\n"
             "shr.u32 %r6, %r4, 8;\nand.b32 %r6, %r6, 255;\nbfe.u32 %r7, %r4, 8, 8;\n"
             "mul.lo.u32 %r8, %r4, 0;\nsetp.eq.u32 %p1, %r8, 0;\nselp.b32 %r9, %r6, %r4, %p1;\n"
             "setp.ne.u32 %p2, %r7, %r9;\n@%p2 trap;\nprmt.b32 %r10, %r4, 0, 0x4441;\n"
             "setp.ne.u32 %p2, %r10, %r9;\n@%p2 trap;\nst.global.u32 [%at], %r9;"),
         1, 32, want_field);
}

/* ---- asynchronous copies ---- */

#define COPY                                                                   \
    "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nst.global.u32 [%at], %x;\n" \
    "cp.async.ca.shared.global [%r3], [%at], 4;\ncp.async.commit_group;\n"
static uint32_t want_copy(uint32_t x)
{
    return x * 2;
}
static void asynchronous_copies(void **state)
{
    (void)state;
    good(KERNEL_WITH(TILE, COPY "cp.async.wait_group 0;\nld.shared.u32 %r4, [%r3];\n"
                                "shl.b32 %r4, %r4, 1;\nst.global.u32 [%at], %r4;"),
         1, 32, want_copy);
    ends(
        KERNEL_WITH(TILE, COPY
                    "cp.async.wait_group 1;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%at], %r4;"),
        (struct how){0}, CMPD_LAUNCH_DONE, CMPD_TAG_missing_async_wait);
}

static uint32_t want_mbarrier(uint32_t x)
{
    return 63 - x;
}
static void mbarriers(void **state)
{
    (void)state;
    good(KERNEL_WITH(
             ".shared .align 8 .b64 bar;\n" TILE,
             "mov.u32 %r1, bar;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra R;\n"
             "mbarrier.init.shared.b64 [%r1], 64;\nR: bar.sync 0;\n"
             "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 4, %r2;\nst.shared.u32 [%r3], %t;\n"
             "mbarrier.arrive.shared.b64 %rd1, [%r1];\n"
             "L: mbarrier.test_wait.shared.b64 %p2, [%r1], %rd1;\n@!%p2 bra L;\n"
             "xor.b32 %r4, %t, 63;\nmad.lo.u32 %r5, %r4, 4, %r2;\nld.shared.u32 %r6, [%r5];\n"
             "st.global.u32 [%at], %r6;"),
         1, 64, want_mbarrier);
}

/* ---- functions that the device has ---- */

static void device_printf(void **state)
{
    (void)state;
    struct outcome o;
    run(KERNEL_WITH(
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
            ".global .align 1 .b8 f[10] = {37, 53, 46, 50, 102, 124, 37, 100, 10, 0};\n",
            ".local .align 8 .b8 depot[16];\nsetp.ne.u32 %p1, %t, 3;\n@%p1 ret;\n"
            "mov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\nmov.f64 %rd3, 0d3FF8000000000000;\n"
            "st.local.b64 [%rd1], %rd3;\nst.local.u32 [%rd1+8], %t;\nmov.u64 %rd4, f;\n"
            "cvta.global.u64 %rd5, %rd4;\n{\n.param .b64 a0;\nst.param.b64 [a0], %rd5;\n"
            ".param .b64 a1;\nst.param.b64 [a1], %rd2;\n.param .b32 r0;\n"
            "call.uni (r0), vprintf, (a0, a1);\n}\n"),
        (struct how){0}, &o);
    no_faults(&o);
    assert_int_equal(o.end, CMPD_LAUNCH_DONE);
    assert_string_equal(o.output, " 1.50|3\n");
    cmpd_sightings_clear(&o.sightings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_branches),
        cmocka_unit_test(loops_of_different_length),
        cmocka_unit_test(branch_tables),
        cmocka_unit_test(calls_that_part),
        cmocka_unit_test(indirect_calls),
        cmocka_unit_test(stacks),
        cmocka_unit_test(shuffles_by_half),
        cmocka_unit_test(warp_barriers),
        cmocka_unit_test(masks),
        cmocka_unit_test(block_barriers),
        cmocka_unit_test(producers_and_consumers),
        cmocka_unit_test(barrier_reductions),
        cmocka_unit_test(barriers_gone_wrong),
        cmocka_unit_test(locks),
        cmocka_unit_test(blocks_that_wait),
        cmocka_unit_test(loops_that_never_end),
        cmocka_unit_test(unknown_instructions),
        cmocka_unit_test(traps),
        cmocka_unit_test(undefined_values),
        cmocka_unit_test(defined_parts),
        cmocka_unit_test(asynchronous_copies),
        cmocka_unit_test(mbarriers),
        cmocka_unit_test(device_printf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
