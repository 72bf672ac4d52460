/* SARIF 2.1.0. Columns count code points there, so they are converted. */
#include <string.h>

#include "analysis/base/version.h"
#include "analysis/output/common.h"

/* What columns were converted last: neighbours on one line go on from there. */
struct columns {
    uint32_t line, byte_column, column;
};

static const char *level(enum cmpd_tier t)
{
    return t == CMPD_TIER_REJECT ? "error" : t == CMPD_TIER_REVIEW ? "warning" : "note";
}

static json_t *text_object(const char *s)
{
    json_t *o = json_object();
    cmpd_json_add_text(o, "text", s);
    return o;
}

static json_t *uri_object(const char *path, size_t index)
{
    struct cmpd_buf uri = CMPD_BUF_INIT;
    if (path[0] == '/')
        cmpd_buf_puts(&uri, "file://");
    cmpd_uri_append(&uri, strcmp(path, "-") == 0 ? "stdin" : path);
    json_t *o = json_object();
    json_object_set_new(o, "uri", json_string(cmpd_buf_str(&uri)));
    json_object_set_new(o, "index", json_integer((json_int_t)index));
    cmpd_buf_clear(&uri);
    return o;
}

/* Byte column to code point column; each byte of broken UTF-8 counts as one. */
static uint32_t convert(const struct cmpd_file_result *r, struct columns *known, uint32_t line,
                        uint32_t byte_column)
{
    const char *text;
    size_t len;
    if (!cmpd_output_line(r, line, &text, &len))
        return byte_column;
    struct columns at = {line, 1, 1};
    if (known->line == line && known->byte_column <= byte_column)
        at = *known;
    for (; at.byte_column < byte_column; at.byte_column++) {
        bool inside = at.byte_column - 1 < len;
        at.column += !inside || ((unsigned char)text[at.byte_column - 1] & 0xc0) != 0x80;
    }
    *known = at;
    return at.column;
}

static json_t *region(const struct cmpd_file_result *r, const struct cmpd_finding *f,
                      struct columns *known)
{
    json_t *o = json_object();
    json_object_set_new(o, "startLine", json_integer(f->line));
    if (!f->column)
        return o;
    uint32_t from = convert(r, known, f->line, f->column);
    struct columns end = f->end_line == f->line ? *known : (struct columns){0, 1, 1};
    json_object_set_new(o, "startColumn", json_integer(from));
    json_object_set_new(o, "endLine", json_integer(f->end_line));
    json_object_set_new(o, "endColumn", json_integer(convert(r, &end, f->end_line, f->end_column)));
    return o;
}

static json_t *location(const struct cmpd_file_result *r, size_t index,
                        const struct cmpd_finding *f, struct columns *known)
{
    json_t *place = json_object(), *o = json_object();
    json_object_set_new(place, "artifactLocation", uri_object(r->path, index));
    if (f->line)
        json_object_set_new(place, "region", region(r, f, known));
    json_object_set_new(o, "physicalLocation", place);
    if (f->kernel) {
        json_t *logical = json_object();
        cmpd_json_add_text(logical, "name", f->kernel);
        cmpd_json_add_text(logical, "kind", "function");
        json_object_set_new(o, "logicalLocations", json_pack("[o]", logical));
    }
    return o;
}

/* The second place of a finding: in this file, else named without an index. */
static json_t *related(const struct cmpd_file_result *r, size_t index, const struct cmpd_finding *f)
{
    json_t *o = json_object(), *place = json_object();
    json_t *uri = uri_object(f->also_file ? f->also_file : r->path, index);
    if (f->also_file)
        json_object_del(uri, "index");
    json_object_set_new(place, "artifactLocation", uri);
    json_object_set_new(place, "region", json_pack("{sI}", "startLine", (json_int_t)f->also_line));
    json_object_set_new(o, "id", json_integer(1));
    json_object_set_new(o, "physicalLocation", place);
    return o;
}

static json_t *suppressions(const struct cmpd_finding *f)
{
    json_t *one = json_object();
    cmpd_json_add_text(one, "kind", "inSource");
    cmpd_json_add_text(one, "justification", f->suppress_why);
    return json_pack("[o]", one);
}

static json_t *result(const struct cmpd_file_result *r, size_t index, const struct cmpd_finding *f,
                      const int *rule_index, struct columns *known)
{
    json_t *o = json_object(), *properties = json_object();
    cmpd_json_add_text(o, "ruleId", cmpd_tag_info(f->tag)->name);
    json_object_set_new(o, "ruleIndex", json_integer(rule_index[f->tag]));
    cmpd_json_add_text(o, "level", level(f->tier));
    json_object_set_new(o, "message", text_object(f->message));
    json_object_set_new(o, "locations", json_pack("[o]", location(r, index, f, known)));
    json_object_set_new(o, "partialFingerprints", json_pack("{ss}", "cmpd/v1", f->fingerprint));
    if (f->also_line)
        json_object_set_new(o, "relatedLocations", json_pack("[o]", related(r, index, f)));
    if (f->suppressed)
        json_object_set_new(o, "suppressions", suppressions(f));
    cmpd_json_add_text(properties, "tier", cmpd_tier_name(f->tier));
    cmpd_json_add_text(properties, "track", f->track == CMPD_TRACK_STATIC ? "static" : "dynamic");
    cmpd_json_add_text(properties, "hint", f->hint);
    cmpd_json_add_text(properties, "replay", f->replay);
    if (f->preexisting)
        json_object_set_new(properties, "preexisting", json_true());
    json_object_set_new(o, "properties", properties);
    return o;
}

