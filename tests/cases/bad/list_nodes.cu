#include <cuda_runtime.h>

struct Node {
    int key;
    Node* next;
};

__device__ Node* make_node(int key, Node* pool, int* used)
{
    Node* n = new Node;
    n->key = key;
    return n;
}

__global__ void build_lists(const int* keys, int n, Node** head, Node* pool, int* used)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Node* node = make_node(keys[i], pool, used);
        node->next = (Node*)atomicExch((unsigned long long*)&head[keys[i] & 255], (unsigned long long)node);
    }
}

// head: 256 null pointers; pool: n nodes; *used is 0; 0 <= n <= 2^24
void build(const int* keys, int n, Node** head, Node* pool, int* used)
{
    build_lists<<<16, 256>>>(keys, n, head, pool, used);
}
