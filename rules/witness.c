#include "rules/witness.h"

bool cmpd_witness_has_kernel(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0;
}

static void report(struct cmpd_check *check, const struct cmpd_fault *f)
{
    cmpd_report(check, f->tag, f->proven, f->at.off, f->at.end, f->kernel ? f->kernel->name : NULL,
                f->hint, "%s", f->message);
}

void cmpd_witness_report(struct cmpd_check *check, const enum cmpd_tag *tags, size_t tag_count)
{
    if (!check->facts)
        return;
    for (size_t i = 0; i < check->facts->fault_count; i++) {
        for (size_t t = 0; t < tag_count; t++) {
            if (check->facts->faults[i].tag == tags[t]) {
                report(check, &check->facts->faults[i]);
                break;
            }
        }
    }
}
