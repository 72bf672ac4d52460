#include "gpu-runner/stages/culprit.h"

#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/arena.h"
#include "analysis/text/lex.h"
#include "analysis/text/source.h"

/* Functions and classes of the C and C++ libraries, space-separated. */
static const char *const names[] = {
    [CMPD_CULPRIT_FILE] =
        "fopen fopen64 freopen open open64 openat creat opendir ifstream ofstream fstream tmpfile "
        "mkstemp unlink remove rename mkdir rmdir chmod truncate dlopen access stat filesystem",
    [CMPD_CULPRIT_NETWORK] = "socket connect socketpair getaddrinfo gethostbyname accept listen",
    [CMPD_CULPRIT_PROCESS] =
        "system popen fork vfork clone posix_spawn posix_spawnp execl execlp execle execv execvp "
        "execve execvpe fexecve kill killpg tgkill raise ptrace process_vm_readv process_vm_writev",
    [CMPD_CULPRIT_SYSTEM] =
        "syscall mount umount unshare setns prctl setuid setgid setrlimit chroot keyctl bpf "
        "perf_event_open ioctl reboot mknod personality",
    [CMPD_CULPRIT_THREADS] = "thread jthread async pthread_create",
    [CMPD_CULPRIT_LIBRARY] = "thrust cub",
    [CMPD_CULPRIT_END] =
        "exit _exit _Exit quick_exit abort terminate kill raise pthread_exit longjmp exit_group",
};

enum cmpd_culprit cmpd_culprit_of(enum cmpd_jail_deed_kind kind)
{
    switch (kind) {
    case CMPD_DEED_FILE:
        return CMPD_CULPRIT_FILE;
    case CMPD_DEED_NETWORK:
        return CMPD_CULPRIT_NETWORK;
    case CMPD_DEED_PROCESS:
    case CMPD_DEED_PROGRAM:
        return CMPD_CULPRIT_PROCESS;
    case CMPD_DEED_THREADS:
        return CMPD_CULPRIT_THREADS;
    case CMPD_DEED_SYSTEM:
        break;
    }
    return CMPD_CULPRIT_SYSTEM;
}

static bool has_word(const char *list, const char *word, size_t len)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, word, len) == 0)
            return true;
        p += n + strspn(p + n, " ");
    }
    return false;
}

/* A call or an object made of it: the name, then "(", "::" or a name, not behind "." or "->". */
static bool is_use(const struct cmpd_tokens *t, size_t i)
{
    if (i && (cmpd_token_is(t, i - 1, ".") || cmpd_token_is(t, i - 1, "->")))
        return false;
    return i + 1 < t->count &&
           (cmpd_token_is(t, i + 1, "(") || cmpd_token_is(t, i + 1, "{") ||
            cmpd_token_is(t, i + 1, "::") || t->items[i + 1].kind == CMPD_TOK_IDENT);
}

static uint32_t find(const struct cmpd_tokens *t, const char *list)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct cmpd_token *k = &t->items[i];
        if (k->kind != CMPD_TOK_IDENT || !(k->ctx & CMPD_CTX_HOST) || (k->ctx & CMPD_CTX_DIRECTIVE))
            continue;
        if (has_word(list, t->src->text + k->off, k->len) && is_use(t, i))
            return cmpd_source_pos(t->src, k->off).line;
    }
    return 0;
}

static const char *base_of(const char *function)
{
    const char *last = strrchr(function, ':');
    return last ? last + 1 : function;
}

/* "cublasSgemm" calls cublasSgemm_v2. */
static bool names_it(const char *word, size_t len, const char *function)
{
    const char *base = base_of(function);
    if (strncmp(base, word, len) != 0)
        return false;
    const char *rest = base + len;
    return !*rest || *rest == '(' || *rest == '<' || strncmp(rest, "_v", 2) == 0 ||
           strcmp(rest, "_64") == 0;
}

static bool keeps_house(const char *function)
{
    static const char *const parts[] = {"Create", "Destroy", "Set", "Get", "Init", "Free"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(base_of(function), parts[i]))
            return true;
    }
    return false;
}

/* "int f(...)": a name or a star before it. */
static bool declares(const struct cmpd_tokens *t, size_t i)
{
    if (i == 0 || cmpd_token_is(t, i - 1, "return") || cmpd_token_is(t, i - 1, "else"))
        return false;
    return t->items[i - 1].kind == CMPD_TOK_IDENT || cmpd_token_is(t, i - 1, "*");
}

static uint32_t find_call(const struct cmpd_tokens *t, const char *const functions[], size_t count)
{
    uint32_t house = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cmpd_token *k = &t->items[i];
        if (k->kind != CMPD_TOK_IDENT || (k->ctx & CMPD_CTX_DIRECTIVE) ||
            !cmpd_token_is(t, i + 1, "(") || declares(t, i))
            continue;
        for (size_t f = 0; f < count; f++) {
            if (!names_it(t->src->text + k->off, k->len, functions[f]))
                continue;
            uint32_t line = cmpd_source_pos(t->src, k->off).line;
            if (!keeps_house(functions[f]))
                return line;
            house = house ? house : line;
        }
    }
    return house;
}

static struct cmpd_source *open_source(const char *root, const char *file)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", root, file);
    struct cmpd_source *src = NULL;
    return cmpd_source_open(path, &src, NULL) == CMPD_OK ? src : NULL;
}

uint32_t cmpd_culprit_call_line(const char *root, const char *file, const char *const functions[],
                                size_t count)
{
    struct cmpd_source *src = open_source(root, file);
    struct cmpd_arena arena = {0};
    if (!src)
        return 0;
    uint32_t line = find_call(cmpd_lex(src, &arena), functions, count);
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
    return line;
}

static uint32_t find_copy(const struct cmpd_tokens *t, const char *destination)
{
    for (size_t i = 0; i < t->count; i++) {
        if ((cmpd_token_is(t, i, "cudaMemcpy") || cmpd_token_is(t, i, "cudaMemcpyAsync")) &&
            cmpd_token_is(t, i + 1, "(") && cmpd_token_is(t, i + 2, destination))
            return cmpd_source_pos(t->src, t->items[i].off).line;
    }
    return 0;
}

uint32_t cmpd_culprit_copy_line(const char *root, const char *file, const char *destination)
{
    struct cmpd_source *src = open_source(root, file);
    struct cmpd_arena arena = {0};
    if (!src)
        return 0;
    uint32_t line = find_copy(cmpd_lex(src, &arena), destination);
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
    return line;
}

uint32_t cmpd_culprit_line(const char *root, const char *file, enum cmpd_culprit what)
{
    struct cmpd_source *src = open_source(root, file);
    struct cmpd_arena arena = {0};
    if (!src)
        return 0;
    const struct cmpd_tokens *t = cmpd_lex(src, &arena);
    uint32_t line = find(t, names[what]);
    if (!line && what != CMPD_CULPRIT_END)
        line = find(t, "syscall");
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
    return line;
}
