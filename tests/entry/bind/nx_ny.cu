// ask: op=transpose
// get: launcher transpose [in:x out:y dim:cols dim:rows] f32 DD assumed: 'nx' as cols; 'ny' as rows
__global__ void tr(const float *idata, float *odata, int nx, int ny) { odata[0] = idata[0]; }
void transpose(const float *idata, float *odata, int nx, int ny)
{
    tr<<<1, 1>>>(idata, odata, nx, ny);
}
