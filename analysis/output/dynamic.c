/* The stages of the dynamic track in a sentence each, for the forms that people read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/common.h"

#define SHAPES_CEILING 1000

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void put_compile(const json_t *compile, cmpd_output_line_fn *line, void *ctx)
{
    const json_t *ms = json_object_get(compile, "elapsed_ms");
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    if (!json_is_true(json_object_get(compile, "ok")))
        return;
    cmpd_buf_puts(&out, "compile: OK");
    if (json_is_string(json_object_get(compile, "arch"))) {
        cmpd_buf_printf(&out, " (%s", text_of(compile, "arch"));
        if (json_is_number(ms))
            cmpd_buf_printf(&out, ", %.0fms", json_number_value(ms));
        if (json_is_true(json_object_get(compile, "cached")))
            cmpd_buf_puts(&out, ", cached");
        cmpd_buf_putc(&out, ')');
    }
    line(ctx, CMPD_LINE_GOOD, cmpd_buf_str(&out));
}

/* How many different shapes there are among the cases. */
static size_t shapes(const json_t *cases)
{
    size_t count = 0, total = json_array_size(cases);
    for (size_t i = 0; i < total && i < SHAPES_CEILING; i++) {
        const json_t *shape = json_object_get(json_array_get(cases, i), "shape");
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = json_equal(shape, json_object_get(json_array_get(cases, k), "shape")) == 1;
        count += !known;
    }
    return count;
}

static enum cmpd_line_mark status_of(const json_t *stage, const char **word)
{
    const char *status = text_of(stage, "status");
    if (strcmp(status, "pass") == 0) {
        *word = "PASS";
        return CMPD_LINE_GOOD;
    }
    *word = strcmp(status, "fail") == 0 ? "FAIL" : "undecided";
    return strcmp(status, "fail") == 0 ? CMPD_LINE_BAD : CMPD_LINE_OPEN;
}

/* The cases that are not in order, by name, each once. */
static void put_wrong(struct cmpd_buf *out, const json_t *cases)
{
    size_t named = 0, wrong = 0;
    for (size_t i = 0; i < json_array_size(cases); i++)
        wrong += !json_is_true(json_object_get(json_array_get(cases, i), "ok"));
    cmpd_buf_printf(out, " (%zu of %zu cases: ", wrong, json_array_size(cases));
    const char *last = "";
    for (size_t i = 0; i < json_array_size(cases) && named < 3; i++) {
        const json_t *c = json_array_get(cases, i);
        if (json_is_true(json_object_get(c, "ok")) || strcmp(last, text_of(c, "name")) == 0)
            continue;
        last = text_of(c, "name");
        cmpd_buf_printf(out, "%s%s", named++ ? ", " : "", last);
    }
    cmpd_buf_puts(out, wrong > named ? ", ...)" : ")");
}

/* 1e-05, 1.63e-05. */
static void put_power(struct cmpd_buf *out, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.0e", v);
    if (v > 0 && (strtod(text, NULL) > v * 1.001 || strtod(text, NULL) < v * 0.999))
        snprintf(text, sizeof text, "%.2e", v);
    cmpd_buf_puts(out, v > 0 ? text : "0");
}

static void put_numeric(const json_t *numeric, cmpd_output_line_fn *line, void *ctx)
{
    const json_t *cases = json_object_get(numeric, "cases"),
                 *atol = json_object_get(numeric, "atol");
    const char *word;
    enum cmpd_line_mark mark = status_of(numeric, &word);
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    cmpd_buf_printf(&out, "numerical test: %s", word);
    if (mark == CMPD_LINE_GOOD && atol) {
        cmpd_buf_puts(&out, " atol=");
        put_power(&out, json_number_value(atol));
        cmpd_buf_puts(&out, ", rtol=");
        put_power(&out, json_number_value(json_object_get(numeric, "rtol")));
    }
    if (mark == CMPD_LINE_GOOD) {
        size_t n = shapes(cases);
        cmpd_buf_printf(&out, " (%zu shape%s)", n, n == 1 ? "" : "s");
    } else if (mark == CMPD_LINE_BAD && json_array_size(cases)) {
        put_wrong(&out, cases);
    } else if (json_object_get(numeric, "why")) {
        cmpd_buf_printf(&out, " (%s)", text_of(numeric, "why"));
    }
    line(ctx, mark, cmpd_buf_str(&out));
}

static void put_memory(const json_t *memory, cmpd_output_line_fn *line, void *ctx)
{
    const char *word, *method = text_of(memory, "method"), *why = text_of(memory, "why");
    enum cmpd_line_mark mark = status_of(memory, &word);
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    cmpd_buf_printf(&out, "memory test: %s", word);
    if (mark == CMPD_LINE_OPEN ? *why : *method)
        cmpd_buf_printf(&out, " (%s)", mark == CMPD_LINE_OPEN ? why : method);
    line(ctx, mark, cmpd_buf_str(&out));
}

void cmpd_output_dynamic_lines(const struct cmpd_file_result *r, cmpd_output_line_fn *line,
                               void *ctx)
{
    const json_t *d = r->dynamic.details;
    if (strcmp(text_of(d, "jail"), "none") == 0)
        line(ctx, CMPD_LINE_OPEN, "jail: none: foreign code could do what this user may do");
    put_compile(json_object_get(d, "compile"), line, ctx);
    if (json_object_get(d, "numeric"))
        put_numeric(json_object_get(d, "numeric"), line, ctx);
    if (json_object_get(d, "memory"))
        put_memory(json_object_get(d, "memory"), line, ctx);
    if (json_object_get(d, "assumed_launch"))
        line(ctx, CMPD_LINE_OPEN, "the launch was assumed: the file has none");
}

void cmpd_output_also(const struct cmpd_file_result *r, const struct cmpd_finding *f,
                      struct cmpd_buf *out)
{
    cmpd_line_append(out, f->also_file ? f->also_file : r->path);
    cmpd_buf_printf(out, ":%u", f->also_line);
}
