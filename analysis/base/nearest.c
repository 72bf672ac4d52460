#include "analysis/base/nearest.h"

#include <string.h>

#define LONGEST 63

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t cmpd_edit_distance(const char *a, const char *b, size_t most)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST || (na > nb ? na - nb : nb - na) > most)
        return most + 1;
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            now[j] = least(last[j - 1] + cost, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return least(last[nb], most + 1);
}

const char *cmpd_nearest(const char *typed, const char *const *names, size_t count)
{
    size_t best = least(3, strlen(typed) / 2 + 1);
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = cmpd_edit_distance(typed, names[i], 2);
        if (d < best) {
            best = d;
            found = names[i];
        }
    }
    return found;
}
