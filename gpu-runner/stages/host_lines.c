#include "gpu-runner/stages/host_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

#define ADDR2LINE         "/usr/bin/addr2line"
#define NEUTRAL_FOLDER    "/usr/include"
#define ADDRESSES_CEILING 256
#define OUTPUT_BYTES      ((size_t)1 << 20)
#define DEADLINE_MS       20000
#define CPU_S             20
#define MEMORY_BYTES      ((uint64_t)4 << 30)

/* "path:12" or "path:12 (discriminator 3)" */
static uint32_t line_in_file(char *row, const char *file)
{
    char *blank = strstr(row, " (");
    if (blank)
        *blank = 0;
    char *colon = strrchr(row, ':');
    if (!colon)
        return 0;
    *colon = 0;
    return cmpd_stage_is_file(row, file) ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

void cmpd_host_lines_read(const char *text, const char *file, size_t count, uint32_t lines[])
{
    CMPD_AUTOFREE char *copy = cmpd_strdup(text);
    char *save = NULL;
    size_t at = 0;
    memset(lines, 0, count * sizeof *lines);
    for (char *row = strtok_r(copy, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
        if (strncmp(row, "0x", 2) == 0)
            at++;
        else if (at && at <= count && !lines[at - 1])
            lines[at - 1] = line_in_file(row, file);
    }
}

static bool ask(const char *library, const char *work, const struct cmpd_jail_ops *jail,
                int cancel_fd, char **addresses, size_t count, const char *file, uint32_t lines[])
{
    const char **argv = cmpd_calloc(count + 6, sizeof *argv);
    const char *const readable[] = {ADDR2LINE};
    size_t n = 0;
    argv[n++] = ADDR2LINE;
    argv[n++] = "-a";
    argv[n++] = "-i";
    argv[n++] = "-e";
    argv[n++] = library;
    for (size_t i = 0; i < count; i++)
        argv[n++] = addresses[i];
    struct cmpd_jail_request q = CMPD_JAIL_REQUEST_INIT;
    q.profile = CMPD_JAIL_COMPILE;
    q.argv = argv;
    q.sources = NEUTRAL_FOLDER;
    q.toolkit = NEUTRAL_FOLDER;
    q.work = work;
    q.readable = readable;
    q.readable_count = 1;
    q.limits.cpu_s = CPU_S;
    q.limits.address_space_bytes = MEMORY_BYTES;
    q.deadline_ms = DEADLINE_MS;
    q.output_ceiling = OUTPUT_BYTES;
    q.cancel_fd = cancel_fd;
    struct cmpd_proc_result p;
    bool ok = access(ADDR2LINE, X_OK) == 0 && jail->run(&q, &p, NULL) == CMPD_OK;
    free(argv);
    if (!ok)
        return false;
    if (p.out.len)
        cmpd_host_lines_read(cmpd_buf_str(&p.out), file, count, lines);
    cmpd_proc_result_clear(&p);
    return true;
}

void cmpd_host_lines_resolve(struct cmpd_stage_findings *f, const char *library, const char *work,
                             const struct cmpd_jail_ops *jail, int cancel_fd)
{
    char *addresses[ADDRESSES_CEILING];
    uint32_t lines[ADDRESSES_CEILING] = {0};
    size_t owner[ADDRESSES_CEILING], count = 0;
    for (size_t i = 0; i < f->count; i++) {
        for (size_t k = 0; k < CMPD_STAGE_PLACES && !f->items[i].line && count < ADDRESSES_CEILING;
             k++) {
            if (!f->places[i].at[k])
                break;
            owner[count] = i;
            addresses[count++] = cmpd_asprintf("0x%" PRIx64, f->places[i].at[k]);
        }
    }
    if (count && ask(library, work, jail, cancel_fd, addresses, count, f->file, lines)) {
        for (size_t a = 0; a < count; a++) {
            if (!f->items[owner[a]].line)
                f->items[owner[a]].line = lines[a];
        }
    }
    for (size_t a = 0; a < count; a++)
        free(addresses[a]);
}
