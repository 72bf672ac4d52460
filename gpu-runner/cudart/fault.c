/*
 * A fault of host code becomes last words to the server (signal, address, where), then the process ends. Memory that a
 * caller names is touched under a guard first, so that a bad pointer is named after the runtime call that got it.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/cudart/rt.h"

#define FAULT_STATUS         71
#define ALT_STACK_BYTES      65536
#define PAGE_BYTES           4096u
#define WHERE_BYTES          512
#define SYMBOL_BYTES_MOST    400
#define STACK_WORDS_SEARCHED 512
#define FRAMES_MOST          64

struct cursor { /* text of bounded length, without the C library's help */
    char *at, *end;
};

static void put(struct cursor *c, const char *s, size_t most)
{
    while (most-- > 0 && *s && c->at + 1 < c->end)
        *c->at++ = *s++;
    *c->at = '\0';
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const void *blamed; /* load address of the candidate's file */
static cmpd_cudart_resolver *resolver;

void rt_fault_blame(const void *inside)
{
    Dl_info info;

    if (!blamed && dladdr(inside, &info))
        blamed = info.dli_fbase;
}

void rt_fault_resolver(cmpd_cudart_resolver *function)
{
    resolver = function;
}

/* "file:function"; "?" for what is not known. */
static void describe(uint64_t pc, char *out, size_t size)
{
    struct cursor c = {out, out + size};
    char own[SYMBOL_BYTES_MOST];
    Dl_info info;

    if (!dladdr((const void *)(uintptr_t)pc, &info) || !info.dli_fname) {
        put(&c, "?:?", 3);
        return;
    }
    put(&c, base_name(info.dli_fname), 64);
    put(&c, ":", 1);
    /* dladdr knows global names only; a static function lies past some other's end. */
    if (resolver && info.dli_fbase == blamed &&
        resolver(pc - (uint64_t)(uintptr_t)info.dli_fbase, own, sizeof(own)))
        put(&c, own, sizeof(own));
    else
        put(&c, info.dli_sname ? info.dli_sname : "?", SYMBOL_BYTES_MOST);
}

struct walk {
    const uint64_t *sp;
    uint64_t pc, found;
};

/* A crash inside of memcpy says little, the function that called it says much: the first word on the stack that
 * points into the candidate's own code is, as a rule, the return address to it. */
static void walk_stack(void *ctx)
{
    struct walk *w = ctx;
    Dl_info info;

    for (int i = -1; i < STACK_WORDS_SEARCHED && !w->found; i++) {
        uint64_t at = i < 0 ? w->pc : w->sp[i];
        if (at > PAGE_BYTES && dladdr((const void *)(uintptr_t)at, &info) &&
            info.dli_fbase == blamed)
            w->found = at;
    }
}

static uint64_t blamed_pc(uint64_t pc, uint64_t sp)
{
    struct walk w = {.pc = pc, .sp = (const uint64_t *)(uintptr_t)sp};
    uint64_t past_the_stack;

    if (blamed)
        rt_guarded(walk_stack, &w, &past_the_stack);
    return w.found ? w.found : pc;
}

/* Behind a call stands the next statement. */
static uint64_t place_of(uint64_t pc, bool behind_call)
{
    Dl_info info;

    if (!blamed || !dladdr((const void *)(uintptr_t)pc, &info) || info.dli_fbase != blamed)
        return 0;
    return pc - (uint64_t)(uintptr_t)blamed - (behind_call ? 1 : 0);
}

uint64_t rt_fault_place_of_call(const void *address)
{
    return place_of((uint64_t)(uintptr_t)address, true);
}

/*
 * A launch goes through a function of nvcc's that has the kernel's lines, and is often that function's caller's last
 * deed, which leaves no frame: where its configuration was given comes first.
 */
size_t rt_fault_places(uint64_t out[], size_t most)
{
    void *frames[FRAMES_MOST];
    size_t found = 0;
    int count = blamed ? backtrace(frames, FRAMES_MOST) : 0;
    Dl_info info;

    if (rt_thread.launch_from && most > 0)
        out[found++] = rt_thread.launch_from;
    for (int i = 0; i < count && found < most; i++)
        if (dladdr(frames[i], &info) && info.dli_fbase == blamed)
            out[found++] = (uint64_t)(uintptr_t)frames[i] - (uint64_t)(uintptr_t)blamed - 1;
    return found;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    static _Atomic int busy;
    const ucontext_t *uc = context;
    uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    uint64_t address = sig == SIGABRT ? 0 : (uint64_t)(uintptr_t)info->si_addr;
    char where[WHERE_BYTES];

    if (rt_thread.guard && (sig == SIGSEGV || sig == SIGBUS)) {
        rt_thread.guard_address = address;
        siglongjmp(*rt_thread.guard, 1);
    }
    if (atomic_fetch_add(&busy, 1) > 0)
        _exit(FAULT_STATUS); /* a second fault, inside of the first one's report */
    uint64_t ours = blamed_pc(pc, (uint64_t)uc->uc_mcontext.gregs[REG_RSP]);
    /* Behind a call that doesn't return may stand the next function. */
    describe(ours - (ours != pc), where, sizeof(where));
    rt_tell_fault((uint32_t)sig, CMPD_WIRE_WHY_SIGNAL, address, pc, place_of(ours, ours != pc),
                  where);
    _exit(FAULT_STATUS);
}

bool rt_guarded(void (*fn)(void *ctx), void *ctx, uint64_t *address)
{
    sigjmp_buf here;
    sigjmp_buf *outer = rt_thread.guard;

    if (sigsetjmp(here, 1) != 0) {
        rt_thread.guard = outer;
        *address = rt_thread.guard_address;
        return false;
    }
    rt_thread.guard = &here;
    fn(ctx);
    rt_thread.guard = outer;
    return true;
}

struct touch {
    const struct rt_rows *rows;
    bool write;
};

static void touch_byte(volatile unsigned char *p, bool write)
{
    /* Written as it was, in one step: another thread may be writing there. */
    if (write)
        __atomic_fetch_or(p, 0, __ATOMIC_RELAXED);
    else
        (void)*p;
}

static void touch_rows(void *ctx)
{
    const struct touch *t = ctx;
    const struct rt_rows *r = t->rows;

    if (r->width == 0)
        return;
    for (size_t row = 0; row < r->height; row++) {
        volatile unsigned char *p = (unsigned char *)r->base + row * r->pitch;
        for (size_t i = 0; i < r->width; i += PAGE_BYTES)
            touch_byte(p + i, t->write);
        touch_byte(p + r->width - 1, t->write);
    }
}

bool rt_can_touch(const struct rt_rows *rows, bool write, uint64_t *address)
{
    struct touch t = {.rows = rows, .write = write};

    return rt_guarded(touch_rows, &t, address);
}

void rt_host_fault(const char *call, uint64_t address)
{
    char where[WHERE_BYTES];
    struct cursor c = {where, where + sizeof(where)};

    put(&c, "libcudart:", 10);
    put(&c, call, SYMBOL_BYTES_MOST);
    uint64_t at = 0;

    rt_fault_places(&at, 1);
    rt_tell_fault(SIGSEGV, CMPD_WIRE_WHY_SIGNAL, address, 0, at, where);
    _exit(FAULT_STATUS);
}

/* Before the candidate's constructors, which stand in a library that needs this one. */
__attribute__((constructor)) static void watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    static char stack[ALT_STACK_BYTES];
    stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction act = {.sa_sigaction = on_fault,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    void *frame;

    backtrace(&frame, 1); /* loads what it needs while files may be opened */

    if (sigaltstack(&alt, NULL) != 0)
        act.sa_flags &= ~SA_ONSTACK;
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &act, NULL);
}
