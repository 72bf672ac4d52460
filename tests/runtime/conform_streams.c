/* Streams, events, host functions, capture, graphs without kernels. */
#include "conform.h"

#define N 256

static int order[16], count;

static void note(void *data)
{
    order[count++] = (int)(size_t)data;
}

static void noted(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    order[count++] = (int)(size_t)data + (int)status;
}

static void forbidden(void *data)
{
    void *p = NULL;

    *(cudaError_t *)data = cudaMalloc(&p, 4);
    cudaGetLastError();
}

static void streams(void)
{
    cudaStream_t s = NULL, t = NULL, u = NULL;
    int least = 9, greatest = 9, priority = 9;
    unsigned flags = 9;

    T(cudaStreamCreate(&s));
    T(cudaStreamCreate(NULL));
    T(cudaStreamCreateWithFlags(&t, 1));
    T(cudaStreamCreateWithFlags(&u, 0x10));
    T(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    SHOW("%d %d", least, greatest);
    T(cudaStreamCreateWithPriority(&u, 1, -1));
    T(cudaStreamGetPriority(u, &priority));
    SHOW("%d", priority);
    T(cudaStreamGetFlags(u, &flags));
    SHOW("%u", flags);
    T(cudaStreamGetFlags(0, &flags));
    SHOW("%u", flags);
    T(cudaStreamGetPriority(0, &priority));
    SHOW("%d", priority);
    T(cudaStreamDestroy(u));
    T(cudaStreamCreateWithPriority(&u, 0, -1000));
    T(cudaStreamGetPriority(u, &priority));
    SHOW("%d", priority);
    T(cudaStreamQuery(s));
    T(cudaStreamQuery(0));
    T(cudaStreamSynchronize(s));
    T(cudaStreamSynchronize(0));
    T(cudaStreamSynchronize(LEGACY));
    T(cudaStreamSynchronize(PER_THREAD));
    T(cudaStreamDestroy(s));
    T(cudaStreamDestroy(t));
    T(cudaStreamDestroy(u));
    T(cudaStreamDestroy(0));
}

static void events(void)
{
    cudaEvent_t a = NULL, b = NULL, c = NULL;
    cudaStream_t s;
    float ms = -1;

    T(cudaStreamCreate(&s));
    T(cudaEventCreate(&a));
    T(cudaEventCreate(&b));
    T(cudaEventCreate(NULL));
    T(cudaEventCreateWithFlags(&c, 2));
    T(cudaEventCreateWithFlags(&c, 0x100));
    T(cudaEventElapsedTime(&ms, a, b));
    T(cudaEventQuery(a));
    T(cudaEventSynchronize(a));
    T(cudaEventRecord(a, s));
    T(cudaEventRecord(b, s));
    T(cudaEventSynchronize(b));
    T(cudaEventElapsedTime(&ms, a, b));
    SHOW("%d", ms >= 0);
    T(cudaEventElapsedTime(NULL, a, b));
    T(cudaEventRecord(c, s));
    T(cudaEventSynchronize(c));
    T(cudaEventElapsedTime(&ms, a, c));
    T(cudaEventRecord(NULL, s));
    T(cudaStreamWaitEvent(s, a, 0));
    T(cudaStreamWaitEvent(s, NULL, 0));
    T(cudaStreamWaitEvent(0, a, 0));
    T(cudaEventRecordWithFlags(a, s, 0));
    T(cudaEventDestroy(a));
    T(cudaEventDestroy(b));
    T(cudaEventDestroy(c));
    T(cudaEventDestroy(NULL));
    T(cudaStreamDestroy(s));
}

static void callbacks(void)
{
    cudaStream_t s;

    T(cudaStreamCreate(&s));
    T(cudaLaunchHostFunc(s, note, (void *)1));
    T(cudaStreamAddCallback(s, noted, (void *)2, 0));
    T(cudaLaunchHostFunc(s, note, (void *)3));
    T(cudaStreamSynchronize(s));
    SHOW("%d: %d %d %d", count, order[0], order[1], order[2]);
    T(cudaLaunchHostFunc(s, NULL, NULL));
    T(cudaStreamAddCallback(s, NULL, NULL, 0));
    T(cudaStreamAddCallback(s, noted, NULL, 1));
    cudaError_t inside;
    T(cudaLaunchHostFunc(s, forbidden, &inside));
    T(cudaStreamSynchronize(s));
    SHOW("%s", cudaGetErrorName(inside));
    T(cudaStreamDestroy(s));
}

static void capture(void)
{
    cudaStream_t s, t;
    cudaGraph_t g = NULL;
    cudaGraphExec_t exec = NULL;
    cudaEvent_t fork, join;
    enum cudaStreamCaptureStatus status;
    size_t nodes = 0;
    static int from[N], to[N];
    void *d, *p;

    for (int i = 0; i < N; i++)
        from[i] = i;
    T(cudaMalloc(&d, sizeof(from)));
    T(cudaStreamCreate(&s));
    T(cudaStreamCreate(&t));
    T(cudaEventCreate(&fork));
    T(cudaEventCreate(&join));
    T(cudaStreamIsCapturing(s, &status));
    SHOW("%d", (int)status);
    T(cudaStreamEndCapture(s, &g));
    T(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    T(cudaStreamIsCapturing(s, &status));
    SHOW("%d", (int)status);
    T(cudaMemcpyAsync(d, from, sizeof(from), cudaMemcpyHostToDevice, s));
    T(cudaEventRecord(fork, s));
    T(cudaStreamWaitEvent(t, fork, 0));
    T(cudaMemsetAsync(d, 0, 8, t));
    T(cudaEventRecord(join, t));
    T(cudaStreamWaitEvent(s, join, 0));
    T(cudaMemcpyAsync(to, d, sizeof(to), cudaMemcpyDeviceToHost, s));
    T(cudaStreamEndCapture(s, &g));
    SHOW("%d", to[5]);
    T(cudaGraphGetNodes(g, NULL, &nodes));
    SHOW("%zu", nodes);
    T(cudaGraphInstantiate(&exec, g, 0));
    from[5] = 55;
    T(cudaGraphLaunch(exec, s));
    T(cudaStreamSynchronize(s));
    SHOW("%d %d %d", to[1], to[5], to[N - 1]);
    from[5] = 66;
    T(cudaGraphLaunch(exec, t));
    T(cudaStreamSynchronize(t));
    SHOW("%d", to[5]);
    T(cudaGraphDestroy(g));
    T(cudaGraphLaunch(exec, s));
    T(cudaStreamSynchronize(s));
    T(cudaGraphExecDestroy(exec));
    /* what is not allowed meanwhile */
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T(cudaMalloc(&p, 4));
    T(cudaStreamEndCapture(s, &g));
    SHOW("%d", g == NULL);
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T(cudaStreamSynchronize(s));
    T(cudaStreamEndCapture(s, &g));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T(cudaMemsetAsync(d, 0, 8, 0));
    T(cudaStreamEndCapture(s, &g));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    T(cudaDeviceSynchronize());
    T(cudaStreamEndCapture(s, &g));
    T(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    T(cudaStreamEndCapture(s, &g));
    T(cudaGraphDestroy(g));
    T(cudaEventDestroy(fork));
    T(cudaEventDestroy(join));
    T(cudaStreamDestroy(s));
    T(cudaStreamDestroy(t));
    T(cudaFree(d));
}

static void graphs(void)
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t set, copy, call, empty, deps[2];
    enum cudaGraphNodeType type;
    static unsigned char to[N];
    void *d;

    T(cudaMalloc(&d, N));
    T(cudaGraphCreate(&g, 0));
    T(cudaGraphCreate(NULL, 0));
    struct cudaMemsetParams m = {d, 0, 9, 1, N, 1};
    T(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
    T(cudaGraphAddEmptyNode(&empty, g, &set, 1));
    deps[0] = empty;
    deps[1] = set;
    T(cudaGraphAddMemcpyNode1D(&copy, g, deps, 2, to, d, N, cudaMemcpyDeviceToHost));
    struct cudaHostNodeParams f = {note, (void *)77};
    count = 0;
    T(cudaGraphAddHostNode(&call, g, &copy, 1, &f));
    T(cudaGraphNodeGetType(call, &type));
    SHOW("%d", (int)type);
    T(cudaGraphInstantiate(&exec, g, 0));
    T(cudaGraphLaunch(exec, 0));
    T(cudaDeviceSynchronize());
    SHOW("%d %d %d", to[N - 1], count, order[0]);
    T(cudaGraphExecDestroy(exec));
    T(cudaGraphDestroy(g));
    T(cudaFree(d));
}

int main(void)
{
    streams();
    events();
    callbacks();
    capture();
    graphs();
    T(cudaDeviceSynchronize());
    printf("end\n");
    return 0;
}
