#include "config/policy_schema.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/verdict/policy_keys.h"

static json_t *choices(const char *list)
{
    json_t *out = json_array();
    for (const char *p = list; p;) {
        size_t n = strcspn(p, "|");
        json_array_append_new(out, json_stringn(p, n));
        p = p[n] ? p + n + 1 : NULL;
    }
    return out;
}

static json_t *string_schema(const char *form)
{
    static const struct {
        const char *form, *pattern;
    } patterns[] = {
        {"absolute", "^/"},
        {"relative", "^[^/-]"},
        {"arch", "^sm_[0-9]{2,3}[af]?$"},
        {"name", "^[A-Za-z_:][A-Za-z0-9_:]*$"},
        {"define", "^[A-Za-z_][A-Za-z0-9_]*(=[^\\r\\n]*)?$"},
        {"entry", "^[A-Za-z_:][A-Za-z0-9_:]*(<[A-Za-z0-9_<>:, *&-]*>)?$"},
        {"formula", "^[A-Za-z0-9_+*/%()<>=!&|^~?:, .\\[\\]-]+$"},
        {"role", "^(stream|(in|out|inout):[A-Za-z_][A-Za-z0-9_]*|dim:[A-Za-z0-9_*/]+|workspace:.+|"
                 "scalar:[A-Za-z_][A-Za-z0-9_]*(=.+)?)$"},
        {"flag", "^-"},
    };
    json_t *o = json_pack("{ss si}", "type", "string", "maxLength", 1024);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (strcmp(patterns[i].form, form) == 0)
            json_object_set_new(o, "pattern", json_string(patterns[i].pattern));
    }
    return o;
}

static json_t *number_schema(const struct cmpd_key *k)
{
    const char *most = strstr(k->limits, "..") + 2;
    if (k->kind == CMPD_KEY_UINT)
        return json_pack("{ss sI sI}", "type", "integer", "minimum",
                         (json_int_t)strtoll(k->limits, NULL, 10), "maximum",
                         (json_int_t)strtoll(most, NULL, 10));
    return json_pack("{ss sf sf}", "type", "number", "minimum", strtod(k->limits, NULL), "maximum",
                     strtod(most, NULL));
}

/* Reason tags to tiers; a fixed tag's own tier is the only one that it takes. */
static json_t *tiers_schema(void)
{
    json_t *tags = json_object();
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        const struct cmpd_tag_info *info = cmpd_tag_info((enum cmpd_tag)t);
        json_t *allowed = info->fixed ? json_pack("[s]", cmpd_tier_name(info->tier))
                                      : json_pack("[sss]", "reject", "review", "note");
        json_object_set_new(tags, info->name,
                            json_pack("{so ss}", "enum", allowed, "description", info->summary));
    }
    return json_pack("{ss so sb}", "type", "object", "properties", tags, "additionalProperties", 0);
}

static json_t *cases_schema(void)
{
    json_t *value = json_pack("{s[ss]}", "type", "number", "string");
    json_t *one = json_pack("{ss so}", "type", "object", "additionalProperties", value);
    return json_pack("{ss so}", "type", "array", "items", one);
}

static json_t *object_schema(const char *path);

static json_t *list_of(json_t *items)
{
    return json_pack("{ss so}", "type", "array", "items", items);
}

static json_t *key_schema(const struct cmpd_key *k)
{
    switch (k->kind) {
    case CMPD_KEY_OBJECT:
        return object_schema(k->path);
    case CMPD_KEY_LIST:
        return list_of(object_schema(k->path));
    case CMPD_KEY_MAYBE_LIST: {
        json_t *many = list_of(object_schema(k->path));
        json_object_set_new(many, "minItems", json_integer(1));
        return json_pack("{s[oo]}", "oneOf", object_schema(k->path), many);
    }
    case CMPD_KEY_STRING:
        return string_schema(k->limits);
    case CMPD_KEY_STRINGS:
        return list_of(string_schema(k->limits));
    case CMPD_KEY_CHOICE:
        return json_pack("{so}", "enum", choices(k->limits));
    case CMPD_KEY_CHOICES:
        return list_of(json_pack("{so}", "enum", choices(k->limits)));
    case CMPD_KEY_BOOL:
        return json_pack("{ss}", "type", "boolean");
    case CMPD_KEY_UINT:
    case CMPD_KEY_NUMBER:
        return number_schema(k);
    case CMPD_KEY_TIERS:
        return tiers_schema();
    case CMPD_KEY_CASES:
        break;
    }
    return cases_schema();
}

