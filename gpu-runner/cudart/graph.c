/*
 * Graphs: nodes that hold an operation, and what each depends on. Launching one runs its operations in an order that
 * keeps the dependencies, in one stream.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define UPDATE_TOPOLOGY_CHANGED 2 /* cudaGraphExecUpdateErrorTopologyChanged */

struct node { /* what a cudaGraphNode_t points to */
    struct rt_op op;
    enum cudaGraphNodeType type;
    struct node **needs; /* owned array of borrowed nodes of the same graph */
    size_t need_count;
    struct rt_graph *child; /* owned; a graph in the graph: this instead of op */
    const struct node
        *origin;   /* in an executable graph: the node that it was made from; maybe gone */
    unsigned mark; /* for sorting */
};

struct rt_graph {
    struct rt_graph *next; /* of all live graphs, for rt_graph_live */
    struct node **nodes;   /* owned */
    size_t count;
    bool executable; /* a cudaGraphExec_t */
    uint64_t shape;  /* of what it was made from: only the same shape may be put in its place */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_graph *live;

struct rt_graph *rt_graph_new(void)
{
    struct rt_graph *g = calloc(1, sizeof(*g));

    if (g) {
        pthread_mutex_lock(&lock);
        g->next = live;
        live = g;
        pthread_mutex_unlock(&lock);
    }
    return g;
}

bool rt_graph_live(const struct rt_graph *g)
{
    const struct rt_graph *at;

    pthread_mutex_lock(&lock);
    for (at = live; at && at != g;)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at != NULL;
}

static void node_free(struct node *n)
{
    if (n->op.kind == RT_OP_LAUNCH)
        free(n->op.launch.params);
    free(n->needs);
    if (n->child)
        rt_graph_free(n->child);
    free(n);
}

void rt_graph_free(struct rt_graph *g)
{
    pthread_mutex_lock(&lock);
    for (struct rt_graph **at = &live; *at; at = &(*at)->next) {
        if (*at == g) {
            *at = g->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < g->count; i++)
        node_free(g->nodes[i]);
    free(g->nodes);
    free(g);
}

static bool copy_op(struct rt_op *to, const struct rt_op *from)
{
    *to = *from;
    if (from->kind != RT_OP_LAUNCH)
        return true;
    to->launch.params = malloc(from->launch.param_bytes ? from->launch.param_bytes : 1);
    if (to->launch.params && from->launch.param_bytes)
        memcpy(to->launch.params, from->launch.params, from->launch.param_bytes);
    return to->launch.params != NULL;
}

static enum cudaGraphNodeType type_of(const struct rt_op *op)
{
    static const enum cudaGraphNodeType types[] = {
        [RT_OP_LAUNCH] = cudaGraphNodeTypeKernel,
        [RT_OP_COPY] = cudaGraphNodeTypeMemcpy,
        [RT_OP_SET] = cudaGraphNodeTypeMemset,
        [RT_OP_HOST] = cudaGraphNodeTypeHost,
    };

    return types[op->kind];
}

/* op NULL: an empty node. */
static struct node *add_node(struct rt_graph *g, const struct rt_op *op, struct node *const *needs,
                             size_t need_count)
{
    struct node *n = calloc(1, sizeof(*n));
    struct node **nodes = realloc(g->nodes, (g->count + 1) * sizeof(*nodes));

    if (nodes)
        g->nodes = nodes;
    if (!n || !nodes)
        goto failed;
    n->type = op ? type_of(op) : cudaGraphNodeTypeEmpty;
    n->op.kind = RT_OP_HOST;
    if (op && !copy_op(&n->op, op))
        goto failed;
    if (need_count > 0) {
        n->needs = calloc(need_count, sizeof(struct node *));
        if (!n->needs)
            goto failed;
        memcpy(n->needs, needs, need_count * sizeof(struct node *));
        n->need_count = need_count;
    }
    g->nodes[g->count++] = n;
    return n;
failed:
    if (n)
        node_free(n);
    return NULL;
}

cudaError_t rt_graph_append(struct rt_graph *g, const struct rt_op *op)
{
    struct node *last = g->count > 0 ? g->nodes[g->count - 1] : NULL;

    return add_node(g, op, &last, last ? 1 : 0) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static struct rt_graph *graph_of(cudaGraph_t handle)
{
    struct rt_graph *g = (struct rt_graph *)handle;

    return rt_graph_live(g) && !g->executable ? g : NULL;
}

static struct rt_graph *exec_of(cudaGraphExec_t handle)
{
    struct rt_graph *g = (struct rt_graph *)handle;

    return rt_graph_live(g) && g->executable ? g : NULL;
}

static size_t index_of(const struct rt_graph *g, const struct node *n)
{
    size_t i = 0;

    while (i < g->count && g->nodes[i] != n)
        i++;
    return i;
}

/* A node is never put in ahead of one that it needs, unless the two were joined later. */
static struct rt_graph *clone_graph(const struct rt_graph *g)
{
    struct rt_graph *to = rt_graph_new();
    bool ok = to != NULL;

    for (size_t i = 0; ok && i < g->count; i++) {
        const struct node *n = g->nodes[i];
        struct node *copy = add_node(to,
                                     n->type == cudaGraphNodeTypeEmpty || n->child ? NULL : &n->op,
                                     n->needs, n->need_count);
        ok = copy && (!n->child || (copy->child = clone_graph(n->child)));
        if (ok)
            copy->type = n->type;
    }
    for (size_t i = 0; ok && i < to->count; i++) {
        for (size_t k = 0; ok && k < to->nodes[i]->need_count; k++) {
            size_t at = index_of(g, to->nodes[i]->needs[k]);
            ok = at < to->count;
            to->nodes[i]->needs[k] = ok ? to->nodes[at] : NULL;
        }
    }
    if (!ok && to)
        rt_graph_free(to);
    return ok ? to : NULL;
}

static bool holds(const struct rt_graph *g, const struct node *n)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i] == n)
            return true;
    return false;
}

