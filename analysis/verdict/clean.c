#include "analysis/verdict/clean.h"

#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/eval/facts.h"

/* Lines about single kernels; a file with more of them says it in one. */
#define MOST_KERNEL_LINES 8

static void say_take(struct cmpd_file_result *r, char *sentence)
{
    CMPD_GROW(r->clean.items, r->clean.count + 1, r->clean.cap);
    r->clean.items[r->clean.count++] = sentence;
}

/* Has a rule nothing to say, not even in a note or in what is allowed? */
static bool silent(const struct cmpd_file_result *r, const char *rule)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        if (strcmp(cmpd_tag_info(r->findings.items[i].tag)->rule, rule) == 0)
            return false;
    }
    return true;
}

/* Local pointers followed back to what they were made from. */
#define MOST_LOCALS 8

/* A pointer of the function's own that points where another one does: `float *p = out + row;`. */
static bool is_local_pointer(const struct ir_var *v)
{
    return v->storage == IR_V_LOCAL && v->type->kind == IR_T_PTR && v->init && !v->address_taken;
}

/* What an address or a place goes out from: `out` of out[i].x, *(out + i), ((float4 *)out)[i]. */
static const struct ir_var *root_of(const struct ir_expr *x, bool *through_memory)
{
    int locals = 0;
    while (x) {
        switch (x->kind) {
        case IR_X_VAR:
            if (!is_local_pointer(x->var) || !*through_memory || ++locals > MOST_LOCALS)
                return x->var;
            x = x->var->init;
            break;
        case IR_X_INIT: /* T *p(out), T *p{out} */
            x = x->arg_count == 1 ? x->args[0] : NULL;
            break;
        case IR_X_INDEX:
        case IR_X_DEREF:
            *through_memory = true;
            x = x->a;
            break;
        case IR_X_MEMBER:
            *through_memory = *through_memory || x->arrow;
            x = x->a;
            break;
        case IR_X_BINARY: /* pointer arithmetic: the pointer is the side that is one */
            x = x->a && x->a->type->kind == IR_T_PTR ? x->a : x->b;
            break;
        case IR_X_CAST:
            x = x->a;
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

/* A store through one of the kernel's own pointer parameters, or into a __device__ variable. */
static bool is_global_store(const struct ir_expr *target)
{
    bool through_memory = false;
    const struct ir_var *v = root_of(target, &through_memory);
    if (!v)
        return false;
    return v->storage == IR_V_DEVICE || (v->storage == IR_V_PARAM && through_memory && v->func &&
                                         v->func->kind == IR_F_KERNEL && v->type->kind == IR_T_PTR);
}

static bool look_for_store(const struct ir_expr *x, void *ctx)
{
    bool *found = ctx;
    if (x->kind == IR_X_ASSIGN || x->kind == IR_X_INCDEC) {
        *found = *found || is_global_store(x->a);
    } else if (x->kind == IR_X_CALL && x->name && strncmp(x->name, "atomic", 6) == 0 &&
               x->arg_count) {
        const struct ir_expr *to = x->args[0];
        bool address = to->kind == IR_X_ADDR;
        bool through_memory = !address; /* a pointer is handed on: the call goes through it */
        const struct ir_var *v = root_of(address ? to->a : to, &through_memory);
        *found = *found ||
                 (v && through_memory && v->storage == IR_V_PARAM && v->type->kind == IR_T_PTR);
    }
    return !*found;
}

static bool writes_globally(const struct ir_func *kernel)
{
    bool found = false;
    cmpd_ir_walk_stmt(kernel->body, look_for_store, &found);
    return found;
}

static void say_writes(struct cmpd_file_result *r, const struct ir_module *m)
{
    size_t said = 0;
    for (size_t i = 0; i < m->func_count && said < MOST_KERNEL_LINES; i++) {
        const struct ir_func *f = m->funcs[i];
        if (f->kind != IR_F_KERNEL || !f->body || !writes_globally(f))
            continue;
        say_take(r, cmpd_asprintf("kernel %s: global memory write detected.", f->name));
        said++;
    }
}

/* Every launch of the file was run with numbers, and nothing was found. */
static bool launches_match(const struct cmpd_facts *facts, const struct cmpd_file_result *r)
{
    if (!facts || facts->cut || facts->launch_count == 0 || !silent(r, "index_space"))
        return false;
    for (size_t i = 0; i < facts->launch_count; i++) {
        if (!facts->launches[i].evaluated)
            return false;
    }
    return true;
}

void cmpd_clean_remarks(const struct cmpd_check *check, struct cmpd_file_result *r)
{
    if (r->kernel_count == 0) {
        say_take(r, cmpd_strdup("no kernels."));
        return;
    }
    if (check->module && silent(r, "effective_write"))
        say_writes(r, check->module);
    if (launches_match(check->facts, r))
        say_take(r, cmpd_strdup("index mapping matched launch config."));
    if (silent(r, "api"))
        say_take(r, cmpd_strdup("API blacklist: none."));
    /* Without the tree nobody looked, but what is not in the text is not there. */
    bool looked = check->module || check->scan->count[CMPD_SCAN_SHARED] == 0;
    if (looked && silent(r, "shared_memory") && silent(r, "sync"))
        say_take(r, cmpd_strdup("shared memory check: none."));
}
