/*
 * Feeds every file below the given folders (or the given files) to the fuzz
 * target, in builds without libFuzzer. A target that misbehaves ends the
 * process by itself: sanitizer, assert or signal. An empty corpus is a failure.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_FILE_BYTES   (16u << 20)
#define MOST_OPEN_FOLDERS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long g_replayed;

static int replay_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)where;
    if (type != FTW_F)
        return 0;
    if (st->st_size < 0 || (uintmax_t)st->st_size > MOST_FILE_BYTES) {
        fprintf(stderr, "%s: too large to replay\n", path);
        return -1;
    }
    size_t size = (size_t)st->st_size;
    /* Exactly as large as the input, so that AddressSanitizer sees a read behind its end. */
    uint8_t *data = malloc(size ? size : 1);
    FILE *f = fopen(path, "rb");
    int rc = -1;

    if (!data || !f || fread(data, 1, size, f) != size) {
        fprintf(stderr, "%s: can't read\n", path);
    } else {
        LLVMFuzzerTestOneInput(data, size);
        g_replayed++;
        rc = 0;
    }
    if (f)
        fclose(f);
    free(data);
    return rc;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (nftw(argv[i], replay_file, MOST_OPEN_FOLDERS, FTW_PHYS) != 0) {
            fprintf(stderr, "%s: replay failed\n", argv[i]);
            return 1;
        }
    }
    if (g_replayed == 0) {
        fprintf(stderr, "no input was replayed\n");
        return 1;
    }
    printf("%lu inputs replayed\n", g_replayed);
    return 0;
}
