#include "gpu-runner/compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/sha256.h"

#define RESULTS_A_KEY  8 /* results remembered for one first-level key */
#define ENTRY_CEILING  ((size_t)256 << 20)
#define INPUTS_CEILING 20000
#define EVICT_TO       0.8

/* mkdir -p with 0700, absolute paths only. */
static bool make_dirs(const char *path)
{
    CMPD_AUTOFREE char *p = cmpd_strdup(path);
    for (char *s = p + 1; *s; s++) {
        if (*s != '/')
            continue;
        *s = '\0';
        if (mkdir(p, 0700) < 0 && errno != EEXIST)
            return false;
        *s = '/';
    }
    return mkdir(p, 0700) == 0 || errno == EEXIST;
}

static uint64_t ceiling_from_environment(void)
{
    const char *s = getenv("CMPD_COMPILE_CACHE_MIB");
    char *end;
    if (!s || !*s)
        return CMPD_CACHE_DEFAULT_BYTES;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    return errno || *end || v > (UINT64_MAX >> 20) ? CMPD_CACHE_DEFAULT_BYTES : (uint64_t)v << 20;
}

void cmpd_cache_open(struct cmpd_cache *c, bool wanted)
{
    memset(c, 0, sizeof *c);
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    c->ceiling_bytes = ceiling_from_environment();
    if (!wanted || !c->ceiling_bytes)
        return;
    if (xdg && xdg[0] == '/')
        c->dir = cmpd_asprintf("%s/cmpd/compile", xdg);
    else if (home && home[0] == '/')
        c->dir = cmpd_asprintf("%s/.cache/cmpd/compile", home);
    if (c->dir && (!make_dirs(c->dir) || access(c->dir, W_OK | X_OK) < 0)) {
        free(c->dir);
        c->dir = NULL;
    }
}

void cmpd_cache_clear(struct cmpd_cache *c)
{
    free(c->dir);
    c->dir = NULL;
}

void cmpd_strings_clear_all(struct cmpd_strings *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
    memset(l, 0, sizeof *l);
}

static void push(struct cmpd_strings *l, const struct cmpd_buf *word)
{
    if (!word->len || l->count >= INPUTS_CEILING)
        return;
    CMPD_GROW(l->items, l->count + 1, l->cap);
    l->items[l->count++] = cmpd_strndup(word->data, word->len);
}

void cmpd_cache_parse_rule(const char *text, size_t len, struct cmpd_strings *out)
{
    memset(out, 0, sizeof *out);
    CMPD_BUF_AUTO struct cmpd_buf word = CMPD_BUF_INIT;
    bool past_target = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i], next = i + 1 < len ? text[i + 1] : '\0';
        if (c == '\\' && (next == '\n' || next == '\r')) {
            i += next == '\r' && i + 2 < len && text[i + 2] == '\n' ? 2 : 1;
            c = ' ';
        } else if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
            cmpd_buf_putc(&word, next);
            i++;
            continue;
        } else if (c == '$' && next == '$') {
            cmpd_buf_putc(&word, '$');
            i++;
            continue;
        }
        if (!past_target) {
            past_target = c == ':' && (next == ' ' || next == '\n' || next == '\\');
            cmpd_buf_reset(&word);
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            push(out, &word);
            cmpd_buf_reset(&word);
            if (c == '\n') /* the rules of -MP that may follow repeat what we have */
                return;
        } else {
            cmpd_buf_putc(&word, c);
        }
    }
    push(out, &word);
}

/* ---- entries: 64 hex digits over the rest, a line end, the rest ---- */

static bool read_entry(const struct cmpd_cache *c, const char *kind, const char *key,
                       struct cmpd_buf *body)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s-%s", c->dir, kind, key);
    CMPD_BUF_AUTO struct cmpd_buf raw = CMPD_BUF_INIT;
    char hex[65];
    if (cmpd_file_read(path, ENTRY_CEILING, &raw, NULL) != CMPD_OK)
        return false;
    if (raw.len < 65 || raw.data[64] != '\n') {
        unlink(path);
        return false;
    }
    cmpd_sha256_hex(raw.data + 65, raw.len - 65, hex);
    if (memcmp(hex, raw.data, 64) != 0) {
        unlink(path);
        return false;
    }
    cmpd_buf_append(body, raw.data + 65, raw.len - 65);
    utimensat(AT_FDCWD, path, NULL, 0); /* used now */
    return true;
}

