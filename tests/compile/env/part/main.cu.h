#define FACTOR 2.0f
typedef float real;
#include "kernels.cu"
