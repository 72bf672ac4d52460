/*
 * For a person who waits: one line on standard error that says how many jobs run and for how long,
 * from the third second on, and only where standard error is a terminal. Safe from several threads.
 */
#ifndef CMPD_BOT_PROGRESS_H
#define CMPD_BOT_PROGRESS_H

#include <stdint.h>

#include "analysis/base/buf.h"

void cmpd_progress_begin(void);
/*
 * Fits cmpd_proc_spec's on_tick; ctx is the runner's output so far (struct cmpd_buf, may be NULL): its last word on
 * what it does is shown where one job runs.
 */
void cmpd_progress_tick(void *ctx, uint64_t elapsed_ms);
/* "running case 3/9 on the emulator", from a runner's output so far; NULL: it says nothing of it yet. Owned. */
char *cmpd_progress_of(const struct cmpd_buf *output);
/* The last one to end removes the line. */
void cmpd_progress_end(void);

#define CMPD_PROGRESS_TICK_MS 500

#endif
