#include "analysis/eval/inputs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/text/lex.h"
#include "analysis/text/source.h"

/* A comment's text as one line in lower case with single spaces, in the arena. */
static char *comment_text(const struct ev_inputs *in, const struct cmpd_comment *c)
{
    const char *text = in->module->unit->src->text + c->off;
    char *out = cmpd_arena_alloc(in->arena, c->len + 2);
    size_t n = 0;
    for (uint32_t i = 0; i < c->len; i++) {
        unsigned char ch = (unsigned char)text[i];
        if (isspace(ch) || ((ch == '/' || ch == '*') && (i < 2 || i + 2 >= c->len)))
            ch = ' ';
        if (ch == ' ' && (n == 0 || out[n - 1] == ' '))
            continue;
        out[n++] = (char)ch;
    }
    out[n] = '\0';
    return out;
}

/* ---- numbers in prose: 1024, 2^30, 1 << 20, 16384 ---- */

static bool number(const char **p, int64_t *out)
{
    const char *s = *p;
    while (*s == ' ' || *s == '(')
        s++;
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    long long v = strtoll(s, &end, 0);
    while (*end == '\'' || *end == ',') { /* 1'000 and 1,000 */
        if (!(isdigit((unsigned char)end[1]) && isdigit((unsigned char)end[2]) &&
              isdigit((unsigned char)end[3])))
            break;
        char *more;
        long long part = strtoll(end + 1, &more, 10);
        if (more != end + 4)
            break;
        v = v * 1000 + part;
        end = more;
    }
    const char *q = end;
    while (*q == ' ')
        q++;
    bool power = *q == '^', shift = q[0] == '<' && q[1] == '<';
    if (power || shift) {
        const char *e = q + (power ? 1 : 2);
        while (*e == ' ')
            e++;
        if (isdigit((unsigned char)*e)) {
            char *done;
            long k = strtol(e, &done, 10);
            long long base = power ? v : 2, r = shift ? v : 1;
            for (long i = 0; i < k && r < ((long long)1 << 60); i++)
                r *= base;
            v = r;
            end = done;
        }
    }
    static const struct {
        const char *word;
        long long factor;
    } scales[] = {{"thousand", 1000}, {"million", 1000000}, {"billion", 1000000000}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const char *word = end + strspn(end, " ");
        if (strncasecmp(word, scales[i].word, strlen(scales[i].word)) == 0 && v < 1000000) {
            v *= scales[i].factor;
            end += strspn(end, " ") + strlen(scales[i].word);
        }
    }
    *p = end;
    *out = v;
    return true;
}

static const char *skip_spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static bool take(const char **p, const char *word)
{
    const char *s = skip_spaces(*p);
    size_t n = strlen(word);
    if (strncasecmp(s, word, n) != 0)
        return false;
    *p = s + n;
    return true;
}

static void at_most(struct ev_input *in, int64_t v)
{
    if (v < in->hi)
        in->hi = v;
    in->documented = in->bounded = true;
}

static void at_least(struct ev_input *in, int64_t v)
{
    if (v > in->lo)
        in->lo = v;
    in->documented = true;
}

static void multiple_of(struct ev_input *in, int64_t v)
{
    if (v > 1)
        in->multiple = v;
}

/* A relation directly behind the name: "<= 4096", "% 4 == 0", "> 0". */
static bool relation_after(struct ev_input *in, const char *p)
{
    int64_t v, zero;
    p = skip_spaces(p);
    if (take(&p, "%") && number(&p, &v) && take(&p, "==") && number(&p, &zero)) {
        multiple_of(in, v);
        return true;
    }
    const char *q = p;
    if (take(&q, "<=") && number(&q, &v))
        at_most(in, v);
    else if ((q = p, take(&q, "<")) && number(&q, &v))
        at_most(in, v - 1);
    else if ((q = p, take(&q, ">=")) && number(&q, &v))
        at_least(in, v);
    else if ((q = p, take(&q, ">")) && number(&q, &v))
        at_least(in, v + 1);
    else if ((q = p, take(&q, "==") || take(&q, "=")) && number(&q, &v)) {
        at_least(in, v);
        at_most(in, v);
    } else {
        return false;
    }
    return true;
}

