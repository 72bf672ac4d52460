/*
 * For a person who waits: one line on standard error that says how many jobs run and for how long,
 * from the third second on, and only where standard error is a terminal. Safe from several threads.
 */
#ifndef CMPD_BOT_PROGRESS_H
#define CMPD_BOT_PROGRESS_H

#include <stdint.h>

void cmpd_progress_begin(void);
/* Fits cmpd_proc_spec's on_tick; ctx is not used. */
void cmpd_progress_tick(void *ctx, uint64_t elapsed_ms);
/* The last one to end removes the line. */
void cmpd_progress_end(void);

#define CMPD_PROGRESS_TICK_MS 500

#endif
