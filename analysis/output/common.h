/* What the output forms share. Private to this folder. */
#ifndef CMPD_ANALYSIS_OUTPUT_COMMON_H
#define CMPD_ANALYSIS_OUTPUT_COMMON_H

#include <jansson.h>

#include "analysis/output/output.h"

extern const struct cmpd_output_ops cmpd_output_text, cmpd_output_json, cmpd_output_sarif,
    cmpd_output_gitlab, cmpd_output_rdjson, cmpd_output_github, cmpd_output_prompt,
    cmpd_output_html;

/* Well-formed UTF-8: each bad byte becomes U+FFFD. */
void cmpd_utf8_append(struct cmpd_buf *out, const char *s, size_t len);

/* A JSON string of any bytes; NULL gives JSON's null. */
json_t *cmpd_json_text(const char *s);

/* Adds a member, or nothing where the string is NULL. */
void cmpd_json_add_text(json_t *object, const char *name, const char *s);

/* Appends the value with two spaces of indent and a line end; drops the reference. */
void cmpd_json_write_take(json_t *value, struct cmpd_buf *out);

/* One line for a terminal or a log: control characters and bad UTF-8 are replaced. */
void cmpd_line_append(struct cmpd_buf *out, const char *s);

/* Is the finding shown: not filtered away, not suppressed? */
bool cmpd_output_shown(const struct cmpd_finding *f);

/*
 * The distinct tags that count, reject before review, each in the order of the findings; what was not judged at all is
 * not among them. Returns how many; out holds CMPD_TAG_COUNT.
 */
size_t cmpd_output_reasons(const struct cmpd_findings *list, enum cmpd_tag *out);
size_t cmpd_output_document_reasons(const struct cmpd_document *doc, enum cmpd_tag *out);

/* Line `line` of the file without its end, borrowed; false where the source is not at hand. */
bool cmpd_output_line(const struct cmpd_file_result *r, uint32_t line, const char **text,
                      size_t *len);

/* "static track rejected", ...: why there is no dynamic result; never NULL. */
const char *cmpd_output_dynamic_why(const struct cmpd_file_result *r);

enum cmpd_line_mark { CMPD_LINE_GOOD, CMPD_LINE_BAD, CMPD_LINE_OPEN };
typedef void cmpd_output_line_fn(void *ctx, enum cmpd_line_mark mark, const char *text);
/* Calls `line` for each stage of the dynamic track that has something to say. Text is any bytes. */
void cmpd_output_dynamic_lines(const struct cmpd_file_result *r, cmpd_output_line_fn *line,
                               void *ctx);
/* "scale.cu:12": a finding's second place, which it has. */
void cmpd_output_also(const struct cmpd_file_result *r, const struct cmpd_finding *f,
                      struct cmpd_buf *out);

/* "scan", "lex", "ast". */
const char *cmpd_output_layer(enum cmpd_layer layer);

/* "done", "skipped", "unavailable". */
const char *cmpd_output_status(enum cmpd_dynamic_status status);

/* Text form of a review: what was compared, and a line for each file. */
void cmpd_text_review_head(const struct cmpd_document *doc, struct cmpd_buf *out);
/* A file with nothing to judge (deleted and the like): its line in the head says all. */
bool cmpd_text_listed_only(const struct cmpd_file_result *r);

/* Path for a URI: everything but letters, digits and -._~/ is percent-encoded. */
void cmpd_uri_append(struct cmpd_buf *out, const char *path);

#endif