/* "1 <= " directly before the name. */
static bool relation_before(struct ev_input *in, const char *start, const char *name)
{
    const char *p = name;
    while (p > start && p[-1] == ' ')
        p--;
    bool equal = p - 2 >= start && p[-1] == '=' && p[-2] == '<';
    if (!equal && !(p - 1 >= start && p[-1] == '<'))
        return false;
    const char *end = p - (equal ? 2 : 1);
    while (end > start && end[-1] == ' ')
        end--;
    const char *digits = end;
    while (digits > start &&
           (isalnum((unsigned char)digits[-1]) || digits[-1] == '^' || digits[-1] == '\''))
        digits--;
    int64_t v;
    const char *q = digits;
    if (!number(&q, &v))
        return false;
    at_least(in, equal ? v : v + 1);
    return true;
}

/* Words in the rest of the sentence: "is a multiple of 4", "between 1 and 16384", "from 1 to 2^28", "in [4, 2^30]". */
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool words_after(struct ev_input *in, const char *p)
{
    bool any = false;
    int64_t a, b;
    for (const char *end = p + strlen(p); p < end && *p != ';'; p++) {
        if (*p == '.' && (p[1] == ' ' || !p[1]) && p[-1] != '.')
            break;
        const char *q = p;
        if (p[-1] != ' ' && p[-1] != '(' && *p != '[')
            continue;
        if ((take(&q, "multiple of") || take(&q, "multiples of") || take(&q, "divisible by")) &&
            number(&q, &a)) {
            multiple_of(in, a);
            any = true;
        } else if ((q = p, take(&q, "between") || take(&q, "from")) && number(&q, &a) &&
                   (take(&q, "and") || take(&q, "to")) && number(&q, &b)) {
            at_least(in, a);
            at_most(in, b);
            any = true;
        } else if ((q = p, *p == '[') && (q++, number(&q, &a)) && take(&q, ",") && number(&q, &b)) {
            at_least(in, a);
            at_most(in, b);
            any = true;
        } else if ((q = p, take(&q, "at most") || take(&q, "up to") || take(&q, "no more than")) &&
                   number(&q, &a)) {
            at_most(in, a);
            any = true;
        } else if ((q = p, number(&q, &a)) && take(&q, "..") && number(&q, &b)) {
            at_least(in, a);
            at_most(in, b);
            any = true;
        } else if ((q = p, take(&q, "even")) && !is_word(*q)) {
            multiple_of(in, 2);
            any = true;
        } else if ((q = p, take(&q, "at least")) && number(&q, &a)) {
            at_least(in, a);
            any = true;
        }
    }
    return any;
}

