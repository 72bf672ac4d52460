#include "analysis/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void expand(const unsigned char *p, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    expand(block, w);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[i] + w[i];
        uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void cmpd_sha256_init(struct cmpd_sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, start, sizeof start);
    h->total_bytes = 0;
    h->fill = 0;
}

void cmpd_sha256_update(struct cmpd_sha256 *h, const void *data, size_t len)
{
    const unsigned char *p = data;
    h->total_bytes += len;
    while (len) {
        if (h->fill == 0 && len >= sizeof h->block) {
            compress(h->state, p);
            p += sizeof h->block;
            len -= sizeof h->block;
            continue;
        }
        size_t n = sizeof h->block - h->fill;
        if (n > len)
            n = len;
        memcpy(h->block + h->fill, p, n);
        h->fill += n;
        p += n;
        len -= n;
        if (h->fill == sizeof h->block) {
            compress(h->state, h->block);
            h->fill = 0;
        }
    }
}

void cmpd_sha256_final(struct cmpd_sha256 *h, unsigned char digest[32])
{
    unsigned char tail[72] = {0x80};
    uint64_t bits = h->total_bytes * 8;
    size_t pad = (h->fill < 56 ? 56 : 120) - h->fill;
    for (int i = 0; i < 8; i++)
        tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    cmpd_sha256_update(h, tail, pad + 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void cmpd_sha256_final_hex(struct cmpd_sha256 *h, char *out, size_t hex_len)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char digest[32];
    cmpd_sha256_final(h, digest);
    for (size_t i = 0; i < hex_len / 2 && i < sizeof digest; i++) {
        out[2 * i] = hex[digest[i] >> 4];
        out[2 * i + 1] = hex[digest[i] & 15];
    }
    out[hex_len] = '\0';
}

void cmpd_sha256_hex(const void *data, size_t len, char out[65])
{
    struct cmpd_sha256 h;
    cmpd_sha256_init(&h);
    cmpd_sha256_update(&h, data, len);
    cmpd_sha256_final_hex(&h, out, 64);
}

void cmpd_sha256_field(struct cmpd_sha256 *h, const void *data, size_t len)
{
    unsigned char size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (unsigned char)((uint64_t)len >> (8 * i));
    cmpd_sha256_update(h, size, sizeof size);
    cmpd_sha256_update(h, data, len);
}

static cmpd_rc open_regular(const char *path, int *out, struct cmpd_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        cmpd_rc rc = errno == ENOENT || errno == ENOTDIR ? CMPD_ENOENT : CMPD_EIO;
        return cmpd_err_set(err, rc, "cannot open %s: %s", path, strerror(errno));
    }
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return cmpd_err_set(err, CMPD_EINPUT, "%s is not a regular file", path);
    }
    *out = fd;
    return CMPD_OK;
}

cmpd_rc cmpd_sha256_file(const char *path, char out[65], struct cmpd_err *err)
{
    int fd = -1;
    cmpd_rc rc = open_regular(path, &fd, err);
    if (rc != CMPD_OK)
        return rc;
    struct cmpd_sha256 h;
    cmpd_sha256_init(&h);
    unsigned char chunk[16384];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        cmpd_sha256_update(&h, chunk, (size_t)n);
    }
    int saved = errno;
    close(fd);
    if (n < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot read %s: %s", path, strerror(saved));
    cmpd_sha256_final_hex(&h, out, 64);
    return CMPD_OK;
}
