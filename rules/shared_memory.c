/*
 * shared_memory: sizes of shared arrays against their use.
 *
 * Catches: an index outside a shared array; more dynamic shared memory used
 * than the launch asks for; static plus dynamic memory over 48 KiB without
 * cudaFuncSetAttribute; `__shared__ T a[];` without extern.
 *
 * Misses: indices read from memory, and launches of other files.
 */
#include "rules/witness.h"

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_SHARED] > 0;
}

/* The word extern between the start of the declaration and the name, as it is written. */
static bool says_extern(const struct cmpd_tokens *toks, uint32_t name_off)
{
    size_t lo = 0, hi = toks->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (toks->items[mid].off < name_off)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t i = lo; i-- > 0;) {
        if (cmpd_token_is(toks, i, ";") || cmpd_token_is(toks, i, "{") ||
            cmpd_token_is(toks, i, "}"))
            return false;
        if (cmpd_token_is(toks, i, "extern"))
            return true;
    }
    return false;
}

static void report_missing_extern(struct cmpd_check *check, const struct ir_func *f)
{
    for (size_t i = 0; i < f->var_count; i++) {
        const struct ir_var *v = f->vars[i];
        bool shared = v && (v->storage == IR_V_SHARED || v->storage == IR_V_SHARED_DYNAMIC);
        if (!shared || v->type->kind != IR_T_ARRAY || v->type->extent || v->init ||
            v->loc.in_macro || says_extern(check->tokens, v->loc.off))
            continue;
        cmpd_report(
            check, CMPD_TAG_shared_missing_extern, CMPD_TIER_REJECT, v->loc.off, v->loc.end,
            f->name, "write `extern __shared__` and give the launch the number of bytes",
            "%s is a shared array without a size, which only an extern declaration may have",
            v->name);
    }
}

static void run(struct cmpd_check *check)
{
    static const enum cmpd_tag tags[] = {CMPD_TAG_shared_size_mismatch,
                                         CMPD_TAG_shared_index_out_of_range};
    cmpd_witness_report(check, tags, sizeof tags / sizeof *tags);
    for (size_t i = 0; check->module && i < check->module->func_count; i++)
        if (check->module->funcs[i]->body)
            report_missing_extern(check, check->module->funcs[i]);
}

const struct cmpd_rule cmpd_rule_shared_memory = {
    .name = "shared_memory",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
