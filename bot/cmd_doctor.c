/* cmpd doctor: what is there, what is missing, and what to do about it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <git2.h>
#include <jansson.h>
#include <pcre2.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <tree_sitter/api.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/datadir.h"
#include "analysis/base/proc.h"
#include "analysis/base/version.h"
#include "bot/commands.h"
#include "bot/executor.h"
#include "bot/judge.h"
#include "bot/policy_find.h"

/* Checks in the form of the runner's own report: name, ok (null: nothing is missed), value, advice. */
struct doctor {
    json_t *checks; /* owned */
    bool broken;    /* cmpd can't do its work like this */
};

static void add(struct doctor *d, const char *name, bool ok, const char *value, const char *advice)
{
    json_t *text = json_string(value);
    json_t *o = json_pack("{ss sb so}", "name", name, "ok", ok, "value",
                          text ? text : json_string("?"));
    if (!ok && advice)
        json_object_set_new(o, "advice", json_string(advice));
    json_array_append_new(d->checks, o);
}

static void add_essential(struct doctor *d, const char *name, bool ok, const char *value,
                          const char *advice)
{
    add(d, name, ok, value, advice);
    d->broken = d->broken || !ok;
}

static void add_libraries(struct doctor *d)
{
    int major, minor, patch;
    char pcre[64] = "", text[128];
    uint32_t jit = 0;
    add(d, "cmpd", true, cmpd_version(), NULL);
    git_libgit2_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    add(d, "libgit2", true, text, NULL);
    pcre2_config(PCRE2_CONFIG_VERSION, pcre);
    pcre2_config(PCRE2_CONFIG_JIT, &jit);
    snprintf(text, sizeof text, "%s, %s", pcre, jit ? "with JIT" : "no JIT (slower)");
    add(d, "pcre2", true, text, NULL);
    add(d, "jansson", true, jansson_version_str(), NULL);
    snprintf(text, sizeof text, "ABI %d to %d", TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION,
             TREE_SITTER_LANGUAGE_VERSION);
    add(d, "tree-sitter", true, text, NULL);
}

static void add_data(struct doctor *d)
{
    static const char page[] = "/rules/docs/compile_error.md";
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    struct cmpd_err err = {0};
    bool ok = cmpd_datadir_path(page + 1, &path, &err) == CMPD_OK;
    if (ok && path.len > sizeof page - 1)
        path.data[path.len - (sizeof page - 1)] = '\0';
    add_essential(d, "data folder", ok, ok ? cmpd_buf_str(&path) : err.msg,
                  "install share/cmpd beside bin/, or set CMPD_DATADIR to that folder");
}

static void add_policy(struct doctor *d, const char *given, struct cmpd_policy_place *place)
{
    struct cmpd_err err = {0};
    if (cmpd_policy_find(NULL, given, place, &err) != CMPD_OK) {
        add_essential(d, "policy", false, err.msg, "mend that file");
        place->policy = cmpd_policy_new();
        return;
    }
    const char *origin = place->policy->origin;
    add(d, "policy", true, origin ? origin : "none: the defaults hold (cmpd init proposes one)",
        NULL);
}

