/*
 * That a jail could be made on this machine, since it was booted and with this bubblewrap: so that not every runner has
 * to try it first. Kept in ${XDG_CACHE_HOME:-~/.cache}/cmpd/jail. What it says is no safeguard: a jail that can't be
 * made after all fails when it is started, and nothing foreign runs then either.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_MEMO_H
#define CMPD_GPU_RUNNER_JAIL_MEMO_H

#include <stdbool.h>

/* `program`: absolute path of bubblewrap. */
bool cmpd_jail_memo_holds(const char *program);
void cmpd_jail_memo_keep(const char *program);

#endif
