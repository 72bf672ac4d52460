/* Signatures as they stand in a job, there and back. What is false, empty or 1 by nature is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/signature/sig.h"

static const char *const EVIDENCE[] = {
    "to_kernel",   "copy_host_in", "copy_host_out", "copy_device_in", "copy_device_out",
    "copy_any_in", "copy_any_out", "host_read",     "host_write",     "freed",
    "loaded",      "stored",       "escapes",       "compared",       "axis_x",
    "axis_y",      "axis_z"};
#define EVIDENCE_COUNT (sizeof EVIDENCE / sizeof *EVIDENCE)

/* ---- writing ---- */

static void add_text(json_t *o, const char *key, const char *s)
{
    if (!s || !s[0])
        return;
    json_t *v = json_string(s);
    json_object_set_new(o, key, v ? v : json_string("?")); /* a name that is no UTF-8 */
}

static void add_flag(json_t *o, const char *key, bool on)
{
    if (on)
        json_object_set_new(o, key, json_true());
}

static void add_uint(json_t *o, const char *key, uint32_t v)
{
    if (v)
        json_object_set_new(o, key, json_integer(v));
}

static json_t *param_json(const struct cmpd_sig_param *p)
{
    json_t *o = json_object();
    add_text(o, "name", p->name);
    add_text(o, "type", p->type);
    add_text(o, "elem", cmpd_sig_elem_name(p->elem));
    add_uint(o, "vector", p->vector > 1 ? p->vector : 0);
    add_uint(o, "pointers", p->pointers);
    add_uint(o, "tparam", p->tparam >= 0 ? (uint32_t)p->tparam + 1 : 0);
    add_flag(o, "const", p->is_const);
    add_flag(o, "reference", p->is_reference);
    add_flag(o, "pack", p->is_pack);
    add_flag(o, "has_default", p->has_default);
    if (p->default_known && isfinite(p->default_value))
        json_object_set_new(o, "default", json_real(p->default_value));
    if (p->evidence) {
        json_t *list = json_array();
        for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
            if (p->evidence & (1u << i))
                json_array_append_new(list, json_string(EVIDENCE[i]));
        }
        json_object_set_new(o, "evidence", list);
    }
    return o;
}

static json_t *tparam_json(const struct cmpd_sig_tparam *t)
{
    json_t *o = json_object();
    add_text(o, "name", t->name);
    add_text(o, "default", t->default_value);
    add_flag(o, "is_type", t->is_type);
    add_flag(o, "pack", t->is_pack);
    return o;
}

static json_t *func_json(const struct cmpd_sig_func *f)
{
    json_t *o = json_object(), *params = json_array(), *tparams = json_array(),
           *instances = json_array();
    add_text(o, "name", f->name);
    add_text(o, "scope", f->scope);
    add_text(o, "kind", f->kind == CMPD_SIG_KERNEL ? "kernel" : "host");
    json_object_set_new(o, "returns", param_json(&f->ret));
    for (size_t i = 0; i < f->param_count; i++)
        json_array_append_new(params, param_json(&f->params[i]));
    json_object_set_new(o, "params", params);
    for (size_t i = 0; i < f->tparam_count; i++)
        json_array_append_new(tparams, tparam_json(&f->tparams[i]));
    for (size_t i = 0; i < f->instance_count; i++)
        json_array_append_new(instances, json_string(f->instances[i]));
    if (f->tparam_count)
        json_object_set(o, "tparams", tparams);
    if (f->instance_count)
        json_object_set(o, "instances", instances);
    json_decref(tparams);
    json_decref(instances);
    add_uint(o, "line", f->line);
    add_flag(o, "extern_c", f->is_extern_c);
    add_flag(o, "static", f->is_static);
    add_flag(o, "inline", f->is_inline);
    add_flag(o, "method", f->is_method);
    add_flag(o, "variadic", f->is_variadic);
    add_flag(o, "local", f->is_local);
    add_flag(o, "launcher", f->is_launcher);
    add_flag(o, "library", f->calls_library);
    add_flag(o, "called", f->is_called);
    add_uint(o, "uses_thread", f->uses_thread);
    add_uint(o, "uses_block", f->uses_block);
    add_uint(o, "max_threads", f->max_threads);
    add_uint(o, "threads_x", f->index_threads[0]);
    add_uint(o, "threads_y", f->index_threads[1]);
    add_uint(o, "threads_z", f->index_threads[2]);
    add_uint(o, "tparam_x", f->index_tparam[0]);
    add_uint(o, "tparam_y", f->index_tparam[1]);
    add_uint(o, "tparam_z", f->index_tparam[2]);
    add_uint(o, "shared_extent", f->shared_extent);
    add_flag(o, "dynamic_shared", f->dynamic_shared);
    return o;
}

