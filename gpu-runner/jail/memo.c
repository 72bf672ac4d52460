#include "gpu-runner/jail/memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"

#define CEILING_BYTES 1024

static char *path(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return cmpd_asprintf("%s/cmpd/jail", cache);
    return home && home[0] == '/' ? cmpd_asprintf("%s/.cache/cmpd/jail", home) : NULL;
}

/* What has to be the same: boot, user, program. /proc files have no size, so this one is read here. */
static char *token(const char *program)
{
    char boot[64] = "";
    struct stat st;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool known = f && fgets(boot, sizeof boot, f);
    if (f)
        fclose(f);
    if (!known || stat(program, &st) < 0)
        return NULL;
    boot[strcspn(boot, "\n")] = 0;
    return cmpd_asprintf("%s %u %llu %llu %lld.%09ld\n", boot, (unsigned)geteuid(),
                         (unsigned long long)st.st_ino, (unsigned long long)st.st_size,
                         (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

bool cmpd_jail_memo_holds(const char *program)
{
    CMPD_AUTOFREE char *file = path();
    CMPD_AUTOFREE char *now = token(program);
    CMPD_BUF_AUTO struct cmpd_buf kept = CMPD_BUF_INIT;
    return file && now && cmpd_file_read(file, CEILING_BYTES, &kept, NULL) == CMPD_OK &&
           strcmp(cmpd_buf_str(&kept), now) == 0;
}

void cmpd_jail_memo_keep(const char *program)
{
    CMPD_AUTOFREE char *file = path();
    CMPD_AUTOFREE char *now = token(program);
    if (file && now) /* where the folder is not there nothing is kept; the compile cache makes it */
        cmpd_file_write_atomic(file, now, strlen(now), NULL);
}
