/*
 * conformance CASES [PART]: runs what generate.py wrote on the emulated device, with both sets of handlers, and compares
 * every result. PART: only cases whose name holds it. Exit 1: something differs, something was seen that is no fault,
 * or (without PART) the device has a handler that no case ran.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/emulator/device_text.h"
#include "gpu-runner/emulator/exec.h"

#define MAGIC         "CMPDPTX1"
#define CASES_CEILING ((size_t)1 << 30)
#define SHOWN         3 /* differences named of a case */
#define BUDGET        400000000ull
#define ROWS          4096

enum kind { EXACT, ANY_VALUE, A_NAN, A_RANGE };

/* Of the formats of suite.py: bits and those of the exponent's top. */
static const struct {
    unsigned bits;
    uint64_t infinity;
} formats[] = {{16, 0x7c00}, {16, 0x7f80}, {32, 0x7f800000}, {64, 0x7ff0000000000000}};

struct reader {
    const uint8_t *p, *end;
};

struct test {
    char name[128], kernel[32];
    uint32_t grid[3], block[3], shared, in_len, mem_len, slots;
    const uint8_t *in, *mem, *mem_after; /* borrowed: the file */
};

struct run {
    struct cmpd_device *device;
    const struct emu_ops *ops;
    const char *flavour, *part;
    uint8_t *seen_rows; /* by place in the tables */
    uint8_t seen_ops[CMPD_PTX_OP_COUNT];
    unsigned cases, failed;
    uint64_t values;
};

static const void *take(struct reader *r, size_t len)
{
    const void *p = r->p;
    if ((size_t)(r->end - r->p) < len) {
        fprintf(stderr, "the file of cases is cut short\n");
        exit(2);
    }
    r->p += len;
    return p;
}

static uint32_t take32(struct reader *r)
{
    uint32_t v;
    memcpy(&v, take(r, sizeof v), sizeof v);
    return v;
}

static uint64_t take64(struct reader *r)
{
    uint64_t v;
    memcpy(&v, take(r, sizeof v), sizeof v);
    return v;
}

static void take_test(struct reader *r, struct test *t)
{
    uint16_t name, kernel;
    memcpy(&name, take(r, 2), 2);
    memcpy(&kernel, take(r, 2), 2);
    snprintf(t->name, sizeof t->name, "%.*s", name, (const char *)take(r, name));
    snprintf(t->kernel, sizeof t->kernel, "%.*s", kernel, (const char *)take(r, kernel));
    for (unsigned i = 0; i < 3; i++)
        t->grid[i] = take32(r);
    for (unsigned i = 0; i < 3; i++)
        t->block[i] = take32(r);
    t->shared = take32(r);
    t->in_len = take32(r);
    t->mem_len = take32(r);
    t->slots = take32(r);
    t->in = take(r, t->in_len);
    t->mem = take(r, t->mem_len);
    t->mem_after = take(r, t->mem_len);
}

/* ---- one expectation ---- */

/* Numbers in their order; both zeros are one. */
static int64_t order(uint64_t bits, unsigned format)
{
    uint64_t sign = (uint64_t)1 << (formats[format].bits - 1);
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
}

static bool fits(struct reader *r, uint64_t got, char *want, size_t room)
{
    uint8_t tag = *(const uint8_t *)take(r, 1);
    uint64_t lo = take64(r), hi = (tag & 15) == A_RANGE ? take64(r) : 0;
    unsigned format = tag >> 4;
    switch (tag & 15) {
    case EXACT:
        snprintf(want, room, "%#llx", (unsigned long long)lo);
        return got == lo;
    case ANY_VALUE:
        return true;
    case A_NAN:
        snprintf(want, room, "a NaN");
        return (got & (((uint64_t)1 << (formats[lo].bits - 1)) - 1)) > formats[lo].infinity &&
               (formats[lo].bits == 64 || got >> formats[lo].bits == 0);
    default:
        snprintf(want, room, "%#llx to %#llx", (unsigned long long)lo, (unsigned long long)hi);
        if ((got & (((uint64_t)1 << (formats[format].bits - 1)) - 1)) > formats[format].infinity)
            return false;
        return order(got, format) >= order(lo, format) && order(got, format) <= order(hi, format) &&
               (formats[format].bits == 64 || got >> formats[format].bits == 0);
    }
}

