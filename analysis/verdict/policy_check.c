/* Checks a parsed cmpd.json against the key table. */
#include <math.h>
#include <string.h>

#include "analysis/base/jsonpos.h"
#include "analysis/base/nearest.h"
#include "analysis/verdict/policy_keys.h"

#define DEEPEST 16

static const struct cmpd_key KEYS[] = {
#define KEY(path, kind, limits, def, help) {path, CMPD_KEY_##kind, limits, def, help},
#include "config/policy_keys.def"
#undef KEY
};
#define KEY_COUNT (sizeof KEYS / sizeof KEYS[0])

const struct cmpd_key *cmpd_policy_keys(size_t *count)
{
    *count = KEY_COUNT;
    return KEYS;
}

struct walk {
    const char *text, *origin;
    size_t len;
    struct cmpd_err *err;
    struct cmpd_json_step steps[DEEPEST];
    size_t depth;
};

static void enter(struct walk *w, const char *key, size_t index)
{
    if (w->depth < DEEPEST)
        w->steps[w->depth] = (struct cmpd_json_step){key, index};
    w->depth++;
}

/* The error at the place where the walk stands. */
__attribute__((format(printf, 3, 4))) static cmpd_rc fail(struct walk *w, bool at_key,
                                                          const char *fmt, ...)
{
    struct cmpd_json_pos pos;
    size_t depth = w->depth < DEEPEST ? w->depth : DEEPEST;
    cmpd_json_locate(w->text, w->len, w->steps, depth, at_key, &pos);
    char what[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return cmpd_err_set(w->err, CMPD_EINPUT, "%s:%zu:%zu: %s", w->origin, pos.line, pos.column,
                        what);
}

const char *cmpd_policy_key_below(const struct cmpd_key *k, const char *parent)
{
    size_t n = strlen(parent);
    const char *name = k->path;
    if (n) {
        if (strncmp(k->path, parent, n) != 0 || k->path[n] != '.')
            return NULL;
        name += n + 1;
    }
    return strchr(name, '.') ? NULL : name;
}

static const struct cmpd_key *find_key(const char *parent, const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const char *child = cmpd_policy_key_below(&KEYS[i], parent);
        if (child && strcmp(child, name) == 0)
            return &KEYS[i];
    }
    return NULL;
}

static cmpd_rc unknown_key(struct walk *w, const char *parent, const char *name)
{
    const char *names[KEY_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const char *child = cmpd_policy_key_below(&KEYS[i], parent);
        if (child)
            names[count++] = child;
    }
    const char *near = cmpd_nearest(name, names, count);
    const char *at = *parent ? parent : "the file";
    if (near)
        return fail(w, true, "unknown key '%.64s' in %s; did you mean '%s'?", name, at, near);
    return fail(w, true, "unknown key '%.64s' in %s", name, at);
}

static const char *type_name(const json_t *v)
{
    static const char *const names[] = {"an object", "a list", "a string", "a whole number",
                                        "a number",  "true",   "false",    "null"};
    return names[json_typeof(v)];
}

static cmpd_rc wrong_type(struct walk *w, const char *name, const char *expected, const json_t *v)
{
    return fail(w, false, "'%.64s' must be %s, not %s", name, expected, type_name(v));
}

static cmpd_rc check_object(struct walk *w, const json_t *object, const char *path);

static cmpd_rc check_form(struct walk *w, const char *name, const char *form, const json_t *v)
{
    if (!json_is_string(v))
        return wrong_type(w, name, "a string", v);
    const char *why = "";
    const char *s = json_string_value(v);
    if (strlen(s) > 1024)
        return fail(w, false, "'%.64s' is longer than 1024 bytes", name);
    if (!cmpd_policy_form_ok(form, s, &why))
        return fail(w, false, "'%.200s' in %s %s", s, name, why);
    return CMPD_OK;
}

static cmpd_rc check_choice(struct walk *w, const char *name, const char *choices, const json_t *v)
{
    if (!json_is_string(v))
        return wrong_type(w, name, "a string", v);
    const char *s = json_string_value(v);
    size_t len = strlen(s);
    for (const char *p = choices; p;) {
        size_t n = strcspn(p, "|");
        if (n == len && memcmp(p, s, n) == 0)
            return CMPD_OK;
        p = p[n] ? p + n + 1 : NULL;
    }
    return fail(w, false, "'%.64s' in %s is not one of %s", s, name, choices);
}

static cmpd_rc check_number(struct walk *w, const char *name, const struct cmpd_key *k,
                            const json_t *v)
{
    bool whole = k->kind == CMPD_KEY_UINT;
    if (whole ? !json_is_integer(v) : !json_is_number(v))
        return wrong_type(w, name, whole ? "a whole number" : "a number", v);
    double least = strtod(k->limits, NULL);
    double most = strtod(strstr(k->limits, "..") + 2, NULL);
    double x = json_number_value(v);
    if (!(x >= least && x <= most))
        return fail(w, false, "'%s' must be within %s", name, k->limits);
    return CMPD_OK;
}

