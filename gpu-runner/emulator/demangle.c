/*
 * The last name of a mangled one: what a person calls the variable. Not a demangler of types: `_ZN2ns4gtabE` is gtab,
 * `_ZZ6kernelPfE4tile` is tile, `_ZZ6kernelPfE4tile_0` too; a name of C stays as it is.
 */
#include "gpu-runner/emulator/report.h"

#include <ctype.h>

static bool is_name(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)s[i]) && s[i] != '_' && s[i] != '$') {
            return false;
        }
    }
    return len > 0 && !isdigit((unsigned char)s[0]);
}

/* Behind the last name: nothing, the E of a nested name, a discriminator. */
static size_t trim_end(const char *name, size_t len)
{
    size_t n = len;
    while (n > 2 && isdigit((unsigned char)name[n - 1])) {
        n--;
    }
    if (n < len && n > 1 && name[n - 1] == '_') {
        size_t under = n - 1;
        while (under > 1 && name[under - 1] == '_') {
            under--;
        }
        return under;
    }
    return name[len - 1] == 'E' ? len - 1 : len;
}

/* Is the number at s[i] the length of a name that reaches to `end`? The name's place and length, or 0. */
static size_t name_at(const char *s, size_t i, size_t end, size_t *start)
{
    size_t value = 0, k = i;
    while (k < end && isdigit((unsigned char)s[k]) && value < 100000) {
        value = value * 10 + (size_t)(s[k++] - '0');
    }
    if (k == i || s[i] == '0' || k + value != end || !is_name(s + k, value)) {
        return 0;
    }
    *start = k;
    return value;
}

/* A name of digits and letters can be read in several ways: best behind what ends a scope, else the longest. */
static size_t name_before(const char *s, size_t end, size_t *start)
{
    size_t n = 0, at = 0;
    for (size_t i = 2; i < end; i++) {
        size_t len = name_at(s, i, end, &at);
        if (len != 0 && (n == 0 || strchr("EZNL", s[i - 1]) != NULL)) {
            n = len;
            *start = at;
            if (strchr("EZNL", s[i - 1]) != NULL) {
                break;
            }
        }
    }
    return n;
}

void emu_demangle(const char *name, char *out, size_t cap)
{
    size_t len = name != NULL ? strlen(name) : 0, start = 0, n = 0;
    if (len > 2 && name[0] == '_' && name[1] == 'Z') {
        size_t end = trim_end(name, len);
        n = name_before(name, end, &start);
        if (n == 0) {
            n = name_before(name, len, &start);
        }
    }
    if (n == 0) {
        snprintf(out, cap, "%s", name != NULL ? name : "?");
    } else {
        snprintf(out, cap, "%.*s", (int)n, name + start);
    }
}
