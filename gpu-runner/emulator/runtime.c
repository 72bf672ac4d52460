/* Functions that the device has by itself: printf, malloc, free, assert. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

/* ---- arguments ---- */

/* The i-th argument of the call, from the caller's frame. */
static uint64_t argument(const struct emu_warp *w, const struct emu_ins *in, unsigned i,
                         unsigned lane)
{
    uint64_t v = 0;
    const unsigned at = in->mode + i;
    if (at >= in->more_count)
        return 0;
    const struct emu_operand *o = &in->more[at];
    const uint64_t offset = (uint64_t)w->frame[lane] + o->offset;
    const unsigned size = o->reg < 8 ? o->reg : 8;
    if (offset + size <= w->local[lane].size)
        memcpy(&v, w->local[lane].data + offset, size);
    return v;
}

static void give_result(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t v)
{
    if (in->mode == 0)
        return;
    const struct emu_operand *o = &in->more[0];
    const uint64_t offset = (uint64_t)w->frame[lane] + o->offset;
    const unsigned size = o->reg < 8 ? o->reg : 8;
    if (offset + size > w->local[lane].size)
        return;
    memcpy(w->local[lane].data + offset, &v, size);
    memset(w->local[lane].shadow + offset, EMU_WRITTEN, size);
}

/* One byte at a generic address, unchecked; false: there is none. */
static bool byte_at(struct emu_warp *w, unsigned lane, uint64_t address, uint8_t *out)
{
    struct emu_bytes at;
    if (address >= EMU_LOCAL_WINDOW && address < EMU_PARAM_WINDOW) {
        const uint64_t offset = address - EMU_LOCAL_WINDOW;
        if (offset >= w->local[lane].size)
            return false;
        *out = w->local[lane].data[offset];
        return true;
    }
    if (address >= EMU_SHARED_WINDOW && address < EMU_LOCAL_WINDOW) {
        const uint64_t slot = (address - EMU_SHARED_WINDOW) >> EMU_SHARED_SLOT_BITS;
        const uint32_t offset = (uint32_t)address & ((1u << EMU_SHARED_SLOT_BITS) - 1);
        if (slot >= w->launch->module->shared_slot_count || offset >= w->block->shared[slot].size)
            return false;
        *out = w->block->shared[slot].data[offset];
        return true;
    }
    if (!emu_memory_bytes(w->launch->device, address, 1, &at))
        return false;
    *out = *at.data;
    return true;
}

#define STRING_CEILING 4096

static char *string_at(struct emu_warp *w, unsigned lane, uint64_t address)
{
    struct cmpd_buf b = {.ceiling = STRING_CEILING};
    uint8_t c;
    while (b.len < STRING_CEILING - 1 && byte_at(w, lane, address++, &c) && c)
        cmpd_buf_putc(&b, (char)c);
    return cmpd_buf_steal(&b);
}

/* ---- printf ---- */

struct print {
    struct emu_warp *w;
    unsigned lane;
    uint64_t arguments; /* address of the next one */
    struct cmpd_buf *out;
};

static uint64_t next_argument(struct print *p, unsigned size)
{
    uint8_t bytes[8] = {0};
    p->arguments = (p->arguments + size - 1) & ~(uint64_t)(size - 1);
    for (unsigned i = 0; i < size; i++)
        (void)byte_at(p->w, p->lane, p->arguments + i, &bytes[i]);
    p->arguments += size;
    uint64_t v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

/* A conversion: flags, width and precision as text, what follows decides how the argument is read. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: not given */
    unsigned longs;       /* l: 1, ll: 2; h and hh change nothing that was promoted */
    char letter;
};

static const char *number(struct print *p, const char *s, int *out)
{
    if (*s == '*') {
        *out = (int)(int32_t)next_argument(p, 4);
        return s + 1;
    }
    int v = 0;
    bool any = false;
    for (; *s >= '0' && *s <= '9'; s++, any = true)
        v = v < 100000 ? v * 10 + (*s - '0') : v;
    if (any)
        *out = v;
    return s;
}

static const char *read_conversion(struct print *p, const char *s, struct conversion *c)
{
    unsigned n = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; *s && strchr("-+ #0", *s); s++)
        if (n < sizeof c->flags - 2)
            c->flags[n++] = *s;
    s = number(p, s, &c->width);
    if (*s == '.') {
        c->precision = 0;
        s = number(p, s + 1, &c->precision);
    }
    for (; *s && strchr("hlLqjzt", *s); s++)
        c->longs += *s == 'h' ? 0 : (*s == 'l' ? 1 : 2);
    c->letter = *s;
    return *s ? s + 1 : s;
}

/* Widths that a person could mean; more would only fill the buffer. */
#define WIDTH_CEILING 512

