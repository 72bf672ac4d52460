/* The two files that a user's own C reference is compiled with, as text in the program (made by the build). */
#ifndef CMPD_REFS_REFERENCE_TEXTS_H
#define CMPD_REFS_REFERENCE_TEXTS_H

#include <stddef.h>

extern const char cmpd_reference_header_text[]; /* cmpd_reference.h */
extern const size_t cmpd_reference_header_len;
extern const char cmpd_reference_main_text[]; /* cmpd_reference_main.c */
extern const size_t cmpd_reference_main_len;

#endif
