#include <string.h>

#include "analysis/eval/root.h"

/* Blocks are all run up to LANES_MAX threads, else only the first two and the last. */
enum { LANES_MAX = 140000, BLOCK_THREADS_MAX = 1024, HOST_STEPS_MAX = 60000, IDLE_BLOCKS = 3 };

/* Turns of one loop: of a sampled launch only the first are of interest. */
enum { LOOP_TURNS_MAX = 2048, LOOP_TURNS_SAMPLED = 40, LOOP_TURNS_HOST = 6 };

/* ---- values that cross from the host (one lane) to a block ---- */

static struct ev_val portable(struct ev_machine *m, const struct ev_val *v)
{
    struct ev_val out = *v;
    out.prov = 0;
    if (out.lanes) {
        out.i = out.lanes[0];
        out.lanes = NULL;
        if (out.kind == EV_INT && out.i == CMPD_UNKNOWN_LANE)
            return ev_unknown(out.type);
    }
    if (out.kind == EV_AGG && out.record) {
        out.fields = CMPD_ARENA_ARRAY(m->keep, struct ev_val, out.record->field_count);
        for (size_t i = 0; i < out.record->field_count; i++)
            out.fields[i] = portable(m, &v->fields[i]);
    }
    return out;
}

static struct ev_region *buffer_for(struct ev_machine *m, const void *key, const char *name,
                                    const struct ir_type *elem)
{
    for (struct ev_region *r = m->regions->first; r; r = r->next)
        if (r->key == key)
            return r;
    struct ev_region *r = ev_region_new(m, EV_R_BUFFER, key, name);
    elem = ev_type(m, elem);
    r->elem = elem;
    r->elem_bytes = ev_sizeof(m, elem);
    return r;
}

/* A kernel's pointer argument that the host code did not make known: a buffer of its own, of unknown length. */
static struct ev_val kernel_arg(struct ev_machine *m, const struct ir_func *kernel, size_t i,
                                const struct ev_val *v)
{
    const struct ir_var *param = kernel->params[i];
    if (v->kind == EV_UNKNOWN && param->type->kind == IR_T_PTR) {
        struct ev_region *r = buffer_for(m, param, param->name, param->type->elem);
        return ev_region_ptr(r, param->type);
    }
    return portable(m, v);
}

/* ---- one kernel ---- */

static void on_sight(struct ev_watch *w, struct ev_machine *m, const struct ev_sighting *s)
{
    ev_record_sighting(w->root, m, s, w->launch, w->certain);
}

static void make_thread_ids(struct ev_machine *m)
{
    for (int d = 0; d < 3; d++)
        m->tid[d] = CMPD_ARENA_ARRAY(m->keep, int64_t, m->width);
    for (uint32_t l = 0; l < m->width; l++) {
        m->tid[0][l] = l % m->block.x;
        m->tid[1][l] = l / m->block.x % m->block.y;
        m->tid[2][l] = l / (m->block.x * m->block.y);
    }
}

static void run_block(struct ev_machine *m, struct ev_watch *w, const struct ev_kernel_job *job,
                      const struct ev_val *args, int64_t b)
{
    m->block_idx = (struct ev_dims){b % m->grid.x, b / m->grid.x % m->grid.y,
                                    b / (m->grid.x * m->grid.y)};
    memset(m->mask, LANE_ON, m->width);
    memset(m->unsure, 0, sizeof *m->unsure * m->width);
    m->all_on = true;
    m->frame = NULL;
    m->loop = NULL;
    ev_watch_block(w, m, b);
    struct cmpd_arena_mark mark = cmpd_arena_mark(m->arena), frames = cmpd_arena_mark(m->frames);
    ev_call(m, job->kernel, args, NULL, job->arg_count, job->targs, job->targ_count, job->frame,
            NULL);
    cmpd_arena_release(m->arena, mark);
    cmpd_arena_release(m->frames, frames);
}

