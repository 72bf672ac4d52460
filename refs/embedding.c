/* out[i] = table[idx[i]], row by row; every index is one of 0 .. vocab-1. Nothing is rounded. */
#include "refs/op.h"

enum { TABLE, IDX, OUT };
enum { N, DIM, VOCAB };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("table", "weight weights embeddings embedding_table emb w W embed embed_table x",
           "vocab dim"),
    {.name = "idx",
     .role = CMPD_ROLE_IN,
     .aliases = "indices index ids tokens token_ids input input_ids inp",
     .shape = "n",
     .fixed_dtype = CMPD_I32},
    REF_OUT("out", "output y dst result res o outputs gathered Y", "n dim"),
    REF_DIM("n",
            "num_tokens num_indices count len length seq_len num_ids size batch_size batch T N"),
    REF_DIM("dim", "d hidden hidden_size embed_dim embedding_dim D emb_dim cols C width"),
    {.name = "vocab",
     .role = CMPD_ROLE_DIM,
     .aliases = "vocab_size num_embeddings v V table_size rows num_rows table_rows",
     .optional = true,
     .default_value = -1, /* no kernel needs to know it */
     .fixed_dtype = -1},
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t dim = (size_t)call->dims.value[DIM];
    for (size_t i = 0; i < call->tensors[IDX].count; i++) {
        size_t row = (size_t)ref_get(call, IDX, i);
        for (size_t c = 0; c < dim; c++) {
            expected[OUT][i * dim + c] = ref_get(call, TABLE, row * dim + c);
        }
    }
}

/* As a product with one-hot rows, from the table's side. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t dim = (size_t)call->dims.value[DIM], vocab = (size_t)call->dims.value[VOCAB];
    for (size_t row = 0; row < vocab; row++) {
        for (size_t i = 0; i < call->tensors[IDX].count; i++) {
            if (ref_get(call, IDX, i) != (double)row) {
                continue;
            }
            for (size_t c = dim; c-- > 0;) {
                expected[OUT][i * dim + c] = ref_get(call, TABLE, row * dim + c);
            }
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    (void)inputs;
    ref_fill(call, TABLE, seed, &(struct ref_fill){.least_exponent = -10, .past_exponent = 5});
    ref_fill_integers(call, IDX, seed, 0, call->dims.value[VOCAB] - 1);
}

static const struct cmpd_ref_case CASES[] = {
    {"1x1 of 1", {{1, 1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"7x31 of 5", {{7, 31, 5}}, CMPD_CASE_TINY, "mixed"},
    {"33x64 of 100", {{33, 64, 100}}, CMPD_CASE_TINY, "mixed"},
    {"100x3 of 1000", {{100, 3, 1000}}, CMPD_CASE_TINY, "mixed"},
    {"3x1025 of 7", {{3, 1025, 7}}, CMPD_CASE_TINY, "mixed"},
    {"prime", {{257, 67, 101}}, CMPD_CASE_SMALL, "mixed"},
    {"701x129 of 301", {{701, 129, 301}}, CMPD_CASE_MEDIUM, "mixed"},
    {"8192x768 of 50257", {{8192, 768, 50257}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[N] = cmpd_rng_range(&r, 2, 200);
    dims->value[DIM] = cmpd_rng_range(&r, 2, 200);
    dims->value[VOCAB] = cmpd_rng_range(&r, 2, 300);
}

const struct cmpd_ref_op cmpd_op_embedding = {
    .name = "embedding",
    .aliases = "embedding_lookup gather_rows embedding_forward embed index_select",
    .summary = "out[i] = table[idx[i]], row by row",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = CASES,
    .case_count = REF_COUNT(CASES),
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .draw = draw,
};