RT_API cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    struct rt_graph *g = out && flags == 0 ? rt_graph_new() : NULL;

    if (!g)
        return rt_refuse("cudaGraphCreate", cudaErrorInvalidValue);
    *out = (cudaGraph_t)g;
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct rt_graph *g = graph_of(graph);

    if (!g)
        return rt_refuse("cudaGraphDestroy", cudaErrorInvalidValue);
    rt_graph_free(g);
    return cudaSuccess;
}

static cudaError_t add_checked(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                               const cudaGraphNode_t *needs, size_t count, const struct rt_op *op)
{
    struct rt_graph *g = graph_of(graph);
    bool ok = out && g && (count == 0 || needs);

    for (size_t i = 0; ok && i < count; i++)
        ok = holds(g, (const struct node *)needs[i]);
    if (!ok)
        return rt_refuse(call, cudaErrorInvalidValue);
    struct node *n = add_node(g, op, (struct node *const *)needs, count);
    if (!n)
        return rt_refuse(call, cudaErrorMemoryAllocation);
    *out = (cudaGraphNode_t)n;
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *needs, size_t count,
                                          const struct cudaKernelNodeParams *params)
{
    struct rt_op op = {.kind = RT_OP_LAUNCH, .call = "cudaGraphAddKernelNode"};
    uint8_t *block = NULL;

    if (!params || params->extra)
        return params ? rt_unbuilt("cudaGraphAddKernelNode with `extra`")
                      : rt_refuse(op.call, cudaErrorInvalidValue);
    cudaError_t error = rt_launch_op(&op, params->func, params->gridDim, params->blockDim,
                                     params->kernelParams, params->sharedMemBytes, &block);
    if (error != cudaSuccess)
        return rt_refuse(op.call, error);
    error = add_checked(op.call, out, graph, needs, count, &op);
    free(block);
    return error;
}

