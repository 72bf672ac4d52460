/*
 * The program round a C file with an operator of the user's own: it speaks the protocol of outside.h. Compiled on the
 * user's side, with the user's file; it knows the C library alone. Its input comes from CMP-D.
 */
#include "cmpd_reference.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_CEILING 12
#define DIMS_CEILING 6

static int fail(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s\n", what, which);
    return 1;
}

static int is_role(size_t i, const char *role)
{
    return strcmp(cmpd_reference.args[i].role, role) == 0;
}

static int is_input(size_t i)
{
    return is_role(i, "in") || is_role(i, "inout");
}

static int is_output(size_t i)
{
    return is_role(i, "out") || is_role(i, "inout");
}

/* ---- describe ---- */

static void option(const char *key, const char *value)
{
    if (value) {
        printf(" %s=%s", key, value);
    }
}

static void describe_case(const struct cmpd_reference_case *c)
{
    size_t d = 0;
    printf("case %s", c->name);
    for (size_t i = 0; i < cmpd_reference.arg_count && d < DIMS_CEILING; i++) {
        if (is_role(i, "dim")) {
            printf(" %s=%lld", cmpd_reference.args[i].name, c->dims[d++]);
        }
    }
    option("inputs", c->inputs);
    option("size", c->size);
    putchar('\n');
}

static int describe(void)
{
    const struct cmpd_reference *r = &cmpd_reference;
    printf("cmpd-reference %d\nname %s\n", r->version, r->name);
    if (r->summary) {
        printf("summary %s\n", r->summary);
    }
    if (r->dtypes) {
        printf("dtypes %s\n", r->dtypes);
    }
    for (size_t i = 0; i < r->arg_count; i++) {
        const struct cmpd_reference_arg *a = &r->args[i];
        printf("arg %s %s", a->role, a->name);
        option("shape", a->shape);
        option("aliases", a->aliases);
        option("dtype", a->dtype);
        option("values", a->values);
        if (is_role(i, "scalar")) {
            printf(" default=%.17g", a->default_value);
        }
        putchar('\n');
    }
    for (size_t i = 0; i < r->case_count; i++) {
        describe_case(&r->cases[i]);
    }
    if (r->atol != 0 || r->rtol != 0) {
        printf("tolerance f32 %.17g %.17g\n", r->atol, r->rtol);
    }
    return 0;
}

/* ---- compute ---- */

struct state {
    const char *folder, *dtype;
    long long dims[DIMS_CEILING];
    double scalars[ARGS_CEILING];
    double *in[ARGS_CEILING], *out[ARGS_CEILING];
};

/* The word NAME=VALUE of the command line, its value. */
static const char *given(int argc, char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 3; i < argc; i++) {
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=') {
            return argv[i] + n + 1;
        }
    }
    return NULL;
}

static int read_numbers(int argc, char **argv, struct state *s)
{
    size_t d = 0;
    for (size_t i = 0; i < cmpd_reference.arg_count; i++) {
        const char *name = cmpd_reference.args[i].name;
        int dim = is_role(i, "dim");
        if (!dim && !is_role(i, "scalar")) {
            continue;
        }
        const char *v = given(argc, argv, name);
        if (!v) {
            return fail("not given", name);
        }
        if (dim && d < DIMS_CEILING) {
            s->dims[d++] = strtoll(v, NULL, 10);
        } else {
            s->scalars[i] = strtod(v, NULL);
        }
    }
    s->dtype = given(argc, argv, "dtype");
    return s->dtype ? 0 : fail("not given", "dtype");
}

static size_t count_of(size_t arg, const struct state *s)
{
    size_t count = 1;
    const char *p = cmpd_reference.args[arg].shape;
    while (p && *p) {
        size_t n = strcspn(p, ","), d = 0;
        for (size_t i = 0; i < cmpd_reference.arg_count; i++) {
            if (!is_role(i, "dim")) {
                continue;
            }
            const char *name = cmpd_reference.args[i].name;
            if (strlen(name) == n && memcmp(name, p, n) == 0) {
                count *= (size_t)s->dims[d];
            }
            d++;
        }
        p += n + (p[n] == ',');
    }
    return count;
}

