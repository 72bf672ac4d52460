/*
 * Where a key or a value stands in JSON text, for messages about JSON that
 * parses but says something wrong (jansson keeps no positions).
 */
#ifndef CMPD_ANALYSIS_BASE_JSONPOS_H
#define CMPD_ANALYSIS_BASE_JSONPOS_H

#include <stdbool.h>
#include <stddef.h>

/* One step down: into the member `key`, or where key is NULL into element `index`. */
struct cmpd_json_step {
    const char *key;
    size_t index;
};

struct cmpd_json_pos {
    size_t line, column; /* 1-based; column counts bytes */
};

/*
 * The place of the value at the end of the path, or with `of_key` that of the last step's key. The text must be valid
 * JSON; false (and 1:1) when the path is not in it.
 */
bool cmpd_json_locate(const char *text, size_t len, const struct cmpd_json_step *steps,
                      size_t depth, bool of_key, struct cmpd_json_pos *out);

#endif
