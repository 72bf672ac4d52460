#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu-runner/candidate/candidate.h"
#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/jail/seccomp.h"
#include "gpu-runner/link/elf.h"

typedef int main_function(int argc, char **argv, char **envp);

/* Loaded before the jail closes, so that nothing has to be looked up in files after it: what a linked candidate needs. */
static const char *const libraries[] = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1"};

const struct cmpd_cudart_ops *candidate_runtime;

static struct cmpd_elf elf; /* the candidate's file, for names of static functions */
static struct {
    bool active;
    uint32_t number;
    int argc;
    char **argv;
} main_task; /* while a whole program runs: how it exits is how it ends */

static bool resolve(uint64_t offset, char *name, size_t size)
{
    const char *found = cmpd_elf_function_at(&elf, offset);

    if (!found || strlen(found) >= size)
        return false;
    memcpy(name, found, strlen(found) + 1);
    return true;
}

/* What is read here is only used to name functions in messages. */
static void map_symbols(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    const char *why;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED && cmpd_elf_open(&elf, data, (size_t)st.st_size, &why))
            candidate_runtime->set_resolver(resolve);
    }
    close(fd);
}

static _Noreturn void give_up(enum cmpd_wire_why why, const char *what, const char *detail)
{
    char text[1024];

    snprintf(text, sizeof(text), "%s: %s", what, detail ? detail : "?");
    candidate_runtime->give_up(why, text);
}

/* From the folder of this program; what the candidate is linked to by its name is then loaded already. */
static bool load_runtime(const char *program)
{
    const char *slash = strrchr(program, '/');
    char path[PATH_MAX];

    if (!slash)
        return false;
    int n = snprintf(path, sizeof(path), "%.*s/" CMPD_CUDART_FILE, (int)(slash - program), program);
    void *handle = n < (int)sizeof(path) ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    candidate_runtime = handle ? dlsym(handle, CMPD_CUDART_OPS) : NULL;
    if (!candidate_runtime)
        fprintf(stderr, "%s: %s\n", CANDIDATE_PROGRAM_NAME, handle ? "no runtime" : dlerror());
    return candidate_runtime != NULL;
}

static void enter_jail(void)
{
    const char *why = "";

    if (cmpd_jail_enter(&why) == 0)
        return;
    if (write(STDERR_FILENO, why, strlen(why)) < 0)
        errno = 0; /* nobody is left to tell */
    _exit(CMPD_JAIL_ENTER_FAILED);
}

static void *load(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        give_up(CMPD_WIRE_WHY_LOAD, "it can't be loaded", dlerror());
    return handle;
}

static uintptr_t load_address(void *handle)
{
    struct link_map *map = NULL;

    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
        give_up(CMPD_WIRE_WHY_LOAD, "no load address", dlerror());
    candidate_runtime->blame(map->l_ld);
    return map->l_addr;
}

/*
 * exit() somewhere inside a whole program is an end like any other. Asking for the next task, which this process can't
 * do, tells the server that it ended in order.
 */
static void on_exit_of_main(int status, void *unused)
{
    struct cmpd_wire_case task;
    struct cmpd_wire_arg *args = NULL;
    int host_fd;

    (void)unused;
    if (!main_task.active)
        return;
    fflush(NULL);
    candidate_runtime->done(main_task.number, (uint32_t)status, candidate_threads());
    candidate_runtime->next(&task, &args, &host_fd);
    free(args);
}

static void run_main(void *handle, const struct cmpd_wire_case *task)
{
    static char name[] = "program";
    char *envp[] = {NULL};
    main_function *entry;

    *(void **)&entry = dlsym(handle, "main");
    if (!entry)
        give_up(CMPD_WIRE_WHY_LOAD, "it has no main", NULL);
    main_task.active = true;
    main_task.number = task->number;
    main_task.argv[0] = name; /* in place of the library's path */
    exit(entry(main_task.argc, main_task.argv, envp));
}

static void run_call(uintptr_t base, const struct cmpd_wire_case *task,
                     const struct cmpd_wire_arg *args, int host_fd)
{
    void *entry =
        (void *)(base + (uintptr_t)task->symbol_offset); // NOLINT(performance-no-int-to-ptr)
    uint64_t result = 0;

    if (!candidate_map(args, task->arg_count, host_fd))
        give_up(CMPD_WIRE_WHY_TASK, "host buffers can't be mapped", strerror(errno));
    if (!candidate_call(entry, args, task->arg_count, task->result, &result))
        give_up(CMPD_WIRE_WHY_TASK, "an argument can't be passed", NULL);
    fflush(NULL);
    candidate_runtime->done(task->number, result, candidate_threads());
    candidate_unmap(args, task->arg_count);
}

/* Returns when the server has nothing more to do. */
static void serve(void *handle)
{
    uintptr_t base = load_address(handle);
    struct cmpd_wire_case task;

    for (;;) {
        struct cmpd_wire_arg *args = NULL;
        int host_fd = -1;
        if (!candidate_runtime->next(&task, &args, &host_fd) || task.task == CMPD_WIRE_TASK_STOP) {
            free(args);
            return;
        }
        if (task.task == CMPD_WIRE_TASK_MAIN)
            run_main(handle, &task);
        run_call(base, &task, args, host_fd);
        if (host_fd >= 0)
            close(host_fd);
        free(args);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE.so [ARGUMENTS] (started by cmpd-runner)\n",
                CANDIDATE_PROGRAM_NAME);
        return 64;
    }
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        dlopen(libraries[i],
               RTLD_NOW | RTLD_GLOBAL); /* one that is missing shows when it is needed */
    if (!load_runtime(argv[0]))
        return 69;
    candidate_watch_exceptions();
    map_symbols(argv[1]);
    on_exit(on_exit_of_main, NULL);
    main_task.argc = argc - 1;
    main_task.argv = argv + 1;
    enter_jail();
    serve(load(argv[1]));
    return 0;
}