static int open_file(const char *folder, const char *name, const char *end, const char *mode,
                     FILE **out)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    *out = n > 0 && (size_t)n < sizeof path ? fopen(path, mode) : NULL;
    return *out ? 0 : fail("cannot open", name);
}

/* What write_input of outside.c wrote: version 1, f8 or i8. */
static int read_tensor(const struct state *s, size_t arg, double *values, size_t count)
{
    FILE *f;
    unsigned char start[10];
    char header[65536];
    const char *name = cmpd_reference.args[arg].name;
    if (open_file(s->folder, name, ".npy", "rb", &f)) {
        return 1;
    }
    size_t len = 0;
    int ok = fread(start, 1, sizeof start, f) == sizeof start;
    if (ok) {
        len = start[8] | (size_t)start[9] << 8;
        ok = len < sizeof header && fread(header, 1, len, f) == len;
        header[ok ? len : 0] = 0;
    }
    int whole = strstr(header, "<i8") != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        int64_t integer;
        ok = whole ? fread(&integer, sizeof integer, 1, f) == 1
                   : fread(&values[i], sizeof values[i], 1, f) == 1;
        if (whole && ok) {
            values[i] = (double)integer;
        }
    }
    fclose(f);
    return ok ? 0 : fail("cannot read", name);
}

static int write_tensor(const struct state *s, size_t arg, const double *values, size_t count)
{
    FILE *f;
    char header[128];
    const char *name = cmpd_reference.args[arg].name;
    if (open_file(s->folder, name, ".out.npy", "wb", &f)) {
        return 1;
    }
    int n = snprintf(header, sizeof header,
                     "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", count);
    int ok = n > 0;
    /* The header is padded to 64 bytes and ends with a newline. */
    size_t len = ((size_t)n + 1 + 10 + 63) / 64 * 64 - 10;
    memset(header + n, ' ', sizeof header - (size_t)n);
    header[len - 1] = '\n';
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)len, 0};
    ok = ok && fwrite(start, 1, sizeof start, f) == sizeof start;
    ok = ok && fwrite(header, 1, len, f) == len;
    ok = ok && fwrite(values, sizeof *values, count, f) == count;
    ok = fclose(f) == 0 && ok;
    return ok ? 0 : fail("cannot write", name);
}

static int allocate(double **out, size_t count)
{
    *out = calloc(count ? count : 1, sizeof **out);
    return *out ? 0 : fail("no memory", "for a tensor");
}

static int compute(int argc, char **argv)
{
    struct state s = {.folder = argv[2]};
    size_t args = cmpd_reference.arg_count;
    int failed = read_numbers(argc, argv, &s);
    for (size_t i = 0; i < args && !failed; i++) {
        size_t count = count_of(i, &s);
        if (is_input(i)) {
            failed = allocate(&s.in[i], count) || read_tensor(&s, i, s.in[i], count);
        }
        if (is_output(i) && !failed) {
            failed = allocate(&s.out[i], count);
        }
    }
    if (!failed) {
        struct cmpd_reference_call call = {s.dims, (const double *const *)s.in, s.scalars, s.dtype};
        cmpd_reference.compute(&call, s.out);
    }
    for (size_t i = 0; i < args && !failed; i++) {
        failed = is_output(i) && write_tensor(&s, i, s.out[i], count_of(i, &s));
    }
    for (size_t i = 0; i < args; i++) {
        free(s.in[i]);
        free(s.out[i]);
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (cmpd_reference.version != CMPD_REFERENCE_VERSION ||
        cmpd_reference.arg_count > ARGS_CEILING || !cmpd_reference.compute) {
        return fail("cmpd_reference", "wrong version, too many arguments, or no compute");
    }
    if (argc == 2 && strcmp(argv[1], "describe") == 0) {
        return describe();
    }
    if (argc >= 3 && strcmp(argv[1], "compute") == 0) {
        return compute(argc, argv);
    }
    return fail("usage", "describe | compute FOLDER NAME=VALUE...");
}
