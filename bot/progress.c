#include "bot/progress.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHOWN_AFTER_S 3

/* One terminal, so one state for the process. */
static atomic_uint running;
static atomic_llong began_s;
static atomic_bool shown;

static long long now_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (long long)ts.tv_sec;
}

void cmpd_progress_begin(void)
{
    if (atomic_fetch_add(&running, 1) == 0)
        atomic_store(&began_s, now_s());
}

void cmpd_progress_tick(void *ctx, uint64_t elapsed_ms)
{
    (void)ctx;
    (void)elapsed_ms;
    long long seconds = now_s() - atomic_load(&began_s);
    if (seconds < SHOWN_AFTER_S || isatty(STDERR_FILENO) != 1)
        return;
    atomic_store(&shown, true);
    fprintf(stderr, "\rcmpd: compiling, %u at once, %lld s ", atomic_load(&running), seconds);
}

void cmpd_progress_end(void)
{
    if (atomic_fetch_sub(&running, 1) == 1 && atomic_exchange(&shown, false))
        fputs("\r\033[K", stderr);
}
