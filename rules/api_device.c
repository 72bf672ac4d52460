/*
 * api_host_in_device, api_device_printf, api_device_malloc: what device code must not or should not call.
 *
 * Catches: functions of the CUDA runtime and driver that have no device form, functions of the C, POSIX
 * and std libraries that have none, host functions of the file itself, and locals that are containers or
 * other host classes of std, in a kernel, in a __device__ function or in a device lambda; in kernels and
 * what they reach also printf, malloc, free, new (not placement new) and delete. In a __host__ __device__
 * function that a kernel reaches, nvcc only warns about a host call, so that is a review.
 *
 * Misses: calls through function pointers and virtual functions; members of std classes that were passed in;
 * host functions behind a template parameter; std functions that are constexpr (a compiler option makes
 * them callable); names of the C library where a `using namespace` may bring a device function.
 *
 * Text in `#if` branches that are not compiled is not there. assert is fine. What stands under
 * `if constexpr` may be dropped for device code: review at most.
 */
#include <string.h>

#include "rules/api/api_use.h"

#define DISCARDABLE_CEILING 64
#define LAMBDA_CEILING      256
#define OWN_CHECKS_CEILING  1000

struct range {
    uint32_t off, end;
};

struct state {
    struct cmpd_check *check;
    struct cmpd_api_use *use;
    struct range
        hidden[DISCARDABLE_CEILING]; /* arguments of nv/target's macros: host text or device text */
    size_t hidden_count;
    const struct ir_func *lambdas[LAMBDA_CEILING]; /* device lambdas in host code */
    size_t lambda_count;
    bool *reached;               /* by a kernel, a device lambda or a functor; by function index */
    const struct ir_func **todo; /* reached, calls not yet followed */
    size_t todo_count;
    const struct ir_func *func; /* whose body is being walked */
    bool func_reached;
    size_t own_checks; /* of names of the file's own functions so far */
    bool opens_std;    /* the file adds names of its own to namespace std */
    struct range discardable[DISCARDABLE_CEILING]; /* if constexpr statements of func */
    size_t discardable_count;
};

static bool is_one_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- which functions a kernel reaches ---- */

static bool has_word(const struct cmpd_source *src, uint32_t off, uint32_t end, const char *word)
{
    return end > off && end <= src->len &&
           memmem(src->text + off, end - off, word, strlen(word)) != NULL;
}

static bool in_device_code(const struct ir_func *f)
{
    return f->kind != IR_F_HOST;
}

static void reach(struct state *st, const struct ir_func *f)
{
    if (f != NULL && f->body != NULL && f->index < st->check->module->func_count &&
        !st->reached[f->index]) {
        st->reached[f->index] = true;
        st->todo[st->todo_count++] = f;
    }
}

static bool follow(const struct ir_expr *x, void *ctx)
{
    if (x->kind == IR_X_CALL || x->kind == IR_X_FUNC) {
        if (x->func != NULL && in_device_code(x->func)) {
            reach(ctx, x->func);
        }
    } else if (x->kind == IR_X_LAMBDA) {
        reach(ctx, x->lambda->func);
    }
    return true;
}

/* Kernels; device lambdas and functors too, since they are handed to kernels of a library. */
static bool is_root(const struct ir_func *f)
{
    return f->kind == IR_F_KERNEL ||
           (f->kind == IR_F_DEVICE && (f->is_lambda || strcmp(f->name, "operator()") == 0));
}

/* The lowering does not see __device__ between a lambda's brackets and its body; the text does. */
static bool is_device_lambda(const struct state *st, const struct ir_expr *x)
{
    const struct ir_func *f = x->lambda->func;
    return f != NULL && f->body != NULL &&
           (f->kind == IR_F_DEVICE ||
            has_word(st->check->src, x->loc.off, f->body->loc.off, "__device__"));
}

