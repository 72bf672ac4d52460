#include "rules/api/api_db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/datadir.h"
#include "analysis/base/nearest.h"

#define TABLE_PATH          "rules/api/api.tbl"
#define TABLE_HEAD          "#cmpd.api.tbl.1 "
#define TABLE_CEILING_BYTES ((size_t)64 << 20)
#define NAME_CEILING        96 /* longer names are never near misses; the longest real one has 80 bytes */
#define EDITS               2

struct cmpd_api_db {
    char *map; /* owned, mapped; rows are sorted by name as bytes */
    size_t map_len;
    const char *rows; /* first line that is no remark */
    const char *end;
    int version;       /* asked for */
    int table_version; /* made from */
};

/* "13.0", "13.0.88", "12": false when it does not start with a number. */
static bool parse_version(const char *s, int *out)
{
    char *end = NULL;
    long major = strtol(s, &end, 10);
    long minor = 0;
    if (end == s || major < 1 || major > 999) {
        return false;
    }
    if (*end == '.') {
        const char *rest = end + 1;
        minor = strtol(rest, &end, 10);
        if (end == rest || minor < 0 || minor > 99) {
            return false;
        }
    }
    if (*end != '\0' && *end != '.' && *end != '\n' && *end != ' ') {
        return false;
    }
    *out = (int)(major * 1000 + minor * 10);
    return true;
}

const char *cmpd_api_version_text(int version, char buf[16])
{
    snprintf(buf, 16, "%d.%d", version / 1000, version % 1000 / 10);
    return buf;
}

static const char *line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    return nl ? nl : end;
}

static cmpd_rc map_file(const char *path, struct cmpd_api_db *db, struct cmpd_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return cmpd_err_set(err, errno == ENOENT ? CMPD_ENOENT : CMPD_EIO, "%s: %s", path,
                            strerror(errno));
    }
    struct stat st;
    cmpd_rc rc = CMPD_OK;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
        (size_t)st.st_size > TABLE_CEILING_BYTES) {
        rc = cmpd_err_set(err, CMPD_EINPUT, "%s: not an API table", path);
    } else {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            rc = cmpd_err_set(err, CMPD_EIO, "%s: %s", path, strerror(errno));
        } else {
            db->map = map;
            db->map_len = (size_t)st.st_size;
        }
    }
    close(fd);
    return rc;
}

static bool read_head(struct cmpd_api_db *db)
{
    const size_t head = strlen(TABLE_HEAD);
    char version[16] = "";
    db->end = db->map + db->map_len;
    if (db->map_len <= head || memcmp(db->map, TABLE_HEAD, head) != 0 || db->end[-1] != '\n') {
        return false;
    }
    const char *first = line_end(db->map, db->end);
    size_t len = (size_t)(first - db->map) - head;
    if (len >= sizeof version) {
        return false;
    }
    memcpy(version, db->map + head, len);
    const char *p = db->map;
    while (p < db->end && *p == '#') {
        p = line_end(p, db->end) + 1;
    }
    db->rows = p;
    return parse_version(version, &db->table_version);
}

cmpd_rc cmpd_api_db_open_file(const char *path, const char *toolkit_version,
                              struct cmpd_api_db **out, struct cmpd_err *err)
{
    int asked = 0;
    if (toolkit_version != NULL && !parse_version(toolkit_version, &asked)) {
        return cmpd_err_set(err, CMPD_EINPUT, "toolkit version \"%s\" is not like 13.0",
                            toolkit_version);
    }
    struct cmpd_api_db *db = cmpd_calloc(1, sizeof *db);
    cmpd_rc rc = map_file(path, db, err);
    if (rc == CMPD_OK && !read_head(db)) {
        rc = cmpd_err_set(err, CMPD_EINPUT, "%s: not an API table", path);
    }
    if (rc != CMPD_OK) {
        cmpd_api_db_free(db);
        return rc;
    }
    db->version = toolkit_version != NULL ? asked : db->table_version;
    *out = db;
    return CMPD_OK;
}

