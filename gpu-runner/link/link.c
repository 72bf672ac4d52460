#include "gpu-runner/link/link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/link/elf.h"
#include "gpu-runner/link/libdir.h"

#define OBJECT_NAME    "candidate.o"
#define LIBRARY_NAME   "candidate.so"
#define DEADLINE_MS    60000
#define CPU_S          60
#define MEMORY_BYTES   ((uint64_t)4 << 30)
#define FILE_BYTES     ((uint64_t)512 << 20)
#define OUTPUT_BYTES   ((size_t)4 << 20)
#define UNDEFINED      "undefined reference to "
#define MESSAGE_NAMES  4 /* that one message lists */
/* A folder that every jail shows and that nothing is looked up in: the jail's compile profile wants one to start in. */
#define NEUTRAL_FOLDER "/usr/lib"

/* gold takes a third of the time of bfd's ld, and both a half of what the compiler driver adds. */
static const char *const linkers[] = {"/usr/bin/ld.gold", "/usr/bin/ld"};

struct job {
    const struct cmpd_link_request *q;
    char *object, *library, *cudart, *dso; /* owned */
};

static void job_clear(struct job *j)
{
    free(j->object);
    free(j->library);
    free(j->cudart);
    free(j->dso);
}

static const char *linker(void)
{
    for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++)
        if (access(linkers[i], X_OK) == 0)
            return linkers[i];
    return NULL;
}

/* Only some machines have it, and only objects compiled for it need it. NULL: not here. */
static const char *openmp(void)
{
    static const char *const places[] = {"/usr/lib/x86_64-linux-gnu/libgomp.so.1",
                                         "/usr/lib64/libgomp.so.1", "/usr/lib/libgomp.so.1"};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

static cmpd_rc run_linker(const struct job *j, struct cmpd_proc_result *p, struct cmpd_err *err)
{
    const char *const argv[] = {linker(),
                                "-shared",
                                "--eh-frame-hdr", /* or no exception finds its handler */
                                "-z",
                                "now",
                                "-z",
                                "defs",
                                "-z",
                                "noexecstack",
                                "--no-demangle",
                                "-o",
                                j->library,
                                j->object,
                                j->dso,
                                j->cudart,
                                "-L/usr/lib/x86_64-linux-gnu",
                                "-L/usr/lib64",
                                "-L/lib64",
                                "-L/usr/lib",
                                "--as-needed",
                                "-l:libstdc++.so.6",
                                "-lm",
                                "-lc",
                                "-l:libgcc_s.so.1",
                                openmp(),
                                NULL};
    const char *const readable[] = {j->cudart, j->dso};
    struct cmpd_jail_request q = CMPD_JAIL_REQUEST_INIT;

    if (!argv[0])
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "no linker at /usr/bin/ld: install binutils to run candidates");
    q.profile = CMPD_JAIL_COMPILE;
    q.argv = argv;
    q.sources = NEUTRAL_FOLDER;
    q.toolkit = NEUTRAL_FOLDER;
    q.work = j->q->work;
    q.readable = readable;
    q.readable_count = sizeof(readable) / sizeof(readable[0]);
    q.limits.cpu_s = CPU_S;
    q.limits.address_space_bytes = MEMORY_BYTES;
    q.limits.file_size_bytes = FILE_BYTES;
    q.deadline_ms = DEADLINE_MS;
    q.output_ceiling = OUTPUT_BYTES;
    q.cancel_fd = j->q->cancel_fd;
    return j->q->jail->run(&q, p, err);
}

/* ---- what nobody has ---- */

static bool known(const struct cmpd_link_result *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->missing_count; i++)
        if (strlen(r->missing[i].symbol) == len && strncmp(r->missing[i].symbol, name, len) == 0)
            return true;
    return false;
}

static void add_missing(struct cmpd_link_result *r, const char *name, size_t len)
{
    if (len == 0 || known(r, name, len))
        return;
    if (r->missing_count == CMPD_LINK_MISSING_CEILING) {
        r->missing_cut = true;
        return;
    }
    struct cmpd_link_missing *m = &r->missing[r->missing_count++];
    *m = (struct cmpd_link_missing){.symbol = cmpd_strndup(name, len),
                                    .tag = CMPD_TAG_compile_environment};
    cmpd_link_foreign(m->symbol, &m->tag, &m->what);
    m->display = cmpd_link_display(m->symbol);
}

/* gold: "undefined reference to 'name'"; ld: "undefined reference to `name'". Both say it once or oftener for a name. */
static void read_undefined(struct cmpd_link_result *r, const char *text)
{
    r->missing = cmpd_calloc(CMPD_LINK_MISSING_CEILING, sizeof(*r->missing));
    for (const char *at = strstr(text, UNDEFINED); at; at = strstr(at, UNDEFINED)) {
        at += strlen(UNDEFINED);
        if (*at != '\'' && *at != '`')
            continue;
        const char *end = strpbrk(at + 1, "'\n");
        if (end && *end == '\'')
            add_missing(r, at + 1, (size_t)(end - at - 1));
    }
}

static int rank(enum cmpd_tag tag)
{
    return tag == CMPD_TAG_library_call ? 0 : tag == CMPD_TAG_not_emulated ? 1 : 2;
}

static int by_rank(const void *a, const void *b)
{
    const struct cmpd_link_missing *x = a, *y = b;

    if (rank(x->tag) != rank(y->tag))
        return rank(x->tag) - rank(y->tag);
    return strcmp(x->symbol, y->symbol);
}