static json_t *launch_json(const struct cmpd_sig_launch *l)
{
    static const char *const names[] = {"x", "y", "z"};
    json_t *o = json_object(), *grid = json_object(), *block = json_object();
    if (l->func != UINT32_MAX)
        json_object_set_new(o, "func", json_integer(l->func));
    json_object_set_new(o, "kernel", json_integer(l->kernel));
    add_uint(o, "line", l->line);
    for (int c = 0; c < 3; c++) {
        add_text(grid, names[c], l->grid[c]);
        add_text(block, names[c], l->block[c]);
    }
    json_object_set_new(o, "grid", grid);
    json_object_set_new(o, "block", block);
    add_text(o, "shared", l->shared);
    add_text(o, "stream", l->stream);
    add_text(o, "targs", l->targs);
    return o;
}

json_t *cmpd_signatures_json(const struct cmpd_signatures *s)
{
    json_t *o = json_object(), *funcs = json_array(), *launches = json_array();
    for (size_t i = 0; i < s->func_count; i++)
        json_array_append_new(funcs, func_json(&s->funcs[i]));
    for (size_t i = 0; i < s->launch_count; i++)
        json_array_append_new(launches, launch_json(&s->launches[i]));
    json_object_set_new(o, "list", funcs);
    json_object_set_new(o, "launches", launches);
    add_flag(o, "main", s->has_main);
    add_flag(o, "cut", s->cut);
    return o;
}

/* ---- reading ---- */

static cmpd_rc bad(struct cmpd_err *err, const char *what)
{
    return cmpd_err_set(err, CMPD_EINPUT, "job: functions: %s", what);
}

/* Every key of the object is one of these; a member of another type than its row says is wrong too. */
enum member_kind { TEXT, FLAG, UINT, NUMBER, LIST, OBJECT };
struct member {
    const char *key;
    enum member_kind kind;
};

static bool kind_ok(const json_t *v, enum member_kind kind)
{
    switch (kind) {
    case TEXT:
        return json_is_string(v) && json_string_length(v) <= CMPD_SIG_TEXT_CEILING &&
               strlen(json_string_value(v)) == json_string_length(v);
    case FLAG:
        return json_is_boolean(v);
    case UINT:
        return json_is_integer(v) && json_integer_value(v) >= 0 &&
               json_integer_value(v) <= UINT32_MAX;
    case NUMBER:
        return json_is_number(v);
    case LIST:
        return json_is_array(v);
    case OBJECT:
        return json_is_object(v);
    }
    return false;
}

static cmpd_rc check(const json_t *o, const struct member *rows, struct cmpd_err *err)
{
    const char *key;
    const json_t *v;
    if (!json_is_object(o))
        return bad(err, "an object is missing");
    json_object_foreach((json_t *)(uintptr_t)o, key, v)
    {
        const struct member *m = rows;
        while (m->key && strcmp(m->key, key) != 0)
            m++;
        if (!m->key)
            return cmpd_err_set(err, CMPD_EINPUT, "job: unknown key %.60s in functions", key);
        if (!kind_ok(v, m->kind))
            return cmpd_err_set(err, CMPD_EINPUT, "job: functions: %s is not what it must be", key);
    }
    return CMPD_OK;
}

