/* Messages: what is in order, bounded reading, sending and receiving with descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu-runner/wire/io.h"

static struct cmpd_wire_head head_of(uint32_t kind, uint32_t len)
{
    return (struct cmpd_wire_head){.magic = CMPD_WIRE_MAGIC, .kind = kind, .seq = 7, .len = len};
}

static void heads(void **state)
{
    struct cmpd_wire_head h = head_of(CMPD_WIRE_ALLOC, 16);

    (void)state;
    assert_null(cmpd_wire_head_fault(&h, 7));
    assert_string_equal(cmpd_wire_head_fault(&h, 8), "out of order");
    h.len = 15;
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "shorter than its kind");
    h.len = 17;
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "longer than its kind allows");
    h = head_of(CMPD_WIRE_KIND_COUNT, 0);
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "an unknown kind");
    h = head_of(0, 0);
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "an unknown kind");
    h = head_of(UINT32_MAX, 0);
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "an unknown kind");
    h = head_of(CMPD_WIRE_ALLOC, 16);
    h.magic++;
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "not a message");
    h = head_of(CMPD_WIRE_COPY, UINT32_MAX);
    assert_string_equal(cmpd_wire_head_fault(&h, 7), "longer than its kind allows");
    /* every kind is known by its name and takes its own fixed part */
    for (uint32_t kind = CMPD_WIRE_HELLO; kind < CMPD_WIRE_KIND_COUNT; kind++) {
        assert_non_null(cmpd_wire_kind_name(kind));
        h = head_of(kind, cmpd_wire_fixed_bytes(kind));
        assert_null(cmpd_wire_head_fault(&h, 7));
    }
}

static void reading(void **state)
{
    const uint8_t bytes[] = {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 'a', 'b'};
    struct cmpd_wire_reader r = cmpd_wire_reader_of(bytes, sizeof(bytes));
    size_t len = 0;

    (void)state;
    assert_int_equal(cmpd_wire_get_u32(&r), 1);
    assert_int_equal(cmpd_wire_get_u64(&r), 2);
    assert_false(cmpd_wire_reader_done(&r));
    const char *name = cmpd_wire_get_name(&r, &len);
    assert_non_null(name);
    assert_int_equal(len, 2);
    assert_memory_equal(name, "ab", 2);
    assert_true(cmpd_wire_reader_done(&r));
    assert_int_equal(cmpd_wire_get_u32(&r), 0);
    assert_true(r.bad);
    r = cmpd_wire_reader_of(bytes, 3);
    assert_int_equal(cmpd_wire_get_u32(&r), 0);
    assert_true(r.bad);
    assert_null(cmpd_wire_get_bytes(&r, 1));
    assert_false(cmpd_wire_reader_done(&r));
}

static void names(void **state)
{
    static char longest[CMPD_WIRE_NAME_CEILING + 1];
    size_t len;

    (void)state;
    memset(longest, 'x', sizeof(longest));
    struct cmpd_wire_reader r = cmpd_wire_reader_of(longest, CMPD_WIRE_NAME_CEILING);
    assert_non_null(cmpd_wire_get_name(&r, &len));
    r = cmpd_wire_reader_of(longest, sizeof(longest));
    assert_null(cmpd_wire_get_name(&r, &len));
    r = cmpd_wire_reader_of("a\0b", 3);
    assert_null(cmpd_wire_get_name(&r, &len));
    r = cmpd_wire_reader_of("a\nb", 3);
    assert_null(cmpd_wire_get_name(&r, &len));
    r = cmpd_wire_reader_of("\x1b[2J", 4);
    assert_null(cmpd_wire_get_name(&r, &len));
    r = cmpd_wire_reader_of("", 0);
    assert_null(cmpd_wire_get_name(&r, &len));
    assert_true(r.bad);
}

static void copies(void **state)
{
    struct cmpd_wire_copy c = {.width = 100, .height = 10, .to_pitch = 128, .from_pitch = 100};
    uint64_t bytes = 0;

    (void)state;
    assert_true(cmpd_wire_copy_bytes(&c, &bytes));
    assert_int_equal(bytes, 1000);
    c.from_pitch = 99;
    assert_false(cmpd_wire_copy_bytes(&c, &bytes));
    c.height = 1;
    assert_true(cmpd_wire_copy_bytes(&c, &bytes));
    c.width = CMPD_WIRE_MESSAGE_CEILING;
    assert_true(cmpd_wire_copy_bytes(&c, &bytes));
    c.width++;
    assert_false(cmpd_wire_copy_bytes(&c, &bytes));
    c = (struct cmpd_wire_copy){.width = 1ull << 33,
                                .height = 1ull << 33,
                                .to_pitch = UINT64_MAX,
                                .from_pitch = UINT64_MAX};
    assert_false(cmpd_wire_copy_bytes(&c, &bytes));
}

static void socket_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void through_a_socket(void **state)
{
    int pair[2], fd, sent = memfd_create("test", MFD_CLOEXEC);
    char a[] = "hello ", b[] = "world", got[16] = "";
    struct iovec parts[3] = {{a, 6}, {NULL, 0}, {b, 5}};
    struct stat ours, theirs;

    (void)state;
    socket_pair(pair);
    assert_int_equal(cmpd_wire_send(pair[0], parts, 3, sent), 0);
    assert_int_equal(cmpd_wire_receive(pair[1], got, 11, &fd), 1);
    assert_string_equal(got, "hello world");
    assert_true(fd >= 0);
    assert_int_equal(fstat(sent, &ours), 0);
    assert_int_equal(fstat(fd, &theirs), 0);
    assert_int_equal(ours.st_ino, theirs.st_ino);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    /* one that nobody wants is closed */
    int before = dup(sent);
    close(before);
    assert_int_equal(cmpd_wire_send(pair[0], parts, 1, sent), 0);
    assert_int_equal(cmpd_wire_receive(pair[1], got, 6, NULL), 1);
    int after = dup(sent);
    assert_int_equal(after, before);
    close(after);
    /* cut in between, and at the beginning */
    assert_int_equal(cmpd_wire_send(pair[0], parts, 1, -1), 0);
    close(pair[0]);
    assert_int_equal(cmpd_wire_receive(pair[1], got, 11, &fd), -1);
    assert_int_equal(errno, EPROTO);
    assert_int_equal(fd, -1);
    assert_int_equal(cmpd_wire_receive(pair[1], got, 11, NULL), 0);
    assert_int_equal(cmpd_wire_send(pair[1], parts, 1, -1), -1);
    assert_int_equal(errno, EPIPE);
    close(pair[1]);
    close(sent);
}

static void bad_memory(void **state)
{
    int pair[2];
    struct iovec part = {(void *)(uintptr_t)64, 100};

    (void)state;
    socket_pair(pair);
    assert_int_equal(cmpd_wire_send(pair[0], &part, 1, -1), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(cmpd_wire_send(pair[0], &part, CMPD_WIRE_PARTS + 1, -1), -1);
    assert_int_equal(errno, EINVAL);
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),  cmocka_unit_test(reading),          cmocka_unit_test(names),
        cmocka_unit_test(copies), cmocka_unit_test(through_a_socket), cmocka_unit_test(bad_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
