/* bot/git on repositories that the test makes with git itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "bot/git/diff.h"
#include "bot/git/merge_base.h"
#include "bot/git/path.h"
#include "bot/git/tree_export.h"

struct fixture {
    char dir[64];
    struct cmpd_git *git;
};

static void run(const char *dir, char *const argv[])
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (chdir(dir) == 0)
            execvp(argv[0], argv);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

#define GIT(f, ...) run((f)->dir, (char *const[]){"git", __VA_ARGS__, NULL})

static void put(struct fixture *f, const char *name, const char *text)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", f->dir, name);
    for (char *p = path + strlen(f->dir) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
}

static void commit(struct fixture *f)
{
    GIT(f, "add", "-A");
    GIT(f, "commit", "-q", "--allow-empty", "-m", "x");
}

static int make(void **state)
{
    struct fixture *f = cmpd_calloc(1, sizeof *f);
    snprintf(f->dir, sizeof f->dir, "/tmp/cmpd-git-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    setenv("GIT_AUTHOR_NAME", "t", 1);
    setenv("GIT_AUTHOR_EMAIL", "t@example.org", 1);
    setenv("GIT_COMMITTER_NAME", "t", 1);
    setenv("GIT_COMMITTER_EMAIL", "t@example.org", 1);
    GIT(f, "init", "-q", "-b", "main", ".");
    *state = f;
    return 0;
}

static int unmake(void **state)
{
    struct fixture *f = *state;
    cmpd_git_close(f->git);
    run("/tmp", (char *const[]){"rm", "-rf", f->dir, NULL});
    free(f);
    return 0;
}

static struct cmpd_git_commit at(struct fixture *f, const char *rev)
{
    struct cmpd_git_commit c;
    struct cmpd_err err = {0};
    if (!f->git)
        assert_int_equal(cmpd_git_open(f->dir, &f->git, &err), CMPD_OK);
    assert_int_equal(cmpd_git_revision(f->git, rev, &c, &err), CMPD_OK);
    return c;
}

static const struct cmpd_git_change *change_of(const struct cmpd_git_diff *d, const char *path)
{
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(cmpd_git_change_path(&d->items[i]), path) == 0)
            return &d->items[i];
    }
    fail_msg("%s is not in the diff", path);
    return NULL;
}

static void the_diff_follows_renames(void **state)
{
    struct fixture *f = *state;
    struct cmpd_git_diff d;
    put(f, "a.cu", "one\ntwo\nthree\nfour\n");
    put(f, "k/b.cu", "same\n");
    put(f, "gone.cu", "nothing like the others\n");
    put(f, "m.cu", "m\n");
    commit(f);
    GIT(f, "mv", "a.cu", "moved.cu");
    GIT(f, "mv", "k/b.cu", "b.cu");
    GIT(f, "rm", "-q", "gone.cu");
    put(f, "moved.cu", "one\ntwo\nthree\nfive\n");
    put(f, "m.cu", "n\n");
    put(f, "new.cu", "brand new\n");
    commit(f);
    struct cmpd_git_commit base = at(f, "HEAD~1"), head = at(f, "HEAD");
    assert_int_equal(cmpd_git_diff(f->git, &base.tree, &head.tree, &d, NULL), CMPD_OK);
    assert_int_equal(d.count, 5);
    const struct cmpd_git_change *moved = change_of(&d, "moved.cu");
    assert_int_equal(moved->status, CMPD_CHANGE_RENAMED);
    assert_string_equal(moved->from.path, "a.cu");
    assert_int_equal(change_of(&d, "b.cu")->status, CMPD_CHANGE_RENAMED);
    assert_int_equal(change_of(&d, "m.cu")->status, CMPD_CHANGE_MODIFIED);
    assert_int_equal(change_of(&d, "new.cu")->status, CMPD_CHANGE_ADDED);
    assert_int_equal(change_of(&d, "gone.cu")->status, CMPD_CHANGE_DELETED);
    for (size_t i = 1; i < d.count; i++)
        assert_true(
            strcmp(cmpd_git_change_path(&d.items[i - 1]), cmpd_git_change_path(&d.items[i])) < 0);
    assert_false(d.renames_cut);
    cmpd_git_diff_clear(&d);
    /* The other way round, and nothing at all. */
    assert_int_equal(cmpd_git_diff(f->git, &head.tree, &base.tree, &d, NULL), CMPD_OK);
    assert_int_equal(d.count, 5);
    cmpd_git_diff_clear(&d);
    assert_int_equal(cmpd_git_diff(f->git, &head.tree, &head.tree, &d, NULL), CMPD_OK);
    assert_int_equal(d.count, 0);
    cmpd_git_diff_clear(&d);
}

static void the_merge_base(void **state)
{
    struct fixture *f = *state;
    git_oid found;
    struct cmpd_err err = {0};
    put(f, "a.cu", "a\n");
    commit(f);
    GIT(f, "branch", "side");
    put(f, "b.cu", "b\n");
    commit(f);
    GIT(f, "checkout", "-q", "side");
    put(f, "c.cu", "c\n");
    commit(f);
    GIT(f, "checkout", "-q", "--orphan", "alien");
    commit(f);
    struct cmpd_git_commit root = at(f, "main~1"), m = at(f, "main"), s = at(f, "side"),
                           x = at(f, "alien");
    assert_int_equal(cmpd_git_merge_base(f->git, &m.commit, &s.commit, &found, &err), CMPD_OK);
    assert_true(git_oid_equal(&found, &root.commit));
    assert_int_equal(cmpd_git_merge_base(f->git, &m.commit, &root.commit, &found, &err), CMPD_OK);
    assert_true(git_oid_equal(&found, &root.commit));
    assert_int_equal(cmpd_git_merge_base(f->git, &m.commit, &x.commit, &found, &err), CMPD_ENOENT);
    assert_non_null(strstr(err.msg, "unrelated"));
}

