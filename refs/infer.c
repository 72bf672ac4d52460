/*
 * Names are cut into words (launch_tanh_add, tanhAddKernel, g04_tanh_add.cu -> tanh add); words that say nothing about
 * the operation are dropped. A name of an operator fits where its words stand in that order, side by side. What counts
 * is how many letters of the name it explains; letters left over speak against it.
 */
#include "refs/infer.h"

#include <ctype.h>
#include <string.h>

#include "refs/words.h"

#define WORDS_CEILING 16
#define WORD_BYTES    32

struct name_words {
    char word[WORDS_CEILING][WORD_BYTES];
    size_t count;
};

/* Words of habit, of dtype and of technique: they don't name an operation. */
static const char NOISE[] =
    "launch launcher run call do kernel kern k cuda gpu device dev host global fused fast naive simple "
    "basic tiled tile opt optimized optimised v vec vec2 vec4 vectorized vectorised float float2 float4 "
    "half half2 f16 f32 f64 fp16 fp32 fp64 bf16 double int int32 i32 u8 impl main test forward fwd op "
    "ops wrapper inner body grid stride block warp shared smem coalesced unrolled scalar single multi "
    "large small big new my the of and with for by in on to h d s cu cuh solution solve custom generic "
    "shuffle atomic template templated async stream";

static bool is_noise(const char *word)
{
    bool digits = true;
    for (const char *p = word; *p; p++) {
        digits = digits && isdigit((unsigned char)*p);
    }
    /* g04, v2, b12: one letter and a number. */
    bool label = isalpha((unsigned char)word[0]) && word[1] &&
                 strspn(word + 1, "0123456789") == strlen(word + 1);
    return digits || label || cmpd_words_have(NOISE, word);
}

static void push_word(struct name_words *w, const char *at, size_t len, bool keep_noise)
{
    if (len == 0 || len >= WORD_BYTES || w->count == WORDS_CEILING) {
        return;
    }
    char *to = w->word[w->count];
    for (size_t i = 0; i < len; i++) {
        to[i] = (char)tolower((unsigned char)at[i]);
    }
    to[len] = 0;
    if (keep_noise || !is_noise(to)) {
        w->count++;
    }
}

/* At underscores and other marks, and where a capital follows a small letter. */
static void cut(const char *name, size_t len, bool keep_noise, struct name_words *w)
{
    size_t from = 0;
    w->count = 0;
    for (size_t i = 0; i <= len; i++) {
        bool mark = i == len || !isalnum((unsigned char)name[i]);
        bool hump = !mark && i > from && isupper((unsigned char)name[i]) &&
                    islower((unsigned char)name[i - 1]);
        if (mark || hump) {
            push_word(w, name + from, i - from, keep_noise);
            from = mark ? i + 1 : i;
        }
    }
}

static size_t letters(const struct name_words *w)
{
    size_t sum = 0;
    for (size_t i = 0; i < w->count; i++) {
        sum += strlen(w->word[i]);
    }
    return sum;
}

/* The words of `part`, joined, are the same letters as some run of whole words of `name`. */
static bool stands_in(const struct name_words *part, const struct name_words *name)
{
    char joined[WORDS_CEILING * WORD_BYTES] = "";
    size_t len = 0;
    for (size_t i = 0; i < part->count; i++) {
        size_t n = strlen(part->word[i]);
        memcpy(joined + len, part->word[i], n);
        len += n;
    }
    for (size_t start = 0; start < name->count; start++) {
        size_t at = 0;
        for (size_t i = start; i < name->count; i++) {
            size_t n = strlen(name->word[i]);
            if (at + n > len || memcmp(joined + at, name->word[i], n) != 0) {
                break;
            }
            at += n;
            if (at == len) {
                return len > 0;
            }
        }
    }
    return false;
}

/* Of one spelling of an operator's name: letters explained twice, letters left over off; 0: it does not fit. */
static int spelling_score(struct cmpd_word spelling, const struct name_words *name)
{
    struct name_words part;
    cut(spelling.at, spelling.len, true, &part);
    if (!stands_in(&part, name)) {
        return 0;
    }
    int score = 3 * (int)letters(&part) - (int)letters(name);
    return score > 0 ? score : 0;
}

