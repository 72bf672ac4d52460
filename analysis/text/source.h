/*
 * A source file as it was given: its bytes and its line table. Nothing here
 * changes the text; offsets of all layers lead back to it.
 */
#ifndef CMPD_ANALYSIS_TEXT_SOURCE_H
#define CMPD_ANALYSIS_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

struct cmpd_source {
    char *path;           /* owned; as shown to people */
    char *text;           /* owned; NUL-terminated behind len; BOM kept */
    size_t len;           /* bytes; at most CMPD_SOURCE_CEILING_BYTES */
    uint32_t *line_start; /* owned; offset of each line's first byte (LF, CRLF or CR end a line) */
    uint32_t line_count;  /* at least 1 */
    char sha256[65];      /* hex of the bytes */
    bool has_bom;
    bool binary; /* a NUL byte inside: not judged as text */
    bool valid_utf8;
};

/* Takes over `text` (malloc'ed, NUL-terminated behind len) on success. CMPD_ELIMIT when too long. */
cmpd_rc cmpd_source_new_take(const char *path, char *text, size_t len, struct cmpd_source **out,
                             struct cmpd_err *err);
/* Reads a file ("-": standard input); errors as cmpd_file_read's. */
cmpd_rc cmpd_source_open(const char *path, struct cmpd_source **out, struct cmpd_err *err);
void cmpd_source_free(struct cmpd_source *src);

/* 1-based line and column (bytes) of an offset; offsets past the end give the end. */
struct cmpd_pos {
    uint32_t line, column;
};
struct cmpd_pos cmpd_source_pos(const struct cmpd_source *src, size_t offset);

#endif
