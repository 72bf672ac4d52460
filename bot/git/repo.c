#include "bot/git/repo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/alloc.h"

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Never shut down: the library's state belongs to the process. */
static void start_library(void)
{
    /* Kinds of repository that hold nothing which reading objects would trip over. */
    static const char *extensions[] = {"worktreeconfig", "partialclone", "preciousobjects"};

    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, sizeof extensions / sizeof *extensions);
}

void cmpd_git_start(void)
{
    pthread_once(&library_once, start_library);
}

const char *cmpd_git_last_message(void)
{
    const git_error *e = git_error_last();
    return e && e->message ? e->message : "no reason given";
}

/* Git itself refuses these as well: a hostile owner could have put commands into the configuration. */
static cmpd_rc foreign_owner(const char *dir, struct cmpd_err *err)
{
    char full[4096];
    const char *shown = realpath(dir, full) ? full : dir;
    return cmpd_err_set(
        err, CMPD_EIO,
        "%s belongs to another user, so git's rules forbid to read it; if you trust "
        "it: git config --global --add safe.directory %s",
        shown, shown);
}

/* libgit2 1.5 says "not found" where the owner is another and no setting makes an exception. */
static bool is_foreign(int code)
{
    return code == GIT_EOWNER ||
           (code == GIT_ENOTFOUND && strstr(cmpd_git_last_message(), "safe.directory"));
}

static cmpd_rc open_failed(const char *dir, int code, struct cmpd_err *err)
{
    struct stat st;

    if (is_foreign(code))
        return foreign_owner(dir, err);
    if (stat(dir, &st) < 0)
        return cmpd_err_set(err, CMPD_ENOENT, "%s: no such folder", dir);
    if (code == GIT_ENOTFOUND)
        return cmpd_err_set(err, CMPD_ENOENT,
                            "%s is not a git repository, nor is a folder above it", dir);
    return cmpd_err_set(err, CMPD_EINPUT, "cannot open the git repository %s: %s", dir,
                        cmpd_git_last_message());
}

cmpd_rc cmpd_git_open(const char *dir, struct cmpd_git **out, struct cmpd_err *err)
{
    cmpd_git_start();
    git_repository *repo = NULL;
    int code = git_repository_open_ext(&repo, dir, 0, NULL);
    if (code < 0)
        return open_failed(dir, code, err);
    git_odb *odb = NULL;
    if (git_repository_odb(&odb, repo) < 0) {
        git_repository_free(repo);
        return cmpd_err_set(err, CMPD_EIO, "cannot read the objects of %s: %s", dir,
                            cmpd_git_last_message());
    }
    struct cmpd_git *git = cmpd_calloc(1, sizeof *git);
    git->repo = repo;
    git->odb = odb;
    git->shallow = git_repository_is_shallow(repo) == 1;
    git->shown = cmpd_strdup(dir);
    pthread_mutex_init(&git->lock, NULL);
    *out = git;
    return CMPD_OK;
}

void cmpd_git_close(struct cmpd_git *git)
{
    if (!git)
        return;
    git_odb_free(git->odb);
    git_repository_free(git->repo);
    pthread_mutex_destroy(&git->lock);
    free(git->shown);
    free(git);
}

/* CI checkouts often know a branch by its remote's name alone. */
static bool remote_branch(struct cmpd_git *git, const char *rev)
{
    CMPD_AUTOFREE char *name = cmpd_asprintf("refs/remotes/origin/%s", rev);
    git_oid id;
    return git_reference_name_to_id(&id, git->repo, name) == 0;
}

static cmpd_rc revision_failed(struct cmpd_git *git, const char *rev, int code,
                               struct cmpd_err *err)
{
    bool names_head = strncmp(rev, "HEAD", 4) == 0 || rev[0] == '@';
    git_strarray refs = {0};

    if (names_head && git_repository_head_unborn(git->repo) == 1)
        return cmpd_err_set(err, CMPD_ENOENT, "revision '%s' of %s: its branch has no commit yet",
                            rev, git->shown);
    bool empty = git_reference_list(&refs, git->repo) == 0 && refs.count == 0;
    git_strarray_dispose(&refs);
    if (empty)
        return cmpd_err_set(err, CMPD_ENOENT, "revision '%s' is not in %s, which has no commit yet",
                            rev, git->shown);
    if (code == GIT_EAMBIGUOUS)
        return cmpd_err_set(err, CMPD_ENOENT, "revision '%s' of %s could mean several objects", rev,
                            git->shown);
    if (code == GIT_EINVALIDSPEC)
        return cmpd_err_set(err, CMPD_ENOENT, "'%s' is not the form of a revision", rev);
    if (remote_branch(git, rev))
        return cmpd_err_set(err, CMPD_ENOENT,
                            "revision '%s' is not in %s; did you mean 'origin/%s'?", rev,
                            git->shown, rev);
    if (git->shallow)
        return cmpd_err_set(err, CMPD_ENOENT,
                            "revision '%s' is not in %s, a shallow clone; git fetch --unshallow "
                            "gets the rest",
                            rev, git->shown);
    return cmpd_err_set(err, CMPD_ENOENT, "revision '%s' is not in %s", rev, git->shown);
}

