/* Headers that lie in a repository but in no folder that the compiler was told of; and the
 * system's. */
#ifndef CMPD_GPU_RUNNER_REPO_INDEX_H
#define CMPD_GPU_RUNNER_REPO_INDEX_H

#include <stdbool.h>
#include <stddef.h>

struct cmpd_repo_index {
    char **paths; /* owned; relative to the root; headers only */
    size_t count, cap;
};

/* Walks the tree once, not into .git and not along links. Never fails: what can't be read is left
 * out. */
void cmpd_repo_index_build(const char *root, struct cmpd_repo_index *out);
void cmpd_repo_index_clear(struct cmpd_repo_index *x);

/*
 * The file whose path ends in `name` and shares most leading folders with `from` (both relative to
 * the root); borrowed, NULL: none. *matches: how many end so.
 */
const char *cmpd_repo_index_nearest(const struct cmpd_repo_index *x, const char *from,
                                    const char *name, size_t *matches);

/* Does the toolkit, the C++ library or the system have a header of this name? `toolkit` holds
 * bin/nvcc. */
bool cmpd_system_header(const char *toolkit, const char *name);

/*
 * Another source of the repository that includes the file, or names it in a string and uses NVRTC,
 * the run-time compiler: such a file need not compile by itself. Relative to the root; caller owns;
 * NULL: none.
 */
char *cmpd_repo_user_of(const char *root, const char *file);

/* CMakeLists.txt, Makefile, *.cmake and the like. */
bool cmpd_repo_is_build_file(const char *relative);

/* Does a build file of the repository (CMake, make, Bazel, setup.py, ...) name this macro? */
bool cmpd_repo_build_file_names(const char *root, const char *macro);

#endif
