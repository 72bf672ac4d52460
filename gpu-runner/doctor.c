#include "gpu-runner/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/version.h"
#include "gpu-runner/compile/cache.h"
#include "gpu-runner/compile/toolkit.h"
#include "gpu-runner/jail/jail.h"

#define DEFAULT_NVCC "/usr/local/cuda/bin/nvcc"

enum state { GOOD, MISSING, OPTIONAL };

/* Takes value and advice over; advice may be NULL. */
static void add_take(json_t *checks, const char *name, enum state state, char *value, char *advice)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    json_object_set_new(o, "ok", state == OPTIONAL ? json_null() : json_boolean(state == GOOD));
    json_object_set_new(o, "value", json_string(value));
    if (advice)
        json_object_set_new(o, "advice", json_string(advice));
    json_array_append_new(checks, o);
    free(value);
    free(advice);
}

static void check_nvcc(json_t *checks, const char *path, char **toolkit)
{
    struct cmpd_toolkit t;
    struct cmpd_err err = {0};
    if (cmpd_toolkit_open(path, NULL, &t, &err) != CMPD_OK) {
        add_take(checks, "nvcc", MISSING, cmpd_asprintf("not at %s", path), cmpd_strdup(err.msg));
        return;
    }
    add_take(checks, "nvcc", GOOD, cmpd_asprintf("%s at %s", t.version, path), NULL);
    *toolkit = cmpd_strdup(t.root);
    cmpd_toolkit_clear(&t);
}

static void check_host_compiler(json_t *checks)
{
    if (access("/usr/bin/gcc", X_OK) == 0 && access("/usr/bin/g++", X_OK) == 0)
        add_take(checks, "host compiler", GOOD, cmpd_strdup("/usr/bin/gcc"), NULL);
    else
        add_take(checks, "host compiler", MISSING, cmpd_strdup("no gcc and g++ in /usr/bin"),
                 cmpd_strdup("nvcc needs them: install g++ (Debian: apt-get install g++)"));
}

/* The driver's API, as far as it is needed to name the devices; types as in its documentation. */
struct driver {
    int (*init)(unsigned flags);
    int (*count)(int *out);
    int (*name)(char *out, int len, int device);
    int (*version)(int *out);
};

static bool driver_symbols(void *lib, struct driver *d)
{
    *(void **)&d->init = dlsym(lib, "cuInit");
    *(void **)&d->count = dlsym(lib, "cuDeviceGetCount");
    *(void **)&d->name = dlsym(lib, "cuDeviceGetName");
    *(void **)&d->version = dlsym(lib, "cuDriverGetVersion");
    return d->init && d->count && d->name && d->version;
}

static void add_devices(json_t *checks, const struct driver *d)
{
    int count = 0, version = 0, rc = d->init(0);
    if (rc == 0)
        rc = d->count(&count);
    if (rc != 0 || count == 0) {
        add_take(checks, "GPU", OPTIONAL, cmpd_asprintf("driver there, no device (error %d)", rc),
                 NULL);
        return;
    }
    d->version(&version);
    for (int i = 0; i < count; i++) {
        char name[128] = "";
        d->name(name, sizeof name - 1, i);
        add_take(checks, "GPU", GOOD,
                 cmpd_asprintf("%d: %s (driver for CUDA %d.%d)", i, name, version / 1000,
                               version % 1000 / 10),
                 NULL);
    }
}

static void check_driver(json_t *checks)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    struct driver d;
    if (!lib) {
        add_take(checks, "GPU", OPTIONAL, cmpd_strdup("no driver (libcuda.so.1 is not there)"),
                 NULL);
        return;
    }
    if (driver_symbols(lib, &d))
        add_devices(checks, &d);
    else
        add_take(checks, "GPU", OPTIONAL, cmpd_strdup("libcuda.so.1 lacks functions"), NULL);
    dlclose(lib);
}

static void check_file(json_t *checks, const char *name, const char *const *places, size_t count,
                       const char *why)
{
    for (size_t i = 0; i < count; i++) {
        if (places[i] && access(places[i], F_OK) == 0) {
            add_take(checks, name, GOOD, cmpd_strdup(places[i]), NULL);
            return;
        }
    }
    add_take(checks, name, OPTIONAL, cmpd_strdup("not there"), cmpd_strdup(why));
}

