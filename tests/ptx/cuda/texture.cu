// Textures and surfaces.
__global__ void fetch(float4 *o, cudaTextureObject_t t, cudaSurfaceObject_t s, float x, float y, int i)
{
    o[0] = tex1Dfetch<float4>(t, i);
    o[1] = tex1D<float4>(t, x);
    o[2] = tex2D<float4>(t, x, y);
    o[3] = tex3D<float4>(t, x, y, x);
    o[4] = tex2DLod<float4>(t, x, y, 1.f);
    o[5] = tex2DLayered<float4>(t, x, y, i);
    o[6] = texCubemap<float4>(t, x, y, x);
    o[7] = tex2Dgather<float4>(t, x, y, 1);
    o[8] = tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x));
    o[9].x = tex1D<int>(t, x) + tex2D<unsigned>(t, x, y);
    o[10] = surf2Dread<float4>(s, i, i);
    surf2Dwrite(o[1], s, i, i, cudaBoundaryModeClamp);
    surf1Dwrite(o[1].x, s, i, cudaBoundaryModeZero);
    o[11].x = surf3Dread<int>(s, i, i, i);
}
