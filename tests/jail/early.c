/* A library that ends the process as soon as it is loaded. */
#include <unistd.h>

__attribute__((constructor)) static void early(void)
{
    _exit(0);
}