static void check_tools(json_t *checks, const char *toolkit)
{
    CMPD_AUTOFREE char *sanitizer = toolkit ? cmpd_asprintf("%s/bin/compute-sanitizer", toolkit)
                                            : NULL;
    CMPD_AUTOFREE char *cupti = toolkit ? cmpd_asprintf("%s/lib64/libcupti.so", toolkit) : NULL;
    CMPD_AUTOFREE char *cupti_extra =
        toolkit ? cmpd_asprintf("%s/extras/CUPTI/lib64/libcupti.so", toolkit) : NULL;
    const char *sanitizers[] = {sanitizer, "/usr/local/cuda/bin/compute-sanitizer"};
    const char *cuptis[] = {cupti, cupti_extra, "/usr/lib/x86_64-linux-gnu/libcupti.so"};
    check_file(checks, "compute-sanitizer", sanitizers, 2,
               "memory checks on a GPU will need it (part of the CUDA toolkit)");
    check_file(checks, "CUPTI", cuptis, 3,
               "timing on a GPU will need it (part of the CUDA toolkit)");
}

/* One row a layer; a jail is needed, so what it can't do without is missing and not optional. */
static void check_jail(json_t *checks)
{
    struct cmpd_jail_probe p;
    cmpd_jail_probe(&p);
    for (int i = 0; i < CMPD_LAYER_COUNT; i++) {
        const struct cmpd_jail_layer_state *l = &p.layers[i];
        enum state state = l->active ? GOOD : l->required ? MISSING : OPTIONAL;
        add_take(checks, cmpd_jail_layer_name((enum cmpd_jail_layer)i), state,
                 cmpd_strdup(l->value), l->advice[0] ? cmpd_strdup(l->advice) : NULL);
    }
    if (p.usable)
        add_take(checks, "jail", GOOD, cmpd_strdup(p.name), NULL);
    else
        add_take(
            checks, "jail", MISSING, cmpd_strdup("none: nothing is compiled or run"),
            cmpd_asprintf("%s; or \"jail\": \"none\" in the policy of cmpd.json, for code that "
                          "you trust",
                          p.why_not));
}

static void check_limits(json_t *checks)
{
    static const struct {
        int what;
        const char *name;
    } rows[] = {{RLIMIT_AS, "address space"},
                {RLIMIT_CPU, "processor seconds"},
                {RLIMIT_NPROC, "processes"},
                {RLIMIT_NOFILE, "open files"}};
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rlimit l;
        if (getrlimit(rows[i].what, &l) < 0)
            continue;
        cmpd_buf_printf(&text, "%s%s ", text.len ? ", " : "", rows[i].name);
        if (l.rlim_max == RLIM_INFINITY)
            cmpd_buf_puts(&text, "unlimited");
        else
            cmpd_buf_printf(&text, "%ju", (uintmax_t)l.rlim_max);
    }
    add_take(checks, "limits", GOOD, cmpd_buf_steal(&text), NULL);
}

static void check_cache(json_t *checks)
{
    struct cmpd_cache c;
    cmpd_cache_open(&c, true);
    if (c.dir)
        add_take(checks, "compile cache", GOOD,
                 cmpd_asprintf("%s (at most %ju MiB)", c.dir, (uintmax_t)(c.ceiling_bytes >> 20)),
                 NULL);
    else
        add_take(checks, "compile cache", OPTIONAL, cmpd_strdup("off"),
                 cmpd_strdup("set HOME or XDG_CACHE_HOME to a folder that can be written"));
    cmpd_cache_clear(&c);
}

static void check_machine(json_t *checks)
{
    struct utsname u;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&u) == 0)
        add_take(checks, "machine", GOOD,
                 cmpd_asprintf("%s %s, %s, %ld cores", u.sysname, u.release, u.machine, cores),
                 NULL);
}

json_t *cmpd_doctor_report(const char *nvcc)
{
    json_t *o = json_object(), *checks = json_array();
    CMPD_AUTOFREE char *toolkit = NULL;
    json_object_set_new(o, "schema", json_string(CMPD_DOCTOR_SCHEMA));
    json_object_set_new(o, "version", json_string(cmpd_version()));
    json_object_set_new(o, "checks", checks);
    check_machine(checks);
    check_nvcc(checks, nvcc ? nvcc : DEFAULT_NVCC, &toolkit);
    check_host_compiler(checks);
    check_driver(checks);
    check_tools(checks, toolkit);
    check_jail(checks);
    check_cache(checks);
    check_limits(checks);
    return o;
}

void cmpd_doctor_text(const json_t *report, struct cmpd_buf *out)
{
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(report, "checks"), i, c)
    {
        const json_t *ok = json_object_get(c, "ok");
        const char *advice = json_string_value(json_object_get(c, "advice"));
        const char *mark = json_is_null(ok) ? "-" : json_is_true(ok) ? "+" : "!";
        cmpd_buf_printf(out, "%s %s: %s\n", mark, json_string_value(json_object_get(c, "name")),
                        json_string_value(json_object_get(c, "value")));
        if (advice)
            cmpd_buf_printf(out, "    %s\n", advice);
    }
}