static cmpd_rc no_commit(const char *rev, const git_object *obj, struct cmpd_err *err)
{
    return cmpd_err_set(err, CMPD_ENOENT, "revision '%s' names a %s, not a commit", rev,
                        git_object_type2string(git_object_type(obj)));
}

static cmpd_rc from_commit(git_object *commit, struct cmpd_git_commit *out, struct cmpd_err *err)
{
    git_oid_cpy(&out->commit, git_object_id(commit));
    git_oid_cpy(&out->tree, git_commit_tree_id((const git_commit *)commit));
    (void)err;
    return CMPD_OK;
}

cmpd_rc cmpd_git_revision(struct cmpd_git *git, const char *rev, struct cmpd_git_commit *out,
                          struct cmpd_err *err)
{
    git_object *obj = NULL, *commit = NULL;
    int code = rev[0] ? git_revparse_single(&obj, git->repo, rev) : GIT_EINVALIDSPEC;
    if (code < 0)
        return revision_failed(git, rev, code, err);
    cmpd_rc rc = git_object_peel(&commit, obj, GIT_OBJECT_COMMIT) < 0
                     ? no_commit(rev, obj, err)
                     : from_commit(commit, out, err);
    git_object_free(commit);
    git_object_free(obj);
    return rc;
}

cmpd_rc cmpd_git_commit_of(struct cmpd_git *git, const git_oid *id, struct cmpd_git_commit *out,
                           struct cmpd_err *err)
{
    git_object *commit = NULL;
    if (git_object_lookup(&commit, git->repo, id, GIT_OBJECT_COMMIT) < 0)
        return cmpd_err_set(err, CMPD_ENOENT, "commit %s is not in %s: %s", git_oid_tostr_s(id),
                            git->shown, cmpd_git_last_message());
    cmpd_rc rc = from_commit(commit, out, err);
    git_object_free(commit);
    return rc;
}

cmpd_rc cmpd_git_entry_at(struct cmpd_git *git, const git_oid *tree_id, const char *path,
                          struct cmpd_git_entry *out, struct cmpd_err *err)
{
    git_tree *tree = NULL;
    git_tree_entry *entry = NULL;
    struct cmpd_git_entry found = {GIT_FILEMODE_UNREADABLE, {{0}}};

    pthread_mutex_lock(&git->lock);
    int code = git_tree_lookup(&tree, git->repo, tree_id);
    if (code == 0) {
        code = git_tree_entry_bypath(&entry, tree, path);
        if (code == 0) {
            found.mode = git_tree_entry_filemode(entry);
            git_oid_cpy(&found.oid, git_tree_entry_id(entry));
        }
        if (code == GIT_ENOTFOUND)
            code = 0;
    }
    git_tree_entry_free(entry);
    git_tree_free(tree);
    pthread_mutex_unlock(&git->lock);
    if (code < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot read the tree %s of %s: %s",
                            git_oid_tostr_s(tree_id), git->shown, cmpd_git_last_message());
    *out = found;
    return CMPD_OK;
}

static cmpd_rc blob_missing(const git_oid *oid, struct cmpd_err *err)
{
    char hex[GIT_OID_HEXSZ + 1];
    return cmpd_err_set(err, CMPD_EIO, "its content %s is not in the repository (%s)",
                        git_oid_tostr(hex, sizeof hex, oid), cmpd_git_last_message());
}

cmpd_rc cmpd_git_blob_size(struct cmpd_git *git, const git_oid *oid, size_t *size,
                           struct cmpd_err *err)
{
    git_object_t type;
    size_t len;

    pthread_mutex_lock(&git->lock);
    int code = git_odb_read_header(&len, &type, git->odb, oid);
    cmpd_rc rc = code < 0 || type != GIT_OBJECT_BLOB ? blob_missing(oid, err) : CMPD_OK;
    pthread_mutex_unlock(&git->lock);
    if (rc == CMPD_OK)
        *size = len;
    return rc;
}

cmpd_rc cmpd_git_blob(struct cmpd_git *git, const git_oid *oid, size_t ceiling, char **text,
                      size_t *len, struct cmpd_err *err)
{
    size_t size;
    cmpd_rc rc = cmpd_git_blob_size(git, oid, &size, err);
    if (rc != CMPD_OK)
        return rc;
    if (size > ceiling)
        return cmpd_err_set(err, CMPD_ELIMIT, "it has %zu bytes; at most %zu are read", size,
                            ceiling);
    git_odb_object *obj = NULL;
    pthread_mutex_lock(&git->lock);
    if (git_odb_read(&obj, git->odb, oid) < 0) {
        rc = blob_missing(oid, err);
    } else {
        *len = git_odb_object_size(obj);
        *text = cmpd_strndup(git_odb_object_data(obj), *len);
        git_odb_object_free(obj);
    }
    pthread_mutex_unlock(&git->lock);
    return rc;
}