RT_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                            const cudaGraphNode_t *needs, size_t count, void *to,
                                            const void *from, size_t bytes,
                                            enum cudaMemcpyKind kind)
{
    struct rt_op op = {.kind = RT_OP_COPY, .call = "cudaGraphAddMemcpyNode1D"};

    op.copy = (struct rt_copy){.call = op.call,
                               .to = to,
                               .from = from,
                               .width = bytes,
                               .height = 1,
                               .kind = kind,
                               .async = true};
    return add_checked(op.call, out, graph, needs, count, &op);
}

RT_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *needs, size_t count,
                                          const struct cudaMemcpy3DParms *p)
{
    struct rt_op op = {.kind = RT_OP_COPY, .call = "cudaGraphAddMemcpyNode"};

    if (!p)
        return rt_refuse(op.call, cudaErrorInvalidValue);
    if (p->srcArray || p->dstArray || p->extent.depth != 1)
        return rt_unbuilt("cudaGraphAddMemcpyNode with a cudaArray or a box");
    op.copy =
        (struct rt_copy){.call = op.call,
                         .to = (unsigned char *)p->dstPtr.ptr + p->dstPos.x +
                               (p->dstPos.y + p->dstPos.z * p->dstPtr.ysize) * p->dstPtr.pitch,
                         .from = (unsigned char *)p->srcPtr.ptr + p->srcPos.x +
                                 (p->srcPos.y + p->srcPos.z * p->srcPtr.ysize) * p->srcPtr.pitch,
                         .to_pitch = p->dstPtr.pitch,
                         .from_pitch = p->srcPtr.pitch,
                         .width = p->extent.width,
                         .height = p->extent.height,
                         .kind = p->kind,
                         .async = true};
    return add_checked(op.call, out, graph, needs, count, &op);
}

RT_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *needs, size_t count,
                                          const struct cudaMemsetParams *params)
{
    struct rt_op op = {.kind = RT_OP_SET, .call = "cudaGraphAddMemsetNode"};
    uint64_t device = 0;

    if (!params || rt_place_of(params->dst, &device) == RT_HOST ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return rt_refuse(op.call, cudaErrorInvalidValue);
    size_t width = params->width * params->elementSize;
    op.set = (struct cmpd_wire_set){.to = device,
                                    .pitch = params->height > 1 ? params->pitch : width,
                                    .width = width,
                                    .height = params->height,
                                    .value = params->value,
                                    .unit = params->elementSize,
                                    .async = 1};
    return add_checked(op.call, out, graph, needs, count, &op);
}

RT_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *needs, size_t count,
                                        const struct cudaHostNodeParams *params)
{
    struct rt_op op = {.kind = RT_OP_HOST, .call = "cudaGraphAddHostNode"};

    if (!params || !params->fn)
        return rt_refuse(op.call, cudaErrorInvalidValue);
    op.host.fn = params->fn;
    op.host.data = params->userData;
    return add_checked(op.call, out, graph, needs, count, &op);
}

RT_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                         const cudaGraphNode_t *needs, size_t count)
{
    return add_checked("cudaGraphAddEmptyNode", out, graph, needs, count, NULL);
}

RT_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                              const cudaGraphNode_t *needs, size_t count,
                                              cudaGraph_t child)
{
    const struct rt_graph *c = graph_of(child);

    if (!c || child == graph)
        return rt_refuse("cudaGraphAddChildGraphNode", cudaErrorInvalidValue);
    cudaError_t error = add_checked("cudaGraphAddChildGraphNode", out, graph, needs, count, NULL);
    if (error != cudaSuccess)
        return error;
    struct node *n = (struct node *)*out;
    n->child = clone_graph(c);
    n->type = cudaGraphNodeTypeGraph;
    return n->child ? cudaSuccess
                    : rt_refuse("cudaGraphAddChildGraphNode", cudaErrorMemoryAllocation);
}

