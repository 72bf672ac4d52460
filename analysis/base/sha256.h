/* SHA-256 (FIPS 180-4), for content hashes and fingerprints. */
#ifndef CMPD_ANALYSIS_BASE_SHA256_H
#define CMPD_ANALYSIS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

struct cmpd_sha256 {
    uint32_t state[8];
    uint64_t total_bytes;
    unsigned char block[64];
    size_t fill;
};

void cmpd_sha256_init(struct cmpd_sha256 *h);
void cmpd_sha256_update(struct cmpd_sha256 *h, const void *data, size_t len);
/* The length, then the bytes: fields of a key that are added so can't run into each other. */
void cmpd_sha256_field(struct cmpd_sha256 *h, const void *data, size_t len);
void cmpd_sha256_final(struct cmpd_sha256 *h, unsigned char digest[32]);

/* Lower-case hex of the first hex_len / 2 bytes of the digest, NUL-terminated; hex_len even, at most 64. */
void cmpd_sha256_final_hex(struct cmpd_sha256 *h, char *out, size_t hex_len);

/* All at once; out is 64 hex digits and a NUL. */
void cmpd_sha256_hex(const void *data, size_t len, char out[65]);

/* Of a regular file, read in pieces; out as above. Errors as cmpd_file_read's, without a ceiling. */
cmpd_rc cmpd_sha256_file(const char *path, char out[65], struct cmpd_err *err);

#endif
