#include "analysis/output/output.h"

#include <string.h>

#include "analysis/output/common.h"

static const struct cmpd_output_ops *const TABLE[] = {
    &cmpd_output_text,   &cmpd_output_json,   &cmpd_output_sarif,  &cmpd_output_gitlab,
    &cmpd_output_rdjson, &cmpd_output_github, &cmpd_output_prompt, &cmpd_output_html,
};

const struct cmpd_output_ops *const *cmpd_output_all(size_t *count)
{
    *count = sizeof TABLE / sizeof TABLE[0];
    return TABLE;
}

const struct cmpd_output_ops *cmpd_output_find(const char *name)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        if (strcmp(TABLE[i]->name, name) == 0)
            return TABLE[i];
    }
    return NULL;
}
