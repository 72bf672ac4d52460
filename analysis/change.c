#include "analysis/change.h"

#include <stdlib.h>

const char *cmpd_change_name(enum cmpd_change_status status)
{
    switch (status) {
    case CMPD_CHANGE_ADDED:
        return "added";
    case CMPD_CHANGE_MODIFIED:
        return "modified";
    case CMPD_CHANGE_RENAMED:
        return "renamed";
    case CMPD_CHANGE_MODE:
        return "mode";
    case CMPD_CHANGE_TYPE:
        return "type";
    case CMPD_CHANGE_DELETED:
        return "deleted";
    case CMPD_CHANGE_SUBMODULE:
        return "submodule";
    case CMPD_CHANGE_INCLUDER:
        return "includer";
    }
    return "";
}

void cmpd_change_free(struct cmpd_change *change)
{
    if (!change)
        return;
    free(change->via);
    free(change->note);
    free(change->added);
    free(change->removed);
    free(change);
}
