// ask: op=relu
// get: none no_entry: Relu::forward is a method or takes a variable number of arguments; add a plain function that calls it
__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
class Relu
{
  public:
    void forward(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }
};