static bool note_lambda(const struct ir_expr *x, void *ctx)
{
    struct state *st = ctx;
    if (x->kind == IR_X_LAMBDA && st->lambda_count < LAMBDA_CEILING && is_device_lambda(st, x)) {
        st->lambdas[st->lambda_count++] = x->lambda->func;
    }
    return true;
}

static void find_lambdas(struct state *st)
{
    const struct ir_module *m = st->check->module;
    for (size_t i = 0; i < m->func_count; i++) {
        if (m->funcs[i]->body != NULL && m->funcs[i]->kind == IR_F_HOST) {
            cmpd_ir_walk_stmt(m->funcs[i]->body, note_lambda, st);
        }
    }
    for (size_t i = 0; i < st->lambda_count; i++) {
        cmpd_ir_walk_stmt(st->lambdas[i]->body, follow, st);
    }
}

static void find_reached(struct state *st)
{
    const struct ir_module *m = st->check->module;
    find_lambdas(st);
    for (size_t i = 0; i < m->func_count; i++) {
        if (is_root(m->funcs[i])) {
            reach(st, m->funcs[i]);
        }
    }
    while (st->todo_count > 0) {
        const struct ir_func *f = st->todo[--st->todo_count];
        cmpd_ir_walk_stmt(f->body, follow, st);
    }
}

/* ---- what a call is ---- */

/* The callee's name without "::" in front and with "std::" taken off; NULL for other scopes. */
static const char *plain_name(const char *name, bool *in_std)
{
    *in_std = false;
    if (strncmp(name, "::", 2) == 0) {
        name += 2;
    }
    if (strncmp(name, "std::", 5) == 0) {
        *in_std = true;
        name += 5;
    }
    return strchr(name, ':') == NULL ? name : NULL;
}

static bool find(const struct state *st, const char *name, struct cmpd_api_entry *e)
{
    return cmpd_api_db_find(st->use->db, name, strlen(name), e);
}

/* A function of namespace std without a device form, named with its scope or through `using namespace std`. */
static bool is_std_host(const struct state *st, const char *name, bool in_std)
{
    char scoped[96] = "std::";
    struct cmpd_api_entry e;
    if ((!in_std && !st->use->using_std) || strlen(name) + 6 > sizeof scoped) {
        return false;
    }
    memcpy(scoped + 5, name, strlen(name) + 1);
    return find(st, scoped, &e) && (in_std || st->use->headers_known);
}

static bool is_host_api(const struct state *st, const char *name, bool in_std)
{
    struct cmpd_api_entry e;
    if (is_std_host(st, name, in_std)) {
        return true;
    }
    if (!find(st, name, &e) || e.device) {
        return false;
    }
    if (e.kind == CMPD_API_HOST) {
        return in_std || !st->use->using_other;
    }
    /* The device runtime had it before CUDA 12. */
    if (strcmp(name, "cudaDeviceSynchronize") == 0 && cmpd_api_db_version(st->use->db) < 12000) {
        return false;
    }
    return !in_std && e.host &&
           (e.kind == CMPD_API_RUNTIME || e.kind == CMPD_API_WRAPPER || e.kind == CMPD_API_DRIVER);
}

static bool is_hidden(const struct state *st, uint32_t off)
{
    for (size_t i = 0; i < st->hidden_count; i++) {
        if (off >= st->hidden[i].off && off < st->hidden[i].end) {
            return true;
        }
    }
    return st->hidden_count == DISCARDABLE_CEILING;
}

