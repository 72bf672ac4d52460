#include "analysis/base/version.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("cmpd-runner %s\n", cmpd_version());
        return 0;
    }
    fprintf(stderr, "cmpd-runner: not built yet; only --version works\n");
    return 64;
}
