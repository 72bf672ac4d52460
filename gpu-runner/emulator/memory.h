/*
 * Inside of the emulated device's memory: memory.c, access.c, race.c, report.c and device.c share it. What the
 * interpreter calls stands in emu.h.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_MEMORY_H
#define CMPD_GPU_RUNNER_EMULATOR_MEMORY_H

#include "gpu-runner/emulator/emu.h"

struct emu_marks; /* race.h */

/* A stretch of memory that is checked as one: an allocation or a module's variable. */
struct emu_region {
    uint64_t base, size;     /* device address, bytes */
    uint8_t *data;           /* owned; NULL: freed, or of size 0 */
    uint8_t *shadow;         /* owned; one enum emu_shadow a byte; not kept while `defined` */
    struct emu_marks *marks; /* owned; NULL: no kernel touched it */
    char *name;              /* owned; of a variable, else NULL */
    uint32_t number;         /* of an allocation, from 1 */
    uint8_t kind;            /* enum cmpd_memory_kind */
    bool live;
    bool defined; /* every byte counts as EMU_WRITTEN */
    bool host;    /* the candidate's host code writes here too: stays defined */
};

struct emu_memory {
    struct emu_region *slots; /* owned; CMPD_DEVICE_SLOT_COUNT, mapped lazily */
    uint32_t used;            /* slots that were given out once */
    uint32_t oldest;          /* where the search for a freed slot to use again goes on */
    uint32_t allocations;     /* ever made, without variables */
    uint64_t limit_bytes, live_bytes;
    int poison_fd[2]; /* a file full of a pattern, for large allocations; -1: none yet */
    uint8_t poison_byte[2];
    const struct emu_device *device; /* borrowed */
    struct emu_race *race;           /* owned; race.h */
    struct emu_origin *origins;      /* owned */
    size_t origin_count, origin_cap;
    uint32_t
        loaded_from; /* place of the store behind the undefined value that was loaded last; 0: unknown */
    struct emu_kept *kept; /* owned; see emu_memory_keep */
    size_t kept_count, kept_cap;
    struct emu_reports *reports; /* owned; report.c */
};

/* The undefined value that instruction `store` left behind came from the load `load` (places of race.h). */
struct emu_origin {
    uint32_t store, load;
    bool computed; /* not merely copied */
    /* A copy of a whole value out of shared or local memory, judged when the launch is over. */
    char *copied;     /* owned; the message; NULL: none in this launch */
    uint64_t address; /* where the first one went */
    uint64_t times;
};
#define EMU_ORIGINS_CEILING 256

/* Zeroed memory, of which only what is touched costs anything. NULL: none left. Put back with the same size. */
void *emu_pages_get(uint64_t bytes);
void emu_pages_put(void *p, uint64_t bytes);

/* Contents of fresh device memory. */
#define EMU_FRESH_PATTERN 0xa5

cmpd_rc emu_memory_open(struct emu_device *d, uint64_t limit_bytes, struct emu_memory **out,
                        struct cmpd_err *err);
void emu_memory_close(struct emu_memory *m);

/* The region whose slot holds this address, live or freed; NULL: no device memory. */
static inline struct emu_region *emu_memory_find(const struct emu_memory *m, uint64_t address)
{
    uint64_t slot = (address - CMPD_DEVICE_BASE) >> CMPD_DEVICE_SLOT_BITS;
    return address >= CMPD_DEVICE_BASE && slot < m->used ? &m->slots[slot] : NULL;
}
/* The live region that holds the whole range; NULL: none. len 0 fits everywhere in it. */
struct emu_region *emu_memory_range(const struct emu_memory *m, uint64_t address, uint64_t len);
/* Makes ->shadow valid for every byte and clears `defined`. */
void emu_region_shadow(struct emu_region *r);

/* As the slots of the same names in device.h. */
void emu_memory_live(const struct emu_memory *m, uint64_t *count, uint64_t *bytes);
cmpd_rc emu_memory_write(struct emu_memory *m, uint64_t to, const void *from, size_t len,
                         struct cmpd_err *err);
cmpd_rc emu_memory_read(struct emu_memory *m, void *to, uint64_t from, size_t len,
                        struct cmpd_err *err);
cmpd_rc emu_memory_copy(struct emu_memory *m, uint64_t to, uint64_t from, size_t len,
                        struct cmpd_err *err);
cmpd_rc emu_memory_set(struct emu_memory *m, uint64_t to, uint32_t value, unsigned unit, size_t len,
                       struct cmpd_err *err);
cmpd_rc emu_memory_poison(struct emu_memory *m, uint64_t to, uint8_t pattern, size_t len,
                          struct cmpd_err *err);
cmpd_rc emu_memory_unwritten(struct emu_memory *m, uint64_t from, size_t len, uint64_t *count,
                             uint64_t *first, struct cmpd_err *err);
/* The place of the last store to the byte at `offset` of what these marks belong to; 0: unknown. */
uint32_t emu_marks_writer(const struct emu_marks *marks, uint64_t offset);
/* Where a kernel last stored to this byte since emu_memory_forget: a place of race.h; 0: unknown. */
uint32_t emu_memory_writer(const struct emu_memory *m, uint64_t address);
/* Adds a sighting for each place from which a value that hangs on unwritten memory reached the range. */
cmpd_rc emu_memory_undefined(struct emu_memory *m, uint64_t from, size_t len,
                             struct cmpd_sightings *sightings, struct cmpd_err *err);
/*
 * An undefined value was stored to global memory at `in`. If it was computed: a finding. If it is a copy of global
 * memory, or of part of a word (the hole of a structure): a note. A copy of a whole value of shared or local memory is a
 * finding if this instruction stores defined values as well, which emu_provenance_finish looks for: else it may be a hole.
 */
void emu_memory_tainted(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                        const struct emu_region *r, uint64_t offset, bool whole);
void emu_provenance_finish(struct emu_launch *l);
/* Room that lives as long as the memory; the same for the same key. */
void *emu_memory_keep(struct emu_memory *m, size_t bytes, const void *key);
/* A new case: races and writers of before are forgotten. */
void emu_memory_forget(struct emu_memory *m);

/* provenance.c; frees m->origins and m->kept */
void emu_provenance_clear(struct emu_memory *m);

/* "allocation #3 of 4096 bytes", "variable 'gtab' of 256 bytes", "freed allocation #3 ..."; always terminated. */
void emu_region_text(const struct emu_region *r, char *out, size_t cap);

#endif
