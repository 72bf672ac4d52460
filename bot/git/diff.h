/*
 * What a change touches: the files between two trees, with renames followed,
 * and for one file the lines, as `git diff -M` with three context lines and
 * git's defaults shows them. Nothing of the user's configuration takes part.
 */
#ifndef CMPD_BOT_GIT_DIFF_H
#define CMPD_BOT_GIT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/change.h"
#include "bot/git/repo.h"

struct cmpd_git_side {
    char *path;          /* owned; raw bytes; NULL where the file is not there */
    git_filemode_t mode; /* GIT_FILEMODE_UNREADABLE where the file is not there */
    git_oid oid;
};

/* 1-based lines; a side with no line of the hunk has count 0 and start the line before. */
struct cmpd_git_hunk {
    uint32_t old_start, old_count, new_start, new_count;
};

struct cmpd_git_lines {
    struct cmpd_git_hunk *hunks; /* owned; with context */
    size_t hunk_count;
    struct cmpd_line_range *added; /* owned; new side, adjacent lines joined */
    size_t added_count;
    struct cmpd_line_range *removed; /* owned; old side */
    size_t removed_count;
    uint32_t *
        cut_after; /* owned; new side: lines after which old lines are gone (0: before the first) */
    size_t cut_count;
    bool binary; /* a side holds a NUL byte: no lines; all counts as changed */
};

struct cmpd_git_change {
    enum cmpd_change_status status; /* never INCLUDER */
    struct cmpd_git_side from, to;
};

struct cmpd_git_diff {
    struct cmpd_git_change *items; /* owned; ascending by path (the new one where there is one) */
    size_t count, cap;
    bool renames_cut; /* too many candidates: some renames count as deleted and added */
};

/* The path by which people know the file: the new one, for a deleted file the old one. Borrowed. */
const char *cmpd_git_change_path(const struct cmpd_git_change *change);

/* CMPD_ELIMIT: over CMPD_DIFF_FILES_CEILING files. CMPD_EIO: objects are missing. */
cmpd_rc cmpd_git_diff(struct cmpd_git *git, const git_oid *old_tree, const git_oid *new_tree,
                      struct cmpd_git_diff *out, struct cmpd_err *err);
void cmpd_git_diff_clear(struct cmpd_git_diff *diff);

/* The lines between two texts; NULL stands for a file that is not there. Safe in several threads at once. */
cmpd_rc cmpd_git_lines(const char *old_text, size_t old_len, const char *new_text, size_t new_len,
                       struct cmpd_git_lines *out, struct cmpd_err *err);
void cmpd_git_lines_clear(struct cmpd_git_lines *lines);

/* Of the new side. */
bool cmpd_git_line_added(const struct cmpd_git_lines *lines, uint32_t line);
bool cmpd_git_line_in_diff(const struct cmpd_git_lines *lines,
                           uint32_t line); /* added or context */
/* Is a line from..to (new side) added, or are old lines gone between two of them? */
bool cmpd_git_lines_touch(const struct cmpd_git_lines *lines, uint32_t from, uint32_t to);

#endif