static char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return cmpd_strdup(s ? s : "");
}

/* The same, NULL where it is missing. */
static char *maybe_text(const json_t *o, const char *key)
{
    return cmpd_strdup(json_string_value(json_object_get(o, key)));
}

static uint32_t uint_of(const json_t *o, const char *key, uint32_t def)
{
    const json_t *v = json_object_get(o, key);
    return v ? (uint32_t)json_integer_value(v) : def;
}

static bool flag_of(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

static cmpd_rc read_evidence(const json_t *list, unsigned *out, struct cmpd_err *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        size_t k = 0;
        while (s && k < EVIDENCE_COUNT && strcmp(EVIDENCE[k], s) != 0)
            k++;
        if (!s || k == EVIDENCE_COUNT)
            return bad(err, "evidence that isn't known");
        *out |= 1u << k;
    }
    return CMPD_OK;
}

/* *p is clean and is filled even where something is wrong: whoever holds it clears it. */
static cmpd_rc read_param(const json_t *o, struct cmpd_sig_param *p, struct cmpd_err *err)
{
    static const struct member rows[] = {
        {"name", TEXT},     {"type", TEXT},        {"elem", TEXT},      {"vector", UINT},
        {"pointers", UINT}, {"tparam", UINT},      {"const", FLAG},     {"reference", FLAG},
        {"pack", FLAG},     {"has_default", FLAG}, {"default", NUMBER}, {"evidence", LIST},
        {NULL, TEXT}};
    *p = (struct cmpd_sig_param){.vector = 1, .tparam = -1};
    p->name = cmpd_strdup("");
    p->type = cmpd_strdup("");
    cmpd_rc rc = check(o, rows, err);
    if (rc != CMPD_OK)
        return rc;
    const char *elem = json_string_value(json_object_get(o, "elem"));
    if (!elem || !cmpd_sig_elem_find(elem, &p->elem))
        return bad(err, "an element type that isn't known");
    free(p->name);
    free(p->type);
    p->name = text_of(o, "name");
    p->type = text_of(o, "type");
    p->vector = uint_of(o, "vector", 1);
    p->pointers = uint_of(o, "pointers", 0);
    p->tparam = (int)uint_of(o, "tparam", 0) - 1;
    p->is_const = flag_of(o, "const");
    p->is_reference = flag_of(o, "reference");
    p->is_pack = flag_of(o, "pack");
    p->has_default = flag_of(o, "has_default");
    p->default_known = json_object_get(o, "default") != NULL;
    p->default_value = json_number_value(json_object_get(o, "default"));
    if (p->vector < 1 || p->vector > 4 || p->pointers > CMPD_SIG_POINTERS_CEILING ||
        p->tparam < -1 || p->tparam > CMPD_SIG_TPARAM_CEILING)
        return bad(err, "a parameter out of bounds");
    return read_evidence(json_object_get(o, "evidence"), &p->evidence, err);
}

static cmpd_rc read_params(const json_t *list, struct cmpd_sig_func *f, struct cmpd_err *err)
{
    if (json_array_size(list) > CMPD_SIG_PARAMS_CEILING)
        return bad(err, "too many parameters");
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < json_array_size(list); i++) {
        CMPD_GROW(f->params, f->param_count + 1, f->param_cap);
        rc = read_param(json_array_get(list, i), &f->params[f->param_count++], err);
    }
    return rc;
}

static cmpd_rc read_tparams(const json_t *list, struct cmpd_sig_func *f, struct cmpd_err *err)
{
    static const struct member rows[] = {
        {"name", TEXT}, {"default", TEXT}, {"is_type", FLAG}, {"pack", FLAG}, {NULL, TEXT}};
    if (json_array_size(list) > CMPD_SIG_PARAMS_CEILING)
        return bad(err, "too many template parameters");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        cmpd_rc rc = check(o, rows, err);
        if (rc != CMPD_OK)
            return rc;
        CMPD_GROW(f->tparams, f->tparam_count + 1, f->tparam_cap);
        f->tparams[f->tparam_count++] =
            (struct cmpd_sig_tparam){.name = text_of(o, "name"),
                                     .default_value = maybe_text(o, "default"),
                                     .is_type = flag_of(o, "is_type"),
                                     .is_pack = flag_of(o, "pack")};
    }
    return CMPD_OK;
}

