/* The CUDA runtime, the C library and containers as launchers use them: who made which memory, how large it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eval/machine.h"
#include "analysis/text/source.h"

static struct ev_val arg(struct ev_machine *m, const struct ir_expr *x, size_t i)
{
    return i < x->arg_count && x->args[i] ? ev_eval(m, x->args[i]) : ev_unknown(NULL);
}

/* ---- allocation ---- */

struct allocator {
    const char *name;
    enum ev_region_kind kind;
    int pointer_arg; /* which argument takes the address of the pointer; -1: the call returns it */
    int bytes_arg;
    int second_arg; /* a factor of the size (calloc, pitched height), or -1 */
};

static const struct allocator allocators[] = {
    {"cudaMalloc", EV_R_DEVICE, 0, 1, -1},
    {"cudaMallocAsync", EV_R_DEVICE, 0, 1, -1},
    {"cudaMallocManaged", EV_R_MANAGED, 0, 1, -1},
    {"cudaMallocHost", EV_R_PINNED, 0, 1, -1},
    {"cudaHostAlloc", EV_R_PINNED, 0, 1, -1},
    {"cudaMallocFromPoolAsync", EV_R_DEVICE, 0, 1, -1},
    {"malloc", EV_R_HOST, -1, 0, -1},
    {"calloc", EV_R_HOST, -1, 0, 1},
    {"aligned_alloc", EV_R_HOST, -1, 1, -1},
};

static const struct allocator *find_allocator(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (strcmp(name, allocators[i].name) == 0)
            return &allocators[i];
    return NULL;
}

/* The variable's own name for messages: the target of cudaMalloc(&d_x, ...). */
static const char *target_name(const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_CAST || x->kind == IR_X_ADDR))
        x = x->a;
    if (x && x->kind == IR_X_VAR)
        return x->var->name;
    return x && x->name ? x->name : "memory";
}

static const struct ir_type *target_elem(struct ev_machine *m, const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_CAST || x->kind == IR_X_ADDR))
        x = x->a;
    const struct ir_type *t = x ? ev_type(m, x->type) : NULL;
    return t && t->kind == IR_T_PTR ? ev_type(m, t->elem) : NULL;
}

static void set_size(struct ev_machine *m, struct ev_region *r, const struct ev_val *bytes,
                     const struct ev_val *factor, const struct ir_type *elem)
{
    r->elem = elem;
    r->elem_bytes = ev_sizeof(m, elem);
    if (ev_is_uniform_int(bytes) && (!factor || ev_is_uniform_int(factor)))
        r->size_bytes = bytes->i * (factor ? factor->i : 1);
}

/* cudaMallocPitch(&p, &pitch, width, height): rows at a pitch of 512 bytes, as devices give. */
static struct ev_val allocate_pitched(struct ev_machine *m, const struct ir_expr *x)
{
    enum { PITCH = 512 };
    struct ev_val pitch_at = arg(m, x, 1), width = arg(m, x, 2), height = arg(m, x, 3);
    struct ev_region *r = ev_region_new(m, EV_R_DEVICE, x, target_name(x->args[0]));
    r->made_at = x;
    r->elem = target_elem(m, x->args[0]);
    r->elem_bytes = ev_sizeof(m, r->elem);
    struct ev_val pitch = ev_unknown(cmpd_ir_builtin_type("size_t", 6));
    if (ev_is_uniform_int(&width) && ev_is_uniform_int(&height)) {
        pitch = ev_int((width.i + PITCH - 1) / PITCH * PITCH, pitch.type);
        r->size_bytes = pitch.i * height.i;
    }
    struct ev_val where = ev_eval(m, x->args[0]);
    struct ev_val ptr = ev_region_ptr(r, ev_pointer_to(m, r->elem));
    if (where.kind == EV_PTR)
        ev_store(m, &where, where.type ? where.type->elem : NULL, &ptr, x, 0);
    if (pitch_at.kind == EV_PTR)
        ev_store(m, &pitch_at, pitch.type, &pitch, x, 0);
    return ev_int(0, x->type);
}

static struct ev_val allocate(struct ev_machine *m, const struct ir_expr *x,
                              const struct allocator *a)
{
    struct ev_val bytes = arg(m, x, (size_t)a->bytes_arg);
    struct ev_val factor = a->second_arg >= 0 ? arg(m, x, (size_t)a->second_arg) : ev_unknown(NULL);
    struct ev_region *r = ev_region_new(m, a->kind, x, a->name);
    r->made_at = x;
    if (a->pointer_arg < 0) {
        set_size(m, r, &bytes, a->second_arg >= 0 ? &factor : NULL, NULL);
        return ev_region_ptr(r, x->type);
    }
    const struct ir_expr *target = x->args[a->pointer_arg];
    r->name = target_name(target);
    const struct ir_type *elem = target_elem(m, target);
    set_size(m, r, &bytes, NULL, elem);
    struct ev_val where = ev_eval(m, target);
    struct ev_val ptr = ev_region_ptr(r, ev_pointer_to(m, elem));
    if (where.kind == EV_PTR)
        ev_store(m, &where, where.type ? where.type->elem : NULL, &ptr, x, 0);
    return ev_int(0, x->type);
}

/* ---- containers ---- */

static const struct ir_expr *object_variable(const struct ir_expr *x)
{
    const struct ir_expr *obj = x->a && x->a->kind == IR_X_MEMBER ? x->a->a : NULL;
    return obj && obj->kind == IR_X_VAR ? obj : NULL;
}