static cmpd_rc check_tier(struct walk *w, const char *name, const json_t *v)
{
    enum cmpd_tag tag;
    enum cmpd_tier tier;
    if (!cmpd_tag_find(name, &tag)) {
        const char *names[CMPD_TAG_COUNT];
        for (int i = 0; i < CMPD_TAG_COUNT; i++)
            names[i] = cmpd_tag_info((enum cmpd_tag)i)->name;
        const char *near = cmpd_nearest(name, names, CMPD_TAG_COUNT);
        return fail(w, true, "unknown reason tag '%.64s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!json_is_string(v) || !cmpd_tier_find(json_string_value(v), &tier))
        return fail(w, false, "the tier of %s must be \"reject\", \"review\" or \"note\"", name);
    const struct cmpd_tag_info *info = cmpd_tag_info(tag);
    if (info->fixed && tier < info->tier)
        return fail(w, true, "%s can't be lowered: it is always %s", name,
                    cmpd_tier_name(info->tier));
    return CMPD_OK;
}

static cmpd_rc check_tiers(struct walk *w, const char *name, json_t *v)
{
    if (!json_is_object(v))
        return wrong_type(w, name, "an object", v);
    const char *key;
    json_t *tier;
    json_object_foreach(v, key, tier)
    {
        enter(w, key, 0);
        cmpd_rc rc = check_tier(w, key, tier);
        w->depth--;
        if (rc)
            return rc;
    }
    return CMPD_OK;
}

static cmpd_rc check_case(struct walk *w, json_t *v)
{
    const char *key;
    json_t *value;
    if (!json_is_object(v))
        return wrong_type(w, "cases", "a list of objects", v);
    json_object_foreach(v, key, value)
    {
        bool text = strcmp(key, "inputs") == 0 || strcmp(key, "dtype") == 0;
        enter(w, key, 0);
        if (!json_is_number(value) && !json_is_string(value))
            return wrong_type(w, key, "a number or a string", value);
        if (text != json_is_string(value))
            return fail(w, false, "'%.64s' in a case must be %s", key,
                        text ? "a string" : "a whole number: only inputs and dtype are strings");
        if (!text && !(json_is_integer(value) && json_integer_value(value) >= 1))
            return fail(w, false, "'%.64s' in a case must be a whole number from 1 on", key);
        w->depth--;
    }
    return CMPD_OK;
}

static cmpd_rc check_element(struct walk *w, const char *name, const struct cmpd_key *k, json_t *v)
{
    switch (k->kind) {
    case CMPD_KEY_STRINGS:
        return check_form(w, name, k->limits, v);
    case CMPD_KEY_CHOICES:
        return check_choice(w, name, k->limits, v);
    case CMPD_KEY_CASES:
        return check_case(w, v);
    default:
        return json_is_object(v) ? check_object(w, v, k->path)
                                 : wrong_type(w, name, "a list of objects", v);
    }
}

static cmpd_rc check_list(struct walk *w, const char *name, const struct cmpd_key *k, json_t *v)
{
    if (!json_is_array(v))
        return wrong_type(w, name, "a list", v);
    if (k->kind == CMPD_KEY_MAYBE_LIST && json_array_size(v) == 0)
        return fail(w, false, "'%s' must not be an empty list", name);
    for (size_t i = 0; i < json_array_size(v); i++) {
        enter(w, NULL, i);
        cmpd_rc rc = check_element(w, name, k, json_array_get(v, i));
        w->depth--;
        if (rc)
            return rc;
    }
    return CMPD_OK;
}

static cmpd_rc check_value(struct walk *w, const char *name, const struct cmpd_key *k, json_t *v)
{
    switch (k->kind) {
    case CMPD_KEY_OBJECT:
        return json_is_object(v) ? check_object(w, v, k->path)
                                 : wrong_type(w, name, "an object", v);
    case CMPD_KEY_MAYBE_LIST:
        return json_is_object(v) ? check_object(w, v, k->path) : check_list(w, name, k, v);
    case CMPD_KEY_STRING:
        return check_form(w, name, k->limits, v);
    case CMPD_KEY_CHOICE:
        return check_choice(w, name, k->limits, v);
    case CMPD_KEY_BOOL:
        return json_is_boolean(v) ? CMPD_OK : wrong_type(w, name, "true or false", v);
    case CMPD_KEY_UINT:
    case CMPD_KEY_NUMBER:
        return check_number(w, name, k, v);
    case CMPD_KEY_TIERS:
        return check_tiers(w, name, v);
    case CMPD_KEY_LIST:
    case CMPD_KEY_STRINGS:
    case CMPD_KEY_CHOICES:
    case CMPD_KEY_CASES:
        break;
    }
    return check_list(w, name, k, v);
}

static cmpd_rc check_object(struct walk *w, const json_t *object, const char *path)
{
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)object, name, v)
    {
        const struct cmpd_key *k = find_key(path, name);
        enter(w, name, 0);
        cmpd_rc rc = k ? check_value(w, name, k, v) : unknown_key(w, path, name);
        w->depth--;
        if (rc)
            return rc;
    }
    if (strcmp(path, "kernels") == 0 && !json_object_get(object, "path"))
        return fail(w, false, "an entry of kernels needs a 'path'");
    if (strcmp(path, "kernels.reference") == 0 && json_object_size(object) != 1)
        return fail(w, false, "a reference is one 'file' or one 'command'");
    return CMPD_OK;
}

cmpd_rc cmpd_policy_check(const json_t *root, const char *text, size_t len, const char *origin,
                          struct cmpd_err *err)
{
    struct walk w = {.text = text, .len = len, .origin = origin, .err = err};
    if (!json_is_object(root))
        return fail(&w, false, "a policy must be a JSON object, not %s", type_name(root));
    return check_object(&w, root, "");
}
