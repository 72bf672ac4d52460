/* Allocation, copies and sets in every direction, what a pointer is. */
#include "conform.h"

#define N 1000

static int h[N], back[N];

static void directions(void)
{
    static int other[N];
    int *d, *e, *managed, *pinned;

    T(cudaMalloc((void **)&d, sizeof(h)));
    T(cudaMalloc((void **)&e, sizeof(h)));
    T(cudaMallocManaged((void **)&managed, sizeof(h), 1));
    T(cudaMallocHost((void **)&pinned, sizeof(h)));
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(e, d, sizeof(h), cudaMemcpyDeviceToDevice));
    T(cudaMemcpy(back, e, sizeof(h), cudaMemcpyDeviceToHost));
    SHOW("%d %d", back[1], back[N - 1]);
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyDefault));
    T(cudaMemcpy(back, d, sizeof(h), cudaMemcpyDefault));
    T(cudaMemcpy(d, e, sizeof(h), cudaMemcpyDefault));
    T(cudaMemcpy(other, h, sizeof(h), cudaMemcpyDefault));
    T(cudaMemcpy(other, h, sizeof(h), cudaMemcpyHostToHost));
    SHOW("%d", other[N - 1]);
    /* the wrong way */
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyDeviceToHost));
    T(cudaMemcpy(back, d, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(d, e, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(d, e, sizeof(h), cudaMemcpyDeviceToHost));
    T(cudaMemcpy(other, h, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(other, h, sizeof(h), cudaMemcpyDeviceToHost));
    T(cudaMemcpy(other, h, sizeof(h), cudaMemcpyDeviceToDevice));
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyDeviceToDevice));
    T(cudaMemcpy(back, d, sizeof(h), cudaMemcpyDeviceToDevice));
    T(cudaMemcpy(d, h, sizeof(h), (enum cudaMemcpyKind)7));
    T(cudaMemcpy(d, h, 0, (enum cudaMemcpyKind)7));
    T(cudaMemcpy(back, d, sizeof(h), cudaMemcpyHostToHost));
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToHost));
    T(cudaMemcpy(d, e, sizeof(h), cudaMemcpyHostToHost));
    /* memory of both sides */
    T(cudaMemcpy(managed, h, sizeof(h), cudaMemcpyHostToDevice));
    SHOW("%d", managed[5]);
    T(cudaMemcpy(managed, d, sizeof(h), cudaMemcpyDeviceToHost));
    T(cudaMemcpy(pinned, d, sizeof(h), cudaMemcpyDeviceToHost));
    SHOW("%d", pinned[N - 1]);
    T(cudaMemcpy(d, pinned, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(managed, pinned, sizeof(h), cudaMemcpyHostToHost));
    T(cudaMemcpy(managed, pinned, sizeof(h), cudaMemcpyDeviceToDevice));
    T(cudaMemcpy(pinned, managed, sizeof(h), cudaMemcpyDefault));
    /* nothing there */
    T(cudaMemcpy(NULL, h, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(d, NULL, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemcpy(NULL, d, sizeof(h), cudaMemcpyDeviceToHost));
    T(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    T(cudaMemcpy(NULL, NULL, 4, cudaMemcpyDefault));
    T(cudaMemcpyAsync(d, h, sizeof(h), cudaMemcpyHostToDevice, 0));
    T(cudaMemcpyAsync(back, d, sizeof(h), cudaMemcpyDeviceToHost, 0));
    T(cudaMemcpyAsync(d, e, sizeof(h), cudaMemcpyHostToDevice, 0));
    T(cudaDeviceSynchronize());
    /* freed with what did not allocate it */
    T(cudaFree(pinned));
    T(cudaFreeHost(d));
    T(cudaFreeHost(h));
    T(cudaFree(d + 1));
    T(cudaFree(h));
    T(cudaFree(d));
    T(cudaFree(d));
    T(cudaFree(NULL));
    T(cudaFreeHost(NULL));
    T(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice));
    T(cudaMemset(d, 0, sizeof(h)));
    T(cudaFree(managed));
    T(cudaFreeHost(pinned));
    T(cudaFreeAsync(e, 0));
    T(cudaDeviceSynchronize());
}

static void past_the_end(void)
{
    char *d, *from;

    T(cudaMalloc((void **)&d, 4u << 20));
    T(cudaMalloc((void **)&from, 4u << 20));
    static char big[8u << 20];
    T(cudaMemcpy(d, big, 8u << 20, cudaMemcpyHostToDevice));
    T(cudaMemcpy(big, d + (2u << 20), 8u << 20, cudaMemcpyDeviceToHost));
    T(cudaFree(from));
    T(cudaFree(d));
}

static void shapes(void)
{
    char *p, *q;
    size_t pitch = 0;
    static char rows[10][40], got[10][40];
    struct cudaPitchedPtr box;
    struct cudaExtent extent = {33, 5, 3};

    T(cudaMallocPitch((void **)&p, &pitch, 33, 10));
    SHOW("pitch %zu", pitch);
    T(cudaMallocPitch((void **)&q, &pitch, 513, 1));
    SHOW("pitch %zu", pitch);
    T(cudaFree(q));
    pitch = 512;
    for (int i = 0; i < 10; i++)
        memset(rows[i], 'a' + i, sizeof(rows[i]));
    T(cudaMemset2D(p, pitch, 'x', 33, 10));
    T(cudaMemcpy2D(p, pitch, rows, 40, 20, 10, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(got, 40, p, pitch, 33, 10, cudaMemcpyDeviceToHost));
    SHOW("%c%c%c %c", got[3][0], got[3][19], got[3][20], got[9][32]);
    T(cudaMemcpy2D(p, 10, rows, 40, 20, 10, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(p, pitch, rows, 10, 20, 10, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(p, 10, rows, 10, 20, 1, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(p, 10, rows, 40, 20, 1, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(p, 10, rows, 10, 20, 10, cudaMemcpyHostToDevice));
    T(cudaMemset2D(p, 10, 'x', 33, 1));
    T(cudaMemcpy2D(p, pitch, rows, 40, 0, 10, cudaMemcpyHostToDevice));
    T(cudaMemcpy2D(p, pitch, rows, 40, 20, 0, cudaMemcpyHostToDevice));
    T(cudaMemcpy2DAsync(got, 40, p, pitch, 33, 10, cudaMemcpyDeviceToHost, 0));
    T(cudaMemset2D(p, 10, 'x', 33, 10));
    T(cudaMemset(p, 'y', 512));
    T(cudaMemset(p, 300, 0));
    T(cudaMemset(NULL, 0, 4));
    T(cudaMemset(h, 0, 4));
    T(cudaFree(p));
    T(cudaMalloc3D(&box, extent));
    SHOW("%zu %zu %zu", box.pitch, box.xsize, box.ysize);
    T(cudaMemset3D(box, 7, extent));
    static char cube[3][5][33], cube_back[3][5][33];
    for (int z = 0; z < 3; z++)
        memset(cube[z], z + 1, sizeof(cube[z]));
    struct cudaMemcpy3DParms copy = {0};
    copy.srcPtr = (struct cudaPitchedPtr){cube, 33, 33, 5};
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    T(cudaMemcpy3D(&copy));
    copy.srcPtr = box;
    copy.srcPos = (struct cudaPos){1, 1, 1};
    copy.dstPtr = (struct cudaPitchedPtr){cube_back, 33, 33, 5};
    copy.extent = (struct cudaExtent){30, 4, 2};
    copy.kind = cudaMemcpyDeviceToHost;
    T(cudaMemcpy3D(&copy));
    SHOW("%d %d %d", cube_back[0][0][0], cube_back[1][3][29], cube_back[1][4][0]);
    T(cudaMemcpy3D(NULL));
    T(cudaFree(box.ptr));
}

static void sizes(void)
{
    void *p = (void *)h, *q;
    size_t free_bytes, total;

    T(cudaMalloc(&p, 0));
    SHOW("%d", p == NULL);
    T(cudaMalloc(NULL, 4));
    T(cudaMalloc(&p, (size_t)1 << 50));
    p = h;
    T(cudaMallocManaged(&p, 0, 1));
    SHOW("%d", p == NULL);
    size_t pitch;
    p = h;
    T(cudaMallocPitch(&p, &pitch, 0, 4));
    SHOW("%d", p == NULL);
    T(cudaMallocPitch(&p, &pitch, 4, 0));
    T(cudaMallocPitch(&p, NULL, 4, 4));
    T(cudaMallocManaged(&p, 4, 0));
    T(cudaMallocManaged(&p, 4, 7));
    T(cudaHostAlloc(&p, 4, 0));
    T(cudaFreeHost(p));
    T(cudaHostAlloc(&p, 4, 0x100));
    T(cudaMallocHost(&p, 0));
    SHOW("%d", p == NULL);
    T(cudaMallocAsync(&p, 64, 0));
    T(cudaFreeAsync(p, 0));
    T(cudaMallocAsync(&p, 0, 0));
    SHOW("%d", p == NULL);
    T(cudaMemGetInfo(&free_bytes, &total));
    SHOW("%d %d", total > 0, free_bytes <= total);
    T(cudaMemGetInfo(NULL, &total));
    T(cudaMalloc(&p, 100));
    T(cudaMalloc(&q, 100));
    SHOW("%d %d", (int)((size_t)p % 256), (int)((size_t)q % 256));
    T(cudaFree(p));
    T(cudaFree(q));
}

static void kinds(void)
{
    struct cudaPointerAttributes a;
    void *d, *managed, *pinned, *device;
    unsigned flags;
    char *mine = malloc(100000);

    T(cudaMalloc(&d, 100));
    T(cudaMallocManaged(&managed, 100, 1));
    T(cudaHostAlloc(&pinned, 100, 2));
    memset(mine, 1, 100000);
#define KIND(p)                                                                                \
    do {                                                                                       \
        memset(&a, 0x55, sizeof(a));                                                           \
        T(cudaPointerGetAttributes(&a, p));                                                    \
        SHOW(#p " type %d device %d device pointer %d host pointer %d", (int)a.type, a.device, \
             a.devicePointer == (void *)(p) ? 1                                                \
             : a.devicePointer              ? 2                                                \
                                            : 0,                                                            \
             a.hostPointer == (void *)(p) ? 1                                                  \
             : a.hostPointer              ? 2                                                  \
                                          : 0);                                                             \
    } while (0)
    KIND(d);
    KIND((char *)d + 50);
    KIND(managed);
    KIND(pinned);
    KIND(h);
    KIND(NULL);
    T(cudaPointerGetAttributes(NULL, d));
    T(cudaHostGetDevicePointer(&device, pinned, 0));
    SHOW("%d", device == pinned);
    T(cudaHostGetDevicePointer(&device, h, 0));
    T(cudaHostGetDevicePointer(&device, d, 0));
    T(cudaHostGetDevicePointer(&device, pinned, 1));
    T(cudaHostGetFlags(&flags, pinned));
    SHOW("%u", flags);
    T(cudaHostGetFlags(&flags, h));
    T(cudaHostRegister(mine, 100000, 0));
    T(cudaHostRegister(mine, 100000, 0));
    T(cudaPointerGetAttributes(&a, mine));
    SHOW("%d", (int)a.type);
    T(cudaHostGetDevicePointer(&device, mine, 0));
    SHOW("%d", mine[99999]);
    T(cudaMemcpy(d, mine, 100, cudaMemcpyHostToDevice));
    T(cudaHostUnregister(mine));
    T(cudaHostUnregister(mine));
    SHOW("%d", mine[99999]);
    T(cudaHostRegister(NULL, 4096, 0));
    T(cudaHostRegister(mine, 0, 0));
    T(cudaHostRegister(d, 4096, 0));
    T(cudaHostRegister(mine, 4096, 0x1000));
    T(cudaMemset(managed, 1, 100));
    T(cudaMemset(pinned, 1, 100));
    T(cudaMemset((char *)d + 50, 1, 60));
    T(cudaFree(d));
    T(cudaFree(managed));
    T(cudaFreeHost(pinned));
    free(mine);
}

static void advice(void)
{
    struct cudaMemLocation here = {1, 0};
    void *managed, *d;

    T(cudaMallocManaged(&managed, 100, 1));
    T(cudaMalloc(&d, 100));
    T(cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, here));
    T(cudaMemPrefetchAsync(managed, 100, here, 0, 0));
    T(cudaMemAdvise(h, 100, cudaMemAdviseSetReadMostly, here));
    T(cudaMemPrefetchAsync(d, 100, here, 0, 0));
    T(cudaDeviceSynchronize());
    T(cudaFree(managed));
    T(cudaFree(d));
}

int main(void)
{
    for (int i = 0; i < N; i++)
        h[i] = i;
    directions();
    past_the_end();
    shapes();
    sizes();
    kinds();
    advice();
    T(cudaDeviceReset());
    printf("end\n");
    return 0;
}
