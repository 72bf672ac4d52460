#define ROWS 32
constexpr int COLS = ROWS + 1;
extern __shared__ float outside[];
__global__ void stage(float *x)
{
    __shared__ float tile[ROWS][COLS];
    __shared__ int flag;
    extern __shared__ __align__(16) unsigned char raw[];
    float (*rows)[33] = (float (*)[33])raw;
    float4 *quads = reinterpret_cast<float4 *>(raw + 128 * sizeof(float));
    int (&first)[33] = *(int (*)[33])rows;
    float *column[4];
    tile[threadIdx.y][threadIdx.x] = x[0];
    rows[1][2] = quads[3].w + outside[0];
    first[0] = sizeof(tile) + sizeof(tile[0]) + sizeof *rows;
}
