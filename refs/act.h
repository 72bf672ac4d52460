/*
 * Activation functions that several operators use (bias and activation), each with its second formula. Defined in the
 * operator's own file.
 */
#ifndef CMPD_REFS_ACT_H
#define CMPD_REFS_ACT_H

double ref_gelu(double x);
double ref_gelu_again(double x);
double ref_gelu_tanh(double x);
double ref_gelu_tanh_again(double x);
double ref_silu(double x);
double ref_silu_again(double x);

/*
 * What tanh.approx may cost x * (1 + tanh(u)) / 2: |x| / 2 times 2^-11, as long as tanh is not 1 itself, which it is
 * beyond |x| = 6 (within 2^-11 of what stays).
 */
#define REF_TANH_GATE_ATOL (6.0 / 2 * 0x1p-11)
#define REF_TANH_GATE_RTOL 0x1p-12

#endif
