/*
 * From a fault to a sighting: file, line, kernel, thread, block. emu.h declares what the interpreter calls; this is
 * what memory and races call.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_REPORT_H
#define CMPD_GPU_RUNNER_EMULATOR_REPORT_H

#include "gpu-runner/emulator/race.h"

/* Counts a sighting that was made in this launch already; false: it is a new one. */
bool emu_report_again(struct emu_warp *w, const struct emu_ins *in, enum cmpd_tag tag, bool note);

struct emu_race_party { /* the other one */
    const char *what;   /* "write", "read", "atomic operation" */
    uint32_t stamp, place;
};
/* The whole message, thread and block included; owned by the caller. */
char *emu_race_message(const struct emu_racer *r, unsigned lane, const char *what, unsigned bytes,
                       uint64_t offset, const struct emu_race_party *other);
void emu_report_race(const struct emu_racer *r, unsigned lane, const char *what, unsigned bytes,
                     uint64_t offset, const struct emu_race_party *other, bool note);

/* The address is where no access may go: outside, freed, null, host memory. */
void emu_report_outside(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                        const char *what, unsigned bytes, uint64_t address,
                        enum cmpd_ptx_space space);

/* "tile" of a mangled or plain name; always terminated. */
void emu_demangle(const char *name, char *out, size_t cap);
/* "shared variable 'tile' of 4096 bytes" */
void emu_shared_text(const struct emu_warp *w, uint32_t slot, char *out, size_t cap);

/* The place that a sighting names: innermost outside toolkit headers, and the outermost call; NULL file: unknown. */
struct emu_source {
    const char *file, *outer_file; /* borrowed from the module */
    uint32_t line, outer_line;
};
struct emu_source emu_source_of(const struct cmpd_ptx_module *m, uint32_t ptx);

/* What an instruction did that left an undefined value, as the beginning of a sentence. */
struct emu_cause {
    enum cmpd_tag tag;
    bool computes;    /* it made the value, it read none */
    bool own;         /* it read shared or local memory: what no other kernel could have written */
    const char *text; /* static */
};
struct emu_cause emu_cause_of(const struct emu_module *m, uint32_t ptx);

/* "; thread (1,0,0) of block (0,0,0)", the tail of every message */
#define EMU_WHO_BYTES 192
void emu_who_text(const struct emu_warp *w, unsigned lane, char *out, size_t cap);

struct emu_reports *emu_reports_new(void);
void emu_reports_free(struct emu_reports *r);

#endif
