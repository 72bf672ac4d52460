/*
 * How much of one file is found in another: the number that git's own rename
 * detection uses, so that a review follows the renames that `git diff` shows.
 *
 * A file is cut into lines, and lines into pieces of at most 64 bytes; each
 * piece counts its bytes under a hash. Two files are as similar as the bytes
 * they share under equal hashes, against the longer one's size. A last line
 * without a newline does not count (as in git up to 2.43).
 */
#ifndef CMPD_BOT_GIT_SIMILARITY_H
#define CMPD_BOT_GIT_SIMILARITY_H

#include <stddef.h>
#include <stdint.h>

#define CMPD_SIMILARITY_MAX    60000 /* identical */
#define CMPD_SIMILARITY_RENAME 30000 /* 50 %: git's default for a rename */
#define CMPD_SIMILARITY_SAME_NAME \
    45000 /* 75 %: enough at once where both sides have just one file of a name */

struct cmpd_piece {
    uint32_t hash, bytes;
};

/* What is kept of a file; ascending hashes. */
struct cmpd_pieces {
    struct cmpd_piece *items; /* owned */
    size_t count;
};

void cmpd_pieces_make(const char *text, size_t len, struct cmpd_pieces *out);
void cmpd_pieces_clear(struct cmpd_pieces *p);

/* Could files of these sizes reach the score at all? */
int cmpd_similarity_possible(size_t size_a, size_t size_b, int least);

/* 0 to CMPD_SIMILARITY_MAX. */
int cmpd_similarity(const struct cmpd_pieces *from, size_t from_size, const struct cmpd_pieces *to,
                    size_t to_size);

#endif
