// ask: op=relu
// get: none no_entry: void relu(T in, T out): the parameter 'in' of type T can't be passed from outside; add an extern "C" function with plain pointers and numbers that calls it, and name that as the entry
struct T {
    float *p;
    int n;
};
__global__ void k(float *x, int n) { x[0] = 1; }
void relu(T in, T out) { k<<<1, 1>>>(out.p, in.n); }