static void write_entry(const struct cmpd_cache *c, const char *kind, const char *key,
                        const struct cmpd_buf *body)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s-%s", c->dir, kind, key);
    CMPD_BUF_AUTO struct cmpd_buf raw = CMPD_BUF_INIT;
    char hex[65];
    if (body->truncated || body->len > ENTRY_CEILING - 65)
        return;
    cmpd_sha256_hex(cmpd_buf_str(body), body->len, hex);
    cmpd_buf_append(&raw, hex, 64);
    cmpd_buf_putc(&raw, '\n');
    cmpd_buf_append(&raw, cmpd_buf_str(body), body->len);
    cmpd_file_write_atomic(path, raw.data, raw.len, NULL);
}

/* ---- manifests ---- */

static char *full_path(const char *root, const char *path)
{
    return path[0] == '/' ? cmpd_strdup(path) : cmpd_asprintf("%s/%s", root, path);
}

static int64_t to_ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What stat tells of a file outside the repository, as one string. */
static bool stat_text(const char *path, struct stat *st, char out[160])
{
    if (stat(path, st) < 0)
        return false;
    snprintf(out, 160, "%jd %jd %jd %ju", (intmax_t)st->st_size, (intmax_t)to_ns(st->st_mtim),
             (intmax_t)to_ns(st->st_ctim), (uintmax_t)st->st_ino);
    return true;
}

static bool input_unchanged(const json_t *input, const char *root)
{
    const char *path = json_string_value(json_array_get(input, 0));
    const char *hash = json_string_value(json_array_get(input, 1));
    const char *stated = json_string_value(json_array_get(input, 2));
    if (!path || !hash)
        return false;
    CMPD_AUTOFREE char *full = full_path(root, path);
    struct stat st;
    char now[160], hex[65];
    if (!stat_text(full, &st, now))
        return false;
    if (path[0] == '/' && stated && strcmp(stated, now) == 0)
        return true;
    return cmpd_sha256_file(full, hex, NULL) == CMPD_OK && strcmp(hex, hash) == 0;
}

static json_t *load_manifest(const struct cmpd_cache *c, const char *key)
{
    CMPD_BUF_AUTO struct cmpd_buf body = CMPD_BUF_INIT;
    json_t *m = NULL;
    if (read_entry(c, "m", key, &body))
        m = json_loadb(cmpd_buf_str(&body), body.len, 0, NULL);
    if (!json_is_array(m)) {
        json_decref(m);
        m = json_array();
    }
    return m;
}

static const char *matching_result(const json_t *manifest, const char *root)
{
    for (size_t i = 0; i < json_array_size(manifest); i++) {
        const json_t *row = json_array_get(manifest, i), *inputs = json_object_get(row, "inputs");
        bool same = json_array_size(inputs) > 0;
        for (size_t k = 0; same && k < json_array_size(inputs); k++)
            same = input_unchanged(json_array_get(inputs, k), root);
        if (same)
            return json_string_value(json_object_get(row, "result"));
    }
    return NULL;
}

