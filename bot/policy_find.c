#include "bot/policy_find.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"

static cmpd_rc load(const char *path, struct cmpd_policy **out, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_file_read(path, CMPD_POLICY_CEILING_BYTES, &text, err);
    if (rc)
        return rc;
    return cmpd_policy_parse(cmpd_buf_str(&text), text.len, path, out, err);
}

static bool exists(const char *dir, const char *name)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", strcmp(dir, "/") ? dir : "", name);
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Cuts the last component off; false at the top. */
static bool go_up(char *dir)
{
    char *slash = strrchr(dir, '/');
    if (!slash || strcmp(dir, "/") == 0)
        return false;
    slash[slash == dir] = '\0';
    return true;
}

/*
 * From `dir` (absolute) upward: *with_policy gets the folder that holds a cmpd.json, *top the
 * repository's root or, with no repository, NULL. Both are owned by the caller.
 */
static void look_upward(const char *dir, char **with_policy, char **top)
{
    CMPD_AUTOFREE char *at = cmpd_strdup(dir);
    struct stat first, now;
    *with_policy = *top = NULL;
    if (stat(at, &first) < 0)
        return;
    do {
        if (stat(at, &now) < 0 || now.st_dev != first.st_dev)
            return;
        if (!*with_policy && exists(at, "cmpd.json"))
            *with_policy = cmpd_strdup(at);
        if (exists(at, ".git")) {
            *top = cmpd_strdup(at);
            return;
        }
    } while (go_up(at));
}

cmpd_rc cmpd_policy_find(const char *dir, const char *given, struct cmpd_policy_place *out,
                         struct cmpd_err *err)
{
    CMPD_AUTOFREE char *here = realpath(dir && *dir ? dir : ".", NULL);
    if (!here)
        return cmpd_err_set(err, errno == ENOENT || errno == ENOTDIR ? CMPD_ENOENT : CMPD_EIO,
                            "cannot open %s: %s", dir && *dir ? dir : ".", strerror(errno));
    CMPD_AUTOFREE char *with_policy = NULL;
    CMPD_AUTOFREE char *top = NULL;
    look_upward(here, &with_policy, &top);
    struct cmpd_policy_place place = {0};
    cmpd_rc rc = CMPD_OK;
    if (given) {
        rc = load(given, &place.policy, err);
    } else if (with_policy) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/cmpd.json",
                                                 strcmp(with_policy, "/") ? with_policy : "");
        rc = load(path, &place.policy, err);
    } else {
        place.policy = cmpd_policy_new();
    }
    if (rc)
        return rc;
    const char *root = !given && with_policy ? with_policy : top ? top : here;
    place.root = cmpd_strdup(root);
    *out = place;
    return CMPD_OK;
}

void cmpd_policy_place_clear(struct cmpd_policy_place *place)
{
    free(place->root);
    cmpd_policy_free(place->policy);
    *place = (struct cmpd_policy_place){0};
}

char *cmpd_policy_relative(const struct cmpd_policy_place *place, const char *path)
{
    CMPD_AUTOFREE char *copy = cmpd_strdup(path);
    CMPD_AUTOFREE char *copy2 = cmpd_strdup(path);
    CMPD_AUTOFREE char *dir = realpath(dirname(copy), NULL);
    size_t n = strlen(place->root);
    if (!dir || strncmp(dir, place->root, n) != 0 || (n > 1 && dir[n] && dir[n] != '/'))
        return cmpd_strdup(path);
    const char *rest = dir + n;
    while (*rest == '/')
        rest++;
    return cmpd_asprintf("%s%s%s", rest, *rest ? "/" : "", basename(copy2));
}
