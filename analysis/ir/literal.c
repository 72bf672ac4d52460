/* Numbers and characters as C++ reads them: value and type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ir/lower.h"

#define NUMBER_CEILING 128

/* The number without digit separators; false when it is longer than any real one. */
static bool clean_number(const char *s, size_t len, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\'' || s[i] == ' ')
            continue;
        if (n + 1 >= NUMBER_CEILING)
            return false;
        out[n++] = s[i];
    }
    out[n] = '\0';
    return n > 0;
}

static bool is_float_text(const char *s, bool hex)
{
    return strpbrk(s, hex ? ".pP" : ".eE") != NULL;
}

static void float_number(const char *s, struct ir_expr *out)
{
    char *end;
    out->kind = IR_X_FLOAT;
    out->fval = strtod(s, &end);
    out->type = &ir_t_double;
    if (*end == 'f' || *end == 'F') {
        out->type = &ir_t_float;
        out->fval = (double)(float)out->fval;
    } else if (*end == 'l' || *end == 'L') {
        out->type = cmpd_ir_builtin_type("long double", 11);
    }
}

static const struct ir_type *int_type(uint64_t v, bool decimal, const char *suffix)
{
    int longs = 0;
    bool is_unsigned = false, size = false;
    for (const char *p = suffix; *p; p++) {
        longs += *p == 'l' || *p == 'L';
        is_unsigned |= *p == 'u' || *p == 'U';
        size |= *p == 'z' || *p == 'Z';
    }
    if (size)
        return is_unsigned ? &ir_t_size : &ir_t_long;
    const struct ir_type *s = longs == 2 ? &ir_t_longlong : &ir_t_long;
    const struct ir_type *u = longs == 2 ? &ir_t_ulonglong : &ir_t_ulong;
    if (!longs && !is_unsigned && v <= INT32_MAX)
        return &ir_t_int;
    if (!longs && (is_unsigned || !decimal) && v <= UINT32_MAX)
        return &ir_t_uint;
    if (!is_unsigned && v <= INT64_MAX)
        return s;
    return u;
}

static void int_number(const char *s, bool negative, struct ir_expr *out)
{
    int base = 10;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        base = 16;
    else if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
        base = 2;
    else if (s[0] == '0' && s[1])
        base = 8;
    char *end;
    errno = 0;
    uint64_t v = strtoull(base == 2 ? s + 2 : s, &end, base);
    out->type = int_type(v, base == 10, end);
    out->kind = errno == ERANGE ? IR_X_UNKNOWN : IR_X_INT;
    out->ival = (int64_t)(negative ? 0 - v : v);
    if (out->type->size == 4 && !out->type->is_signed)
        out->ival &= UINT32_MAX;
}

void ir_number(const char *s, size_t len, struct ir_expr *out)
{
    char text[NUMBER_CEILING];
    out->kind = IR_X_UNKNOWN;
    if (!clean_number(s, len, text))
        return;
    const char *p = text;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    if (!is_float_text(p, hex)) {
        int_number(p, negative, out);
        return;
    }
    float_number(p, out);
    if (negative)
        out->fval = -out->fval;
}

static int64_t escape_value(const char *s, size_t len)
{
    static const char names[] = "ntrabfv0\\'\"?", values[] = "\n\t\r\a\b\f\v\0\\'\"?";
    if (len < 2)
        return 0;
    if (s[1] == 'x' || s[1] == 'u' || s[1] == 'U')
        return (int64_t)strtol(s + 2, NULL, 16);
    if (s[1] >= '0' && s[1] <= '7')
        return (int64_t)strtol(s + 1, NULL, 8);
    const char *at = strchr(names, s[1]);
    return at ? values[at - names] : s[1];
}

int64_t ir_char_value(const char *s, size_t len, const struct ir_type **type)
{
    *type = &ir_t_char;
    if (len && s[0] != '\'')
        *type = cmpd_ir_builtin_type(s[0] == 'L'   ? "wchar_t"
                                     : s[0] == 'u' ? "char16_t"
                                                   : "char32_t",
                                     s[0] == 'L' ? 7 : 8);
    while (len && *s != '\'') {
        s++;
        len--;
    }
    if (len < 3)
        return 0;
    if (s[1] != '\\')
        return (signed char)s[1];
    int64_t v = escape_value(s + 1, len - 2);
    return (*type)->size == 1 ? (signed char)v : v;
}