/* "cublasCreate_v2, cublasSgemm_v2 and 3 more" of those that share the first one's tag and owner. */
static void list_names(const struct cmpd_link_result *r, struct cmpd_buf *out)
{
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < r->missing_count; i++) {
        const struct cmpd_link_missing *m = &r->missing[i];
        if (m->tag != r->missing[0].tag || m->what != r->missing[0].what)
            continue;
        if (shown == MESSAGE_NAMES) {
            more++;
            continue;
        }
        cmpd_buf_printf(out, "%s%s", shown > 0 ? ", " : "", m->display);
        shown++;
    }
    if (more > 0)
        cmpd_buf_printf(out, " and %zu more", more);
}

static void judge_missing(struct cmpd_link_result *r)
{
    CMPD_BUF_AUTO struct cmpd_buf names = CMPD_BUF_INIT;

    if (!r->missing)
        return;
    qsort(r->missing, r->missing_count, sizeof(*r->missing), by_rank);
    const struct cmpd_link_missing *first = &r->missing[0];
    list_names(r, &names);
    r->tag = first->tag;
    switch (first->tag) {
    case CMPD_TAG_library_call:
        r->message = cmpd_asprintf("it calls %s, a library that is not run here: %s", first->what,
                                   cmpd_buf_str(&names));
        r->hint = cmpd_strdup("a kernel of your own in its place can be checked");
        break;
    case CMPD_TAG_not_emulated:
        r->message = cmpd_asprintf("it uses %s, which is not emulated: %s", first->what,
                                   cmpd_buf_str(&names));
        r->hint =
            cmpd_strdup("the runtime API's plain calls (cudaMalloc, <<<>>>, ...) can be checked");
        break;
    default:
        r->message = cmpd_asprintf("it calls what another file defines: %s", cmpd_buf_str(&names));
        r->hint = cmpd_strdup("define it in this file, or in a header that the file includes");
    }
}

/* Any other way in which the linker failed is a matter of the machine, as a rule; the text says which. */
static void judge_failure(struct cmpd_link_result *r, const char *text)
{
    size_t line = strcspn(text, "\n");

    r->tag = CMPD_TAG_compile_environment;
    r->message = cmpd_asprintf("the linker failed: %.*s", (int)(line < 300 ? line : 300),
                               line > 0 ? text : "no message");
    r->hint = NULL;
}

/* The linker read hostile bytes: what it left must be a plain file. */
static bool is_plain_file(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static cmpd_rc judge(struct job *j, const struct cmpd_proc_result *p, struct cmpd_link_result *r,
                     struct cmpd_err *err)
{
    char how[64];

    if (p->end == CMPD_PROC_CANCELLED)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "the linker was cancelled");
    if (p->end != CMPD_PROC_EXITED) {
        judge_failure(r, cmpd_proc_describe(p, how, sizeof(how)));
        return CMPD_OK;
    }
    if (p->exit_status == 0 && is_plain_file(j->library)) {
        r->ok = true;
        r->path = cmpd_strdup(j->library);
        return CMPD_OK;
    }
    read_undefined(r, cmpd_buf_str(&p->err));
    if (r->missing_count > 0)
        judge_missing(r);
    else
        judge_failure(r, cmpd_buf_str(&p->err));
    return CMPD_OK;
}

static cmpd_rc prepare(struct job *j, struct cmpd_err *err)
{
    struct cmpd_elf elf;
    const char *why;

    if (!cmpd_elf_open(&elf, j->q->object, j->q->object_len, &why))
        return cmpd_err_set(err, CMPD_EINPUT, "the object is %s", why);
    cmpd_rc rc = cmpd_libdir_path(CMPD_LIBDIR_CUDART, &j->cudart, err);
    if (rc == CMPD_OK)
        rc = cmpd_libdir_path(CMPD_LIBDIR_DSO, &j->dso, err);
    if (rc != CMPD_OK) {
        err->rc = CMPD_EUNAVAIL;
        return CMPD_EUNAVAIL;
    }
    return cmpd_file_write_atomic(j->object, j->q->object, j->q->object_len, err);
}

cmpd_rc cmpd_link_object(const struct cmpd_link_request *request, struct cmpd_link_result *result,
                         struct cmpd_err *err)
{
    struct job j = {.q = request,
                    .object = cmpd_asprintf("%s/" OBJECT_NAME, request->work),
                    .library = cmpd_asprintf("%s/" LIBRARY_NAME, request->work)};
    struct cmpd_link_result r = {.ok = false};
    struct cmpd_err own = {0};
    CMPD_PROC_RESULT_AUTO struct cmpd_proc_result p = {0};

    if (!err)
        err = &own;
    cmpd_rc rc = prepare(&j, err);
    if (rc == CMPD_OK)
        rc = run_linker(&j, &p, err);
    if (rc == CMPD_OK)
        rc = judge(&j, &p, &r, err);
    r.elapsed_ms = p.elapsed_ms;
    if (rc == CMPD_OK)
        *result = r;
    else
        cmpd_link_result_clear(&r);
    job_clear(&j);
    return rc;
}

void cmpd_link_result_clear(struct cmpd_link_result *r)
{
    for (size_t i = 0; i < r->missing_count; i++) {
        free(r->missing[i].symbol);
        free(r->missing[i].display);
    }
    free(r->missing);
    free(r->path);
    free(r->message);
    free(r->hint);
    memset(r, 0, sizeof(*r));
}