static cmpd_rc read_instances(const json_t *list, struct cmpd_sig_func *f, struct cmpd_err *err)
{
    if (json_array_size(list) > CMPD_SIG_INSTANCES_CEILING)
        return bad(err, "too many instances");
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!kind_ok(json_array_get(list, i), TEXT))
            return bad(err, "an instance that is no text");
        CMPD_GROW(f->instances, f->instance_count + 1, f->instance_cap);
        f->instances[f->instance_count++] = cmpd_strdup(json_string_value(json_array_get(list, i)));
    }
    return CMPD_OK;
}

static void read_flags(const json_t *o, struct cmpd_sig_func *f)
{
    f->line = uint_of(o, "line", 0);
    f->is_extern_c = flag_of(o, "extern_c");
    f->is_static = flag_of(o, "static");
    f->is_inline = flag_of(o, "inline");
    f->is_method = flag_of(o, "method");
    f->is_variadic = flag_of(o, "variadic");
    f->is_local = flag_of(o, "local");
    f->is_launcher = flag_of(o, "launcher");
    f->calls_library = flag_of(o, "library");
    f->is_called = flag_of(o, "called");
    f->uses_thread = uint_of(o, "uses_thread", 0);
    f->uses_block = uint_of(o, "uses_block", 0);
    f->max_threads = uint_of(o, "max_threads", 0);
    f->index_threads[0] = uint_of(o, "threads_x", 0);
    f->index_threads[1] = uint_of(o, "threads_y", 0);
    f->index_threads[2] = uint_of(o, "threads_z", 0);
    f->index_tparam[0] = uint_of(o, "tparam_x", 0);
    f->index_tparam[1] = uint_of(o, "tparam_y", 0);
    f->index_tparam[2] = uint_of(o, "tparam_z", 0);
    f->shared_extent = uint_of(o, "shared_extent", 0);
    f->dynamic_shared = flag_of(o, "dynamic_shared");
}

static cmpd_rc read_func(const json_t *o, struct cmpd_sig_func *f, struct cmpd_err *err)
{
    static const struct member rows[] = {
        {"name", TEXT},           {"scope", TEXT},       {"kind", TEXT},
        {"returns", OBJECT},      {"params", LIST},      {"tparams", LIST},
        {"instances", LIST},      {"line", UINT},        {"extern_c", FLAG},
        {"static", FLAG},         {"inline", FLAG},      {"method", FLAG},
        {"variadic", FLAG},       {"local", FLAG},       {"launcher", FLAG},
        {"library", FLAG},        {"called", FLAG},      {"uses_thread", UINT},
        {"uses_block", UINT},     {"max_threads", UINT}, {"threads_x", UINT},
        {"threads_y", UINT},      {"threads_z", UINT},   {"tparam_x", UINT},
        {"tparam_y", UINT},       {"tparam_z", UINT},    {"shared_extent", UINT},
        {"dynamic_shared", FLAG}, {NULL, TEXT}};
    memset(f, 0, sizeof *f);
    f->name = cmpd_strdup("");
    f->scope = cmpd_strdup("");
    cmpd_rc rc = check(o, rows, err);
    if (rc != CMPD_OK)
        return rc;
    const char *kind = json_string_value(json_object_get(o, "kind"));
    if (!kind || (strcmp(kind, "kernel") != 0 && strcmp(kind, "host") != 0))
        return bad(err, "a function that is neither host nor kernel");
    free(f->name);
    free(f->scope);
    f->name = text_of(o, "name");
    f->scope = text_of(o, "scope");
    f->kind = strcmp(kind, "kernel") == 0 ? CMPD_SIG_KERNEL : CMPD_SIG_HOST;
    read_flags(o, f);
    rc = read_param(json_object_get(o, "returns"), &f->ret, err);
    if (rc == CMPD_OK)
        rc = read_params(json_object_get(o, "params"), f, err);
    if (rc == CMPD_OK)
        rc = read_tparams(json_object_get(o, "tparams"), f, err);
    if (rc == CMPD_OK)
        rc = read_instances(json_object_get(o, "instances"), f, err);
    if (rc == CMPD_OK && !f->name[0])
        rc = bad(err, "a function without a name");
    return rc;
}

