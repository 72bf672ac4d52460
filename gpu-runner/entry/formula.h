/*
 * Whole-number formulas over names: how a grid follows from the dimensions. Operators of C with C's precedence
 * (+ - * / % << >> & | ^ comparisons && || ! ~ ?:), decimal and hexadecimal numbers, min(a, b), max(a, b),
 * ceil_div(a, b). 64-bit; a division by zero, an overflow and an unknown name are errors.
 */
#ifndef CMPD_GPU_RUNNER_ENTRY_FORMULA_H
#define CMPD_GPU_RUNNER_ENTRY_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

#define CMPD_FORMULA_CEILING_BYTES 2000
#define CMPD_FORMULA_DEPTH_CEILING 64

struct cmpd_formula_value {
    const char *name;
    int64_t value;
};

/* CMPD_EINPUT: it can't be read or has no value (message says where and why). */
cmpd_rc cmpd_formula_eval(const char *text, const struct cmpd_formula_value *names, size_t count,
                          int64_t *out, struct cmpd_err *err);

/* Up to three formulas divided by commas outside parentheses; what is left out is "1". Written texts are owned. */
cmpd_rc cmpd_formula_split3(const char *text, char *out[3], struct cmpd_err *err);

#endif
