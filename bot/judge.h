/*
 * What `check` and `review` share once each has its sources and its policy:
 * the two tracks of one file, work side by side, and the way out.
 */
#ifndef CMPD_BOT_JUDGE_H
#define CMPD_BOT_JUDGE_H

#include <stddef.h>

#include "analysis/check.h"
#include "analysis/text/header.h"
#include "bot/options.h"

struct cmpd_judge {
    const struct cmpd_options *opt;
    const struct cmpd_policy *policy;
    const char *root; /* what policy's paths and the file's own are relative to; borrowed */
    const struct cmpd_headers *headers; /* borrowed; NULL: the static track reads none */
};

/*
 * The static track. Takes the source over (it ends up in result->source). Never NULL. A review then marks what is
 * pre-existing, settles the result again and goes on with the dynamic track.
 */
struct cmpd_file_result *cmpd_judge_static_take(const struct cmpd_judge *judge,
                                                struct cmpd_source *src);

/*
 * The dynamic track as far as it is built, for a result whose static track did not reject and unless --track static:
 * findings are added and the result is settled. Safe in several threads at once, for different results.
 * `rel_path` is the file's path relative to judge->root.
 */
void cmpd_judge_dynamic(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                        const char *rel_path);

/* Calls work(ctx, i) for each i below count, up to `jobs` at once; returns when all are done. */
void cmpd_parallel(size_t count, unsigned jobs, void (*work)(void *ctx, size_t i), void *ctx);

/* Settles and writes the document as the options say. Returns the exit status. */
int cmpd_finish(struct cmpd_document *doc, const struct cmpd_options *opt);

/*
 * The way out when the run as a whole failed: message on standard error, a document with that error on standard output
 * where the form is a machine's. Returns the exit status.
 */
int cmpd_fail(const struct cmpd_options *opt, const struct cmpd_err *err);

/* Text to standard output as it is: 0, or the exit status of an output error, which is said. Clears the text. */
int cmpd_print_take(struct cmpd_buf *text);
int cmpd_print_help(enum cmpd_command_id command);

/* A command's way in: options, help or a complaint, else `run`. Returns the exit status. */
int cmpd_command_run(enum cmpd_command_id command, int argc, char **argv,
                     int (*run)(struct cmpd_options *opt));

/*
 * What `run` and `replay` share: one file through the dynamic track, whatever the static track says. *out is the
 * caller's. Errors are those of reading the file and of finding its policy.
 */
cmpd_rc cmpd_judge_one(struct cmpd_options *opt, const char *path, struct cmpd_file_result **out,
                       struct cmpd_err *err);

#endif
