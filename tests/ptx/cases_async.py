"""Asynchronous copies, mbarrier, memory on the stack, and what only ends a kernel."""
import struct

SETUP = ('.shared .align 128 .b8 buf[4096];\n.reg .b32 %r<12>;\n.reg .b64 %l<8>;\n.reg .pred %p<4>;\nmov.u32 %r6, buf;\n'
         'mad.wide.u32 %l1, %id, 16, %in;\nmad.lo.u32 %r7, %thread, 16, %r6;\nmad.wide.u32 %l6, %id, 16, %out;\n')
# What the thread 31 further down the block copied.
OTHER = 'bar.sync 0;\nxor.b32 %r5, %thread, 31;\nmad.lo.u32 %r7, %r5, 16, %r6;\nld.shared.v2.u64 {%l2, %l3}, [%r7];\nst.global.v2.u64 [%l6], {%l2, %l3};\n'
ZERO = 'mov.u64 %l2, 0;\nst.shared.v2.u64 [%r7], {%l2, %l2};\n'
THREADS = 64


def words(s):
    return [s.random.getrandbits(64) for _ in range(2 * THREADS)]


def slots(copied):
    """copied: for each thread its 16 bytes, as they must lie in shared memory."""
    out = []
    for t in range(THREADS):
        out += struct.unpack('<2Q', copied[t ^ 31])
    return out


def cut(w, t, bytes_read, size):
    raw = struct.pack('<2Q', w[2 * t], w[2 * t + 1])
    return raw[:bytes_read] + bytes(16 - bytes_read) if bytes_read <= size else raw


def copies(s):
    w = words(s)
    data = struct.pack('<%dQ' % len(w), *w)
    for head, size in (('ca.shared.global', 4), ('ca.shared.global', 8), ('ca.shared.global', 16), ('cg.shared.global', 16),
                       ('ca.shared::cta.global', 8), ('cg.shared.global.L2::128B', 16), ('ca.shared.global.L2::256B', 4),
                       ('cg.shared.global.L2::64B', 16)):
        for wait in ('cp.async.commit_group;\ncp.async.wait_group 0;\n', 'cp.async.wait_all;\n'):
            text = SETUP + ZERO + 'cp.async.%s [%%r7], [%%l1], %d;\n' % (head, size) + wait + OTHER
            s.raw('cp.async.%s %d %s' % (head, size, wait[9:15]), text, slots([cut(w, t, size, size) for t in range(THREADS)]),
                  data=data, block=THREADS)
    # Fewer bytes than asked for: zeros take the rest.
    for size in (4, 8, 16):
        head = 'ca' if size < 16 else 'cg'
        text = SETUP + ZERO + 'rem.u32 %%r4, %%thread, %d;\ncp.async.%s.shared.global [%%r7], [%%l1], %d, %%r4;\ncp.async.wait_all;\n' % (
            size + 1, head, size) + OTHER
        s.raw('cp.async %d, fewer' % size, text, slots([cut(w, t, t % (size + 1), size) for t in range(THREADS)]), data=data, block=THREADS)
    text = SETUP + ZERO + ('and.b32 %r4, %thread, 1;\nsetp.ne.u32 %p1, %r4, 0;\ncp.async.cg.shared.global [%r7], [%l1], 16, %p1;\ncp.async.wait_all;\n') + OTHER
    s.raw('cp.async ignore-src', text, slots([cut(w, t, 0 if t & 1 else 16, 16) for t in range(THREADS)]), data=data, block=THREADS)
    text = SETUP + ZERO + ('and.b32 %r4, %thread, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 cp.async.ca.shared.global [%r7+8], [%l1], 8;\ncp.async.wait_all;\n') + OTHER
    s.raw('cp.async under a guard', text, slots([bytes(8) + struct.pack('<Q', w[2 * t]) if t & 1 else bytes(16) for t in range(THREADS)]),
          data=data, block=THREADS)
    # Three groups in flight; each is used as soon as it has to be there.
    text = SETUP
    for g in range(3):
        text += 'cp.async.ca.shared.global [%%r7+%d], [%%l1], 8;\ncp.async.commit_group;\n' % (1024 * g)
    text += 'mov.u64 %l5, 0;\n'
    for g in range(3):
        text += 'cp.async.wait_group %d;\nld.shared.u64 %%l2, [%%r7+%d];\nadd.u64 %%l5, %%l5, %%l2;\n' % (2 - g, 1024 * g)
    text += 'st.global.u64 [%l6], %l5;\nst.global.u64 [%l6+8], 0;\n'
    out = []
    for t in range(THREADS):
        out += [w[2 * t] * 3 & (1 << 64) - 1, 0]
    s.raw('cp.async in groups', text, out, data=data, block=THREADS)


WAIT_STATE = '%s:\nmbarrier.test_wait.shared.b64 %%p1, [bar], %%l4;\n@!%%p1 bra %s;\n'
WAIT_PARITY = '%s:\nmbarrier.try_wait.parity.shared.b64 %%p1, [bar], %d;\n@!%%p1 bra %s;\n'
BEGIN = ('.shared .align 8 .b64 bar;\nsetp.eq.u32 %%p2, %%thread, 0;\n@%%p2 mbarrier.init.shared.b64 [bar], %d;\nbar.sync 0;\n')


