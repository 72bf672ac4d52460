#include "refs/npy.h"

#include <ctype.h>
#include <string.h>

static const unsigned char MAGIC[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* NumPy's own limit for a header that it trusts is 10,000. */
#define HEADER_CEILING 10000
#define ALIGNMENT      64

static const struct {
    const char *code; /* without the byte order */
    enum cmpd_dtype dtype;
} CODES[] = {
    {"f4", CMPD_F32}, {"f8", CMPD_F64}, {"f2", CMPD_F16}, {"i1", CMPD_I8},  {"u1", CMPD_U8},
    {"i4", CMPD_I32}, {"u4", CMPD_U32}, {"i8", CMPD_I64}, {"u8", CMPD_U64}, {"b1", CMPD_U8},
};

/* ---- the header: a Python dict of three known keys ---- */

struct reader {
    const char *at, *end;
};

static void blanks(struct reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at)) {
        r->at++;
    }
}

static bool take(struct reader *r, char c)
{
    blanks(r);
    if (r->at == r->end || *r->at != c) {
        return false;
    }
    r->at++;
    return true;
}

/* A string in either kind of quotes, without escapes. */
static bool take_string(struct reader *r, const char **text, size_t *len)
{
    blanks(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) {
        return false;
    }
    char quote = *r->at++;
    const char *from = r->at;
    while (r->at < r->end && *r->at != quote && *r->at != '\\' && *r->at != '\n') {
        r->at++;
    }
    if (r->at == r->end || *r->at != quote) {
        return false;
    }
    *text = from;
    *len = (size_t)(r->at++ - from);
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) {
        return false;
    }
    r->at += n;
    return true;
}

static bool take_number(struct reader *r, uint64_t *out)
{
    uint64_t v = 0;
    blanks(r);
    if (r->at == r->end || !isdigit((unsigned char)*r->at)) {
        return false;
    }
    while (r->at < r->end && isdigit((unsigned char)*r->at)) {
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*r->at - '0'), &v)) {
            return false;
        }
        r->at++;
    }
    if (r->at < r->end && *r->at == 'L') { /* as Python 2 wrote long numbers */
        r->at++;
    }
    *out = v;
    return true;
}

static bool take_shape(struct reader *r, struct cmpd_npy *out)
{
    out->rank = 0;
    if (!take(r, '(')) {
        return false;
    }
    while (!take(r, ')')) {
        if (out->rank == CMPD_NPY_RANK_CEILING || !take_number(r, &out->shape[out->rank])) {
            return false;
        }
        out->rank++;
        if (!take(r, ',')) {
            return take(r, ')');
        }
    }
    return true;
}

static bool parse_descr(const char *text, size_t len, struct cmpd_npy *out)
{
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++) {
        bool order = len == 3 &&
                     (text[0] == '<' ||
                      ((text[0] == '|' || text[0] == '>' || text[0] == '=') && text[2] == '1'));
        if (order && memcmp(text + 1, CODES[i].code, 2) == 0) {
            out->dtype = CODES[i].dtype;
            return true;
        }
    }
    return false;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4 };

/* One "key: value"; *seen gets its bit. */
static const char *take_entry(struct reader *r, struct cmpd_npy *out, unsigned *seen)
{
    const char *key, *descr;
    size_t key_len, descr_len;
    unsigned bit = 0;
    if (!take_string(r, &key, &key_len) || !take(r, ':')) {
        return "its header is no dict";
    }
    if (key_len == 5 && memcmp(key, "descr", 5) == 0) {
        bit = DESCR;
        if (!take_string(r, &descr, &descr_len) || !parse_descr(descr, descr_len, out)) {
            return "its element type is none of f2 f4 f8 i1 u1 i4 u4 i8 u8, little-endian";
        }
    } else if (key_len == 13 && memcmp(key, "fortran_order", 13) == 0) {
        bit = ORDER;
        out->fortran_order = take_word(r, "True");
        if (!out->fortran_order && !take_word(r, "False")) {
            return "its fortran_order is neither True nor False";
        }
    } else if (key_len == 5 && memcmp(key, "shape", 5) == 0) {
        bit = SHAPE;
        if (!take_shape(r, out)) {
            return "its shape is no tuple of at most 8 numbers";
        }
    }
    if (!bit || (*seen & bit)) {
        return "its header has an unknown key, or one twice";
    }
    *seen |= bit;
    return NULL;
}