/* NV_IF_TARGET(NV_IS_HOST, (...)) and its kin choose between host and device text: what stands in them is not judged. */
static void find_hidden(struct state *st)
{
    const struct cmpd_tokens *toks = st->check->tokens;
    for (size_t i = 0; i + 1 < toks->count && st->hidden_count < DISCARDABLE_CEILING; i++) {
        const struct cmpd_token *t = &toks->items[i];
        const char *s = st->check->src->text + t->off;
        if (t->len < 6 || memcmp(s, "NV_", 3) != 0 || !cmpd_token_is(toks, i + 1, "(") ||
            (memcmp(s, "NV_IF_", 6) != 0 && !cmpd_token_is(toks, i, "NV_DISPATCH_TARGET"))) {
            continue;
        }
        size_t depth = 0;
        for (i++; i < toks->count; i++) {
            depth += cmpd_token_is(toks, i, "(");
            if (cmpd_token_is(toks, i, ")") && --depth == 0) {
                break;
            }
        }
        uint32_t end = i < toks->count ? toks->items[i].off + 1 : (uint32_t)st->check->src->len;
        st->hidden[st->hidden_count++] = (struct range){t->off, end};
    }
}

/* `namespace std {` in the file: what std::name means is then its own business. */
static bool opens_namespace_std(const struct cmpd_tokens *toks)
{
    for (size_t i = 0; i + 2 < toks->count; i++) {
        if (cmpd_token_is(toks, i, "namespace") && cmpd_token_is(toks, i + 1, "std") &&
            !cmpd_token_is(toks, i + 2, ";")) {
            return true;
        }
    }
    return false;
}

static bool is_discardable(const struct state *st, uint32_t off)
{
    for (size_t i = 0; i < st->discardable_count; i++) {
        if (off >= st->discardable[i].off && off < st->discardable[i].end) {
            return true;
        }
    }
    return st->discardable_count == DISCARDABLE_CEILING;
}

/* ---- reports ---- */

static void report_host_call(struct state *st, const struct ir_expr *x, const char *name)
{
    enum cmpd_tier tier = CMPD_TIER_REJECT;
    if (st->func->kind == IR_F_HOST_DEVICE || st->use->headers_local ||
        is_discardable(st, x->loc.off)) {
        tier = CMPD_TIER_REVIEW;
    }
    const struct ir_loc *at = x->a != NULL ? &x->a->loc : &x->loc;
    cmpd_report(st->check, CMPD_TAG_api_host_in_device, tier, at->off, at->end, NULL,
                "call it on the host, or use a function that device code has",
                "%s is a host function, called in the device code of %s", name,
                st->func->is_lambda ? "a lambda" : st->func->name);
}

static void report_heap(struct state *st, const struct ir_loc *at, const char *what)
{
    cmpd_report(st->check, CMPD_TAG_api_device_malloc, CMPD_TIER_REVIEW, at->off, at->end, NULL,
                "allocate before the launch and pass the memory in, or use a local or shared array",
                "%s in device code takes memory from the device heap, which is small and slow",
                what);
}

/* ---- host functions of the file itself ---- */

/* Is every function of the file with that name a plain host function? */
static bool only_host(const struct state *st, const char *name)
{
    const struct ir_module *m = st->check->module;
    bool seen = false;
    for (size_t i = 0; i < m->func_count; i++) {
        const struct ir_func *f = m->funcs[i];
        if (strcmp(f->name, name) != 0) {
            continue;
        }
        if (f->kind != IR_F_HOST || f->is_lambda || f->is_method || f->tparam_count > 0 ||
            f->has_error || has_word(st->check->src, f->loc.off, f->name_loc.off, "constexpr") ||
            has_word(st->check->src, f->loc.off, f->name_loc.off, "__device__") ||
            has_word(st->check->src, f->loc.off, f->name_loc.off, "__global__")) {
            return false;
        }
        seen = true;
    }
    return seen;
}

static void judge_own_function(struct state *st, const struct ir_expr *x)
{
    const struct ir_func *f = x->func;
    if (f->kind == IR_F_HOST && st->own_checks++ < OWN_CHECKS_CEILING && st->use->headers_known &&
        st->check->module->error_count == 0 && only_host(st, f->name)) {
        report_host_call(st, x, f->name);
    }
}

/* ---- containers of the standard library ---- */

