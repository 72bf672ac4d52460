#include <cuda_runtime.h>

#define TILE_X 16
#define TILE_Y 16

// Blend an RGBA image with a fog colour by depth.
__global__ void fog_blend(float4 *image, const float *depth, float4 fog, int width, int height)
{
    int col = blockIdx.x * TILE_X + threadIdx.x;
    int row = blockIdx.y * TILE_Y + threadIdx.y;

    if (col < width) {
        int p = row * width + col;
        float k = expf(-depth[p]);
        float4 c = image[p];
        c.x = c.x * k + fog.x * (1.0f - k);
        c.y = c.y * k + fog.y * (1.0f - k);
        c.z = c.z * k + fog.z * (1.0f - k);
        image[p] = c;
    }
}

/* width, height: 1 .. 16384 */
void apply_fog(float4 *image, const float *depth, float4 fog, int width, int height)
{
    dim3 block(TILE_X, TILE_Y);
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    fog_blend<<<grid, block>>>(image, depth, fog, width, height);
}
