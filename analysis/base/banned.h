/*
 * Calls that must not be used; included before every source of ours by the
 * build. The standard headers come first, so that their declarations are seen
 * before the names turn into errors. A use fails with an undeclared name that
 * says what to use in its place.
 */
#ifndef CMPD_ANALYSIS_BASE_BANNED_H
#define CMPD_ANALYSIS_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* No bound on what is written. */
#undef strcpy
#define strcpy(...) banned_strcpy__use_cmpd_buf_or_memcpy
#undef strcat
#define strcat(...) banned_strcat__use_cmpd_buf
#undef sprintf
#define sprintf(...) banned_sprintf__use_snprintf_or_cmpd_buf_printf
#undef vsprintf
#define vsprintf(...) banned_vsprintf__use_vsnprintf_or_cmpd_buf_vprintf
#undef gets
#define gets(...) banned_gets__use_getline

/* Hidden state: two users at once destroy each other's result. */
#undef strtok
#define strtok(...) banned_strtok__use_strtok_r_or_strcspn
#undef gmtime
#define gmtime(...) banned_gmtime__use_gmtime_r
#undef localtime
#define localtime(...) banned_localtime__use_localtime_r

/* No way to tell an error from a number. */
#undef atoi
#define atoi(...) banned_atoi__use_strtol
#undef atol
#define atol(...) banned_atol__use_strtol

/* A shell between us and the program. */
#undef system
#define system(...) banned_system__use_the_subprocess_helper
#undef popen
#define popen(...) banned_popen__use_the_subprocess_helper

#endif