RT_API cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    const struct rt_graph *g = graph_of(graph);
    struct rt_graph *copy = out && g ? clone_graph(g) : NULL;

    if (!copy)
        return rt_refuse("cudaGraphClone", cudaErrorInvalidValue);
    *out = (cudaGraph_t)copy;
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (!node || !type)
        return rt_refuse("cudaGraphNodeGetType", cudaErrorInvalidValue);
    *type = ((const struct node *)node)->type;
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const struct rt_graph *g = graph_of(graph);

    if (!g || !count)
        return rt_refuse("cudaGraphGetNodes", cudaErrorInvalidValue);
    if (!nodes) {
        *count = g->count;
        return cudaSuccess;
    }
    for (size_t i = 0; i < *count; i++)
        nodes[i] = i < g->count ? (cudaGraphNode_t)g->nodes[i] : NULL;
    if (*count > g->count)
        *count = g->count;
    return cudaSuccess;
}

/* Puts a node behind all that it needs. False: a circle. */
static bool place(struct node *n, struct node **sorted, size_t *count)
{
    enum { UNSEEN, OPEN, PLACED };

    if (n->mark == PLACED)
        return true;
    if (n->mark == OPEN)
        return false;
    n->mark = OPEN;
    for (size_t i = 0; i < n->need_count; i++)
        if (!place(n->needs[i], sorted, count))
            return false;
    n->mark = PLACED;
    sorted[(*count)++] = n;
    return true;
}

/* The nodes of g, and of the graphs in it, behind those of `to`, in an order that keeps what each needs. */
static bool flatten(struct rt_graph *to, const struct rt_graph *g)
{
    struct node **sorted = calloc(g->count + 1, sizeof(struct node *));
    size_t count = 0;
    bool ok = sorted != NULL;

    for (size_t i = 0; ok && i < g->count; i++)
        g->nodes[i]->mark = 0;
    for (size_t i = 0; ok && i < g->count; i++)
        ok = place(g->nodes[i], sorted, &count);
    for (size_t i = 0; ok && i < count; i++) {
        if (sorted[i]->child) {
            ok = flatten(to, sorted[i]->child);
            continue;
        }
        bool empty = sorted[i]->type == cudaGraphNodeTypeEmpty;
        struct node *n = add_node(to, empty ? NULL : &sorted[i]->op, NULL, 0);
        ok = n != NULL;
        if (ok)
            n->origin = sorted[i];
    }
    free(sorted);
    return ok;
}

static uint64_t shape_of(const struct rt_graph *g)
{
    uint64_t shape = g->count;

    for (size_t i = 0; i < g->count; i++) {
        const struct node *n = g->nodes[i];
        shape = shape * 31 + (uint64_t)n->type * 7 + n->need_count;
        if (n->child)
            shape = shape * 31 + shape_of(n->child);
    }
    return shape;
}

static cudaError_t instantiate(const char *call, cudaGraphExec_t *out, cudaGraph_t graph)
{
    const struct rt_graph *g = graph_of(graph);
    struct rt_graph *exec = out && g ? rt_graph_new() : NULL;

    if (!exec || !flatten(exec, g)) {
        if (exec)
            rt_graph_free(exec);
        return rt_refuse(call, cudaErrorInvalidValue);
    }
    exec->executable = true;
    exec->shape = shape_of(g);
    *out = (cudaGraphExec_t)exec;
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        unsigned long long flags)
{
    (void)flags; /* CUDA 11 passes an error node here, and looks at what is returned alone */
    return instantiate("cudaGraphInstantiate", out, graph);
}

RT_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                                 unsigned long long flags)
{
    (void)flags;
    return instantiate("cudaGraphInstantiateWithFlags", out, graph);
}

RT_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *params)
{
    (void)params;
    return instantiate("cudaGraphInstantiateWithParams", out, graph);
}

RT_API cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *out, cudaGraph_t graph,
                                                       cudaGraphInstantiateParams *params)
{
    return cudaGraphInstantiateWithParams(out, graph, params);
}

