/* Conversions between double and the 16-bit floats; exact one way, rounded to nearest even the other. */
#ifndef CMPD_REFS_DTYPE_H
#define CMPD_REFS_DTYPE_H

#include <stdint.h>

#include "refs/ref.h"

double cmpd_f16_to_double(uint16_t bits);
uint16_t cmpd_f16_from_double(double v); /* 65520 and above: Inf; NaN: a quiet NaN */
double cmpd_bf16_to_double(uint16_t bits);
uint16_t cmpd_bf16_from_double(double v);

bool cmpd_dtype_is_float(enum cmpd_dtype t);
/* Largest relative rounding error of a value in the normal range (2^-24 for f32); 0: an integer. */
double cmpd_dtype_unit_roundoff(enum cmpd_dtype t);
/* v as a tensor of that dtype would hold it. */
double cmpd_dtype_round(enum cmpd_dtype t, double v);

#endif
