// ask: op=transpose entry=tr
// get: kernel tr [in:x out:y dim:rows dim:cols] f32 DD <<<((((cols + 32) - 1) / 32), (((rows + 8) - 1) / 8), 1), (32, 8, 1), ((32 * 8) * 4)>>>
__global__ void tr(const float *x, float *y, int rows, int cols) { y[0] = x[0]; }
void f(const float *x, float *y, int rows, int cols)
{
    dim3 block(32, 8);
    dim3 grid;
    grid.x = (cols + block.x - 1) / block.x;
    grid.y = (rows + block.y - 1) / block.y;
    tr<<<grid, block, block.x * block.y * sizeof(float)>>>(x, y, rows, cols);
}