static json_t *object_schema(const char *path)
{
    size_t count;
    const struct cmpd_key *keys = cmpd_policy_keys(&count);
    json_t *properties = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *name = cmpd_policy_key_below(&keys[i], path);
        if (!name)
            continue;
        json_t *s = key_schema(&keys[i]);
        json_object_set_new(s, "description", json_string(keys[i].help));
        if (keys[i].def[0])
            json_object_set_new(s, "default", json_loads(keys[i].def, JSON_DECODE_ANY, NULL));
        json_object_set_new(properties, name, s);
    }
    json_t *o = json_pack("{ss so sb}", "type", "object", "properties", properties,
                          "additionalProperties", 0);
    if (strcmp(path, "kernels") == 0)
        json_object_set_new(o, "required", json_pack("[s]", "path"));
    return o;
}

void cmpd_policy_schema(struct cmpd_buf *out)
{
    json_t *root = json_object();
    json_object_set_new(root, "$schema",
                        json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(root, "title", json_string("CMP-D policy (cmpd.json)"));
    json_t *top = object_schema("");
    json_object_update_missing(root, top);
    json_decref(top);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    cmpd_buf_puts(out, text);
    cmpd_buf_putc(out, '\n');
    free(text);
    json_decref(root);
}

/* What holds below `path` where nothing is stated. */
static json_t *defaults_below(const char *path)
{
    size_t count;
    const struct cmpd_key *keys = cmpd_policy_keys(&count);
    json_t *o = json_object();
    for (size_t i = 0; i < count; i++) {
        const struct cmpd_key *k = &keys[i];
        const char *name = cmpd_policy_key_below(k, path);
        if (!name || !k->def[0])
            continue;
        bool nested = k->kind == CMPD_KEY_OBJECT || k->kind == CMPD_KEY_MAYBE_LIST;
        json_object_set_new(
            o, name, nested ? defaults_below(k->path) : json_loads(k->def, JSON_DECODE_ANY, NULL));
    }
    return o;
}

void cmpd_policy_defaults(struct cmpd_buf *out)
{
    json_t *o = defaults_below("");
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    cmpd_buf_puts(out, text);
    cmpd_buf_putc(out, '\n');
    free(text);
    json_decref(o);
}

static void roff(struct cmpd_buf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '\\')
            cmpd_buf_puts(out, "\\e");
        else if (*s == '-')
            cmpd_buf_puts(out, "\\-");
        else
            cmpd_buf_putc(out, *s);
    }
}

static const char *kind_words(const struct cmpd_key *k)
{
    static const char *const words[] = {
        [CMPD_KEY_OBJECT] = "object",
        [CMPD_KEY_LIST] = "list of objects",
        [CMPD_KEY_MAYBE_LIST] = "object or list of objects",
        [CMPD_KEY_STRING] = "string",
        [CMPD_KEY_STRINGS] = "list of strings",
        [CMPD_KEY_CHOICE] = "one of",
        [CMPD_KEY_CHOICES] = "list of",
        [CMPD_KEY_BOOL] = "true or false",
        [CMPD_KEY_UINT] = "whole number",
        [CMPD_KEY_NUMBER] = "number",
        [CMPD_KEY_TIERS] = "object of reason tag to \"reject\", \"review\" or \"note\"",
        [CMPD_KEY_CASES] = "list of objects of numbers and strings",
    };
    return words[k->kind];
}

static void put_choices(struct cmpd_buf *out, const char *list)
{
    for (; *list; list++) {
        if (*list == '|')
            cmpd_buf_puts(out, ", ");
        else if (*list == '-')
            cmpd_buf_puts(out, "\\-");
        else
            cmpd_buf_putc(out, *list);
    }
}

void cmpd_policy_man(struct cmpd_buf *out)
{
    size_t count;
    const struct cmpd_key *keys = cmpd_policy_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cmpd_key *k = &keys[i];
        cmpd_buf_puts(out, ".TP\n.B ");
        roff(out, k->path);
        cmpd_buf_putc(out, '\n');
        roff(out, kind_words(k));
        if (k->kind == CMPD_KEY_CHOICE || k->kind == CMPD_KEY_CHOICES) {
            cmpd_buf_putc(out, ' ');
            put_choices(out, k->limits);
        } else if (k->kind == CMPD_KEY_UINT || k->kind == CMPD_KEY_NUMBER) {
            const char *dots = strstr(k->limits, "..");
            cmpd_buf_printf(out, " from %.*s to %s", (int)(dots - k->limits), k->limits, dots + 2);
        }
        if (k->def[0] && strcmp(k->def, "[]") != 0 && strcmp(k->def, "{}") != 0) {
            cmpd_buf_puts(out, " (default: ");
            roff(out, k->def);
            cmpd_buf_putc(out, ')');
        }
        cmpd_buf_puts(out, ":\n");
        roff(out, k->help);
        cmpd_buf_puts(out, ".\n");
    }
}
