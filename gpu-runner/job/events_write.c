/* What a runner says, each event with its own writer. Text may come from hostile code: it is cleaned here. */
#include <math.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "gpu-runner/job/events.h"

/* What a person reads of one message; the reader has the same ceiling. */
#define TEXT_CEILING 4000

/* Printable UTF-8 of any bytes: control characters become blanks, bad sequences question marks. */
static size_t sequence(const unsigned char *p)
{
    static const struct {
        unsigned char mask, head;
        size_t len;
    } forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}, {0xf8, 0xf0, 4}};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        if ((p[0] & forms[f].mask) != forms[f].head)
            continue;
        for (size_t i = 1; i < forms[f].len; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return 0;
        }
        return forms[f].len;
    }
    return 0;
}

static json_t *text_json(const char *s)
{
    char out[TEXT_CEILING + 8] = "";
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)s; *p && n < TEXT_CEILING;) {
        size_t len = sequence(p);
        if (len > 1) {
            memcpy(out + n, p, len);
            n += len;
        } else if (len == 1) {
            out[n++] = *p < 0x20 || *p == 0x7f ? ' ' : (char)*p;
        } else {
            out[n++] = '?';
        }
        p += len ? len : 1;
    }
    json_t *v = json_stringn(out, n);
    if (v)
        return v;
    /* An overlong or surrogate form: JSON can't hold it. */
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)out[i] < 0x80 ? out[i] : '?';
    return json_stringn(out, n);
}

/* What a program wrote: lines stay lines, and what can't be shown becomes a question mark. */
static json_t *output_json(const char *s, size_t len)
{
    struct cmpd_buf out = CMPD_BUF_INIT;
    len = len < CMPD_EVENT_OUTPUT_CEILING ? len : CMPD_EVENT_OUTPUT_CEILING;
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)s[i];
        size_t n = c >= 0x80 && i + 4 <= len ? sequence((const unsigned char *)s + i) : 1;
        bool shown = c >= 0x80 ? n > 1 : c >= 0x20 ? c != 0x7f : c == '\n' || c == '\t';
        if (shown)
            cmpd_buf_append(&out, s + i, n);
        else
            cmpd_buf_putc(&out, '?');
        i += n > 1 ? n : 1;
    }
    json_t *v = json_stringn(cmpd_buf_str(&out), out.len);
    for (size_t i = 0; !v && i < out.len; i++)
        out.data[i] = (unsigned char)out.data[i] < 0x80 ? out.data[i] : '?';
    if (!v)
        v = json_stringn(cmpd_buf_str(&out), out.len);
    cmpd_buf_clear(&out);
    return v;
}

static void add_text(json_t *o, const char *key, const char *s)
{
    if (s)
        json_object_set_new(o, key, text_json(s));
}

static void add_uint(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v));
}

/* JSON has no NaN and no infinity: the words stand there in place of the number. */
static json_t *number_json(double v)
{
    if (isnan(v))
        return json_string("nan");
    if (isinf(v))
        return json_string(v < 0 ? "-inf" : "inf");
    return json_real(v);
}

static json_t *event(const char *kind)
{
    return json_pack("{s:s}", "event", kind);
}