static const char *vector_type(const struct ir_expr *obj)
{
    const struct ir_type *t = obj->var->type;
    if (t->kind == IR_T_REF && t->elem)
        t = t->elem;
    if (!t->name || strstr(t->name, "device_vector") || strncmp(t->name, "thrust", 6) == 0)
        return NULL;
    const char *v = strstr(t->name, "vector");
    if (!v)
        return NULL;
    v += strlen("vector");
    v += strspn(v, " \t\n");
    return *v == '<' ? v + 1 + strspn(v + 1, " \t\n") : NULL;
}

/* The element type in "double>" as it stands behind vector<. */
static const struct ir_type *first_type(const char *text)
{
    size_t n = strcspn(text, ">,");
    while (n && text[n - 1] == ' ')
        n--;
    return cmpd_ir_builtin_type(text, n);
}

static struct ev_val vector_count(struct ev_machine *m, const struct ir_expr *obj)
{
    const struct ir_expr *init = obj->var->init;
    if (init && init->kind == IR_X_INIT && init->paren && init->arg_count >= 1 &&
        init->arg_count <= 2)
        return ev_eval(m, init->args[0]);
    return ev_unknown(NULL);
}

static struct ev_val input_named(struct ev_machine *m, const struct ir_expr *x)
{
    if (!m->hooks->input)
        return ev_unknown(x->type);
    const struct cmpd_source *src = m->module->unit->src;
    uint32_t off = x->loc.off, end = x->loc.end;
    if (x->loc.in_macro || end <= off || end > src->len || end - off > 60)
        return ev_unknown(x->type);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(end - off), src->text + off);
    int64_t n = m->hooks->input(m, name, NULL);
    return ev_int(n, cmpd_ir_builtin_type("long", 4));
}

static const char *const size_methods[] = {"size",         "numel", "length", "rows",
                                           "cols",         "width", "height", "nnz",
                                           "num_elements", "shape", "dim",    NULL};

static bool container_method(struct ev_machine *m, const struct ir_expr *x, const char *name,
                             struct ev_val *out)
{
    const struct ir_expr *obj = object_variable(x);
    const char *elem_text = obj ? vector_type(obj) : NULL;
    if (elem_text && strcmp(name, "data") == 0) {
        const struct ir_type *elem = first_type(elem_text);
        struct ev_region *r = m->regions->first;
        while (r && r->key != (const void *)obj->var)
            r = r->next;
        if (!r) {
            r = ev_region_new(m, EV_R_HOST, obj->var, obj->var->name);
            struct ev_val n = vector_count(m, obj);
            r->elem = elem;
            r->elem_bytes = elem ? elem->size : 0;
            if (ev_is_uniform_int(&n) && r->elem_bytes)
                r->size_bytes = n.i * (int64_t)r->elem_bytes;
        }
        *out = ev_region_ptr(r, ev_pointer_to(m, elem));
        return true;
    }
    if (!ev_in_list(name, size_methods) || x->arg_count > 1 || x->func)
        return false;
    struct ev_val n = elem_text ? vector_count(m, obj) : ev_unknown(NULL);
    *out = ev_is_uniform_int(&n) ? n : input_named(m, x);
    return out->kind != EV_UNKNOWN;
}

/* ---- the runtime API ---- */

static bool is_cuda_call(const char *name)
{
    return (strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z') ||
           (name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z');
}

/* Any other runtime call: succeeds; what it takes by address is an output that is not known. */
static struct ev_val runtime_call(struct ev_machine *m, const struct ir_expr *x, const char *name)
{
    size_t n = x->arg_count < 16 ? x->arg_count : 16;
    struct ev_val args[16];
    for (size_t i = 0; i < n; i++) {
        args[i] = arg(m, x, i);
        if (args[i].kind == EV_PTR && args[i].region->cell && strncmp(name, "cudaMem", 7) != 0)
            ev_store_val(m, args[i].region->cell, ev_unknown(args[i].region->elem), false);
    }
    if (m->hooks->host_call)
        m->hooks->host_call(m, x, name, args, n);
    if (strncmp(name, "cudaGetError", 12) == 0) /* ...String, ...Name: no number */
        return ev_unknown(x->type);
    return ev_int(0, x->type);
}

static bool is_ending(const char *name)
{
    static const char *const endings[] = {"exit",      "abort", "_exit", "quick_exit",
                                          "terminate", "throw", NULL};
    return ev_in_list(name, endings);
}

static bool allocator_fits(const struct allocator *a, const struct ir_expr *x)
{
    return a &&
           x->arg_count > (size_t)(a->bytes_arg > a->pointer_arg ? a->bytes_arg : a->pointer_arg);
}

bool ev_is_host_call(const struct ir_expr *x, const char *name)
{
    if (x->a && x->a->kind == IR_X_MEMBER)
        return strcmp(name, "data") == 0 || ev_in_list(name, size_methods);
    return allocator_fits(find_allocator(name), x) || is_ending(name) || is_cuda_call(name);
}

bool ev_known_host_call(struct ev_machine *m, const struct ir_expr *x, const char *name,
                        struct ev_val *out)
{
    if (x->a && x->a->kind == IR_X_MEMBER)
        return container_method(m, x, name, out);
    const struct allocator *a = find_allocator(name);
    if (allocator_fits(a, x)) {
        *out = allocate(m, x, a);
    } else if (strcmp(name, "cudaMallocPitch") == 0 && x->arg_count == 4 && x->args[0]) {
        *out = allocate_pitched(m, x);
    } else if (is_ending(name)) {
        ev_exit_lanes(m);
        *out = ev_unknown(x->type);
    } else {
        *out = runtime_call(m, x, name);
    }
    return true;
}
