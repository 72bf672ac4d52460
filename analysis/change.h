/* Review: how the change under review touched a file. */
#ifndef CMPD_ANALYSIS_CHANGE_H
#define CMPD_ANALYSIS_CHANGE_H

#include <stddef.h>
#include <stdint.h>

enum cmpd_change_status {
    CMPD_CHANGE_ADDED,
    CMPD_CHANGE_MODIFIED,
    CMPD_CHANGE_RENAMED,   /* with or without changed lines; the result's old_path is set */
    CMPD_CHANGE_MODE,      /* the mode alone */
    CMPD_CHANGE_TYPE,      /* file, symbolic link or submodule took the place of another kind */
    CMPD_CHANGE_DELETED,   /* nothing to judge */
    CMPD_CHANGE_SUBMODULE, /* another commit of a submodule: left alone */
    CMPD_CHANGE_INCLUDER,  /* not changed itself: it includes a changed file (`via`) */
};

/* "added", "modified", "renamed", "mode", "type", "deleted", "submodule", "includer"; static. */
const char *cmpd_change_name(enum cmpd_change_status status);

/* Lines from..to, 1-based, both included. */
struct cmpd_line_range {
    uint32_t from, to;
};

struct cmpd_change {
    enum cmpd_change_status status;
    char *via;                     /* owned; INCLUDER: the changed file, else NULL */
    char *note;                    /* owned; a sentence for people, may be NULL */
    struct cmpd_line_range *added; /* owned; new side, ascending, adjacent lines joined */
    size_t added_count;
    struct cmpd_line_range *removed; /* owned; old side, likewise */
    size_t removed_count;
};

/* Frees what it owns and itself; NULL is fine. */
void cmpd_change_free(struct cmpd_change *change);

#endif
