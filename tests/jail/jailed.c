#include "jail/jailed.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/workdir.h"

void jailed_need(void)
{
    struct cmpd_jail_probe p;
    cmpd_jail_probe(&p);
    if (p.usable)
        return;
    printf("skipped: no jail here: %s\n", p.why_not);
    exit(77);
}

static void put(const char *folder, const char *name, const char *text)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", folder, name);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
}

void jailed_init(struct jailed *j, enum cmpd_jail_profile profile, const char *way,
                 const char *argument)
{
    struct cmpd_err err = {0};
    const char *given = getenv("CMPD_HOSTILE_PROGRAM");
    memset(j, 0, sizeof *j);
    j->program = realpath(given ? given : HOSTILE_PROGRAM, NULL);
    assert_non_null(j->program);
    j->argv[0] = j->program;
    j->argv[1] = way;
    j->argv[2] = argument;
    j->readable[0] = j->program;
    j->q = (struct cmpd_jail_request)CMPD_JAIL_REQUEST_INIT;
    j->q.profile = profile;
    j->q.argv = j->argv;
    j->q.readable = j->readable;
    j->q.readable_count = 1;
    j->q.deadline_ms = 20000;
    j->q.output_ceiling = 65536;
    j->q.output_limit = 1 << 20;
    j->q.limits.cpu_s = 10;
    j->q.limits.open_files = 128;
    j->q.limits.address_space_bytes = (uint64_t)512 << 20;
    j->q.limits.file_size_bytes = (uint64_t)64 << 20;
    j->q.report = &j->report;
    if (profile == CMPD_JAIL_RUN)
        return;
    assert_int_equal(cmpd_workdir_make(&j->work, &err), CMPD_OK);
    assert_int_equal(cmpd_workdir_make(&j->sources, &err), CMPD_OK);
    put(j->sources, "file.cu", "// a file\n");
    put(j->sources, "secret", "a secret\n");
    j->files[0] = "file.cu";
    j->q.sources = j->sources;
    j->q.source_files = j->files;
    j->q.source_file_count = 1;
    j->q.work = j->work;
    j->q.toolkit = "/usr/lib"; /* nothing is compiled: any system folder will do */
}

void jailed_run(struct jailed *j)
{
    struct cmpd_err err = {0};
    if (cmpd_jail_bwrap.run(&j->q, &j->result, &err) != CMPD_OK)
        fail_msg("%s: %s", j->argv[1], err.msg);
}

void jailed_clear(struct jailed *j)
{
    cmpd_proc_result_clear(&j->result);
    if (j->work)
        cmpd_workdir_remove(j->work);
    if (j->sources)
        cmpd_workdir_remove(j->sources);
    free(j->work);
    free(j->sources);
    free(j->program);
    memset(j, 0, sizeof *j);
}

bool jailed_deed(const struct jailed *j, const char *part)
{
    for (size_t i = 0; i < j->report.deed_count; i++) {
        if (strstr(j->report.deeds[i].what, part))
            return true;
    }
    return false;
}

bool jailed_said(const struct jailed *j, const char *text)
{
    return strstr(cmpd_buf_str(&j->result.out), text) != NULL;
}

static bool is_program(const char *pid, const char *program)
{
    char path[300], text[4096];
    snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    /* bwrap has it among its arguments. */
    size_t len = strlen(program);
    for (ssize_t i = 0; n > 0 && i + (ssize_t)len <= n; i++) {
        if (memcmp(text + i, program, len) == 0)
            return true;
    }
    return false;
}

size_t jailed_alive(const char *program)
{
    size_t count = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;
    char own[16];
    snprintf(own, sizeof own, "%d", (int)getpid());
    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && strcmp(e->d_name, own) != 0)
            count += is_program(e->d_name, program);
    }
    if (d)
        closedir(d);
    return count;
}

bool jailed_gone(const char *program)
{
    const struct timespec pause = {0, 10000000};
    for (int i = 0; i < 100; i++) {
        if (jailed_alive(program) == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

size_t jailed_descriptors(void)
{
    size_t count = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}