static void drop_block_regions(struct ev_region_table *t)
{
    struct ev_region **at = &t->first;
    while (*at) {
        enum ev_region_kind k = (*at)->kind;
        if (k == EV_R_SHARED || k == EV_R_DYNAMIC || k == EV_R_LOCAL)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
}

static void forget_coverage(struct ev_region_table *t)
{
    for (struct ev_region *r = t->first; r; r = r->next)
        if (r->shadow && r->kind != EV_R_SHARED && r->kind != EV_R_DYNAMIC)
            ((struct ev_footprint *)r->shadow)->unknown_write = true;
}

static void init_machine(struct ev_machine *m, struct ev_root *root,
                         struct ev_region_table *regions, const struct ev_kernel_job *job)
{
    *m = (struct ev_machine){.module = root->module,
                             .arena = root->temp,
                             .keep = root->keep,
                             .frames = root->frames,
                             .hooks = &ev_watch_hooks,
                             .on_device = true,
                             .grid = job->grid,
                             .block = job->block,
                             .regions = regions,
                             .kernel = job->kernel,
                             .steps = root->steps,
                             .memos = root->memos,
                             .memo_arena = root->arena,
                             .step_limit = root->step_limit};
    m->width = (uint32_t)(job->block.x * job->block.y * job->block.z);
    m->mask = cmpd_arena_alloc(root->keep, m->width);
    m->unsure = CMPD_ARENA_ARRAY(root->keep, uint16_t, m->width);
    make_thread_ids(m);
}

void ev_run_kernel(struct ev_root *root, struct ev_region_table *regions,
                   const struct ev_kernel_job *job, struct ev_launch_run *out)
{
    int64_t width = job->block.x * job->block.y * job->block.z;
    int64_t blocks;
    if (__builtin_mul_overflow(job->grid.x, job->grid.y, &blocks) ||
        __builtin_mul_overflow(blocks, job->grid.z, &blocks))
        return;
    if (!job->kernel->body || width < 1 || width > BLOCK_THREADS_MAX || blocks < 1)
        return;
    struct ev_machine m;
    init_machine(&m, root, regions, job);
    struct ev_watch w = {.root = root,
                         .launch = job->launch,
                         .kernel = job->kernel,
                         .dynamic_bytes = job->shared_bytes,
                         .certain = job->certain,
                         .sight = on_sight};
    m.user = &w;
    struct ev_val *args = CMPD_ARENA_ARRAY(root->keep, struct ev_val, job->arg_count + 1);
    for (size_t i = 0; i < job->arg_count; i++)
        args[i] = i < job->kernel->param_count ? kernel_arg(&m, job->kernel, i, &job->args[i])
                                               : job->args[i];
    bool all = blocks <= LANES_MAX / width;
    w.sampled = !all;
    m.loop_limit = all ? LOOP_TURNS_MAX : LOOP_TURNS_SAMPLED;
    int64_t last = all || blocks < 3 ? blocks : 3;
    unsigned idle = 0;
    for (int64_t k = 0; k < last && !m.cut; k++) {
        int64_t b = !all && k == 2 ? blocks - 1 : k;
        uint64_t before = w.activity;
        run_block(&m, &w, job, args, b);
        idle = w.activity == before ? idle + 1 : 0;
        if (all && idle == IDLE_BLOCKS && job->grid.y == 1 && job->grid.z == 1)
            k = last - 2 > k ? last - 2 : k; /* past the data: the last block stands for the rest */
    }
    out->evaluated = true;
    out->complete = all && !m.cut;
    memcpy(out->products, w.products, sizeof out->products);
    out->compares = w.compares;
    out->product_count = w.product_count;
    out->compare_count = w.compare_count;
    if (!out->complete || w.unknown_write)
        forget_coverage(regions);
    drop_block_regions(regions);
    root->steps = m.steps;
    if (m.cut)
        root->facts->cut = true;
}

/* ---- the host side ---- */

static bool to_dims(const struct ev_val *v, struct ev_dims *out)
{
    int64_t part[3] = {1, 1, 1};
    if (v->kind == EV_INT) {
        part[0] = ev_lane(v, 0);
    } else if (v->kind == EV_AGG && v->record && v->record->field_count >= 3) {
        for (int i = 0; i < 3; i++)
            part[i] = ev_lane(&v->fields[i], 0);
    } else {
        part[0] = CMPD_UNKNOWN_LANE;
    }
    bool known = true;
    for (int i = 0; i < 3; i++) {
        known = known && part[i] != CMPD_UNKNOWN_LANE;
        if (part[i] == CMPD_UNKNOWN_LANE)
            part[i] = -1;
    }
    *out = (struct ev_dims){part[0], part[1], part[2]};
    return known;
}

static void arguments_escape(struct ev_machine *m, const struct ev_launch_event *ev)
{
    for (size_t i = 0; i < ev->arg_count; i++)
        if (ev->args[i].kind == EV_PTR)
            ev_footprint_of(m, ev->args[i].region)->unknown_write = true;
}

static const struct ir_func *kernel_of(struct ev_machine *m, const struct ev_launch_event *ev)
{
    if (ev->launch->kernel)
        return ev->launch->kernel->body ? ev->launch->kernel : NULL;
    if (!ev->launch->callee || ev->launch->callee->kind != IR_X_VAR)
        return NULL;
    struct ev_val v = ev_eval(m, ev->launch->callee);
    return v.kind == EV_CALLABLE && v.func && v.func->kind == IR_F_KERNEL && v.func->body ? v.func
                                                                                          : NULL;
}

static const struct ir_loc *grid_location(const struct ir_launch *launch,
                                          const struct ir_expr *expr)
{
    const struct ir_expr *g = launch->grid;
    return g && g->kind == IR_X_VAR && g->var->storage == IR_V_LOCAL ? &g->var->loc : &expr->loc;
}

static void on_launch(struct ev_machine *m, const struct ev_launch_event *ev)
{
    struct ev_root *root = m->user;
    struct ev_run *run = root->run;
    if (run->launch_count == LAUNCHES_MAX) {
        arguments_escape(m, ev);
        return;
    }
    struct ev_launch_run *l = &run->launches[run->launch_count++];
    *l = (struct ev_launch_run){
        .expr = ev->expr, .kernel = kernel_of(m, ev), .certain = ev->certain};
    l->grid_at = grid_location(ev->launch, ev->expr);
    bool grid = to_dims(&ev->grid, &l->grid), block = to_dims(&ev->block, &l->block);
    int64_t shared = ev_lane(&ev->shared, 0);
    l->shared_bytes = shared == CMPD_UNKNOWN_LANE ? -1 : shared;
    if (run->probe)
        return;
    if (!l->kernel || !grid || !block || root->steps > root->step_limit) {
        arguments_escape(m, ev);
        return;
    }
    if (run->swap_grid) {
        int64_t x = l->grid.x;
        l->grid.x = l->grid.y;
        l->grid.y = x;
    }
    struct ev_kernel_job job = {.launch = ev->expr,
                                .kernel = l->kernel,
                                .grid = l->grid,
                                .block = l->block,
                                .shared_bytes = l->shared_bytes,
                                .args = ev->args,
                                .arg_count = ev->arg_count,
                                .targs = ev->launch->targs,
                                .targ_count = ev->launch->targ_count,
                                .frame = ev->frame,
                                .certain = ev->certain};
    ev_run_kernel(root, m->regions, &job, l);
}

static void on_host_access(struct ev_machine *m, const struct ev_val *p, uint32_t bytes,
                           unsigned flags, const struct ir_expr *at)
{
    (void)bytes;
    (void)at;
    if (p->kind == EV_PTR && (flags & EV_WRITE))
        ev_footprint_of(m, p->region)->unknown_write = true;
}

static void on_host_call(struct ev_machine *m, const struct ir_expr *call, const char *name,
                         const struct ev_val *args, size_t arg_count)
{
    struct ev_root *root = m->user;
    bool fills = strncmp(name, "cudaMemset", 10) == 0 || strncmp(name, "cudaMemcpy", 10) == 0;
    if (fills && arg_count && args[0].kind == EV_PTR)
        ev_footprint_of(m, args[0].region)->filled = true;
    if (!fills) {
        for (size_t i = 0; i < arg_count; i++)
            if (args[i].kind == EV_PTR && strcmp(name, "cudaFree") != 0 &&
                strcmp(name, "cudaFreeAsync") != 0)
                ev_footprint_of(m, args[i].region)->unknown_write = true;
    }
    if (!root->run->probe)
        ev_judge_copy(root, m, call, name, args, arg_count);
}

static int64_t on_input(struct ev_machine *m, const char *name, const struct ir_var *var)
{
    struct ev_root *root = m->user;
    if (!name) { /* a local set from something that is not known: only a member of an object is an input */
        if (!var || !var->init || var->init->kind != IR_X_MEMBER)
            return CMPD_UNKNOWN_LANE;
        name = var->name;
    }
    size_t before = root->inputs.count;
    struct ev_input *in = ev_inputs_get(&root->inputs, name, var);
    if (!in)
        return CMPD_UNKNOWN_LANE;
    size_t index = (size_t)(in - root->inputs.items);
    if (index >= before)
        root->run->values[index] = in->usual;
    return root->run->values[index];
}

static const struct ev_hooks host_hooks = {
    .launch = on_launch, .access = on_host_access, .host_call = on_host_call, .input = on_input};

/* ---- arguments of the entry ---- */

static struct ev_val entry_value(struct ev_machine *m, const struct ir_type *t, const char *name,
                                 const void *key, const struct ir_var *var)
{
    t = ev_type(m, t);
    if (t->kind == IR_T_REF)
        t = ev_type(m, t->elem);
    if (t->kind == IR_T_INT || t->kind == IR_T_BOOL) {
        int64_t v = t->kind == IR_T_BOOL ? 1 : on_input(m, name, var);
        return ev_int(v, t);
    }
    if (t->kind == IR_T_PTR && t->elem && t->elem->kind != IR_T_PTR)
        return ev_region_ptr(buffer_for(m, key, name, t->elem), t);
    if (t->kind != IR_T_STRUCT || !t->record || ev_is_dim3(t)) /* a dim3 is the caller's choice */
        return ev_unknown(t);
    struct ev_val v = ev_blank_record(m, t);
    for (size_t i = 0; v.kind == EV_AGG && i < v.record->field_count; i++) {
        const struct ir_field *f = &v.record->fields[i];
        if (!f->is_static && f->type && f->name && f->type->kind != IR_T_STRUCT)
            v.fields[i] = entry_value(m, f->type,
                                      cmpd_arena_printf(m->keep, "%s.%s", name, f->name), f, var);
    }
    return v;
}

void ev_run_root(struct ev_root *root, struct ev_run *run)
{
    uint8_t mask[1] = {LANE_ON};
    uint16_t unsure[1] = {0};
    run->regions = CMPD_ARENA_NEW(root->keep, struct ev_region_table);
    run->launches = CMPD_ARENA_ARRAY(root->keep, struct ev_launch_run, LAUNCHES_MAX);
    run->launch_count = 0;
    run->valid = false;
    if (!run->probe && root->steps > root->step_limit) {
        root->facts->cut = true;
        return;
    }
    root->run = run;
    struct ev_machine m = {.module = root->module,
                           .arena = root->temp,
                           .keep = root->keep,
                           .frames = root->keep,
                           .hooks = &host_hooks,
                           .user = root,
                           .width = 1,
                           .mask = mask,
                           .all_on = true,
                           .unsure = unsure,
                           .regions = run->regions,
                           .memos = root->memos,
                           .memo_arena = root->arena,
                           .step_limit = HOST_STEPS_MAX,
                           .loop_limit = LOOP_TURNS_HOST};
    const struct ir_func *f = root->func;
    struct cmpd_arena_mark mark = cmpd_arena_mark(root->temp);
    struct ev_val *args = CMPD_ARENA_ARRAY(root->keep, struct ev_val, f->param_count + 1);
    struct ev_frame none = {.func = f, .returned = cmpd_arena_alloc(root->keep, 1)};
    none.targs = CMPD_ARENA_ARRAY(root->keep, struct ev_binding, f->tparam_count + 1);
    m.frame = &none;
    for (size_t i = 0; i < f->param_count; i++)
        args[i] = entry_value(&m, f->params[i]->type, f->params[i]->name ? f->params[i]->name : "",
                              f->params[i], f->params[i]);
    m.frame = NULL;
    ev_call(&m, f, args, NULL, f->param_count, NULL, 0, NULL, NULL);
    cmpd_arena_release(root->temp, mark);
    run->valid = !m.aborted;
    root->steps += m.steps;
    root->host_steps += m.steps;
}
