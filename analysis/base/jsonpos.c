#include "analysis/base/jsonpos.h"

#include <jansson.h>
#include <string.h>

struct cursor {
    const char *text;
    size_t len, at;
};

static bool at_end(const struct cursor *c)
{
    return c->at >= c->len;
}

static void skip_space(struct cursor *c)
{
    while (!at_end(c) && strchr(" \t\r\n", c->text[c->at]) && c->text[c->at])
        c->at++;
}

static void skip_string(struct cursor *c)
{
    c->at++;
    while (!at_end(c) && c->text[c->at] != '"')
        c->at += c->text[c->at] == '\\' ? 2 : 1;
    c->at++;
}

/* Over one value, without recursion: brackets are counted, strings are hopped over. */
static void skip_value(struct cursor *c)
{
    size_t open = 0;
    while (!at_end(c)) {
        char ch = c->text[c->at];
        if (ch == '"') {
            skip_string(c);
            if (!open)
                return;
            continue;
        }
        if (!open && (ch == ',' || ch == '}' || ch == ']'))
            return;
        if (ch == '{' || ch == '[')
            open++;
        if (ch == '}' || ch == ']') {
            c->at++;
            if (--open == 0)
                return;
            continue;
        }
        c->at++;
    }
}

static bool same_key(const struct cursor *c, size_t from, size_t to, const char *key)
{
    const char *quoted = c->text + from;
    size_t len = to - from;
    if (!memchr(quoted, '\\', len))
        return len == strlen(key) + 2 && memcmp(quoted + 1, key, len - 2) == 0;
    json_t *decoded = json_loadb(quoted, len, JSON_DECODE_ANY, NULL);
    bool same = json_is_string(decoded) && strcmp(json_string_value(decoded), key) == 0;
    json_decref(decoded);
    return same;
}

/* From an object's brace to the member; *key_at gets the place of its key, the cursor that of its value. */
static bool enter_member(struct cursor *c, const char *key, size_t *key_at)
{
    if (at_end(c) || c->text[c->at] != '{')
        return false;
    c->at++;
    for (;;) {
        skip_space(c);
        if (at_end(c) || c->text[c->at] != '"')
            return false;
        size_t from = c->at;
        skip_string(c);
        if (c->at > c->len)
            return false;
        bool found = same_key(c, from, c->at, key);
        skip_space(c);
        c->at++; /* the colon */
        skip_space(c);
        if (found) {
            *key_at = from;
            return true;
        }
        skip_value(c);
        skip_space(c);
        if (at_end(c) || c->text[c->at++] != ',')
            return false;
    }
}

static bool enter_element(struct cursor *c, size_t index)
{
    if (at_end(c) || c->text[c->at] != '[')
        return false;
    c->at++;
    for (size_t i = 0;; i++) {
        skip_space(c);
        if (at_end(c) || c->text[c->at] == ']')
            return false;
        if (i == index)
            return true;
        skip_value(c);
        skip_space(c);
        if (at_end(c) || c->text[c->at++] != ',')
            return false;
    }
}

bool cmpd_json_locate(const char *text, size_t len, const struct cmpd_json_step *steps,
                      size_t depth, bool of_key, struct cmpd_json_pos *out)
{
    struct cursor c = {text, len, 0};
    size_t place = 0;
    bool found = true;
    skip_space(&c);
    place = c.at;
    for (size_t i = 0; i < depth && found; i++) {
        size_t key_at = 0;
        found = steps[i].key ? enter_member(&c, steps[i].key, &key_at)
                             : enter_element(&c, steps[i].index);
        place = steps[i].key && of_key && i + 1 == depth ? key_at : c.at;
    }
    if (!found)
        place = 0;
    *out = (struct cmpd_json_pos){1, 1};
    for (size_t i = 0; i < place && i < len; i++) {
        out->column++;
        if (text[i] == '\n') {
            out->line++;
            out->column = 1;
        }
    }
    return found;
}