def barriers(s):
    w = words(s)
    data = struct.pack('<%dQ' % len(w), *w)
    fill = 'ld.global.v2.u64 {%l2, %l3}, [%l1];\nst.shared.v2.u64 [%r7], {%l2, %l3};\n'
    read = OTHER.replace('bar.sync 0;\n', '')
    whole = slots([cut(w, t, 16, 16) for t in range(THREADS)])
    arrive = 'mbarrier.arrive.shared.b64 %l4, [bar];\n'
    s.raw('mbarrier arrive, test_wait', SETUP + BEGIN % THREADS + fill + arrive + WAIT_STATE % ('L_w', 'L_w') + read, whole, data=data, block=THREADS)
    s.raw('mbarrier arrive, try_wait.parity', SETUP + BEGIN % THREADS + fill + arrive + WAIT_PARITY % ('L_w', 0, 'L_w') + read, whole,
          data=data, block=THREADS)
    s.raw('mbarrier shared::cta, generic address',
          SETUP + BEGIN % THREADS + fill + 'mov.u32 %r4, bar;\ncvt.u64.u32 %l5, %r4;\ncvta.shared.u64 %l5, %l5;\nmbarrier.arrive.b64 %l4, [%l5];\n'
          'L_w:\nmbarrier.try_wait.shared::cta.b64 %p1, [bar], %l4;\n@!%p1 bra L_w;\n' + read, whole, data=data, block=THREADS)
    phases = SETUP + BEGIN % THREADS
    for phase in range(3):
        phases += fill.replace('[%r7]', '[%%r7+%d]' % (1024 * phase)) + arrive + WAIT_PARITY % ('L_%d' % phase, phase & 1, 'L_%d' % phase)
    s.raw('mbarrier three phases', phases + read.replace('ld.shared.v2.u64 {%l2, %l3}, [%r7]', 'ld.shared.v2.u64 {%l2, %l3}, [%r7+2048]'),
          whole, data=data, block=THREADS)
    # Half of the threads arrive for two, half not at all.
    s.raw('mbarrier arrive with a count', SETUP + BEGIN % THREADS + fill +
          'bar.sync 0;\nand.b32 %r4, %thread, 1;\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 mbarrier.arrive.shared.b64 %l4, [bar], 2;\n' +
          WAIT_PARITY % ('L_w', 0, 'L_w') + read, whole, data=data, block=THREADS)
    # 32 of 64 leave for good in the first phase: the second needs the others alone.
    s.raw('mbarrier arrive_drop', SETUP + BEGIN % THREADS + fill + 'setp.lt.u32 %p3, %thread, 32;\n'
          '@%p3 mbarrier.arrive_drop.shared.b64 %l4, [bar];\n@!%p3 mbarrier.arrive.shared.b64 %l4, [bar];\n' + WAIT_PARITY % ('L_w', 0, 'L_w') +
          # A parity says which of two phases: nobody may be two ahead.
          'bar.sync 0;\n@%p3 bra L_out;\nmbarrier.arrive.shared.b64 %l4, [bar];\n' + WAIT_PARITY % ('L_v', 1, 'L_v') + 'L_out:\n' + read, whole, data=data, block=THREADS)
    s.raw('mbarrier pending_count, inval', SETUP + BEGIN % 5 + 'mov.u64 %l2, 0;\nmov.u64 %l3, 0;\n@!%p2 bra L_end;\n'
          'mbarrier.arrive.noComplete.shared.b64 %l4, [bar], 3;\nmbarrier.pending_count.b64 %r4, %l4;\ncvt.u64.u32 %l2, %r4;\n'
          'mbarrier.arrive.shared.b64 %l4, [bar];\nmbarrier.pending_count.b64 %r4, %l4;\ncvt.u64.u32 %l3, %r4;\nmbarrier.inval.shared.b64 [bar];\nL_end:\n'
          'st.global.v2.u64 [%l6], {%l2, %l3};\n', [5, 2] + [0] * (2 * THREADS - 2), data=data, block=THREADS)
    s.raw('cp.async.mbarrier.arrive.noinc', SETUP + BEGIN % THREADS + 'cp.async.cg.shared.global [%r7], [%l1], 16;\n'
          'cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n' + WAIT_PARITY % ('L_w', 0, 'L_w') + read, whole, data=data, block=THREADS)
    s.raw('cp.async.mbarrier.arrive', SETUP + BEGIN % THREADS + 'cp.async.cg.shared.global [%r7], [%l1], 16;\n'
          'cp.async.mbarrier.arrive.shared.b64 [bar];\n' + arrive + WAIT_PARITY % ('L_w', 0, 'L_w') + read, whole, data=data, block=THREADS)


def stack(s):
    text = ('.reg .b32 %r<4>;\n.reg .b64 %l<8>;\nmad.wide.u32 %l6, %id, 8, %out;\nstacksave.u64 %l1;\nalloca.u64 %l2, 64, 16;\n'
            'st.local.u32 [%l2+60], %thread;\nalloca.u64 %l3, 32;\nst.local.u32 [%l3], 99;\nld.local.u32 %r1, [%l2+60];\nld.local.u32 %r2, [%l3];\n'
            'add.u32 %r1, %r1, %r2;\nstackrestore.u64 %l1;\ncvt.u64.u32 %l4, %r1;\nst.global.u64 [%l6], %l4;\n')
    s.raw('alloca, stacksave, stackrestore', text, [99 + i for i in range(32)], block=32)


def ends(s):
    text = ('.reg .b64 %l<4>;\n.reg .pred %p<2>;\nsetp.gt.u32 %p1, %thread, 5000;\n@%p1 trap;\n@%p1 brkpt;\n'
            'applypriority.global.L2::evict_normal [%mem], 128;\nmad.wide.u32 %l1, %id, 8, %out;\nst.global.u64 [%l1], 1;\n')
    s.raw('trap and brkpt that are never reached', text, [1] * 32, mem=bytes(256), block=32)


def run(s):
    copies(s)
    barriers(s)
    stack(s)
    ends(s)