static bool limits_in_words(const char *text)
{
    static const char *const words[] = {
        "multiple",  "divisible",   "power of", "aligned", "must",    "exactly",
        "equal",     "fits",        "assum",    "requir",  "at most", "no more",
        "less than", "larger than", "smaller",  "limited", "even",    "odd",
        "always",    "only",        "<=",       " < "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

/* Behind the name, over a list such as "rows, cols <= 4096": where the relation is. */
static const char *skip_list(const char *p)
{
    for (;;) {
        const char *q = skip_spaces(p);
        bool sep = *q == ',' || *q == '/';
        if (sep)
            q++;
        else if (strncmp(q, "and ", 4) == 0)
            q += 4;
        else
            return p;
        q = skip_spaces(q);
        if (!isalpha((unsigned char)*q))
            return p;
        while (is_word(*q))
            q++;
        p = q;
    }
}

/* Before the name, over "1 <= rows, " back to the relation. */
static const char *back_list(const char *start, const char *p)
{
    for (;;) {
        const char *q = p;
        while (q > start && q[-1] == ' ')
            q--;
        if (q == start || q[-1] != ',')
            return p;
        q--;
        const char *word = q;
        while (word > start && is_word(word[-1]))
            word--;
        if (word == q || isdigit((unsigned char)*word))
            return p;
        p = word;
    }
}

static void read_comment(struct ev_input *in, const char *text, const char *name)
{
    size_t n = strlen(name);
    bool named = false, any = false;
    for (const char *p = text; (p = strcasestr(p, name)) != NULL; p += n) {
        if ((p > text && is_word(p[-1])) || is_word(p[n]))
            continue;
        if (n == 1 && *p != *name) /* a single letter counts only as written */
            continue;
        named = true;
        any |= relation_after(in, skip_list(p + n));
        any |= relation_before(in, text, back_list(text, p));
        any |= words_after(in, p + n);
    }
    if (named && !any && limits_in_words(text))
        in->opaque = true;
}

static void read_comments(struct ev_inputs *all, struct ev_input *in)
{
    const struct cmpd_tokens *toks = all->module->unit->tokens;
    const char *word = strrchr(in->name, '.') ? strrchr(in->name, '.') + 1 : in->name;
    if (!*word)
        return; /* a name that is missing stands nowhere */
    if (strchr(in->name, '(') && in->var == NULL)
        return;
    for (size_t i = 0; toks && i < toks->comment_count; i++)
        read_comment(in, comment_text(all, &toks->comments[i]), word);
    if (in->lo > in->hi)
        in->hi = in->lo;
}

static bool contains(const char *name, const char *part)
{
    return strcasestr(name, part) != NULL;
}

static int64_t default_value(size_t index, const char *name)
{
    static const int64_t usual[] = {1000, 77, 37, 53, 29, 23};
    if (contains(name, "block") || contains(name, "thread") || contains(name, "tpb"))
        return 256;
    return usual[index < 6 ? index : 5];
}

struct ev_input *ev_inputs_get(struct ev_inputs *in, const char *name, const struct ir_var *var)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(in->items[i].name, name) == 0)
            return &in->items[i];
    if (in->count == INPUTS_MAX)
        return NULL;
    struct ev_input *x = &in->items[in->count];
    *x = (struct ev_input){.lo = 1, .hi = (int64_t)1 << 30, .multiple = 1, .var = var};
    x->name = cmpd_arena_strndup(in->arena, name, strlen(name));
    read_comments(in, x);
    x->usual = ev_input_fit(x, default_value(in->count, name));
    in->count++;
    return x;
}

/* "rows * cols" or "rows x cols": what is said may be about the product. */
static bool in_product(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text; (p = strcasestr(p, name)) != NULL; p += n) {
        if ((p > text && is_word(p[-1])) || is_word(p[n]))
            continue;
        const char *q = skip_spaces(p + n), *r = p;
        while (r > text && r[-1] == ' ')
            r--;
        if (*q == '*' || (*q == 'x' && q[1] == ' ') || (r > text && r[-1] == '*') ||
            (r > text + 1 && r[-1] == 'x' && r[-2] == ' '))
            return true;
    }
    return strcasestr(text, "product") != NULL;
}

bool ev_documented_max(const struct ir_module *m, struct cmpd_arena *arena, const char *name,
                       int64_t *max)
{
    struct ev_inputs all = {.module = m, .arena = arena};
    struct ev_input in = {.name = name, .lo = 1, .hi = INT64_MAX, .multiple = 1};
    const struct cmpd_tokens *toks = *name ? m->unit->tokens : NULL;
    for (size_t i = 0; toks && i < toks->comment_count; i++) {
        const char *text = comment_text(&all, &toks->comments[i]);
        if (in_product(text, name))
            return false;
        read_comment(&in, text, name);
    }
    *max = in.hi;
    return in.hi < INT64_MAX && !in.opaque && in.lo <= in.hi;
}

int64_t ev_input_fit(const struct ev_input *in, int64_t v)
{
    int64_t m = in->multiple > 1 ? in->multiple : 1;
    if (v < in->lo)
        v = in->lo;
    v = (v + m - 1) / m * m;
    if (v > in->hi)
        v = in->hi / m * m;
    return v < in->lo ? in->lo : v;
}

bool ev_comments_mention_padding(const struct ir_module *m)
{
    const struct cmpd_tokens *toks = m->unit->tokens;
    for (size_t i = 0; toks && i < toks->comment_count; i++) {
        const char *p = m->unit->src->text + toks->comments[i].off;
        for (uint32_t k = 0; k + 6 < toks->comments[i].len; k++)
            if (strncasecmp(p + k, "padded", 6) == 0 || strncasecmp(p + k, "rounded up", 10) == 0)
                return true;
    }
    return false;
}
