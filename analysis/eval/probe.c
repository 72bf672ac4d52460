/*
 * Which inputs a launch hangs on, and which values show the edges: whole
 * blocks, one less, one more, less than a block, more than all threads.
 */
#include <string.h>

#include "analysis/eval/root.h"

enum { PROBE_MAX = 1 << 20 };

static struct ev_run *scratch_run(struct ev_root *root)
{
    struct ev_run *run = CMPD_ARENA_NEW(root->keep, struct ev_run);
    for (size_t i = 0; i < root->inputs.count; i++)
        run->values[i] = root->inputs.items[i].usual;
    run->probe = true;
    return run;
}

/* The launches with input `which` at v, others as usual. */
static struct ev_run *probe(struct ev_root *root, size_t which, int64_t v)
{
    struct ev_run *run = scratch_run(root);
    if (which != SIZE_MAX)
        run->values[which] = v;
    ev_run_root(root, run);
    return run;
}

static const struct ev_launch_run *same_launch(const struct ev_run *run,
                                               const struct ev_launch_run *l, size_t at)
{
    if (at < run->launch_count && run->launches[at].expr == l->expr)
        return &run->launches[at];
    return NULL;
}

static int64_t dim(const struct ev_dims *d, int i)
{
    return i == 0 ? d->x : i == 1 ? d->y : d->z;
}

static void note_roles(struct ev_root *root, const struct ev_run *base, const struct ev_run *other,
                       size_t input)
{
    struct ev_input *in = &root->inputs.items[input];
    for (size_t i = 0; i < base->launch_count; i++) {
        const struct ev_launch_run *a = &base->launches[i], *b = same_launch(other, a, i);
        if (!b)
            continue;
        for (int d = 0; d < 3; d++) {
            if (dim(&a->block, d) != dim(&b->block, d))
                in->block = true;
            if (dim(&a->grid, d) != dim(&b->grid, d))
                in->grid_dims |= 1u << d;
        }
    }
}

static bool may_probe(const struct ev_root *root)
{
    return root->host_steps < PROBE_STEPS_MAX;
}

static void find_roles(struct ev_root *root)
{
    struct ev_run *base = probe(root, SIZE_MAX, 0);
    for (size_t i = 0; base->launch_count && i < root->inputs.count && may_probe(root); i++) {
        struct ev_input *in = &root->inputs.items[i];
        in->grid_dims = 0;
        in->block = false;
        int64_t more = ev_input_fit(in, in->usual * 2 + 1);
        if (more != in->usual)
            note_roles(root, base, probe(root, i, more), i);
        int64_t far = ev_input_fit(in, in->usual * 40 + 1);
        if (!in->grid_dims && far > more)
            note_roles(root, base, probe(root, i, far), i);
        int64_t less = ev_input_fit(in, in->usual / 3 + 1);
        if (less != in->usual)
            note_roles(root, base, probe(root, i, less), i);
    }
}

/* The extent of the first launch whose grid hangs on the input, in that dimension; -1 if it is not reached. */
static int64_t grid_at(struct ev_root *root, size_t input, int64_t v)
{
    struct ev_run *run = probe(root, input, v);
    int d = root->inputs.items[input].grid_dims & 1   ? 0
            : root->inputs.items[input].grid_dims & 2 ? 1
                                                      : 2;
    int64_t best = -1;
    for (size_t i = 0; i < run->launch_count; i++)
        if (dim(&run->launches[i].grid, d) > best)
            best = dim(&run->launches[i].grid, d);
    return best;
}

