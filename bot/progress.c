#include "bot/progress.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

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

/* The last whole line that begins like this, as JSON; NULL: there is none. */
static json_t *last_event(const struct cmpd_buf *output, const char *kind)
{
    CMPD_AUTOFREE char *head = cmpd_asprintf("{\"event\":\"%s\"", kind);
    const char *text = cmpd_buf_str(output), *end = text + output->len;
    size_t len = strlen(head);
    while (end > text && end[-1] != '\n')
        end--; /* a line that is not whole yet */
    while (end > text) {
        const char *begin = end - 1;
        while (begin > text && begin[-1] != '\n')
            begin--;
        if ((size_t)(end - begin) > len && memcmp(begin, head, len) == 0)
            return json_loadb(begin, (size_t)(end - begin), 0, NULL);
        end = begin;
    }
    return NULL;
}

char *cmpd_progress_of(const struct cmpd_buf *output)
{
    json_t *at = last_event(output, "progress"), *device = last_event(output, "device");
    json_int_t index = json_integer_value(json_object_get(at, "index"));
    json_int_t count = json_integer_value(json_object_get(at, "count"));
    const char *name = json_string_value(json_object_get(device, "name"));
    char *said = index > 0 && index <= count && count < 100000
                     ? cmpd_asprintf("running case %lld/%lld on the %.60s", (long long)index,
                                     (long long)count, name ? name : "device")
                     : NULL;
    json_decref(at);
    json_decref(device);
    return said;
}

void cmpd_progress_tick(void *ctx, uint64_t elapsed_ms)
{
    const struct cmpd_buf *output = ctx;
    (void)elapsed_ms;
    long long seconds = now_s() - atomic_load(&began_s);
    if (seconds < SHOWN_AFTER_S || isatty(STDERR_FILENO) != 1)
        return;
    atomic_store(&shown, true);
    unsigned jobs = atomic_load(&running);
    CMPD_AUTOFREE char *what = output && jobs == 1 ? cmpd_progress_of(output) : NULL;
    if (what)
        fprintf(stderr, "\r\033[Kcmpd: %s, %lld s ", what, seconds);
    else
        fprintf(stderr, "\r\033[Kcmpd: %s, %u at once, %lld s ",
                output && output->len ? "running" : "compiling", jobs, seconds);
}

void cmpd_progress_end(void)
{
    if (atomic_fetch_sub(&running, 1) == 1 && atomic_exchange(&shown, false))
        fputs("\r\033[K", stderr);
}