/* "%" with flags, width and precision, then the given end. */
static void format_of(const struct conversion *c, const char *end, char *out, size_t cap)
{
    char width[16] = "", precision[16] = "";
    if (c->width != -1)
        snprintf(width, sizeof width, "%d",
                 c->width > WIDTH_CEILING    ? WIDTH_CEILING
                 : c->width < -WIDTH_CEILING ? -WIDTH_CEILING
                                             : c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d",
                 c->precision > WIDTH_CEILING ? WIDTH_CEILING : c->precision);
    snprintf(out, cap, "%%%s%s%s%s", c->flags, width, precision, end);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_one(struct print *p, const struct conversion *c)
{
    char f[64], end[8];
    switch (c->letter) {
    case 'd':
    case 'i': {
        format_of(c, PRId64, f, sizeof f);
        const uint64_t v = next_argument(p, c->longs ? 8 : 4);
        cmpd_buf_printf(p->out, f, c->longs ? (int64_t)v : (int64_t)(int32_t)v);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        snprintf(end, sizeof end, "l%c", c->letter);
        format_of(c, end, f, sizeof f);
        cmpd_buf_printf(p->out, f, (unsigned long)next_argument(p, c->longs ? 8 : 4));
        break;
    case 'c':
        cmpd_buf_putc(p->out, (char)next_argument(p, 4));
        break;
    case 'p':
        cmpd_buf_printf(p->out, "0x%" PRIx64, next_argument(p, 8));
        break;
    case 's': {
        CMPD_AUTOFREE char *s = string_at(p->w, p->lane, next_argument(p, 8));
        format_of(c, "s", f, sizeof f);
        cmpd_buf_printf(p->out, f, s);
        break;
    }
    default: { /* floating */
        const uint64_t bits = next_argument(p, 8);
        double d;
        memcpy(&d, &bits, sizeof d);
        snprintf(end, sizeof end, "%c", c->letter);
        format_of(c, end, f, sizeof f);
        cmpd_buf_printf(p->out, f, d);
        break;
    }
    }
}
#pragma GCC diagnostic pop

static void print(struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    struct emu_device *d = w->launch->device;
    CMPD_AUTOFREE char *format = string_at(w, lane, argument(w, in, 0, lane));
    struct print p = {
        .w = w, .lane = lane, .arguments = argument(w, in, 1, lane), .out = &d->output};
    int count = 0;
    d->output.ceiling = EMU_OUTPUT_BYTES;
    for (const char *s = format; *s;) {
        struct conversion c;
        if (*s != '%') {
            cmpd_buf_putc(&d->output, *s++);
            continue;
        }
        s = read_conversion(&p, s + 1, &c);
        if (c.letter == '%')
            cmpd_buf_putc(&d->output, '%');
        else if (c.letter && strchr("diuxXocpseEfFgGaA", c.letter)) {
            print_one(&p, &c);
            count++;
        }
    }
    give_result(w, in, lane, (uint64_t)(uint32_t)count);
}

/* ---- malloc and free ---- */

static void allocate(struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    struct emu_device *d = w->launch->device;
    const uint64_t bytes = argument(w, in, 0, lane);
    uint64_t address = 0;
    if (bytes <= EMU_DEVICE_HEAP_BYTES - d->heap_used &&
        emu_memory_alloc(d, bytes, CMPD_MEMORY_DEVICE, -1, "malloc in device code", &address,
                         NULL) == CMPD_OK)
        d->heap_used += bytes;
    give_result(w, in, lane, address);
}

static void give_back(struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    const uint64_t address = argument(w, in, 0, lane);
    if (address != 0 && emu_memory_free(w->launch->device, address, NULL) != CMPD_OK)
        emu_report(w, in, lane, CMPD_TAG_bad_free, false,
                   "free of 0x%llx in device code, which is no live allocation",
                   (unsigned long long)address);
}

/* ---- assert ---- */

static void fail_assertion(struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    CMPD_AUTOFREE char *condition = string_at(w, lane, argument(w, in, 0, lane));
    CMPD_AUTOFREE char *file = string_at(w, lane, argument(w, in, 1, lane));
    emu_report(w, in, lane, CMPD_TAG_crashed, false, "the assertion '%s' failed (%s:%u)", condition,
               file, (unsigned)argument(w, in, 2, lane));
    w->launch->stop = true;
    w->launch->end = CMPD_LAUNCH_FAULT;
}

static const struct {
    const char *name;
    void (*run)(struct emu_warp *w, const struct emu_ins *in, unsigned lane);
} builtins[] = {
    {"vprintf", print},
    {"malloc", allocate},
    {"free", give_back},
    {"__assertfail", fail_assertion},
};

uint32_t emu_builtin_find(const char *name)
{
    for (uint32_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return i;
    return CMPD_PTX_NONE;
}

void emu_builtin_call(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, uint32_t builtin)
{
    EMU_BITS(mask, l)
    {
        builtins[builtin].run(w, in, l);
        if (w->launch->stop)
            return;
    }
}