static unsigned compare(struct reader *r, const struct test *t, const uint64_t *got,
                        const uint8_t *mem, const char *flavour)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < t->slots; i++) {
        char want[64] = "";
        if (!fits(r, got[i], want, sizeof want) && wrong++ < SHOWN)
            printf("%s (%s): slot %u is %#llx, not %s\n", t->name, flavour, i,
                   (unsigned long long)got[i], want);
    }
    for (uint32_t i = 0; i < t->mem_len; i++) {
        if (mem[i] != t->mem_after[i] && wrong++ < SHOWN)
            printf("%s (%s): byte %u of the memory is %#x, not %#x\n", t->name, flavour, i, mem[i],
                   t->mem_after[i]);
    }
    return wrong;
}

/* ---- running ---- */

static void must(cmpd_rc rc, const struct cmpd_err *err, const char *what)
{
    if (rc == CMPD_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, err->msg);
    exit(2);
}

static uint64_t new_buffer(struct run *run, const void *data, size_t len)
{
    struct cmpd_err err;
    uint64_t at = 0;
    must(run->device->ops->alloc(run->device, len ? len : 1, CMPD_MEMORY_DEVICE, -1, "test", &at,
                                 &err),
         &err, "alloc");
    if (data && len)
        must(run->device->ops->write(run->device, at, data, len, &err), &err, "write");
    return at;
}

static bool launch(struct run *run, uint32_t module, const struct test *t, const uint64_t params[3])
{
    struct cmpd_err err = {.msg = ""};
    struct cmpd_sightings seen = {0};
    struct cmpd_launch_result result;
    const struct cmpd_launch l = {.module = module,
                                  .kernel = t->kernel,
                                  .grid = {t->grid[0], t->grid[1], t->grid[2]},
                                  .block = {t->block[0], t->block[1], t->block[2]},
                                  .shared_bytes = t->shared,
                                  .params = params,
                                  .param_bytes = 3 * sizeof *params};
    run->device->ops->begin_case(run->device, BUDGET, 0, 0);
    must(run->device->ops->launch(run->device, &l, &result, &seen, &err), &err, t->name);
    bool good = result.end == CMPD_LAUNCH_DONE && seen.count == 0;
    if (!good)
        printf("%s (%s): ended with %d; %s\n", t->name, run->flavour, (int)result.end,
               seen.count ? seen.items[0].message : "nothing was seen");
    cmpd_sightings_clear(&seen);
    return good;
}

/* As binding picks a row; see emu_bind_row. */
static bool is_row(const struct emu_row *row, const struct cmpd_ptx_ins *p)
{
    const uint64_t has = emu_bind_features(p);
    if (row->op != p->op || strlen(row->form) != p->operand_count || p->type_count < 1 ||
        !(row->types >> p->types[0] & 1))
        return false;
    if (row->types2 ? p->type_count != 2 || !(row->types2 >> p->types[1] & 1) : p->type_count != 1)
        return false;
    return (has & row->need) == row->need && !(has & ~(row->need | row->allow));
}

static void note_row(struct run *run, const struct cmpd_ptx_ins *p, emu_handler *handler)
{
    size_t at = 0;
    for (size_t t = 0; run->ops->tables[t]; t++) {
        for (const struct emu_row *row = run->ops->tables[t]; row->op; row++, at++) {
            if (row->run == handler && is_row(row, p)) {
                run->seen_rows[at] = 1;
                return;
            }
        }
    }
}

/* Which opcodes and rows ran: those in the code of the module's functions. */
static void note_code(struct run *run, const struct emu_module *m)
{
    for (uint32_t f = 0; f < m->ptx->function_count; f++) {
        const struct emu_function *fn = &m->functions[f];
        for (uint32_t i = 0; fn->code && i < fn->ptx->count; i++) {
            const struct cmpd_ptx_ins *p = &m->ptx->ins[fn->ptx->first + i];
            run->seen_ops[p->op] = 1;
            note_row(run, p, fn->code[i].run);
        }
    }
}

