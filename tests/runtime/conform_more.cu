// Graphs in graphs, kernels in graphs, registered and managed memory, host functions between kernels, threads.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <thread>
#include <vector>

#define T(expression)                                                           \
    do {                                                                        \
        cudaError_t error_ = (expression);                                      \
        cudaError_t left_ = cudaGetLastError();                                 \
        printf("%d %s -> %s", __LINE__, #expression, cudaGetErrorName(error_)); \
        if (left_ != error_)                                                    \
            printf(" (left %s)", cudaGetErrorName(left_));                      \
        printf("\n");                                                           \
        fflush(stdout);                                                         \
    } while (0)
#define SHOW(format, ...)                                 \
    do {                                                  \
        printf("%d " format "\n", __LINE__, __VA_ARGS__); \
        fflush(stdout);                                   \
    } while (0)

struct View {
    int tag;
    float *p;
};
__managed__ int total = 3;
__managed__ float series[8];
__global__ void fill(float *p, int n, float by)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] = i * by;
}
__global__ void raise(View v, int n)
{
    int i = threadIdx.x;
    if (i < n)
        v.p[i] += v.tag;
}
__global__ void count(int by)
{
    total += by;
    series[total % 8] = total;
}

static void registered()
{
    float *h = (float *)malloc(4000), *w = h + 3;
    for (int i = 0; i < 1000; i++)
        h[i] = -1;
    T(cudaHostRegister(w, 512, cudaHostRegisterMapped));
    fill<<<1, 128>>>(w, 128, 2);
    View v = {1, w};
    raise<<<1, 128>>>(v, 128);
    T(cudaDeviceSynchronize());
    SHOW("%g %g %g %g", w[0], w[127], h[2], w[128]);
    T(cudaHostUnregister(w));
    SHOW("%g %g", w[5], w[200]);
    free(h);
}

static void managed()
{
    float *m;
    T(cudaMallocManaged(&m, 64));
    for (int i = 0; i < 16; i++)
        m[i] = 1;
    View v = {5, m};
    raise<<<1, 16>>>(v, 16);
    T(cudaDeviceSynchronize());
    SHOW("%g", m[15]);
    count<<<1, 1>>>(4);
    T(cudaDeviceSynchronize());
    SHOW("%d %g", total, series[7]);
    total = 100;
    count<<<1, 1>>>(1);
    count<<<1, 1>>>(1);
    T(cudaDeviceSynchronize());
    SHOW("%d %g %g", total, series[5], series[6]);
    int *where;
    T(cudaGetSymbolAddress((void **)&where, total));
    SHOW("%d", where == &total);
    int copy = 0;
    T(cudaMemcpyFromSymbol(&copy, total, sizeof(int)));
    SHOW("%d", copy);
    cudaPointerAttributes a;
    T(cudaPointerGetAttributes(&a, &total));
    SHOW("%d", (int)a.type);
    T(cudaFree(m));
}

static void between(void *data)
{
    *(int *)data += 1;
}

static void graphs()
{
    float *d, h[32];
    int calls = 0;
    cudaGraph_t g, outer, copy;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, c, child;
    T(cudaMalloc(&d, sizeof(h)));
    T(cudaGraphCreate(&g, 0));
    int n = 32;
    float by = 3;
    void *args[] = {&d, &n, &by};
    cudaKernelNodeParams k = {};
    k.func = (void *)fill;
    k.gridDim = dim3(1);
    k.blockDim = dim3(32);
    k.kernelParams = args;
    T(cudaGraphAddKernelNode(&a, g, NULL, 0, &k));
    cudaHostNodeParams f = {between, &calls};
    T(cudaGraphAddHostNode(&b, g, &a, 1, &f));
    T(cudaGraphAddMemcpyNode1D(&c, g, &b, 1, h, d, sizeof(h), cudaMemcpyDeviceToHost));
    by = 100; // taken when the node was made
    T(cudaGraphInstantiate(&exec, g, 0));
    T(cudaGraphLaunch(exec, 0));
    T(cudaDeviceSynchronize());
    SHOW("%g %d", h[31], calls);
    by = 7;
    T(cudaGraphExecKernelNodeSetParams(exec, a, &k));
    T(cudaGraphLaunch(exec, 0));
    T(cudaDeviceSynchronize());
    SHOW("%g %d", h[31], calls);
    T(cudaGraphKernelNodeSetParams(a, &k));
    T(cudaGraphClone(&copy, g));
    T(cudaGraphCreate(&outer, 0));
    T(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, copy));
    T(cudaGraphDestroy(copy));
    T(cudaGraphExecDestroy(exec));
    T(cudaGraphInstantiate(&exec, outer, 0));
    T(cudaGraphLaunch(exec, 0));
    T(cudaDeviceSynchronize());
    SHOW("%g %d", h[31], calls);
    T(cudaGraphExecDestroy(exec));
    // an update with the same shape, and with another
    cudaGraphExecUpdateResultInfo info;
    T(cudaGraphInstantiate(&exec, g, 0));
    by = 9;
    T(cudaGraphKernelNodeSetParams(a, &k));
    T(cudaGraphExecUpdate(exec, g, &info));
    T(cudaGraphLaunch(exec, 0));
    T(cudaDeviceSynchronize());
    SHOW("%g %d", h[31], calls);
    T(cudaGraphExecUpdate(exec, outer, &info));
    T(cudaGraphExecDestroy(exec));
    T(cudaGraphDestroy(g));
    T(cudaGraphDestroy(outer));
    T(cudaFree(d));
}

static void streams()
{
    cudaStream_t s;
    cudaStreamAttrValue value = {};
    int calls = 0;
    float *d, h[32];
    T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    value.accessPolicyWindow.hitRatio = 0;
    T(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value));
    T(cudaMallocAsync(&d, sizeof(h), s));
    fill<<<1, 32, 0, s>>>(d, 32, 1);
    T(cudaMemcpyAsync(h, d, sizeof(h), cudaMemcpyDeviceToHost, s));
    T(cudaLaunchHostFunc(s, between, &calls));
    T(cudaFreeAsync(d, s));
    T(cudaStreamSynchronize(s));
    SHOW("%g %d", h[31], calls);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    SHOW("%d %d %d", desc.x, desc.w, (int)desc.f);
    T(cudaStreamDestroy(s));
}

static void threads()
{
    std::vector<std::thread> all;
    int good[8] = {};
    cudaGetLastError();
    for (int t = 0; t < 8; t++)
        all.emplace_back([t, &good] {
            float *d, h[64];
            if (t == 3)
                cudaMalloc(NULL, 4); // an error of this thread alone
            cudaError_t mine = cudaGetLastError();
            cudaMalloc(&d, sizeof(h));
            for (int i = 0; i < 10; i++) {
                fill<<<1, 64>>>(d, 64, (float)t);
                cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
            }
            cudaFree(d);
            good[t] = h[63] == 63.f * t && (mine == cudaErrorInvalidValue) == (t == 3);
        });
    for (auto &t : all)
        t.join();
    SHOW("%d%d%d%d%d%d%d%d", good[0], good[1], good[2], good[3], good[4], good[5], good[6], good[7]);
    T(cudaGetLastError());
}

int main()
{
    registered();
    managed();
    graphs();
    streams();
    threads();
    T(cudaDeviceSynchronize());
    printf("end\n");
    return 0;
}