static void entries_and_blobs(void **state)
{
    struct fixture *f = *state;
    struct cmpd_git_entry e;
    struct cmpd_err err = {0};
    char *text;
    size_t len, size;
    put(f, "k/a.cu", "12345");
    run(f->dir, (char *const[]){"ln", "-s", "k", "link", NULL});
    commit(f);
    struct cmpd_git_commit head = at(f, "HEAD");
    assert_int_equal(cmpd_git_entry_at(f->git, &head.tree, "k/a.cu", &e, &err), CMPD_OK);
    assert_true(cmpd_git_mode_is_file(e.mode));
    assert_int_equal(cmpd_git_blob_size(f->git, &e.oid, &size, &err), CMPD_OK);
    assert_int_equal(size, 5);
    assert_int_equal(cmpd_git_blob(f->git, &e.oid, 5, &text, &len, &err), CMPD_OK);
    assert_string_equal(text, "12345");
    free(text);
    assert_int_equal(cmpd_git_blob(f->git, &e.oid, 4, &text, &len, &err), CMPD_ELIMIT);
    assert_int_equal(cmpd_git_blob(f->git, &head.tree, 4, &text, &len, &err), CMPD_EIO);
    assert_int_equal(cmpd_git_entry_at(f->git, &head.tree, "link", &e, &err), CMPD_OK);
    assert_int_equal(e.mode, GIT_FILEMODE_LINK);
    assert_int_equal(cmpd_git_entry_at(f->git, &head.tree, "link/a.cu", &e, &err), CMPD_OK);
    assert_int_equal(e.mode, GIT_FILEMODE_UNREADABLE);
    assert_int_equal(cmpd_git_entry_at(f->git, &head.tree, "none", &e, &err), CMPD_OK);
    assert_int_equal(e.mode, GIT_FILEMODE_UNREADABLE);
}

static bool exported(const struct cmpd_export *ex, const char *path, const char *text)
{
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", ex->root, path);
    CMPD_BUF_AUTO struct cmpd_buf got = CMPD_BUF_INIT;
    return cmpd_file_read(full, 1 << 20, &got, NULL) == CMPD_OK &&
           strcmp(cmpd_buf_str(&got), text) == 0;
}

static void the_closure_is_exported(void **state)
{
    struct fixture *f = *state;
    struct cmpd_git_tree tree;
    struct cmpd_export ex = CMPD_EXPORT_INIT;
    struct cmpd_err err = {0};
    char *dir = "inc";
    struct cmpd_strings dirs = {&dir, 1, 1};
    const char *a =
        "#include \"b.cuh\"\n#include <deep/c.h>\n#include \"../../etc/passwd\"\n#include \"l.h\"\n";
    put(f, "k/a.cu", a);
    put(f, "k/b.cuh", "#include \"a.cu\"\n#include \"b.cuh\"\n");
    put(f, "inc/deep/c.h", "// c\n");
    put(f, "other/deep/c.h", "// not this one\n");
    put(f, "k/unused.cuh", "// unused\n");
    put(f, "CMakeLists.txt", "x\n");
    run(f->dir, (char *const[]){"ln", "-s", "/etc/passwd", "k/l.h", NULL});
    commit(f);
    put(f, "k/b.cuh", "#error not from the work tree\n");
    struct cmpd_git_commit head = at(f, "HEAD");
    assert_int_equal(cmpd_git_tree_list(f->git, &head.tree, &tree, &err), CMPD_OK);
    assert_int_equal(tree.count, 7);
    struct cmpd_includes *inc = cmpd_includes_new(f->git, &tree, &dirs, NULL, 0);
    assert_int_equal(cmpd_export_begin(&ex, &err), CMPD_OK);
    struct stat st;
    assert_int_equal(stat(ex.root, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
    assert_int_equal(cmpd_export_closure(&ex, f->git, inc, "k/a.cu", &err), CMPD_OK);
    assert_int_equal(cmpd_export_closure(&ex, f->git, inc, "k/b.cuh", &err), CMPD_OK);
    assert_int_equal(ex.files, 3);
    assert_true(exported(&ex, "k/a.cu", a));
    assert_true(exported(&ex, "k/b.cuh", "#include \"a.cu\"\n#include \"b.cuh\"\n"));
    assert_true(exported(&ex, "inc/deep/c.h", "// c\n"));
    CMPD_AUTOFREE char *link = cmpd_asprintf("%s/k/l.h", ex.root);
    assert_int_not_equal(lstat(link, &st), 0);
    CMPD_AUTOFREE char *root = cmpd_strdup(ex.root);
    cmpd_export_end(&ex);
    cmpd_export_end(&ex);
    assert_int_not_equal(lstat(root, &st), 0);
    cmpd_includes_free(inc);
    cmpd_git_tree_clear(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_diff_follows_renames, make, unmake),
        cmocka_unit_test_setup_teardown(the_merge_base, make, unmake),
        cmocka_unit_test_setup_teardown(entries_and_blobs, make, unmake),
        cmocka_unit_test_setup_teardown(the_closure_is_exported, make, unmake),
    };
    return cmocka_run_group_tests_name("git_repo", tests, NULL, NULL);
}
