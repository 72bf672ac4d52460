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

uint32_t cmpd_culprit_line(const char *root, const char *file, enum cmpd_culprit what)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", root, file);
    struct cmpd_source *src = NULL;
    if (cmpd_source_open(path, &src, NULL) != CMPD_OK)
        return 0;
    struct cmpd_arena arena = {0};
    const struct cmpd_tokens *t = cmpd_lex(src, &arena);
    uint32_t line = find(t, names[what]);
    if (!line && what != CMPD_CULPRIT_END)
        line = find(t, "syscall");
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
    return line;
}
