/* A runner on this machine: the cmpd-runner that lies beside this program. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/proc.h"
#include "bot/executor.h"
#include "bot/progress.h"

#define STDOUT_CEILING ((size_t)16 << 20)
#define STDERR_CEILING ((size_t)64 << 10)
#define GRACE_MS       2000

char *cmpd_runner_path(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return cmpd_asprintf("%s/cmpd-runner", self);
}

/* Nothing of the caller's environment reaches the runner but where to keep and find things. */
static const char *const *environment(char *storage[8])
{
    static const char *const names[] = {"HOME",           "PATH",         "TMPDIR",
                                        "XDG_CACHE_HOME", "CMPD_DATADIR", "CMPD_COMPILE_CACHE_MIB"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value)
            storage[count++] = cmpd_asprintf("%s=%s", names[i], value);
    }
    storage[count++] = cmpd_strdup("LC_ALL=C.UTF-8");
    storage[count] = NULL;
    return (const char *const *)storage;
}

/* The last line that the runner wrote for people. */
static void last_line(struct cmpd_buf *text)
{
    while (text->len && (text->data[text->len - 1] == '\n' || text->data[text->len - 1] == ' '))
        text->data[--text->len] = '\0';
    const char *nl = text->len ? strrchr(text->data, '\n') : NULL;
    if (nl)
        memmove(text->data, nl + 1, strlen(nl + 1) + 1);
}

static cmpd_rc judge_end(struct cmpd_proc_result *r, struct cmpd_err *err)
{
    char how[64];
    if (r->end == CMPD_PROC_TIMED_OUT)
        return cmpd_err_set(err, CMPD_ETIMEOUT, "the runner did not end in time");
    if (r->end == CMPD_PROC_EXITED && r->exit_status == 0)
        return CMPD_OK;
    last_line(&r->err);
    const char *said = cmpd_buf_str(&r->err);
    return cmpd_err_set(err, CMPD_EUNAVAIL, "the runner %s%s%.300s",
                        cmpd_proc_describe(r, how, sizeof how), *said ? ": " : "", said);
}

static cmpd_rc run(const char *where, const struct cmpd_buf *job, uint64_t deadline_ms,
                   struct cmpd_buf *out, struct cmpd_err *err)
{
    (void)where;
    CMPD_AUTOFREE char *path = cmpd_runner_path();
    if (!path)
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "cannot tell where cmpd lies, so neither where cmpd-runner does");
    char *storage[8];
    const char *argv[] = {path, NULL};
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = argv;
    spec.envp = environment(storage);
    spec.stdin_data = cmpd_buf_str(job);
    spec.stdin_len = job->len;
    spec.keep_stdin_open = true;
    spec.orphan_may_clean_up = true;
    spec.stdout_ceiling = STDOUT_CEILING;
    spec.stderr_ceiling = STDERR_CEILING;
    spec.deadline_ms = deadline_ms;
    spec.grace_ms = GRACE_MS;
    CMPD_PROC_RESULT_AUTO struct cmpd_proc_result result = {0};
    spec.on_tick = cmpd_progress_tick;
    spec.tick_ctx = &result.out;
    spec.tick_ms = CMPD_PROGRESS_TICK_MS;
    cmpd_progress_begin();
    cmpd_rc rc = cmpd_proc_run(&spec, &result, err);
    cmpd_progress_end();
    for (size_t i = 0; storage[i]; i++)
        free(storage[i]);
    if (rc == CMPD_OK)
        rc = judge_end(&result, err);
    if (rc == CMPD_OK)
        cmpd_buf_append(out, cmpd_buf_str(&result.out), result.out.len);
    return rc;
}

const struct cmpd_executor_ops cmpd_executor_local = {.name = "local", .run = run};
