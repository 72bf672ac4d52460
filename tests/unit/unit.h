/* What cmocka wants included before it, and a string comparison that copes with NULL. */
#ifndef CMPD_TESTS_UNIT_UNIT_H
#define CMPD_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#endif
