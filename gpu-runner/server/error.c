/* What CUDA's errors are called. */
#include "gpu-runner/server/server.h"

static const struct {
    int32_t code;
    const char *name;
} errors[] = {
#define ERROR(code, name, text) {code, #name},
#include "gpu-runner/cudart/errors.def"
#undef ERROR
};

const char *cmpd_server_error_name(int32_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return errors[i].name;
    return "cudaErrorUnknown";
}
