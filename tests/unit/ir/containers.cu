void host(int n)
{
    std::vector<float> h(n), g = {1, 2};
    auto e = h[0];
    auto p = h.data();
    auto s = h.size();
    thrust::device_vector<int> d(n);
    auto raw = thrust::raw_pointer_cast(d.data());
    std::unique_ptr<double[]> u(new double[n]);
    auto f = u[1];
    cg::thread_block b = cg::this_thread_block();
    b.sync();
    auto t = cg::tiled_partition<32>(b);
    auto r = t.thread_rank();
    auto m = t.shfl_down(e, 4);
    std::cout << n << "x" << std::endl;
}
