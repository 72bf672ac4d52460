#include "analysis/text/prune.h"

#include <ctype.h>
#include <string.h>

enum { BODIES_MAX = 2000, SMALL_BODY_BYTES = 160 };

struct body {
    size_t head, open, close; /* start of the declaration, and the braces */
    uint32_t name;            /* hash of the function's name; 0 unknown */
    uint32_t *idents;         /* hashes of the identifiers inside, sorted */
    size_t ident_count;
    bool device; /* never blanked */
    bool works;  /* launches or calls the API, itself or through others */
    bool keep;
};

struct scan_state {
    const char *text;
    size_t len;
    struct body *bodies;
    size_t count;
};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static uint32_t hash_word(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ? h : 1;
}

/* Behind a string or character literal that starts at i. */
static size_t skip_literal(const char *t, size_t len, size_t i)
{
    char quote = t[i++];
    while (i < len && t[i] != quote && t[i] != '\n')
        i += t[i] == '\\' ? 2 : 1;
    return i < len ? i + 1 : len;
}

/* A quote inside a number is a digit separator. */
static bool starts_literal(const char *t, size_t i)
{
    return t[i] == '"' || (t[i] == '\'' && !(i > 0 && isalnum((unsigned char)t[i - 1])));
}

static size_t matching_brace(const char *t, size_t len, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < len;) {
        if (starts_literal(t, i)) {
            i = skip_literal(t, len, i);
            continue;
        }
        depth += t[i] == '{';
        if (t[i] == '}' && --depth == 0)
            return i;
        i++;
    }
    return len;
}

static bool has_word(const char *t, size_t from, size_t to, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = from; i + n <= to; i++) {
        const char *p = memchr(t + i, word[0], to - i);
        if (!p || (size_t)(p - t) + n > to)
            return false;
        i = (size_t)(p - t);
        if (memcmp(p, word, n) == 0)
            return true;
    }
    return false;
}

/* The word before the first parenthesis of the head: the function's name. */
static uint32_t name_of(const char *t, size_t head, size_t open)
{
    const char *paren = memchr(t + head, '(', open - head);
    if (!paren)
        return 0;
    size_t end = (size_t)(paren - t);
    while (end > head && isspace((unsigned char)t[end - 1]))
        end--;
    size_t start = end;
    while (start > head && word_char(t[start - 1]))
        start--;
    return start == end ? 0 : hash_word(t + start, end - start);
}

static int by_value(const uint32_t *a, const uint32_t *b)
{
    return *a < *b ? -1 : *a > *b;
}

static void sort_hashes(uint32_t *v, size_t n)
{
    for (size_t gap = n / 2; gap; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            uint32_t x = v[i];
            size_t j = i;
            for (; j >= gap && by_value(&v[j - gap], &x) > 0; j -= gap)
                v[j] = v[j - gap];
            v[j] = x;
        }
}

static bool is_api_word(const char *s, size_t n)
{
    if (n > 4 && memcmp(s, "cuda", 4) == 0)
        return true;
    return n > 2 && s[0] == 'c' && s[1] == 'u' && isupper((unsigned char)s[2]);
}

/* Identifiers inside the braces, and whether the body works with the device itself. */
static void read_body(const char *t, struct body *b, struct cmpd_arena *arena)
{
    size_t words = 0;
    for (size_t i = b->open; i < b->close; i++)
        words += word_char(t[i]) && !word_char(t[i - 1]);
    b->idents = CMPD_ARENA_ARRAY(arena, uint32_t, words + 1);
    for (size_t i = b->open; i < b->close;) {
        if (starts_literal(t, i)) {
            i = skip_literal(t, b->close, i);
        } else if (isalpha((unsigned char)t[i]) || t[i] == '_') {
            size_t start = i;
            while (i < b->close && word_char(t[i]))
                i++;
            b->works |= is_api_word(t + start, i - start);
            b->idents[b->ident_count++] = hash_word(t + start, i - start);
        } else if (word_char(t[i])) { /* a number */
            while (i < b->close && word_char(t[i]))
                i++;
        } else {
            b->works |= t[i] == '<' && t[i + 1] == '<' && t[i + 2] == '<';
            i++;
        }
    }
    sort_hashes(b->idents, b->ident_count);
}

/* Does the brace open a function's body? Its head then ends in a parenthesis, perhaps with a few words behind. */
static bool is_function(const char *t, size_t head, size_t open)
{
    size_t end = open;
    for (int i = 0; i < 4; i++) {
        while (end > head && isspace((unsigned char)t[end - 1]))
            end--;
        size_t start = end;
        while (start > head && word_char(t[start - 1]))
            start--;
        if (start == end)
            break;
        end = start; /* const, noexcept, override, final, try */
    }
    return end > head && t[end - 1] == ')' && !has_word(t, head, open, "=");
}

static void find_bodies(struct scan_state *s, struct cmpd_arena *arena)
{
    const char *t = s->text;
    size_t head = 0;
    for (size_t i = 0; i < s->len && s->count < BODIES_MAX;) {
        if (starts_literal(t, i)) {
            i = skip_literal(t, s->len, i);
            continue;
        }
        if (t[i] == ';' || t[i] == '}') {
            head = i + 1;
        } else if (t[i] == '{' && is_function(t, head, i)) {
            struct body *b = &s->bodies[s->count++];
            *b = (struct body){.head = head, .open = i, .close = matching_brace(t, s->len, i)};
            b->device = has_word(t, head, i, "__global__") || has_word(t, head, i, "__device__");
            b->name = name_of(t, head, i);
            if (!b->device)
                read_body(t, b, arena);
            i = b->close < s->len ? b->close + 1 : s->len;
            head = i;
            continue;
        } else if (t[i] == '{') { /* namespace, class, initialiser: look inside */
            head = i + 1;
        }
        i++;
    }
}

static bool mentions(const struct body *b, uint32_t name)
{
    size_t lo = 0, hi = b->ident_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (b->idents[mid] < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    return name && lo < b->ident_count && b->idents[lo] == name;
}

static void close_over_calls(struct body *bodies, size_t count)
{
    bool changed = true;
    while (changed) { /* callers of what works, work */
        changed = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; !bodies[i].works && !bodies[i].device && k < count; k++)
                if (bodies[k].works && k != i && mentions(&bodies[i], bodies[k].name))
                    bodies[i].works = changed = true;
    }
    for (size_t i = 0; i < count; i++)
        bodies[i].keep = bodies[i].works || bodies[i].device;
    changed = true;
    while (changed) { /* and what they call is needed to follow them */
        changed = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; !bodies[i].keep && k < count; k++)
                if (bodies[k].keep && !bodies[k].device && mentions(&bodies[k], bodies[i].name))
                    bodies[i].keep = changed = true;
    }
}

size_t cmpd_unit_prune(struct cmpd_unit *unit, struct cmpd_arena *arena)
{
    struct scan_state s = {.text = unit->text, .len = unit->len};
    s.bodies = CMPD_ARENA_ARRAY(arena, struct body, BODIES_MAX);
    find_bodies(&s, arena);
    close_over_calls(s.bodies, s.count);
    size_t blanked = 0;
    for (size_t i = 0; i < s.count; i++) {
        const struct body *b = &s.bodies[i];
        if (b->keep || !b->name || b->close >= s.len || b->close - b->open < SMALL_BODY_BYTES)
            continue;
        for (size_t k = b->open + 1; k < b->close; k++)
            if (unit->text[k] != '\n')
                unit->text[k] = ' ';
        blanked += b->close - b->open;
    }
    return blanked;
}