static const char *parse_header(const char *text, size_t len, struct cmpd_npy *out)
{
    struct reader r = {text, text + len};
    unsigned seen = 0;
    if (!take(&r, '{')) {
        return "its header is no dict";
    }
    while (!take(&r, '}')) {
        const char *wrong = take_entry(&r, out, &seen);
        if (wrong) {
            return wrong;
        }
        if (!take(&r, ',')) {
            if (!take(&r, '}')) {
                return "its header is no dict";
            }
            break;
        }
    }
    blanks(&r);
    if (r.at != r.end || seen != (DESCR | ORDER | SHAPE)) {
        return "its header lacks descr, fortran_order or shape";
    }
    return NULL;
}

/* Sets count; NULL: the data is all there. */
static const char *check_size(struct cmpd_npy *a, size_t bytes)
{
    uint64_t count = 1, size = 0;
    bool empty = false, many = false;
    unsigned long_axes = 0;
    for (unsigned i = 0; i < a->rank; i++) {
        empty = empty || a->shape[i] == 0;
        many = __builtin_mul_overflow(count, a->shape[i] ? a->shape[i] : 1, &count) || many;
        long_axes += a->shape[i] > 1;
    }
    count = empty ? 0 : count;
    if ((many && !empty) ||
        __builtin_mul_overflow(count, (uint64_t)cmpd_dtype_size(a->dtype), &size) || size > bytes) {
        return "it is shorter than its shape";
    }
    if (size < bytes) {
        return "it is longer than its shape";
    }
    a->count = (size_t)count;
    a->fortran_order = a->fortran_order && long_axes > 1;
    return NULL;
}

static const char *parse(const unsigned char *b, size_t len, struct cmpd_npy *a)
{
    if (len < 10 || memcmp(b, MAGIC, sizeof MAGIC) != 0) {
        return "it does not start as a .npy file does";
    }
    unsigned version = b[6];
    if (version < 1 || version > 3 || b[7] != 0) {
        return "its format version is not 1.0, 2.0 or 3.0";
    }
    size_t start = version == 1 ? 10 : 12;
    if (len < start) {
        return "it ends within its header";
    }
    size_t header = b[8] | (size_t)b[9] << 8;
    if (version > 1) {
        header |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (header > HEADER_CEILING || header > len - start) {
        return "it ends within its header";
    }
    const char *wrong = parse_header((const char *)b + start, header, a);
    a->data = b + start + header;
    return wrong ? wrong : check_size(a, len - start - header);
}

cmpd_rc cmpd_npy_parse(const void *bytes, size_t len, struct cmpd_npy *out, struct cmpd_err *err)
{
    struct cmpd_npy a = {0};
    const char *wrong = parse(bytes, len, &a);
    if (wrong) {
        return cmpd_err_set(err, CMPD_EINPUT, "%s", wrong);
    }
    *out = a;
    return CMPD_OK;
}

cmpd_rc cmpd_npy_write(const struct cmpd_npy *array, struct cmpd_buf *out, struct cmpd_err *err)
{
    const char *code = NULL;
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES && !code; i++) {
        code = CODES[i].dtype == array->dtype ? CODES[i].code : NULL;
    }
    if (!code || array->rank > CMPD_NPY_RANK_CEILING) {
        return cmpd_err_set(err, CMPD_EINPUT, "no .npy file holds %s of rank %u",
                            cmpd_dtype_name(array->dtype), array->rank);
    }
    CMPD_BUF_AUTO struct cmpd_buf h = CMPD_BUF_INIT;
    cmpd_buf_printf(&h, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                    code[1] == '1' ? '|' : '<', code, array->fortran_order ? "True" : "False");
    for (unsigned i = 0; i < array->rank; i++) {
        cmpd_buf_printf(&h, i + 1 < array->rank ? "%llu, " : "%llu,",
                        (unsigned long long)array->shape[i]);
    }
    cmpd_buf_puts(&h, "), }");
    while ((10 + h.len + 1) % ALIGNMENT) {
        cmpd_buf_putc(&h, ' ');
    }
    cmpd_buf_putc(&h, '\n');
    cmpd_buf_append(out, MAGIC, sizeof MAGIC);
    cmpd_buf_append(out, (const char[]){1, 0, (char)(h.len & 0xff), (char)(h.len >> 8)}, 4);
    cmpd_buf_append(out, h.data, h.len);
    cmpd_buf_append(out, array->data, array->count * cmpd_dtype_size(array->dtype));
    return CMPD_OK;
}
