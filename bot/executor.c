#include "bot/executor.h"

#include <string.h>

extern const struct cmpd_executor_ops cmpd_executor_local;

static const struct cmpd_executor_ops *const TABLE[] = {&cmpd_executor_local};

const struct cmpd_executor_ops *cmpd_executor_find(const char *name)
{
    size_t len = strcspn(name, ":");
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        if (strlen(TABLE[i]->name) == len && memcmp(TABLE[i]->name, name, len) == 0)
            return TABLE[i];
    }
    return NULL;
}