/* Classes whose constructors are host functions. From C++20 on some are constexpr. */
static const struct {
    const char *name;
    bool is_constexpr;
} host_classes[] = {
    {"vector", true},         {"string", true},         {"map", false},
    {"set", false},           {"multimap", false},      {"multiset", false},
    {"list", false},          {"forward_list", false},  {"deque", false},
    {"queue", false},         {"stack", false},         {"priority_queue", false},
    {"function", false},      {"unordered_map", false}, {"unordered_set", false},
    {"shared_ptr", false},    {"unique_ptr", true},     {"weak_ptr", false},
    {"ostringstream", false}, {"stringstream", false},  {"istringstream", false},
    {"ofstream", false},      {"ifstream", false},      {"thread", false},
    {"mutex", false},         {"lock_guard", false},    {"random_device", false},
    {"mt19937", false},       {"valarray", false},      {"condition_variable", false},
};

/* C++20 or later, as the policy compiles: what is constexpr there may be made callable. */
static bool is_modern(const struct cmpd_check *check)
{
    const struct cmpd_policy *p = check->policy;
    const char *std = p->nvcc_count > 0 ? p->nvcc[0].std : NULL;
    return std != NULL && strlen(std) >= 5 && strcmp(std + strlen(std) - 2, "17") > 0 &&
           strcmp(std + strlen(std) - 2, "98") != 0;
}

/* The class without its scope and template arguments; NULL where it is not one of those. */
static const char *host_class(const struct state *st, const struct ir_type *t)
{
    if (t->kind == IR_T_PTR || t->kind == IR_T_REF || t->record != NULL || t->name == NULL) {
        return NULL;
    }
    bool in_std = strncmp(t->name, "std::", 5) == 0 || strncmp(t->name, "::std::", 7) == 0;
    const char *name = in_std ? strstr(t->name, "std::") + 5 : t->name;
    if (!in_std &&
        (!st->use->using_std || !st->use->headers_known || st->check->module->error_count > 0)) {
        return NULL;
    }
    size_t len = strcspn(name, "< \t\n");
    for (size_t i = 0; i < sizeof host_classes / sizeof *host_classes; i++) {
        const char *known = host_classes[i].name;
        if (strlen(known) == len && memcmp(known, name, len) == 0) {
            bool callable = host_classes[i].is_constexpr && is_modern(st->check);
            bool own = !in_std && cmpd_api_use_declared(st->use, known, len);
            return callable || own ? NULL : known;
        }
    }
    return NULL;
}

/* std::vector<int> v; in device code. */
static bool judge_local(const struct ir_stmt *s, void *ctx)
{
    struct state *st = ctx;
    if (s->kind != IR_S_DECL || s->var == NULL || s->var->storage != IR_V_LOCAL ||
        s->loc.in_macro || is_hidden(st, s->loc.off)) {
        return true;
    }
    const char *name = host_class(st, s->var->type);
    if (name == NULL) {
        return true;
    }
    bool unsure = st->func->kind == IR_F_HOST_DEVICE || st->use->headers_local ||
                  is_discardable(st, s->loc.off);
    cmpd_report(st->check, CMPD_TAG_api_host_in_device,
                unsure ? CMPD_TIER_REVIEW : CMPD_TIER_REJECT, s->loc.off, s->loc.end, NULL,
                "use an array of fixed length, or memory that the host has allocated",
                "std::%s lives on the host: its members can't be called in the device code of %s",
                name, st->func->is_lambda ? "a lambda" : st->func->name);
    return true;
}

/* ---- the walk ---- */