cmpd_rc cmpd_api_db_open(const char *toolkit_version, struct cmpd_api_db **out,
                         struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_datadir_path(TABLE_PATH, &path, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    return cmpd_api_db_open_file(cmpd_buf_str(&path), toolkit_version, out, err);
}

void cmpd_api_db_free(struct cmpd_api_db *db)
{
    if (db == NULL) {
        return;
    }
    if (db->map != NULL) {
        munmap(db->map, db->map_len);
    }
    free(db);
}

int cmpd_api_db_version(const struct cmpd_api_db *db)
{
    return db->version;
}

bool cmpd_api_db_covers(const struct cmpd_api_db *db)
{
    return db->version <= db->table_version;
}

static bool kind_of_letter(char c, enum cmpd_api_kind *out)
{
    static const char letters[] = "rwRDvdgplteobmxkhMs"; /* in the order of enum cmpd_api_kind */
    const char *at = c != '\0' ? strchr(letters, c) : NULL;
    if (at == NULL) {
        return false;
    }
    *out = (enum cmpd_api_kind)(at - letters);
    return true;
}

/* The next tab-separated field of a line; moves *p behind it. */
static const char *next_field(const char **p, const char *eol, size_t *len)
{
    const char *start = *p;
    if (start >= eol) {
        *len = 0;
        return eol;
    }
    const char *tab = memchr(start, '\t', (size_t)(eol - start));
    const char *stop = tab ? tab : eol;
    *len = (size_t)(stop - start);
    *p = tab ? tab + 1 : eol;
    return start;
}

static int number_field(const char **p, const char *eol)
{
    size_t len;
    const char *s = next_field(p, eol, &len);
    int value = 0;
    for (size_t i = 0; i < len && i < 6 && s[i] >= '0' && s[i] <= '9'; i++) {
        value = value * 10 + (s[i] - '0');
    }
    return value;
}

static bool parse_row(const char *line, const char *eol, struct cmpd_api_entry *out)
{
    struct cmpd_api_entry e = {0};
    size_t len;
    const char *p = line;
    e.name = next_field(&p, eol, &e.name_len);
    const char *kind = next_field(&p, eol, &len);
    if (len < 1 || !kind_of_letter(kind[0], &e.kind)) {
        return false;
    }
    for (size_t i = 1; i < len; i++) {
        e.host |= kind[i] == 'h';
        e.device |= kind[i] == 'd';
    }
    e.added = number_field(&p, eol);
    e.deprecated = number_field(&p, eol);
    e.removed = number_field(&p, eol);
    e.arch = number_field(&p, eol);
    e.use = next_field(&p, eol, &e.use_len);
    *out = e;
    return true;
}

static int compare_name(const char *name, size_t len, const char *line, size_t line_len)
{
    size_t both = len < line_len ? len : line_len;
    int c = memcmp(name, line, both);
    return c != 0 ? c : (len > line_len) - (len < line_len);
}

static size_t row_name_len(const char *line, const char *eol)
{
    const char *tab = memchr(line, '\t', (size_t)(eol - line));
    return (size_t)((tab ? tab : eol) - line);
}

bool cmpd_api_db_find(const struct cmpd_api_db *db, const char *name, size_t len,
                      struct cmpd_api_entry *out)
{
    const char *lo = db->rows;
    const char *hi = db->end;
    while (lo < hi) {
        const char *line = lo + (hi - lo) / 2;
        while (line > lo && line[-1] != '\n') {
            line--;
        }
        const char *eol = line_end(line, db->end);
        int c = compare_name(name, len, line, row_name_len(line, eol));
        if (c == 0) {
            return parse_row(line, eol, out);
        }
        if (c < 0) {
            hi = line;
        } else {
            lo = eol < db->end ? eol + 1 : db->end;
        }
    }
    return false;
}

/* ---- near misses ---- */

/* Length of the prefix that makes a name one of ours; 0: none. */
static size_t family(const char *s, size_t len)
{
    static const char *const words[] = {"cuda", "atomic", "__", "nv", "CU"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (len > n && memcmp(s, words[i], n) == 0) {
            return n;
        }
    }
    return len > 2 && s[0] == 'c' && s[1] == 'u' && s[2] >= 'A' && s[2] <= 'Z' ? 2 : 0;
}

/* Edits from name to a candidate; names that differ in letter case alone count as one edit apart. */
static size_t edits_between(const char *name, const char *line, size_t line_len)
{
    char candidate[NAME_CEILING];
    memcpy(candidate, line, line_len);
    candidate[line_len] = '\0';
    return strcasecmp(name, candidate) == 0 ? 1 : cmpd_edit_distance(name, candidate, EDITS);
}

static size_t common_prefix(const char *a, size_t la, const char *b, size_t lb)
{
    size_t i = 0;
    while (i < la && i < lb && a[i] == b[i]) {
        i++;
    }
    return i;
}

static bool has_role(enum cmpd_api_kind kind, enum cmpd_api_role role)
{
    if (role == CMPD_ROLE_CALLED) {
        return kind <= CMPD_API_PIPELINE || kind == CMPD_API_STD_DEVICE;
    }
    return kind >= CMPD_API_TYPE && kind <= CMPD_API_MACRO;
}

bool cmpd_api_db_nearest(const struct cmpd_api_db *db, const char *name, size_t len,
                         enum cmpd_api_role role, struct cmpd_api_entry *out)
{
    size_t prefix = family(name, len);
    char word[NAME_CEILING] = "";
    if (prefix == 0 || len >= NAME_CEILING) {
        return false;
    }
    memcpy(word, name, len);
    size_t best = len - prefix < 4 ? 1 : EDITS; /* the most edits that a candidate may be away */
    size_t best_prefix = 0;
    bool found = false;
    for (const char *line = db->rows; line < db->end;) {
        const char *eol = line_end(line, db->end);
        size_t n = row_name_len(line, eol);
        struct cmpd_api_entry e;
        if (n + EDITS >= len && n <= len + EDITS && n < NAME_CEILING && family(line, n) == prefix &&
            line[0] == name[0]) {
            size_t d = edits_between(word, line, n);
            size_t same = common_prefix(name, len, line, n);
            if ((d < best || (d == best && (!found || same > best_prefix))) && d > 0 &&
                parse_row(line, eol, &e) && has_role(e.kind, role) &&
                cmpd_api_db_status(db, &e, 0) <= CMPD_API_DEPRECATED) {
                best = d;
                best_prefix = same;
                *out = e;
                found = true;
            }
        }
        line = eol + 1;
    }
    return found;
}

enum cmpd_api_status cmpd_api_db_status(const struct cmpd_api_db *db,
                                        const struct cmpd_api_entry *e, int sm)
{
    if (e->added > db->version) {
        return CMPD_API_LATER;
    }
    if (e->removed != 0 && db->version >= e->removed && (e->arch == 0 || sm >= e->arch)) {
        return CMPD_API_REMOVED;
    }
    return e->deprecated != 0 && db->version >= e->deprecated ? CMPD_API_DEPRECATED
                                                              : CMPD_API_PRESENT;
}

/* ---- remarks before the rows: prefixes, headers, members ---- */

/* Calls match(text, len) for each remark of one letter until it says true. */
typedef bool (*remark_match)(const char *text, size_t len, const void *key);

struct word {
    const char *s;
    size_t len;
};

static const char *find_remark(const struct cmpd_api_db *db, char letter, remark_match match,
                               const void *key, const char **eol_out)
{
    for (const char *line = db->map; line < db->rows;) {
        const char *eol = line_end(line, db->end);
        if (eol - line > 3 && line[1] == letter && line[2] == '\t' &&
            match(line + 3, (size_t)(eol - line - 3), key)) {
            *eol_out = eol;
            return line + 3;
        }
        line = eol + 1;
    }
    return NULL;
}

static bool is_prefix_of(const char *text, size_t len, const void *key)
{
    const struct word *w = key;
    return len <= w->len && memcmp(text, w->s, len) == 0;
}

bool cmpd_api_db_foreign(const struct cmpd_api_db *db, const char *name, size_t len)
{
    const char *eol;
    return find_remark(db, 'P', is_prefix_of, &(struct word){name, len}, &eol) != NULL;
}

/* "cub/" names a whole folder. */
static bool is_header(const char *text, size_t len, const void *key)
{
    const struct word *w = key;
    return text[len - 1] == '/' ? is_prefix_of(text, len, key)
                                : len == w->len && memcmp(text, w->s, len) == 0;
}

bool cmpd_api_db_header(const struct cmpd_api_db *db, const char *path, size_t len)
{
    const char *eol;
    return find_remark(db, 'H', is_header, &(struct word){path, len}, &eol) != NULL;
}

struct member_key {
    const char *type, *member;
};

static bool is_member(const char *text, size_t len, const void *key)
{
    const struct member_key *k = key;
    const char *p = text;
    size_t n;
    const char *type = next_field(&p, text + len, &n);
    if (n != strlen(k->type) || memcmp(type, k->type, n) != 0) {
        return false;
    }
    const char *member = next_field(&p, text + len, &n);
    return n == strlen(k->member) && memcmp(member, k->member, n) == 0;
}

bool cmpd_api_db_gone_member(const struct cmpd_api_db *db, const char *type, const char *member,
                             struct cmpd_api_entry *out)
{
    const char *eol;
    const char *p = find_remark(db, 'M', is_member, &(struct member_key){type, member}, &eol);
    if (p == NULL) {
        return false;
    }
    struct cmpd_api_entry e = {.kind = CMPD_API_GONE};
    size_t n;
    next_field(&p, eol, &n);
    e.name = next_field(&p, eol, &e.name_len);
    e.removed = number_field(&p, eol);
    e.use = next_field(&p, eol, &e.use_len);
    if (db->version < e.removed) {
        return false;
    }
    *out = e;
    return true;
}
