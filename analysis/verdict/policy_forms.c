/* The named forms of strings in cmpd.json. */
#include <ctype.h>
#include <string.h>

#include "analysis/verdict/policy_keys.h"

static const struct {
    const char *name, *values;
} FLAGS[] = {
#define FLAG(name, values) {name, values},
#include "config/nvcc_flags.def"
#undef FLAG
};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool one_of(const char *values, const char *value)
{
    size_t len = strlen(value);
    for (const char *p = values; p;) {
        size_t n = strcspn(p, "|");
        if (n == len && memcmp(p, value, n) == 0)
            return true;
        p = p[n] ? p + n + 1 : NULL;
    }
    return false;
}

static bool all_of(const char *value, const char *chars)
{
    return value[0] && value[strspn(value, chars)] == '\0';
}

static bool flag_value_ok(const char *values, const char *value)
{
    if (strcmp(values, "#") == 0)
        return all_of(value, "0123456789") && strlen(value) < 6;
    if (strcmp(values, "*") == 0)
        return all_of(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_,=");
    return one_of(values, value);
}

bool cmpd_nvcc_flag_ok(const char *flag)
{
    if (flag[0] != '-')
        return false;
    flag += flag[1] == '-' ? 2 : 1;
    size_t n = strcspn(flag, "=");
    for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++) {
        if (strlen(FLAGS[i].name) != n || memcmp(FLAGS[i].name, flag, n) != 0)
            continue;
        if (!FLAGS[i].values)
            return flag[n] == '\0';
        return flag[n] == '=' && flag_value_ok(FLAGS[i].values, flag + n + 1);
    }
    return false;
}

static bool relative_ok(const char *v)
{
    if (!v[0] || v[0] == '/' || v[0] == '-')
        return false;
    for (const char *p = v; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return false;
        p += n + (p[n] == '/');
    }
    return true;
}

static bool arch_ok(const char *v)
{
    if (strncmp(v, "sm_", 3) != 0)
        return false;
    size_t digits = strspn(v + 3, "0123456789");
    const char *end = v + 3 + digits;
    return (digits == 2 || digits == 3) && (!*end || ((*end == 'a' || *end == 'f') && !end[1]));
}

/* A C++ name, with namespaces. */
static bool name_ok(const char *v)
{
    if (!v[0] || isdigit((unsigned char)v[0]))
        return false;
    for (; *v; v++) {
        if (!word_char(*v) && *v != ':')
            return false;
    }
    return true;
}

/* A name that may carry template arguments: "scale<float, 4>". */
static bool entry_ok(const char *v)
{
    size_t n = strcspn(v, "<");
    char name[256];
    if (n == 0 || n >= sizeof name)
        return false;
    memcpy(name, v, n);
    name[n] = '\0';
    if (!name_ok(name))
        return false;
    for (const char *p = v + n; *p; p++) {
        if (!word_char(*p) && !strchr("<>:, *&-", *p))
            return false;
    }
    return !v[n] || v[strlen(v) - 1] == '>';
}

/* Whole-number arithmetic over names; what it means is checked where it is evaluated. */
static bool formula_ok(const char *v)
{
    if (!v[0] || strlen(v) > 500)
        return false;
    for (; *v; v++) {
        if (!word_char(*v) && !strchr("+-*/%()<>=!&|^~?:,[] .", *v))
            return false;
    }
    return true;
}

static bool define_ok(const char *v)
{
    size_t n = 0;
    while (word_char(v[n]))
        n++;
    if (!n || isdigit((unsigned char)v[0]) || (v[n] && v[n] != '='))
        return false;
    return v[strcspn(v, "\r\n")] == '\0';
}

/* A name, a product of names and numbers, or a part of one: "rows*cols", "n/4", "1". */
static bool dimension_ok(const char *v)
{
    if (!v[0])
        return false;
    for (; *v; v++) {
        if (!word_char(*v) && *v != '*' && *v != '/')
            return false;
    }
    return true;
}

static bool role_ok(const char *v)
{
    static const char *const named[] = {"in:", "out:", "inout:"};
    if (strcmp(v, "stream") == 0)
        return true;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        size_t n = strlen(named[i]);
        if (strncmp(v, named[i], n) == 0)
            return name_ok(v + n) && !strchr(v + n, ':');
    }
    if (strncmp(v, "dim:", 4) == 0)
        return dimension_ok(v + 4);
    if (strncmp(v, "workspace:", 10) == 0)
        return formula_ok(v + 10);
    if (strncmp(v, "scalar:", 7) != 0)
        return false;
    const char *eq = strchr(v, '=');
    return eq ? eq > v + 7 && eq[1] != '\0' : name_ok(v + 7);
}

bool cmpd_policy_form_ok(const char *form, const char *value, const char **why)
{
    static const struct {
        const char *form;
        bool (*ok)(const char *);
        const char *why;
    } forms[] = {
        {"relative", relative_ok, "must be relative to the repository's root, without '..'"},
        {"arch", arch_ok, "must be an architecture such as sm_80"},
        {"name", name_ok, "must be a name"},
        {"entry", entry_ok, "must be a name, of a template with its arguments: kernel<float>"},
        {"formula", formula_ok, "must be arithmetic over the dimensions' names: (n + 255) / 256"},
        {"define", define_ok, "must be NAME or NAME=VALUE"},
        {"role", role_ok,
         "must be in:NAME, out:NAME, inout:NAME, dim:NAME, scalar:NAME=VALUE, workspace:NAME or stream"},
        {"flag", cmpd_nvcc_flag_ok, "is not among the compiler flags that a policy may set"},
    };
    if (strcmp(form, "absolute") == 0) {
        *why = "must be an absolute path";
        return value[0] == '/';
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].form, form) == 0) {
            *why = forms[i].why;
            return forms[i].ok(value);
        }
    }
    return true;
}
