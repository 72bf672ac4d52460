#include <cuda_runtime.h>

#define DEPTH 8
#define TPB 64

// A small stack a thread, kept in shared memory: depth of nesting of bracket strings.
__global__ void match(const char *text, const int *offset, int *ok, int strings)
{
    __shared__ char stack[DEPTH][TPB];
    int me = blockIdx.x * TPB + threadIdx.x;
    if (me >= strings)
        return;
    int top = 0, good = 1;
    for (int k = offset[me]; k < offset[me + 1] && good; k++) {
        char c = text[k];
        if (c == '(' || c == '[') {
            if (top == DEPTH)
                good = 0;
            else
                stack[top++][threadIdx.x] = c;
        } else if (c == ')' || c == ']') {
            if (top == 0)
                good = 0;
            else
                good = stack[--top][threadIdx.x] == (c == ')' ? '(' : '[');
        }
    }
    ok[me] = good && top == 0;
}

/* offset holds strings + 1 entries; 1 <= strings <= 2^24 */
void match_all(const char *text, const int *offset, int *ok, int strings)
{
    match<<<(strings + TPB - 1) / TPB, TPB>>>(text, offset, ok, strings);
}