/* The smallest allowed value above `from` at which the grid grows; -1: none up to PROBE_MAX. */
static int64_t next_step(struct ev_root *root, size_t input, int64_t from)
{
    const struct ev_input *in = &root->inputs.items[input];
    int64_t g = grid_at(root, input, from), hi = from;
    do {
        int64_t next = ev_input_fit(in, hi * 2 + 1);
        if (next <= hi || next > PROBE_MAX)
            return -1;
        hi = next;
        if (!may_probe(root))
            return -1;
    } while (grid_at(root, input, hi) <= g);
    int64_t lo = from;
    while (hi - lo > in->multiple) {
        int64_t mid = ev_input_fit(in, lo + (hi - lo) / 2);
        if (mid <= lo || mid >= hi)
            break;
        if (grid_at(root, input, mid) > g)
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

/* Usually one more block comes with each block's worth of units: try that before searching. */
static bool guess_divisor(struct ev_root *root, size_t input, const struct ev_run *base)
{
    struct ev_input *in = &root->inputs.items[input];
    if (in->multiple > 1 || in->lo > 1)
        return false;
    for (size_t i = 0; i < base->launch_count; i++) {
        const struct ev_dims *b = &base->launches[i].block;
        const int64_t guesses[] = {b->x, b->y, b->x * b->y * b->z, 1};
        for (size_t k = 0; k < sizeof guesses / sizeof *guesses; k++) {
            int64_t d = guesses[k];
            if (d < 1 || (d == 1 && guesses[k] != 1))
                continue;
            int64_t g = grid_at(root, input, d), more = grid_at(root, input, d + 1);
            if (g == more - 1 && grid_at(root, input, 2 * d) == more &&
                grid_at(root, input, 2 * d + 1) == more + 1) {
                in->divisor = d;
                return true;
            }
        }
    }
    return false;
}

static void find_divisor(struct ev_root *root, size_t input, const struct ev_run *base)
{
    struct ev_input *in = &root->inputs.items[input];
    if (guess_divisor(root, input, base))
        return;
    int64_t first = next_step(root, input, ev_input_fit(in, 1));
    if (first < 0)
        return;
    int64_t second = next_step(root, input, first);
    in->divisor = second < 0 ? first : second - first;
}

static void add_run(struct ev_root *root, size_t input, int64_t v)
{
    if (root->run_count == RUNS_MAX)
        return;
    struct ev_run run = {.varied = input, .valid = true};
    for (size_t i = 0; i < root->inputs.count; i++)
        run.values[i] = root->inputs.items[i].usual;
    if (input != SIZE_MAX) {
        const struct ev_input *in = &root->inputs.items[input];
        v = ev_input_fit(in, v);
        if (v == in->usual)
            return;
        run.values[input] = v;
    }
    for (size_t i = 0; i < root->run_count; i++)
        if (memcmp(root->runs[i].values, run.values, sizeof run.values) == 0)
            return;
    root->runs[root->run_count++] = run;
}

/* All threads of the launches that do not hang on the input, at most: what a fixed grid covers. */
static int64_t fixed_threads(const struct ev_run *base)
{
    int64_t most = 0;
    for (size_t i = 0; i < base->launch_count; i++) {
        const struct ev_launch_run *l = &base->launches[i];
        int64_t n = l->grid.x * l->grid.y * l->grid.z * l->block.x * l->block.y * l->block.z;
        if (l->grid.x > 0 && l->block.x > 0 && n > most && n < PROBE_MAX * 4)
            most = n;
    }
    return most;
}

/* A grid that stops growing: one element more than its threads. */
static void plan_saturation(struct ev_root *root, size_t i)
{
    const struct ev_input *in = &root->inputs.items[i];
    int64_t large = ev_input_fit(in, in->bounded ? in->hi : PROBE_MAX);
    if (in->divisor < 2 || !may_probe(root) || large <= 4 * in->divisor)
        return;
    int64_t blocks = grid_at(root, i, large), wanted = large / in->divisor;
    if (blocks >= 1 && blocks < wanted / 2 && blocks * in->divisor < large)
        add_run(root, i, blocks * in->divisor + 1);
}

static bool any_grid_input(const struct ev_root *root)
{
    for (size_t i = 0; i < root->inputs.count; i++)
        if (root->inputs.items[i].grid_dims)
            return true;
    return false;
}

static bool uses_shared(const struct ir_module *m)
{
    for (size_t f = 0; f < m->func_count; f++)
        for (size_t v = 0; v < m->funcs[f]->var_count; v++)
            if (m->funcs[f]->vars[v] && (m->funcs[f]->vars[v]->storage == IR_V_SHARED ||
                                         m->funcs[f]->vars[v]->storage == IR_V_SHARED_DYNAMIC))
                return true;
    return false;
}

static void plan_input(struct ev_root *root, size_t i, const struct ev_run *base)
{
    struct ev_input *in = &root->inputs.items[i];
    if (in->block)
        return;
    int64_t d = in->divisor;
    if (in->grid_dims && d > 1) {
        const int64_t v[] = {d, 2 * d - 1, d / 2 ? d / 2 : 1};
        for (size_t k = 0; k < sizeof v / sizeof *v; k++)
            add_run(root, i, v[k]);
        plan_saturation(root, i);
    } else if (in->grid_dims) {
        add_run(root, i, in->usual + 1);
        add_run(root, i, 1);
    } else {
        if (uses_shared(root->module))
            add_run(root, i, 256);
        add_run(root, i, 5);
        int64_t fixed = fixed_threads(base);
        if (fixed > 0 && !any_grid_input(root))
            add_run(root, i, fixed + 1);
        if (in->bounded && in->hi <= 4096)
            add_run(root, i, in->hi);
    }
}

/* Two extents at one value: where rows and columns agree, exchanged ones show in all other runs. */
static void plan_square(struct ev_root *root)
{
    size_t two[2], count = 0;
    for (size_t i = 0; i < root->inputs.count; i++)
        if (root->inputs.items[i].grid_dims && !root->inputs.items[i].block && count++ < 2)
            two[count - 1] = i;
    if (count != 2 || root->run_count + 2 > RUNS_MAX)
        return;
    const struct ev_input *a = &root->inputs.items[two[0]], *b = &root->inputs.items[two[1]];
    int64_t side = a->divisor > b->divisor ? a->divisor : b->divisor;
    for (int64_t k = 1; side > 0 && k <= 2; k++) {
        struct ev_run *run = &root->runs[root->run_count];
        *run = (struct ev_run){.varied = SIZE_MAX, .valid = true};
        for (size_t i = 0; i < root->inputs.count; i++)
            run->values[i] = root->inputs.items[i].usual;
        run->values[two[0]] = run->values[two[1]] = k * side;
        bool allowed = ev_input_fit(a, k * side) == k * side &&
                       ev_input_fit(b, k * side) == k * side;
        root->run_count += allowed;
    }
}

/* Reach launches that hang on a constant compared with an input: switch cases, modes. */
struct constants {
    int64_t values[64];
    size_t count;
};

static bool collect_constant(const struct ir_expr *x, void *ctx)
{
    struct constants *c = ctx;
    bool compares = x->kind == IR_X_BINARY && x->op >= IR_OP_EQ && x->op <= IR_OP_GE;
    if (compares && x->b && x->b->kind == IR_X_INT && c->count < 64)
        c->values[c->count++] = x->b->ival;
    return true;
}

static bool collect_case(const struct ir_stmt *s, void *ctx)
{
    struct constants *c = ctx;
    if (s->kind == IR_S_CASE && s->x && s->x->kind == IR_X_INT && c->count < 64)
        c->values[c->count++] = s->x->ival;
    return true;
}

static bool counts_launch(const struct ir_expr *x, void *ctx)
{
    size_t *n = ctx;
    *n += x->kind == IR_X_LAUNCH;
    return true;
}

/* Launches written in the root's own body. */
static size_t launches_in(const struct ir_func *f)
{
    size_t n = 0;
    cmpd_ir_walk_stmt(f->body, counts_launch, &n);
    return n;
}

static void reach_more(struct ev_root *root, const struct ev_run *base)
{
    struct constants c = {.count = 0};
    cmpd_ir_walk_stmt(root->func->body, collect_constant, &c);
    cmpd_ir_walk_stmts(root->func->body, collect_case, &c);
    size_t written = launches_in(root->func);
    if (base->launch_count > 0 && base->launch_count >= written)
        return;
    for (size_t i = 0; i < root->inputs.count; i++) {
        for (size_t k = 0; k < c.count && k < 8 && may_probe(root); k++) {
            int64_t v = c.values[k];
            if (v < root->inputs.items[i].lo || v > root->inputs.items[i].hi || v > 1 << 16)
                continue;
            struct ev_run *run = probe(root, i, v);
            if (run->launch_count > base->launch_count && base->launch_count == 0) {
                root->inputs.items[i].usual = v; /* the default does not launch at all */
                return;
            }
            if (run->launch_count)
                add_run(root, i, v);
        }
    }
}

void ev_plan_runs(struct ev_root *root)
{
    struct ev_run *base = probe(root, SIZE_MAX, 0);
    if (base->launch_count < launches_in(root->func) || base->launch_count == 0)
        reach_more(root, base);
    if (root->inputs.count == 0) { /* a program with its own numbers */
        add_run(root, SIZE_MAX, 0);
        return;
    }
    find_roles(root);
    bool changed = false;
    for (size_t i = 0; i < root->inputs.count; i++) {
        struct ev_input *in = &root->inputs.items[i];
        if (!in->block)
            continue;
        int64_t v = ev_input_fit(in, in->grid_dims & 4 ? 8 : 256);
        changed |= v != in->usual;
        in->usual = v;
    }
    if (changed)
        find_roles(root);
    for (size_t i = 0; i < root->inputs.count; i++) {
        struct ev_input *in = &root->inputs.items[i];
        if (in->grid_dims && !in->block && may_probe(root))
            find_divisor(root, i, base);
    }
    for (size_t i = 0; i < root->inputs.count; i++) {
        struct ev_input *in = &root->inputs.items[i];
        if (in->grid_dims && !in->block)
            in->usual = ev_input_fit(in, in->divisor > 1 ? 2 * in->divisor : 3);
    }
    base = probe(root, SIZE_MAX, 0);
    add_run(root, SIZE_MAX, 0);
    if (base->launch_count == 0) { /* copies only: do they fit with other numbers too? */
        for (size_t i = 0; i < root->inputs.count && i < 4; i++)
            add_run(root, i, 5);
        return;
    }
    plan_square(root);
    for (size_t i = 0; i < root->inputs.count; i++)
        plan_input(root, i, base);
}
