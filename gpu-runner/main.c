/* cmpd-runner: one job on standard input, JSON lines on standard output. See PROTOCOL.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/version.h"
#include "gpu-runner/doctor.h"
#include "gpu-runner/job/job.h"
#include "gpu-runner/job/lifeline.h"
#include "gpu-runner/work.h"

static const char help[] =
    "usage: cmpd-runner [--no-cache] < JOB\n"
    "       cmpd-runner --doctor [--format text|json] [--nvcc PATH]\n"
    "       cmpd-runner --version | --help\n"
    "\n"
    "Does one job for CMP-D: compiles a CUDA file and says what it found. The job is one\n"
    "line of JSON on standard input, the answer is JSON lines on standard output.\n"
    "Usually started by cmpd, not by hand.\n"
    "\n"
    "  --no-cache     compile anew, whatever the job says\n"
    "  --doctor       say what this machine offers, and what to do about what is missing\n"
    "  --format FORM  of --doctor: text (default) or json\n"
    "  --nvcc PATH    of --doctor: the compiler to look at (default /usr/local/cuda/bin/nvcc)\n"
    "  --version      print the version\n"
    "  --help         print this\n";

struct options {
    bool doctor, json, no_cache;
    const char *nvcc;
};

static int complain(const struct cmpd_err *err)
{
    fprintf(stderr, "cmpd-runner: %s\n", err->msg);
    return cmpd_rc_exit_status(err->rc);
}

/* *done: an answer was printed, the status is returned. */
static int parse(int argc, char **argv, struct options *o, bool *done)
{
    struct cmpd_err err = {0};
    *done = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0) {
            printf("cmpd-runner %s\n", cmpd_version());
            return 0;
        }
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--doctor") == 0) {
            o->doctor = true;
        } else if (strcmp(argv[i], "--no-cache") == 0) {
            o->no_cache = true;
        } else if (strcmp(argv[i], "--format") == 0 && i + 1 < argc &&
                   (strcmp(argv[i + 1], "json") == 0 || strcmp(argv[i + 1], "text") == 0)) {
            o->json = strcmp(argv[++i], "json") == 0;
        } else if (strcmp(argv[i], "--nvcc") == 0 && i + 1 < argc && argv[i + 1][0] == '/') {
            o->nvcc = argv[++i];
        } else {
            cmpd_err_set(&err, CMPD_EUSAGE, "what is %s? (--help lists the options)", argv[i]);
            return complain(&err);
        }
    }
    *done = false;
    return 0;
}

static int doctor(const struct options *o)
{
    json_t *report = cmpd_doctor_report(o->nvcc);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    char *json = NULL;
    if (o->json)
        json = json_dumps(report, JSON_INDENT(2));
    else
        cmpd_doctor_text(report, &text);
    json_decref(report);
    fputs(json ? json : cmpd_buf_str(&text), stdout);
    if (json)
        putchar('\n');
    free(json);
    return fflush(stdout) == 0 ? 0 : 74;
}

static int work(const struct options *o)
{
    struct cmpd_lifeline line;
    struct cmpd_err err = {0};
    struct cmpd_job *job = NULL;
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_lifeline_open(&line, &err);
    if (rc == CMPD_OK)
        rc = cmpd_lifeline_read_line(&line, CMPD_JOB_CEILING_BYTES, &text, &err);
    if (rc == CMPD_OK)
        rc = cmpd_job_parse(cmpd_buf_str(&text), text.len, &job, &err);
    if (rc == CMPD_OK)
        rc = cmpd_lifeline_watch(&line, job->lifeline, &err);
    if (rc == CMPD_OK) {
        job->cache = job->cache && !o->no_cache;
        rc = cmpd_work(job, STDOUT_FILENO, line.cancel_fd, &err);
    }
    cmpd_job_free(job);
    return rc == CMPD_OK ? 0 : complain(&err);
}

int main(int argc, char **argv)
{
    struct options o = {0};
    bool done;
    int status = parse(argc, argv, &o, &done);
    if (done)
        return status;
    return o.doctor ? doctor(&o) : work(&o);
}