static bool is_hex_key(const char *s)
{
    return s && strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

bool cmpd_cache_get(const struct cmpd_cache *c, const char *key, const char *root,
                    struct cmpd_buf *meta, struct cmpd_buf *object)
{
    if (!c->dir)
        return false;
    json_t *manifest = load_manifest(c, key);
    const char *result = matching_result(manifest, root);
    CMPD_BUF_AUTO struct cmpd_buf body = CMPD_BUF_INIT;
    bool found = is_hex_key(result) && read_entry(c, "r", result, &body);
    json_decref(manifest);
    const char *nl = found && body.len ? memchr(body.data, '\n', body.len) : NULL;
    if (!nl)
        return false;
    size_t n = (size_t)(nl - body.data);
    cmpd_buf_append(meta, body.data, n);
    cmpd_buf_append(object, nl + 1, body.len - n - 1);
    return true;
}

/*
 * [path, hash, stat]; NULL where it can't be read or is too new. File times lag behind
 * the clock by up to a tick: a change in the first tick counts as before the start, which is right,
 * since a compiler needs longer than that to come to its first file.
 */
static json_t *describe_input(const char *root, const char *path, int64_t started_ns)
{
    CMPD_AUTOFREE char *full = full_path(root, path);
    struct stat st;
    char now[160], hex[65];
    if (!stat_text(full, &st, now) || to_ns(st.st_mtim) > started_ns ||
        to_ns(st.st_ctim) > started_ns || cmpd_sha256_file(full, hex, NULL) != CMPD_OK)
        return NULL;
    return json_pack("[s, s, s]", path, hex, now);
}

static json_t *describe_inputs(const char *root, const struct cmpd_strings *inputs,
                               int64_t started_ns, struct cmpd_sha256 *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < inputs->count; i++) {
        json_t *row = describe_input(root, inputs->items[i], started_ns);
        if (!row) {
            json_decref(list);
            return NULL;
        }
        for (size_t k = 0; k < 2; k++) {
            const char *s = json_string_value(json_array_get(row, k));
            cmpd_sha256_field(h, s, strlen(s));
        }
        json_array_append_new(list, row);
    }
    return list;
}

/* ---- eviction ---- */

struct entry {
    char *path;
    int64_t used_ns;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

static void evict(const struct cmpd_cache *c)
{
    struct entry *list = NULL;
    size_t count = 0, cap = 0;
    uint64_t total = 0;
    DIR *d = opendir(c->dir);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        struct entry x = {.path = cmpd_asprintf("%s/%s", c->dir, e->d_name)};
        struct stat st;
        if (lstat(x.path, &st) < 0 || !S_ISREG(st.st_mode)) {
            free(x.path);
            continue;
        }
        x.used_ns = to_ns(st.st_mtim);
        x.bytes = (uint64_t)st.st_size;
        total += x.bytes;
        CMPD_GROW(list, count + 1, cap);
        list[count++] = x;
    }
    if (d)
        closedir(d);
    if (total > c->ceiling_bytes) {
        qsort(list, count, sizeof *list, by_use);
        for (size_t i = 0; i < count && (double)total > EVICT_TO * (double)c->ceiling_bytes; i++) {
            if (unlink(list[i].path) == 0)
                total -= list[i].bytes;
        }
    }
    for (size_t i = 0; i < count; i++)
        free(list[i].path);
    free(list);
}

static void store_manifest(const struct cmpd_cache *c, const char *key, json_t *row)
{
    json_t *m = load_manifest(c, key);
    json_array_insert_new(m, 0, row);
    while (json_array_size(m) > RESULTS_A_KEY)
        json_array_remove(m, json_array_size(m) - 1);
    char *text = json_dumps(m, JSON_COMPACT);
    json_decref(m);
    if (!text)
        return;
    struct cmpd_buf body = {text, strlen(text), strlen(text) + 1, 0, false};
    write_entry(c, "m", key, &body);
    free(text);
}

void cmpd_cache_put(const struct cmpd_cache *c, const char *key, const char *root,
                    const struct cmpd_strings *inputs, int64_t started_ns, const char *meta,
                    const void *object, size_t object_len)
{
    if (!c->dir || !inputs->count)
        return;
    struct cmpd_sha256 h;
    char result[65];
    cmpd_sha256_init(&h);
    cmpd_sha256_field(&h, key, 64);
    json_t *list = describe_inputs(root, inputs, started_ns, &h);
    if (!list)
        return;
    cmpd_sha256_final_hex(&h, result, 64);
    CMPD_BUF_AUTO struct cmpd_buf body = CMPD_BUF_INIT;
    cmpd_buf_puts(&body, meta);
    cmpd_buf_putc(&body, '\n');
    cmpd_buf_append(&body, object, object_len);
    write_entry(c, "r", result, &body);
    store_manifest(c, key, json_pack("{s:s, s:o}", "result", result, "inputs", list));
    evict(c);
}
