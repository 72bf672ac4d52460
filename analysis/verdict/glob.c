#include "analysis/verdict/glob.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

#define MOST_PARTS 64

struct parts {
    char *copy; /* owned */
    const char *part[MOST_PARTS];
    size_t count;
    bool too_many;
};

static struct parts split(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    struct parts p = {.copy = cmpd_strdup(path)};
    for (char *at = p.copy; at;) {
        char *slash = strchr(at, '/');
        if (slash)
            *slash = '\0';
        if (p.count == MOST_PARTS) {
            p.too_many = true;
            break;
        }
        p.part[p.count++] = at;
        at = slash ? slash + 1 : NULL;
    }
    return p;
}

/* match[j]: the pattern's components so far match the path's first j components. */
static bool match_parts(const struct parts *pat, const struct parts *path)
{
    bool match[MOST_PARTS + 1] = {true};
    for (size_t i = 0; i < pat->count; i++) {
        bool any = strcmp(pat->part[i], "**") == 0;
        bool diagonal = match[0];
        match[0] = any && match[0];
        for (size_t j = 1; j <= path->count; j++) {
            bool above = match[j];
            if (any)
                match[j] = above || match[j - 1];
            else
                match[j] = diagonal && fnmatch(pat->part[i], path->part[j - 1], 0) == 0;
            diagonal = above;
        }
    }
    return match[path->count];
}

bool cmpd_glob_match(const char *pattern, const char *path)
{
    struct parts a = split(pattern), b = split(path);
    bool ok = !a.too_many && !b.too_many && match_parts(&a, &b);
    free(a.copy);
    free(b.copy);
    return ok;
}