static int name_score(const struct cmpd_ref_op *op, const char *name, size_t len)
{
    /* With noise too: "vector_add" is an operator's own name, although "fused" and "fast" say nothing. */
    struct name_words plain, whole;
    cut(name, len, false, &plain);
    cut(name, len, true, &whole);
    int best = spelling_score((struct cmpd_word){op->name, strlen(op->name)}, &plain);
    const char *rest = op->aliases;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        int a = spelling_score(word, &plain), b = spelling_score(word, &whole);
        best = a > best ? a : best;
        best = b > best ? b : best;
    }
    return best;
}

static void insert(struct cmpd_infer_result *out, const struct cmpd_ref_op *op, int value)
{
    for (size_t i = 0; i < out->count; i++) {
        if (out->candidates[i].op == op) {
            value = value > out->candidates[i].score ? value : out->candidates[i].score;
            out->count--;
            memmove(&out->candidates[i], &out->candidates[i + 1],
                    (out->count - i) * sizeof *out->candidates);
            break;
        }
    }
    size_t at = out->count;
    while (at > 0 && out->candidates[at - 1].score < value) {
        at--;
    }
    if (at == CMPD_INFER_CANDIDATES) {
        return;
    }
    if (out->count < CMPD_INFER_CANDIDATES) {
        out->count++;
    }
    memmove(&out->candidates[at + 1], &out->candidates[at],
            (out->count - at - 1) * sizeof *out->candidates);
    out->candidates[at] = (struct cmpd_infer_candidate){op, value};
}

/* The one operator that a name means; NULL: none, or two equally well. All that fit are noted as candidates. */
static const struct cmpd_ref_op *op_of(const char *name, size_t len, struct cmpd_infer_result *out)
{
    const struct cmpd_ref_op *op, *best = NULL;
    int most = 0;
    for (size_t i = 0; (op = cmpd_ref_at(i)); i++) {
        int value = name_score(op, name, len);
        if (value > 0) {
            insert(out, op, value);
        }
        if (value > most) {
            most = value;
            best = op;
        } else if (value == most) {
            best = NULL;
        }
    }
    return best;
}

/* What a caller would call: launch_relu, relu_forward, relu_cuda. */
static bool is_entry_name(const char *name, size_t len)
{
    struct name_words w;
    cut(name, len, true, &w);
    for (size_t i = 0; i < w.count; i++) {
        if (cmpd_words_have("launch launcher run forward cuda solve host", w.word[i])) {
            return true;
        }
    }
    return false;
}

struct votes {
    const struct cmpd_ref_op *op; /* what all that were counted mean */
    bool split;                   /* they don't agree */
    bool seconds_file;            /* one of them means what the file's name means */
};

static void vote(struct votes *v, const struct cmpd_ref_op *op, const struct cmpd_ref_op *file_op)
{
    if (!op) {
        return;
    }
    v->split = v->split || (v->op && v->op != op);
    v->op = op;
    v->seconds_file = v->seconds_file || op == file_op;
}

static const struct cmpd_ref_op *decide(const struct cmpd_ref_op *file_op,
                                        const struct votes *entries, const struct votes *all)
{
    if (file_op) {
        /* Names of helpers (block_max in softmax.cu) don't count against the file's, those that all differ do. */
        return !all->op || all->seconds_file || all->split ? file_op : NULL;
    }
    if (entries->op && !entries->split) {
        return entries->op;
    }
    return all->split ? NULL : all->op;
}

void cmpd_ref_infer(const struct cmpd_infer_names *names, struct cmpd_infer_result *out)
{
    memset(out, 0, sizeof *out);
    if (names->comment) {
        out->from_comment = true;
        out->op = cmpd_ref_find(names->comment);
        return;
    }
    const struct cmpd_ref_op *file_op = NULL;
    if (names->file) {
        const char *base = strrchr(names->file, '/');
        base = base ? base + 1 : names->file;
        file_op = op_of(base, strcspn(base, "."), out);
    }
    struct votes entries = {0}, all = {0};
    for (size_t i = 0; i < names->function_count; i++) {
        const char *f = names->functions[i];
        size_t len = strcspn(f, "(<");
        const struct cmpd_ref_op *op = op_of(f, len, out);
        vote(&all, op, file_op);
        if (is_entry_name(f, len)) {
            vote(&entries, op, file_op);
        }
    }
    out->op = decide(file_op, &entries, &all);
}
