/* Work for a stream: done at once, or kept for a graph. */
#include "gpu-runner/cudart/rt.h"

cudaError_t rt_sync(uint32_t what, uint32_t id, bool query)
{
    uint32_t fixed[4] = {what, id, query, 0};

    cudaError_t error = rt_ask_simple(CMPD_WIRE_SYNC, fixed, sizeof(fixed), NULL, 0);
    if (error == cudaSuccess)
        rt_managed_pull(what == 1 ? id : 0);
    return error;
}

static cudaError_t run_launch(const struct rt_op *op, uint32_t stream)
{
    struct cmpd_wire_launch head = op->launch.head;
    struct rt_question q = {.kind = CMPD_WIRE_LAUNCH,
                            .fixed = &head,
                            .fixed_bytes = sizeof(head),
                            .data = op->launch.params,
                            .data_bytes = op->launch.param_bytes};

    head.stream = stream;
    return rt_done(rt_ask(&q));
}

static cudaError_t run_set(const struct rt_op *op, uint32_t stream)
{
    struct cmpd_wire_set set = op->set;

    set.stream = stream;
    return rt_done(rt_ask_simple(CMPD_WIRE_SET, &set, sizeof(set), NULL, 0));
}

static cudaError_t run_copy(const struct rt_op *op, uint32_t stream)
{
    cudaError_t error = rt_copy_run(&op->copy, stream);

    if (error == cudaSuccess && !op->copy.async)
        rt_managed_pull(stream);
    return error;
}

/*
 * In CUDA another thread calls it once the stream's work before it is done, and what comes after it waits. Calling it
 * right here, after that work, is one of the orders that CUDA allows, and the same each time.
 */
static cudaError_t run_host(const struct rt_op *op, uint32_t stream)
{
    cudaError_t error = rt_sync(1, stream, false);

    if (error != cudaSuccess && !op->host.callback)
        return rt_done(error);
    bool outer = rt_thread.in_host_func;
    rt_thread.in_host_func = true;
    if (op->host.callback)
        op->host.callback(op->host.stream, error, op->host.data);
    else
        op->host.fn(op->host.data);
    rt_thread.in_host_func = outer;
    return rt_done(error);
}

cudaError_t rt_op_run(const struct rt_op *op, uint32_t stream)
{
    rt_managed_push(stream);
    switch (op->kind) {
    case RT_OP_LAUNCH:
        return run_launch(op, stream);
    case RT_OP_COPY:
        return run_copy(op, stream);
    case RT_OP_SET:
        return run_set(op, stream);
    case RT_OP_HOST:
        return run_host(op, stream);
    }
    return rt_done(cudaErrorUnknown);
}

cudaError_t rt_submit(const struct rt_op *op, cudaStream_t stream)
{
    uint32_t id;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_stream_id(stream, &id);
    if (error != cudaSuccess)
        return rt_refuse(op->call, error);
    struct rt_graph *g = rt_capture_of(stream);
    if (!g) {
        error = rt_capture_forbids(stream, true);
        return error == cudaSuccess ? rt_op_run(op, id) : rt_refuse(op->call, error);
    }
    error = rt_graph_append(g, op);
    return error == cudaSuccess ? error : rt_refuse(op->call, error);
}
