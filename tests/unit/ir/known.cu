__global__ void k(float *p, const int *q, __half h, float4 v, __half2 h2, double d, unsigned mask)
{
    auto a = __ldg(p); auto b = atomicAdd(p, 1.0f); auto c = __shfl_xor_sync(mask, v.x, 1); auto e = fmaxf(1, 2);
    auto f = min(3, 4u); auto g = max(d, d); auto i = sqrtf(2); auto j = sqrt(2.0f); auto l = exp(d); auto m = pow(2, 3);
    auto n = __float2half(1.0f); auto o = __half2float(h); auto r = make_float4(1, 2, 3, 4); auto s = make_int2(1, 2);
    auto t = __ballot_sync(mask, 1); auto u = __popc(mask); auto w = std::max(1.0f, 2.0f); auto x = fabs(d);
    auto y = clock64(); auto z = __halves2half2(h, h); auto a1 = h2.x; auto a2 = v.w; auto a3 = float4{1, 2};
    auto a4 = __float_as_int(1.0f); auto a5 = abs(q[0]); auto a6 = __hadd(h, h); auto a7 = printf("x");
    float big = FLT_MAX; auto inf = INFINITY; cudaStream_t st = 0; cudaError_t er = cudaSuccess;
    __nv_bfloat16 bf; uchar4 uc; double2 dd; longlong2 ll; char3 c3; int a8 = sizeof(uc) + sizeof(dd) + sizeof(c3);
}
