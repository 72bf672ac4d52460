#include "analysis/syntax/ast.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"

const TSLanguage *tree_sitter_cuda(void);

/* ---- memory that a parse holds ---- */

/* Of this thread, since its parse began. What another parse left and this one frees makes it too small: no harm. */
static _Thread_local long long held_bytes;

static void *count_up(void *p)
{
    if (!p)
        abort();
    held_bytes += (long long)malloc_usable_size(p);
    return p;
}

static void count_down(void *p)
{
    held_bytes -= (long long)malloc_usable_size(p);
}

static void *ts_side_malloc(size_t size)
{
    return count_up(malloc(size ? size : 1));
}

static void *ts_side_calloc(size_t count, size_t size)
{
    return count_up(calloc(count ? count : 1, size ? size : 1));
}

static void *ts_side_realloc(void *p, size_t size)
{
    count_down(p);
    return count_up(realloc(p, size ? size : 1));
}

static void ts_side_free(void *p)
{
    count_down(p);
    free(p);
}

/* ---- one parser a thread ---- */

static pthread_key_t parser_key;
static pthread_once_t parser_once = PTHREAD_ONCE_INIT;

static void free_parser(void *p)
{
    ts_parser_delete(p);
}

static void prepare(void)
{
    ts_set_allocator(ts_side_malloc, ts_side_calloc, ts_side_realloc, ts_side_free);
    if (pthread_key_create(&parser_key, free_parser) != 0)
        abort();
}

static TSParser *thread_parser(struct cmpd_err *err)
{
    pthread_once(&parser_once, prepare);
    TSParser *parser = pthread_getspecific(parser_key);
    if (parser)
        return parser;
    parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_cuda())) {
        ts_parser_delete(parser);
        cmpd_err_set(err, CMPD_EINTERNAL,
                     "the CUDA grammar has ABI %u, which this tree-sitter can't read",
                     ts_language_abi_version(tree_sitter_cuda()));
        return NULL;
    }
    pthread_setspecific(parser_key, parser);
    return parser;
}

/* ---- the parse, within its budget ---- */

struct job {
    const char *text;
    size_t len;
    size_t steps, most_steps; /* calls of the progress callback */
    long long most_bytes;
    uint64_t most_ns; /* of this thread's processor time, counted from when the thread began */
};

static const char *read_text(void *payload, uint32_t off, TSPoint point, uint32_t *bytes)
{
    (void)point;
    const struct job *job = payload;
    *bytes = off < job->len ? (uint32_t)(job->len - off) : 0;
    return off < job->len ? job->text + off : "";
}

static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool over_budget(TSParseState *state)
{
    struct job *job = state->payload;
    if (++job->steps > job->most_steps || held_bytes > job->most_bytes)
        return true;
    return job->steps % 4 == 0 && thread_ns() > job->most_ns;
}

cmpd_rc cmpd_ast_parse(const struct cmpd_unit *unit, struct cmpd_ast **out, struct cmpd_err *err)
{
    if (unit->max_nesting > CMPD_NESTING_CEILING)
        return cmpd_err_set(err, CMPD_ELIMIT, "%s nests %u brackets; at most %d are parsed",
                            unit->src->path, unit->max_nesting, CMPD_NESTING_CEILING);
    TSParser *parser = thread_parser(err);
    if (!parser)
        return CMPD_EINTERNAL;
    struct job job = {.text = unit->text, .len = unit->len};
    job.most_steps = CMPD_PARSE_STEPS_FLOOR + unit->len / CMPD_PARSE_BYTES_PER_STEP;
    size_t most_bytes = CMPD_PARSE_MEMORY_FLOOR_BYTES + unit->len * CMPD_PARSE_MEMORY_PER_BYTE;
    job.most_bytes = (long long)(most_bytes < CMPD_PARSE_MEMORY_CEILING_BYTES
                                     ? most_bytes
                                     : CMPD_PARSE_MEMORY_CEILING_BYTES);
    job.most_ns = thread_ns() + CMPD_PARSE_TIME_FLOOR_NS + unit->len * CMPD_PARSE_TIME_PER_BYTE_NS;
    held_bytes = 0;
    TSInput input = {&job, read_text, TSInputEncodingUTF8, NULL};
    TSParseOptions options = {&job, over_budget};
    TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
    if (!tree) {
        ts_parser_reset(parser);
        return cmpd_err_set(err, CMPD_ELIMIT, "%s takes too much %s to parse", unit->src->path,
                            held_bytes > job.most_bytes ? "memory" : "time");
    }
    struct cmpd_ast *ast = cmpd_calloc(1, sizeof *ast);
    ast->unit = unit;
    ast->tree = tree;
    *out = ast;
    return CMPD_OK;
}

void cmpd_ast_free(struct cmpd_ast *ast)
{
    if (!ast)
        return;
    ts_tree_delete(ast->tree);
    free(ast);
}