/* What a program prints, or NULL with *why (both owned by the caller). */
static char *ask(const char *const *argv, char **why)
{
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    CMPD_AUTOFREE char *home = cmpd_asprintf("HOME=%s", getenv("HOME") ? getenv("HOME") : "/");
    const char *const envp[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", home, NULL};
    spec.argv = argv;
    spec.envp = envp;
    spec.stdout_ceiling = spec.stderr_ceiling = 65536;
    spec.deadline_ms = 30000;
    CMPD_PROC_RESULT_AUTO struct cmpd_proc_result r = {0};
    struct cmpd_err err = {0};
    char how[64];
    if (cmpd_proc_run(&spec, &r, &err) != CMPD_OK) {
        *why = cmpd_strdup(err.msg);
        return NULL;
    }
    if (r.end != CMPD_PROC_EXITED || r.exit_status != 0) {
        *why = cmpd_asprintf("%s %s", argv[0], cmpd_proc_describe(&r, how, sizeof how));
        return NULL;
    }
    return cmpd_strdup(cmpd_buf_str(&r.out));
}

/* The runner looks at the machine that it would work on. */
static void add_runner(struct doctor *d, const char *nvcc)
{
    CMPD_AUTOFREE char *path = cmpd_runner_path();
    CMPD_AUTOFREE char *why = NULL;
    const char *argv[] = {
        path ? path : "cmpd-runner", "--doctor", "--format", "json", "--nvcc", nvcc, NULL};
    CMPD_AUTOFREE char *report = ask(argv, &why);
    json_t *root = report ? json_loads(report, 0, NULL) : NULL;
    json_t *checks = json_object_get(root, "checks");
    add_essential(d, "cmpd-runner", json_is_array(checks), why ? why : argv[0],
                  "install cmpd-runner in the folder of cmpd");
    json_array_extend(d->checks, checks);
    json_decref(root);
}

/* Tried in a child, since the try itself changes the process. */
static void add_namespaces(struct doctor *d)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
    if (child > 0)
        waitpid(child, &status, 0);
    bool ok = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    add(d, "user namespaces", ok,
        ok ? "allowed" : "not allowed: bubblewrap can't shield this machine",
        "sysctl kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that lets unshare "
        "through");
}

static const char *state_of(const json_t *check)
{
    return json_is_true(json_object_get(check, "ok")) ? "ok" : "missing";
}

static const char *member(const json_t *check, const char *name)
{
    const char *s = json_string_value(json_object_get(check, name));
    return s ? s : "";
}

static void put_text(const struct doctor *d, struct cmpd_buf *out)
{
    for (size_t i = 0; i < json_array_size(d->checks); i++) {
        const json_t *c = json_array_get(d->checks, i);
        cmpd_buf_printf(out, "%-8s %-18s %s\n", state_of(c), member(c, "name"), member(c, "value"));
        if (*member(c, "advice"))
            cmpd_buf_printf(out, "%-27s -> %s\n", "", member(c, "advice"));
    }
}

static void put_json(const struct doctor *d, struct cmpd_buf *out)
{
    json_t *root = json_pack("{ss ss sO}", "schema", "cmpd.doctor.v1", "version", cmpd_version(),
                             "checks", d->checks);
    char *text = json_dumps(root, JSON_INDENT(2));
    cmpd_buf_puts(out, text);
    cmpd_buf_putc(out, '\n');
    free(text);
    json_decref(root);
}

static int run(const struct cmpd_options *opt)
{
    struct doctor d = {.checks = json_array()};
    struct cmpd_policy_place place = {0};
    struct cmpd_buf out = CMPD_BUF_INIT;
    add_libraries(&d);
    add_data(&d);
    add_policy(&d, opt->value[CMPD_OPT_policy], &place);
    add_runner(&d, place.policy->nvcc[0].path);
    add_namespaces(&d);
    cmpd_policy_place_clear(&place);
    if (strcmp(opt->value[CMPD_OPT_list_format], "json") == 0)
        put_json(&d, &out);
    else
        put_text(&d, &out);
    json_decref(d.checks);
    int status = cmpd_print_take(&out);
    return status ? status : d.broken ? cmpd_rc_exit_status(CMPD_EUNAVAIL) : 0;
}

int cmpd_cmd_doctor(int argc, char **argv)
{
    struct cmpd_options opt;
    struct cmpd_err err = {0};
    int status;
    cmpd_rc rc = cmpd_options_parse(CMPD_CMD_doctor, argc, argv, &opt, &err);
    if (rc == CMPD_OK && !opt.help && opt.arg_count)
        rc = cmpd_err_set(&err, CMPD_EUSAGE, "cmpd doctor takes no argument");
    if (rc)
        status = cmpd_fail(&opt, &err);
    else if (opt.help)
        status = cmpd_print_help(CMPD_CMD_doctor);
    else
        status = run(&opt);
    cmpd_options_clear(&opt);
    return status;
}
