/*
 * The findings of one run, gathered before they are told: a fault that shows in every case is one finding, and what
 * follows from another fault is left out.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_FINDINGS_H
#define CMPD_GPU_RUNNER_STAGES_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/device/device.h"
#include "gpu-runner/job/events.h"

#define CMPD_STAGE_PLACES 4

/* Addresses in the candidate's library on the stack of its host code, innermost first; 0: none. */
struct cmpd_stage_place {
    uint64_t at[CMPD_STAGE_PLACES];
};

struct cmpd_stage_findings {
    const char *file;                 /* borrowed: the judged file, relative to the root */
    bool doubt;                       /* all that is found is REVIEW at most (an assumed launch) */
    struct cmpd_event_finding *items; /* owned, with their strings */
    struct cmpd_stage_place *places;  /* owned; one each */
    size_t count, cap, place_cap;
};
#define CMPD_STAGE_FINDINGS_CEILING 100

void cmpd_stage_findings_clear(struct cmpd_stage_findings *f);

/* Strings are copied. The same tag at the same place is kept once, the first time. NULL: it was there, or too many. */
struct cmpd_event_finding *cmpd_stage_findings_add(struct cmpd_stage_findings *f,
                                                   const struct cmpd_event_finding *what);

/* The same, put together from its parts: message by format. */
struct cmpd_event_finding *cmpd_stage_findings_say(struct cmpd_stage_findings *f, enum cmpd_tag tag,
                                                   uint32_t line, const char *replay,
                                                   const char *hint, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* All sightings of a case; how many of them prove a fault. */
size_t cmpd_stage_findings_sightings(struct cmpd_stage_findings *f, const struct cmpd_sightings *s,
                                     const char *replay);

/* Of findings that turned out to stand at the same place only the first is kept. */
void cmpd_stage_findings_unite(struct cmpd_stage_findings *f);

bool cmpd_stage_findings_has(const struct cmpd_stage_findings *f, enum cmpd_tag tag);

/* Does any finding prove a fault (tag with the default tier reject, not a note, no doubt)? */
bool cmpd_stage_findings_proven(const struct cmpd_stage_findings *f, const char *rule);

/* Is `path` of a line table the judged file? Its root may have had another place when it was compiled. */
bool cmpd_stage_is_file(const char *path, const char *file);

#endif