static json_t *rule(enum cmpd_tag tag)
{
    const struct cmpd_tag_info *info = cmpd_tag_info(tag);
    char help[200];
    snprintf(help, sizeof help, "%s. `cmpd explain %s` says more.", info->summary, info->name);
    json_t *o = json_object();
    cmpd_json_add_text(o, "id", info->name);
    json_object_set_new(o, "shortDescription", text_object(info->summary));
    json_object_set_new(o, "help", text_object(help));
    json_object_set_new(o, "defaultConfiguration", json_pack("{ss}", "level", level(info->tier)));
    json_object_set_new(o, "properties", json_pack("{ss}", "rule", info->rule));
    return o;
}

/* The tags that occur, in the order of the table; rule_index[tag] is the place in the list. */
static json_t *rules(const struct cmpd_document *doc, int *rule_index)
{
    bool used[CMPD_TAG_COUNT] = {false};
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_findings *list = &doc->files[i]->findings;
        for (size_t k = 0; k < list->count; k++)
            used[list->items[k].tag] = used[list->items[k].tag] || !list->items[k].hidden;
    }
    json_t *out = json_array();
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        rule_index[t] = (int)json_array_size(out);
        if (used[t])
            json_array_append_new(out, rule((enum cmpd_tag)t));
    }
    return out;
}

static json_t *artifacts(const struct cmpd_document *doc)
{
    json_t *list = json_array();
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_file_result *r = doc->files[i];
        json_t *o = json_object(), *place = uri_object(r->path, i);
        json_object_del(place, "index");
        json_object_set_new(o, "location", place);
        if (r->source)
            json_object_set_new(o, "length", json_integer((json_int_t)r->source->len));
        if (r->sha256[0])
            json_object_set_new(o, "hashes", json_pack("{ss}", "sha-256", r->sha256));
        json_array_append_new(list, o);
    }
    return list;
}

static void add_notification(json_t *list, const struct cmpd_err *err)
{
    if (err->rc == CMPD_OK)
        return;
    json_t *o = json_object();
    cmpd_json_add_text(o, "level", "error");
    json_object_set_new(o, "message", text_object(err->msg));
    json_array_append_new(list, o);
}

static json_t *invocation(const struct cmpd_document *doc, const struct cmpd_output_env *env)
{
    json_t *notes = json_array(), *o = json_object();
    add_notification(notes, &doc->error);
    for (size_t i = 0; i < doc->count; i++)
        add_notification(notes, &doc->files[i]->error);
    json_object_set_new(o, "executionSuccessful", json_boolean(json_array_size(notes) == 0));
    json_object_set_new(o, "exitCode", json_integer(env->exit_status));
    json_object_set_new(o, "toolExecutionNotifications", notes);
    return o;
}

static json_t *results(const struct cmpd_document *doc, const int *rule_index)
{
    json_t *list = json_array();
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_file_result *r = doc->files[i];
        struct columns known = {0, 1, 1};
        for (size_t k = 0; k < r->findings.count; k++) {
            const struct cmpd_finding *f = &r->findings.items[k];
            if (!f->hidden)
                json_array_append_new(list, result(r, i, f, rule_index, &known));
        }
    }
    return list;
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    int rule_index[CMPD_TAG_COUNT];
    json_t *run = json_object(), *driver = json_object(), *properties = json_object();
    cmpd_json_add_text(driver, "name", "cmpd");
    cmpd_json_add_text(driver, "version", cmpd_version());
    cmpd_json_add_text(driver, "semanticVersion", cmpd_version());
    json_object_set_new(driver, "rules", rules(doc, rule_index));
    json_object_set_new(run, "tool", json_pack("{so}", "driver", driver));
    json_object_set_new(run, "columnKind", json_string("unicodeCodePoints"));
    json_object_set_new(run, "invocations", json_pack("[o]", invocation(doc, env)));
    json_object_set_new(run, "artifacts", artifacts(doc));
    json_object_set_new(run, "results", results(doc, rule_index));
    cmpd_json_add_text(properties, "verdict", cmpd_verdict_name(doc->verdict));
    cmpd_json_add_text(properties, "base", doc->base);
    cmpd_json_add_text(properties, "head", doc->head);
    json_object_set_new(run, "properties", properties);
    json_t *root = json_object();
    cmpd_json_add_text(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cmpd_json_add_text(root, "version", "2.1.0");
    json_object_set_new(root, "runs", json_pack("[o]", run));
    cmpd_json_write_take(root, out);
}

const struct cmpd_output_ops cmpd_output_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0, for code scanning",
    .render = render,
};