static cmpd_rc read_launch(const json_t *o, const struct cmpd_signatures *s,
                           struct cmpd_sig_launch *l, struct cmpd_err *err)
{
    static const struct member rows[] = {{"func", UINT},   {"kernel", UINT},  {"line", UINT},
                                         {"grid", OBJECT}, {"block", OBJECT}, {"shared", TEXT},
                                         {"stream", TEXT}, {"targs", TEXT},   {NULL, TEXT}};
    static const struct member parts[] = {{"x", TEXT}, {"y", TEXT}, {"z", TEXT}, {NULL, TEXT}};
    static const char *const names[] = {"x", "y", "z"};
    memset(l, 0, sizeof *l);
    cmpd_rc rc = check(o, rows, err);
    const json_t *grid = json_object_get(o, "grid"), *block = json_object_get(o, "block");
    if (rc == CMPD_OK)
        rc = check(grid, parts, err);
    if (rc == CMPD_OK)
        rc = check(block, parts, err);
    if (rc != CMPD_OK)
        return rc;
    for (int c = 0; c < 3; c++) {
        l->grid[c] = maybe_text(grid, names[c]);
        l->block[c] = maybe_text(block, names[c]);
    }
    l->shared = maybe_text(o, "shared");
    l->stream = maybe_text(o, "stream");
    l->targs = maybe_text(o, "targs");
    l->func = uint_of(o, "func", UINT32_MAX);
    l->kernel = uint_of(o, "kernel", UINT32_MAX);
    l->line = uint_of(o, "line", 0);
    if (l->kernel >= s->func_count || (l->func != UINT32_MAX && l->func >= s->func_count))
        return bad(err, "a launch of a function that is not in the list");
    return CMPD_OK;
}

static cmpd_rc read_all(const json_t *o, struct cmpd_signatures *s, struct cmpd_err *err)
{
    static const struct member rows[] = {
        {"list", LIST}, {"launches", LIST}, {"main", FLAG}, {"cut", FLAG}, {NULL, TEXT}};
    cmpd_rc rc = check(o, rows, err);
    const json_t *list = json_object_get(o, "list"), *launches = json_object_get(o, "launches");
    if (rc == CMPD_OK && (json_array_size(list) > CMPD_SIG_FUNCS_CEILING ||
                          json_array_size(launches) > CMPD_SIG_LAUNCHES_CEILING))
        rc = bad(err, "too many of them");
    for (size_t i = 0; rc == CMPD_OK && i < json_array_size(list); i++) {
        CMPD_GROW(s->funcs, s->func_count + 1, s->func_cap);
        rc = read_func(json_array_get(list, i), &s->funcs[s->func_count++], err);
    }
    for (size_t i = 0; rc == CMPD_OK && i < json_array_size(launches); i++) {
        CMPD_GROW(s->launches, s->launch_count + 1, s->launch_cap);
        rc = read_launch(json_array_get(launches, i), s, &s->launches[s->launch_count++], err);
    }
    s->has_main = flag_of(o, "main");
    s->cut = flag_of(o, "cut");
    return rc;
}

cmpd_rc cmpd_signatures_read(const json_t *o, struct cmpd_signatures *out, struct cmpd_err *err)
{
    struct cmpd_signatures s = {0};
    cmpd_rc rc = read_all(o, &s, err);
    if (rc != CMPD_OK)
        cmpd_signatures_clear(&s);
    else
        *out = s;
    return rc;
}
