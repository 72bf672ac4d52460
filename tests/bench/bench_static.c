/*
 * The static track's cost beside tree-sitter's bare parse of the same bytes, in
 * one process and one core, file by file: the least of several turns each, so
 * that a busy machine disturbs both sides alike.
 *
 *   bench_static [-n TURNS] FILE...
 *
 * Prints the two sums, their ratio, the parts of the static track, the share of
 * files settled at each layer and the ten files with the largest share of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tree_sitter/api.h>

#include "analysis/base/alloc.h"
#include "analysis/check.h"
#include "rules/table.h"

const TSLanguage *tree_sitter_cuda(void);

struct file_cost {
    const char *path;
    double parse_ms, static_ms;
};

struct totals {
    double parse_ms, static_ms;
    struct cmpd_timing parts;
    size_t bytes, files, layers[3];
};

/* Time of this thread: what other programs do in between does not count. */
static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double bare_parse(TSParser *parser, const struct cmpd_source *src)
{
    double begun = cpu_ms();
    TSTree *tree = ts_parser_parse_string(parser, NULL, src->text, (uint32_t)src->len);
    double spent = cpu_ms() - begun;
    ts_tree_delete(tree);
    return spent;
}

static double check_once(const struct cmpd_source *src, const struct cmpd_policy *policy,
                         struct cmpd_timing *timing, enum cmpd_layer *layer)
{
    /* Headers are those below the working folder. */
    static char here[] = ".";
    struct cmpd_headers headers = {.read = cmpd_header_read_disk, .ctx = here, .file = src->path};
    double begun = cpu_ms();
    struct cmpd_file_result *r = cmpd_check_static_with(src, policy, cmpd_ruleset(), &headers);
    double spent = cpu_ms() - begun;
    *timing = r->timing;
    *layer = r->layer;
    cmpd_file_result_free(r);
    return spent;
}

static void add_parts(struct cmpd_timing *sum, const struct cmpd_timing *t)
{
    sum->lex_ms += t->lex_ms;
    sum->scan_ms += t->scan_ms;
    sum->unit_ms += t->unit_ms;
    sum->parse_ms += t->parse_ms;
    sum->lower_ms += t->lower_ms;
    sum->facts_ms += t->facts_ms;
    sum->rules_ms += t->rules_ms;
}

static bool measure(TSParser *parser, const struct cmpd_policy *policy, const char *path, int turns,
                    struct totals *t, struct file_cost *cost)
{
    struct cmpd_source *src;
    struct cmpd_err err;
    if (cmpd_source_open(path, &src, &err) != CMPD_OK) {
        fprintf(stderr, "bench_static: %s\n", err.msg);
        return false;
    }
    *cost = (struct file_cost){path, 1e300, 1e300};
    struct cmpd_timing best = {0};
    enum cmpd_layer layer = CMPD_LAYER_SCAN;
    for (int i = 0; i < turns; i++) {
        double p = bare_parse(parser, src);
        struct cmpd_timing timing;
        double s = check_once(src, policy, &timing, &layer);
        if (p < cost->parse_ms)
            cost->parse_ms = p;
        if (s < cost->static_ms) {
            cost->static_ms = s;
            best = timing;
        }
    }
    t->parse_ms += cost->parse_ms;
    t->static_ms += cost->static_ms;
    t->bytes += src->len;
    t->files++;
    t->layers[layer]++;
    add_parts(&t->parts, &best);
    cmpd_source_free(src);
    return true;
}

static int by_cost(const void *a, const void *b)
{
    const struct file_cost *x = a, *y = b;
    double d = (y->static_ms - y->parse_ms) - (x->static_ms - x->parse_ms);
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

static void print(const struct totals *t, struct file_cost *costs, size_t count)
{
    printf("%zu files, %.2f MB\n", t->files, (double)t->bytes / 1e6);
    printf("bare parse   %8.1f ms  (%.1f MB/s)\n", t->parse_ms,
           (double)t->bytes / 1e3 / t->parse_ms);
    printf("static track %8.1f ms  ratio %.2f\n", t->static_ms, t->static_ms / t->parse_ms);
    const struct cmpd_timing *p = &t->parts;
    printf("  lex %.1f, scan %.1f, unit %.1f, parse %.1f, lower %.1f, facts %.1f, rules %.1f ms\n",
           p->lex_ms, p->scan_ms, p->unit_ms, p->parse_ms, p->lower_ms, p->facts_ms, p->rules_ms);
    printf("settled at: scan %.1f %%, lex %.1f %%, ast %.1f %%\n",
           100.0 * (double)t->layers[0] / (double)t->files,
           100.0 * (double)t->layers[1] / (double)t->files,
           100.0 * (double)t->layers[2] / (double)t->files);
    qsort(costs, count, sizeof *costs, by_cost);
    for (size_t i = 0; i < count && i < 10; i++)
        printf("  %8.2f ms over a parse of %6.2f ms: %s\n", costs[i].static_ms - costs[i].parse_ms,
               costs[i].parse_ms, costs[i].path);
}

int main(int argc, char **argv)
{
    int turns = 5, first = 1;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        turns = (int)strtol(argv[2], NULL, 10);
        first = 3;
    }
    if (first >= argc || turns < 1) {
        fputs("usage: bench_static [-n TURNS] FILE...\n", stderr);
        return 64;
    }
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_cuda()))
        return 70;
    struct cmpd_policy *policy = cmpd_policy_new();
    struct totals t = {0};
    struct file_cost *costs = cmpd_calloc((size_t)argc, sizeof *costs);
    size_t count = 0;
    for (int i = first; i < argc; i++)
        count += measure(parser, policy, argv[i], turns, &t, &costs[count]);
    if (count)
        print(&t, costs, count);
    free(costs);
    cmpd_policy_free(policy);
    ts_parser_delete(parser);
    return count ? 0 : 66;
}
