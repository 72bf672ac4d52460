#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>

namespace pix {

// 16-bit packed pixels to 4 bytes a pixel.
__global__ void unpack(const uint16_t* src, uint8_t* dst, unsigned n)
{
    const unsigned gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid >= n)
        return;
    const uint16_t p = src[gid];
    uint8_t rgba[4];
    rgba[0] = (p >> 11 & 31) * 255 / 31;
    rgba[1] = (p >> 5 & 63) * 255 / 63;
    rgba[2] = (p & 31) * 255 / 31;
    rgba[3] = 255;
    memcpy(dst + 4 * (size_t)gid, rgba, sizeof rgba);
}

}  // namespace pix

// 1 <= n <= 2^28
void unpack_pixels(const uint16_t* src, uint8_t* dst, unsigned n)
{
    pix::unpack<<<(n + 255) / 256, 256>>>(src, dst, n);
}
