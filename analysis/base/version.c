#include "analysis/base/version.h"

const char *cmpd_version(void)
{
    return CMPD_VERSION;
}