void cmpd_event_write_jail(struct cmpd_event_writer *w, const char *name)
{
    json_t *o = event("jail");
    add_text(o, "name", name);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_device(struct cmpd_event_writer *w, const char *name, const char *backend)
{
    json_t *o = event("device");
    add_text(o, "name", name);
    add_text(o, "backend", backend);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_progress(struct cmpd_event_writer *w, const char *what, uint32_t index,
                               uint32_t count)
{
    json_t *o = event("progress");
    add_text(o, "what", what);
    add_uint(o, "index", index);
    add_uint(o, "count", count);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_entry(struct cmpd_event_writer *w, const char *entry, const char *op,
                            const char *args_json, bool assumed_launch)
{
    json_t *o = event("entry");
    add_text(o, "name", entry);
    add_text(o, "op", op);
    /* The list itself, or with its key before it as it would stand in cmpd.json. */
    const char *list = args_json ? strchr(args_json, '[') : NULL;
    json_t *args = list ? json_loads(list, 0, NULL) : NULL;
    if (json_is_array(args))
        json_object_set(o, "args", args);
    json_decref(args);
    if (assumed_launch)
        json_object_set_new(o, "assumed_launch", json_true());
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_case(struct cmpd_event_writer *w, const struct cmpd_event_case *c)
{
    json_t *o = event("case"), *shape = json_object();
    add_text(o, "name", c->name);
    for (size_t i = 0; i < c->dim_count && i < CMPD_EVENT_DIMS_CEILING; i++)
        json_object_set_new(shape, c->shape[i].name, json_integer(c->shape[i].value));
    json_object_set_new(o, "shape", shape);
    add_text(o, "dtype", c->dtype);
    add_uint(o, "seed", c->seed);
    add_uint(o, "schedule", c->schedule);
    if (c->measured) {
        json_object_set_new(o, "max_abs_err", number_json(c->max_abs_err));
        json_object_set_new(o, "max_rel_err", number_json(c->max_rel_err));
    }
    json_object_set_new(o, "ok", json_boolean(c->ok));
    json_object_set_new(o, "elapsed_ms", number_json(c->elapsed_ms));
    add_uint(o, "lane_instructions", c->lane_instructions);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_program(struct cmpd_event_writer *w, int status, const char *out,
                              size_t out_len, const char *err, size_t err_len)
{
    json_t *o = event("program");
    json_object_set_new(o, "status", json_integer(status));
    if (out_len)
        json_object_set_new(o, "stdout", output_json(out, out_len));
    if (err_len)
        json_object_set_new(o, "stderr", output_json(err, err_len));
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_stage(struct cmpd_event_writer *w, enum cmpd_event_stage stage,
                            enum cmpd_event_status status, const char *why)
{
    static const char *const names[] = {"pass", "fail", "undecided"};
    json_t *o = event("stage");
    add_text(o, "stage", stage == CMPD_EVENT_NUMERIC ? "numeric" : "memory");
    add_text(o, "status", names[status]);
    add_text(o, "why", why);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_memory(struct cmpd_event_writer *w, bool ok, const char *method,
                             uint64_t launches, uint64_t lane_instructions)
{
    json_t *o = event("memory");
    json_object_set_new(o, "ok", json_boolean(ok));
    add_text(o, "method", method);
    add_uint(o, "launches", launches);
    add_uint(o, "lane_instructions", lane_instructions);
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_tolerance(struct cmpd_event_writer *w, double atol, double rtol)
{
    json_t *o = event("tolerance");
    json_object_set_new(o, "atol", number_json(atol));
    json_object_set_new(o, "rtol", number_json(rtol));
    cmpd_event_write_take(w, o);
}

void cmpd_event_write_finding(struct cmpd_event_writer *w, const struct cmpd_event_finding *f)
{
    json_t *o = event("finding");
    add_text(o, "tag", cmpd_tag_info(f->tag)->name);
    if (f->weight != CMPD_EVENT_SURE)
        add_text(o, "tier", f->weight == CMPD_EVENT_NOTE ? "note" : "review");
    add_uint(o, "line", f->line);
    add_uint(o, "column", f->column);
    add_text(o, "message", f->message ? f->message : "");
    add_text(o, "hint", f->hint);
    add_text(o, "kernel", f->kernel);
    add_text(o, "replay", f->replay);
    if (f->also.line) {
        json_t *also = json_object();
        add_text(also, "file", f->also.file);
        add_uint(also, "line", f->also.line);
        add_uint(also, "column", f->also.column);
        json_object_set_new(o, "also", also);
    }
    cmpd_event_write_take(w, o);
}
