// ask: op=relu
// get: none no_entry: void relu(const std::vector<float> &in, std::vector<float> &out): the parameter 'in' of type const std::vector<float> & can't be passed from outside; add an extern "C" function with plain pointers and numbers that calls it, and name that as the entry
#include <vector>
__global__ void k(float *x, int n) { x[0] = 1; }
void relu(const std::vector<float> &in, std::vector<float> &out)
{
    k<<<1, 1>>>(out.data(), (int)in.size());
}
