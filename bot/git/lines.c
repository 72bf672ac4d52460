/* The lines of one changed file; libgit2's diff core is git's own, so both see the same hunks. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/git/diff.h"

enum { CONTEXT_LINES = 3, BINARY_PROBE_BYTES = 8000 };

static bool looks_binary(const char *text, size_t len)
{
    return len && memchr(text, '\0', len < BINARY_PROBE_BYTES ? len : BINARY_PROBE_BYTES);
}

void cmpd_git_lines_clear(struct cmpd_git_lines *lines)
{
    free(lines->hunks);
    free(lines->added);
    free(lines->removed);
    free(lines->cut_after);
    *lines = (struct cmpd_git_lines){0};
}

/* Lists under construction, with room. */
struct filling {
    struct cmpd_git_lines *lines;
    size_t hunk_cap, added_cap, removed_cap, cut_cap;
};

static void append_line(struct cmpd_line_range **ranges, size_t *count, size_t *cap, uint32_t line)
{
    if (*count && (*ranges)[*count - 1].to + 1 == line) {
        (*ranges)[*count - 1].to = line;
        return;
    }
    CMPD_GROW(*ranges, *count + 1, *cap);
    (*ranges)[(*count)++] = (struct cmpd_line_range){line, line};
}

static void append_cut(struct filling *f, uint32_t after)
{
    struct cmpd_git_lines *l = f->lines;
    if (l->cut_count && l->cut_after[l->cut_count - 1] == after)
        return;
    CMPD_GROW(l->cut_after, l->cut_count + 1, f->cut_cap);
    l->cut_after[l->cut_count++] = after;
}

static cmpd_rc read_hunk(git_patch *patch, size_t index, struct filling *f, struct cmpd_err *err)
{
    const git_diff_hunk *hunk;
    size_t line_count;
    struct cmpd_git_lines *l = f->lines;

    if (git_patch_get_hunk(&hunk, &line_count, patch, index) < 0)
        return cmpd_err_set(err, CMPD_EINTERNAL, "a hunk cannot be read: %s",
                            cmpd_git_last_message());
    CMPD_GROW(l->hunks, l->hunk_count + 1, f->hunk_cap);
    l->hunks[l->hunk_count++] =
        (struct cmpd_git_hunk){(uint32_t)hunk->old_start, (uint32_t)hunk->old_lines,
                               (uint32_t)hunk->new_start, (uint32_t)hunk->new_lines};
    /* With no new line in the hunk its start is the line before already. */
    uint32_t last_new = (uint32_t)hunk->new_start - (hunk->new_lines > 0 && hunk->new_start > 0);
    for (size_t i = 0; i < line_count; i++) {
        const git_diff_line *line;
        if (git_patch_get_line_in_hunk(&line, patch, index, i) < 0)
            return cmpd_err_set(err, CMPD_EINTERNAL, "a hunk's line cannot be read: %s",
                                cmpd_git_last_message());
        if (line->origin == GIT_DIFF_LINE_ADDITION)
            append_line(&l->added, &l->added_count, &f->added_cap, (uint32_t)line->new_lineno);
        else if (line->origin == GIT_DIFF_LINE_DELETION)
            append_line(&l->removed, &l->removed_count, &f->removed_cap,
                        (uint32_t)line->old_lineno);
        if (line->origin == GIT_DIFF_LINE_DELETION)
            append_cut(f, last_new);
        else if (line->new_lineno > 0)
            last_new = (uint32_t)line->new_lineno;
    }
    return CMPD_OK;
}

cmpd_rc cmpd_git_lines(const char *old_text, size_t old_len, const char *new_text, size_t new_len,
                       struct cmpd_git_lines *out, struct cmpd_err *err)
{
    git_diff_options opt;
    struct cmpd_git_lines lines = {0};
    struct filling filling = {.lines = &lines};
    git_patch *patch = NULL;

    if (looks_binary(old_text, old_len) || looks_binary(new_text, new_len)) {
        lines.binary = true;
        *out = lines;
        return CMPD_OK;
    }
    cmpd_git_start();
    git_diff_options_init(&opt, GIT_DIFF_OPTIONS_VERSION);
    opt.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
    opt.context_lines = CONTEXT_LINES;
    opt.max_size = -1;
    if (git_patch_from_buffers(&patch, old_text, old_len, NULL, new_text, new_len, NULL, &opt) < 0)
        return cmpd_err_set(err, CMPD_EINTERNAL, "the lines cannot be compared: %s",
                            cmpd_git_last_message());
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < git_patch_num_hunks(patch); i++)
        rc = read_hunk(patch, i, &filling, err);
    git_patch_free(patch);
    if (rc != CMPD_OK)
        cmpd_git_lines_clear(&lines);
    else
        *out = lines;
    return rc;
}

bool cmpd_git_line_added(const struct cmpd_git_lines *lines, uint32_t line)
{
    if (lines->binary)
        return true;
    for (size_t i = 0; i < lines->added_count && lines->added[i].from <= line; i++) {
        if (line <= lines->added[i].to)
            return true;
    }
    return false;
}

bool cmpd_git_line_in_diff(const struct cmpd_git_lines *lines, uint32_t line)
{
    if (lines->binary)
        return true;
    for (size_t i = 0; i < lines->hunk_count; i++) {
        const struct cmpd_git_hunk *h = &lines->hunks[i];
        if (line >= h->new_start && line - h->new_start < h->new_count)
            return true;
    }
    return false;
}

bool cmpd_git_lines_touch(const struct cmpd_git_lines *lines, uint32_t from, uint32_t to)
{
    if (lines->binary)
        return true;
    for (size_t i = 0; i < lines->added_count; i++) {
        if (lines->added[i].from <= to && from <= lines->added[i].to)
            return true;
    }
    for (size_t i = 0; i < lines->cut_count; i++) {
        if (from <= lines->cut_after[i] && lines->cut_after[i] < to)
            return true;
    }
    return false;
}