static void judge_named_call(struct state *st, const struct ir_expr *x)
{
    static const char *const heap[] = {"malloc", "free", "__nv_aligned_device_malloc"};
    bool in_std;
    const char *name = plain_name(x->name, &in_std);
    if (name == NULL || cmpd_strings_hold(&st->check->policy->api_allow, name, strlen(name)) ||
        cmpd_strings_hold(&st->check->policy->exempt, name, strlen(name))) {
        return;
    }
    if (strcmp(name, "printf") == 0) {
        if (st->func_reached && !cmpd_api_use_declared(st->use, name, strlen(name))) {
            cmpd_report(st->check, CMPD_TAG_api_device_printf, CMPD_TIER_REVIEW, x->loc.off,
                        x->loc.end, NULL,
                        "take it out, or put it behind an #if that is off by default",
                        "printf in device code slows every launch down");
        }
    } else if (is_one_of(name, heap, sizeof heap / sizeof *heap)) {
        if (st->func_reached && !cmpd_api_use_declared(st->use, name, strlen(name))) {
            report_heap(st, &x->loc, name);
        }
    } else if (is_host_api(st, name, in_std) &&
               ((in_std && !st->opens_std) ||
                !cmpd_api_use_declared(st->use, name, strlen(name)))) {
        report_host_call(st, x, name);
    }
}

static bool judge(const struct ir_expr *x, void *ctx)
{
    struct state *st = ctx;
    if (is_hidden(st, x->loc.off)) {
        return false;
    }
    if (x->kind == IR_X_CALL && x->func != NULL) {
        judge_own_function(st, x);
    } else if (x->kind == IR_X_CALL && x->a != NULL && x->a->kind == IR_X_NAME && x->name != NULL) {
        judge_named_call(st, x);
    } else if (x->kind == IR_X_NEW && !x->placement && st->func_reached) {
        report_heap(st, &x->loc, "new");
    } else if (x->kind == IR_X_DELETE && st->func_reached) {
        report_heap(st, &x->loc, "delete");
    }
    return true;
}

static bool note_discardable(const struct ir_stmt *s, void *ctx)
{
    struct state *st = ctx;
    if (s->kind == IR_S_IF && s->is_constexpr && st->discardable_count < DISCARDABLE_CEILING) {
        st->discardable[st->discardable_count++] = (struct range){s->loc.off, s->loc.end};
    }
    return true;
}

/* nvcc judges a template only where it is instantiated, so one that nothing reaches proves nothing. */
static bool is_judged(const struct state *st, const struct ir_func *f)
{
    if (f->body == NULL) {
        return false;
    }
    if (st->reached[f->index]) {
        return true;
    }
    bool in_template = f->tparam_count > 0 || (f->record != NULL && f->record->is_template);
    return f->kind == IR_F_DEVICE && !in_template && (!f->is_method || f->record != NULL);
}

static void judge_function(struct state *st, const struct ir_func *f, bool reached)
{
    st->func = f;
    st->func_reached = reached;
    st->discardable_count = 0;
    cmpd_ir_walk_stmts(f->body, note_discardable, st);
    cmpd_ir_walk_stmts(f->body, judge_local, st);
    cmpd_ir_walk_stmt(f->body, judge, st);
}

static void run(struct cmpd_check *check)
{
    struct cmpd_api_use use;
    cmpd_api_use_init(&use, check, NULL);
    if (use.db != NULL) {
        const struct ir_module *m = check->module;
        struct state st = {
            .check = check,
            .use = &use,
            .reached = CMPD_ARENA_ARRAY(check->arena, bool, m->func_count + 1),
            .todo = CMPD_ARENA_ARRAY(check->arena, const struct ir_func *, m->func_count + 1)};
        st.opens_std = opens_namespace_std(check->tokens);
        find_hidden(&st);
        find_reached(&st);
        for (size_t i = 0; i < m->func_count; i++) {
            if (is_judged(&st, m->funcs[i])) {
                judge_function(&st, m->funcs[i], st.reached[i]);
            }
        }
        for (size_t i = 0; i < st.lambda_count; i++) {
            judge_function(&st, st.lambdas[i], true);
        }
    }
    cmpd_api_use_clear(&use);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0 || scan->count[CMPD_SCAN_DEVICE_FN] > 0;
}

const struct cmpd_rule cmpd_rule_api_device = {
    .name = "api", .layer = CMPD_LAYER_AST, .possible = possible, .run = run};