static void run_test(struct run *run, uint32_t module, const struct test *t, struct reader *r)
{
    const size_t out_len = (size_t)t->slots * 8;
    uint64_t params[3] = {new_buffer(run, t->in, t->in_len), 0,
                          new_buffer(run, t->mem, t->mem_len)};
    uint64_t *out = cmpd_calloc(t->slots + 1, sizeof *out);
    uint8_t *mem = cmpd_calloc(t->mem_len + 1, 1);
    struct cmpd_err err;
    params[1] = new_buffer(run, out, out_len);
    bool good = launch(run, module, t, params);
    if (out_len)
        must(run->device->ops->read(run->device, out, params[1], out_len, &err), &err, "read");
    if (t->mem_len)
        must(run->device->ops->read(run->device, mem, params[2], t->mem_len, &err), &err, "read");
    run->cases++;
    run->values += t->slots;
    if (good)
        good = compare(r, t, out, mem, run->flavour) == 0;
    run->failed += !good;
    for (unsigned i = 0; i < 3; i++)
        must(run->device->ops->free(run->device, params[i], &err), &err, "free");
    free(out);
    free(mem);
}

/* Where the expectations end: their length shows only in reading them. */
static void skip_slots(struct reader *r, const struct test *t)
{
    char want[64];
    for (uint32_t i = 0; i < t->slots; i++)
        (void)fits(r, 0, want, sizeof want);
}

static bool run_module(struct run *run, struct reader *r)
{
    struct cmpd_err err;
    uint32_t len = take32(r), count = take32(r), module = 0;
    if (len == 0)
        return false;
    const char *text = take(r, len);
    const struct cmpd_device_options options = {.cancel_fd = -1};
    must(cmpd_device_emulator.open(&options, &run->device, &err), &err, "open");
    struct emu_device *device = (struct emu_device *)run->device;
    device->baseline_code = run->ops == &emu_ops_baseline;
    must(emu_device_load_text(run->device, text, len, &module, &err), &err, "load");
    for (uint32_t i = 0; i < count; i++) {
        struct test t;
        take_test(r, &t);
        struct reader slots = *r;
        skip_slots(r, &t);
        if (!run->part || strstr(t.name, run->part))
            run_test(run, module, &t, &slots);
    }
    note_code(run, device->modules[module]);
    run->device->ops->close(run->device);
    return true;
}

static unsigned untested_rows(const struct run *run)
{
    unsigned missing = 0;
    size_t at = 0;
    for (size_t t = 0; run->ops->tables[t]; t++) {
        for (const struct emu_row *row = run->ops->tables[t]; row->op; row++, at++) {
            if (run->seen_rows[at])
                continue;
            missing++;
            printf("no case (%s): %s, form %s, types %#x, modifiers %#llx\n", run->flavour,
                   cmpd_ptx_op_name((enum cmpd_ptx_op)row->op), row->form, row->types,
                   (unsigned long long)row->need);
        }
    }
    return missing;
}

static unsigned untested_ops(const struct run *run)
{
    unsigned missing = 0;
    for (int op = 1; op < CMPD_PTX_OP_COUNT; op++) {
        if (run->seen_ops[op] || !emu_bind_knows((enum cmpd_ptx_op)op))
            continue;
        missing++;
        printf("no case (%s): %s\n", run->flavour, cmpd_ptx_op_name((enum cmpd_ptx_op)op));
    }
    return missing;
}

static bool run_all(const struct cmpd_buf *file, const struct emu_ops *ops, const char *flavour,
                    const char *part)
{
    struct run run = {.ops = ops, .flavour = flavour, .part = part};
    struct reader r = {(const uint8_t *)file->data, (const uint8_t *)file->data + file->len};
    run.seen_rows = cmpd_calloc(ROWS, 1);
    if (memcmp(take(&r, sizeof MAGIC - 1), MAGIC, sizeof MAGIC - 1) != 0) {
        fprintf(stderr, "not a file of cases\n");
        exit(2);
    }
    while (run_module(&run, &r)) {
    }
    unsigned missing = part ? 0 : untested_rows(&run) + untested_ops(&run);
    printf("%s: %u cases, %llu values, %u failed, %u handlers without a case\n", flavour, run.cases,
           (unsigned long long)run.values, run.failed, missing);
    free(run.seen_rows);
    return run.cases > 0 && run.failed == 0 && missing == 0;
}

int main(int argc, char **argv)
{
    struct cmpd_buf file = {.ceiling = CASES_CEILING};
    struct cmpd_err err;
    if (argc < 2)
        return 64;
    must(cmpd_file_read(argv[1], CASES_CEILING, &file, &err), &err, argv[1]);
    const char *part = argc > 2 ? argv[2] : NULL;
    bool good = run_all(&file, &emu_ops_baseline, "baseline", part);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        good = run_all(&file, &emu_ops_v3, "v3", part) && good;
    cmpd_buf_clear(&file);
    return good ? 0 : 1;
}
