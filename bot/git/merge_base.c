#include "bot/git/merge_base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"

static cmpd_rc none(struct cmpd_git *git, const git_oid *base, const git_oid *head,
                    struct cmpd_err *err)
{
    char a[GIT_OID_HEXSZ + 1], b[GIT_OID_HEXSZ + 1];

    git_oid_tostr(a, 13, base);
    git_oid_tostr(b, 13, head);
    if (git->shallow)
        return cmpd_err_set(
            err, CMPD_ENOENT,
            "the merge base of %s and %s is not in %s, a shallow clone; get it with "
            "git fetch --unshallow, or a deeper git fetch --depth=N",
            a, b, git->shown);
    return cmpd_err_set(err, CMPD_ENOENT,
                        "%s and %s have no merge base: their histories are unrelated", a, b);
}

/*
 * A shallow clone: libgit2 knows nothing of the cut and would fail on the first parent that is not there. So the
 * commits are walked here, and those that the file `shallow` names count as having no parents. Such histories are
 * short.
 */

struct node {
    git_oid id;
    git_time_t time;
    unsigned
        sides; /* 1: reached from base; 2: from head; 4: a parent of a common ancestor reaches it */
    git_oid *parents; /* owned */
    unsigned parent_count;
};

struct walk {
    struct cmpd_git *git;
    struct node *nodes; /* owned */
    size_t count, cap;
    size_t *slots; /* owned; open addressing, index + 1 */
    size_t slot_count;
    git_oid *cut; /* owned; sorted */
    size_t cut_count;
};

static size_t slot_of(const git_oid *id, size_t slot_count)
{
    size_t h;
    memcpy(&h, id->id, sizeof h);
    return h % slot_count;
}

static void rehash(struct walk *w, size_t slot_count)
{
    free(w->slots);
    w->slots = cmpd_calloc(slot_count, sizeof *w->slots);
    w->slot_count = slot_count;
    for (size_t i = 0; i < w->count; i++) {
        size_t s = slot_of(&w->nodes[i].id, slot_count);
        while (w->slots[s])
            s = (s + 1) % slot_count;
        w->slots[s] = i + 1;
    }
}

/* Index of the node for `id`, made when new. */
static size_t node_for(struct walk *w, const git_oid *id)
{
    if (w->count * 2 + 2 > w->slot_count)
        rehash(w, w->slot_count ? w->slot_count * 2 : 1024);
    size_t s = slot_of(id, w->slot_count);
    while (w->slots[s]) {
        if (git_oid_equal(&w->nodes[w->slots[s] - 1].id, id))
            return w->slots[s] - 1;
        s = (s + 1) % w->slot_count;
    }
    CMPD_GROW(w->nodes, w->count + 1, w->cap);
    w->nodes[w->count] = (struct node){.id = *id, .parent_count = UINT_MAX};
    w->slots[s] = ++w->count;
    return w->count - 1;
}

static int by_id(const void *a, const void *b)
{
    return git_oid_cmp(a, b);
}

static cmpd_rc read_cut(struct walk *w, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%sshallow", git_repository_commondir(w->git->repo));
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_file_read(path, CMPD_SHALLOW_CEILING_BYTES, &text, err);
    if (rc != CMPD_OK)
        return rc;
    size_t cap = 0;
    for (size_t at = 0; at + GIT_OID_HEXSZ <= text.len; at += GIT_OID_HEXSZ + 1) {
        CMPD_GROW(w->cut, w->cut_count + 1, cap);
        if (git_oid_fromstrn(&w->cut[w->cut_count], text.data + at, GIT_OID_HEXSZ) < 0)
            return cmpd_err_set(err, CMPD_EINPUT, "%s is broken", path);
        w->cut_count++;
    }
    if (w->cut_count)
        qsort(w->cut, w->cut_count, sizeof *w->cut, by_id);
    return CMPD_OK;
}

/* Reads the node's commit once. One that is missing ends its line of history, like a cut. */
static void load(struct walk *w, size_t at)
{
    struct node *n = &w->nodes[at];
    git_commit *c = NULL;

    if (n->parent_count != UINT_MAX)
        return;
    n->parent_count = 0;
    if (git_commit_lookup(&c, w->git->repo, &n->id) < 0)
        return;
    n->time = git_commit_time(c);
    bool cut = w->cut_count && bsearch(&n->id, w->cut, w->cut_count, sizeof *w->cut, by_id);
    unsigned parents = cut ? 0 : git_commit_parentcount(c);
    n->parents = cmpd_calloc(parents, sizeof *n->parents);
    for (unsigned i = 0; i < parents; i++)
        git_oid_cpy(&n->parents[i], git_commit_parent_id(c, i));
    n->parent_count = parents;
    git_commit_free(c);
}

/* Marks `start` and all that it reaches with the bit. */
static void mark(struct walk *w, size_t start, unsigned bit)
{
    size_t *todo = NULL, count = 0, cap = 0;

    CMPD_GROW(todo, 1, cap);
    todo[count++] = start;
    while (count) {
        size_t at = todo[--count];
        if (w->nodes[at].sides & bit)
            continue;
        w->nodes[at].sides |= bit;
        load(w, at);
        for (unsigned i = 0; i < w->nodes[at].parent_count; i++) {
            git_oid parent = w->nodes[at].parents[i];
            CMPD_GROW(todo, count + 1, cap);
            todo[count++] = node_for(w, &parent);
        }
    }
    free(todo);
}

/* A common ancestor that no other common ancestor descends to; the most recent one. */
static const struct node *best_common(struct walk *w)
{
    const struct node *best = NULL;

    for (size_t i = 0; i < w->count; i++) {
        if ((w->nodes[i].sides & 3) != 3)
            continue;
        for (unsigned p = 0; p < w->nodes[i].parent_count; p++) {
            git_oid parent = w->nodes[i].parents[p];
            mark(w, node_for(w, &parent), 4);
        }
    }
    for (size_t i = 0; i < w->count; i++) {
        const struct node *n = &w->nodes[i];
        if (n->sides == 3 && (!best || n->time > best->time))
            best = n;
    }
    return best;
}

static void walk_clear(struct walk *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->nodes[i].parents);
    free(w->nodes);
    free(w->slots);
    free(w->cut);
}

static cmpd_rc in_shallow(struct cmpd_git *git, const git_oid *base, const git_oid *head,
                          git_oid *out, struct cmpd_err *err)
{
    struct walk w = {.git = git};
    cmpd_rc rc = read_cut(&w, err);
    if (rc == CMPD_OK) {
        mark(&w, node_for(&w, base), 1);
        mark(&w, node_for(&w, head), 2);
        const struct node *best = best_common(&w);
        if (best)
            git_oid_cpy(out, &best->id);
        else
            rc = none(git, base, head, err);
    }
    walk_clear(&w);
    return rc;
}

cmpd_rc cmpd_git_merge_base(struct cmpd_git *git, const git_oid *base, const git_oid *head,
                            git_oid *out, struct cmpd_err *err)
{
    if (git->shallow)
        return in_shallow(git, base, head, out, err);
    git_oid found;
    int code = git_merge_base(&found, git->repo, base, head);
    /* The same code for a missing object, which is another fault. */
    if (code == GIT_ENOTFOUND && git_error_last() && git_error_last()->klass == GIT_ERROR_MERGE)
        return none(git, base, head, err);
    if (code < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot walk the history of %s: %s", git->shown,
                            cmpd_git_last_message());
    git_oid_cpy(out, &found);
    return CMPD_OK;
}