/* The work of one node in place of another's. */
static cudaError_t replace_op(struct node *n, const struct rt_op *op)
{
    struct rt_op fresh;

    if (!copy_op(&fresh, op))
        return cudaErrorMemoryAllocation;
    if (n->op.kind == RT_OP_LAUNCH)
        free(n->op.launch.params);
    n->op = fresh;
    return cudaSuccess;
}

static cudaError_t set_kernel(const char *call, struct node *n,
                              const struct cudaKernelNodeParams *params)
{
    struct rt_op op = {.kind = RT_OP_LAUNCH, .call = call};
    uint8_t *block = NULL;

    if (!n || n->type != cudaGraphNodeTypeKernel || !params || params->extra)
        return rt_refuse(call, cudaErrorInvalidValue);
    cudaError_t error = rt_launch_op(&op, params->func, params->gridDim, params->blockDim,
                                     params->kernelParams, params->sharedMemBytes, &block);
    if (error == cudaSuccess)
        error = replace_op(n, &op);
    free(block);
    return error == cudaSuccess ? error : rt_refuse(call, error);
}

RT_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams *params)
{
    return set_kernel("cudaGraphKernelNodeSetParams", (struct node *)node, params);
}

RT_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *params)
{
    struct rt_graph *g = exec_of(exec);
    struct node *n = NULL;

    for (size_t i = 0; g && i < g->count; i++)
        if (g->nodes[i]->origin == (const struct node *)node)
            n = g->nodes[i];
    return set_kernel("cudaGraphExecKernelNodeSetParams", n, params);
}

/* Takes the new graph's work where it has the same kinds of nodes in the same order. */
RT_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *result)
{
    struct rt_graph *g = exec_of(exec), *from;
    cudaGraphExec_t fresh = NULL;

    if (!g || !result)
        return rt_refuse("cudaGraphExecUpdate", cudaErrorInvalidValue);
    cudaError_t error = instantiate("cudaGraphExecUpdate", &fresh, graph);
    if (error != cudaSuccess)
        return error;
    from = (struct rt_graph *)fresh;
    bool same = from->shape == g->shape && from->count == g->count;
    for (size_t i = 0; same && i < g->count; i++)
        same = from->nodes[i]->type == g->nodes[i]->type;
    for (size_t i = 0; same && i < g->count; i++) {
        struct node *n = g->nodes[i];
        g->nodes[i] = from->nodes[i];
        g->nodes[i]->origin = n->origin;
        from->nodes[i] = n;
    }
    rt_graph_free(from);
    *result = (cudaGraphExecUpdateResultInfo){.result = same ? 0 : UPDATE_TOPOLOGY_CHANGED};
    return same ? cudaSuccess : rt_refuse("cudaGraphExecUpdate", cudaErrorGraphExecUpdateFailure);
}

RT_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    struct rt_graph *g = exec_of(exec);

    if (!g)
        return rt_refuse("cudaGraphExecDestroy", cudaErrorInvalidValue);
    rt_graph_free(g);
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    uint32_t id;

    if (!exec_of(exec))
        return rt_refuse("cudaGraphUpload", cudaErrorInvalidValue);
    return rt_stream_id(stream, &id) == cudaSuccess
               ? cudaSuccess
               : rt_refuse("cudaGraphUpload", cudaErrorInvalidResourceHandle);
}

RT_API cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return cudaGraphUpload(exec, rt_per_thread(stream));
}

RT_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct rt_graph *g = exec_of(exec);
    cudaError_t error = g ? rt_begin() : cudaErrorInvalidValue;

    if (error != cudaSuccess)
        return rt_refuse("cudaGraphLaunch", error);
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->type == cudaGraphNodeTypeEmpty)
            continue;
        error = rt_submit(&g->nodes[i]->op, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

RT_API cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return cudaGraphLaunch(exec, rt_per_thread(stream));
}
