"""Lanes together: shuffles, votes, matches, reductions, barriers."""

import model as m
from suite import tuples

FULL = 0xFFFFFFFF


def shuffle(mode, lane, b, c):
    """(source lane, does it lie inside)."""
    segment, clamp, by = c >> 8 & 31, c & 31, b & 31
    most, least = lane & segment | clamp & ~segment, lane & segment
    if mode == 'up':
        j = lane - by
        inside = j >= most
    elif mode == 'down':
        j = lane + by
        inside = j <= most
    elif mode == 'bfly':
        j = lane ^ by
        inside = j <= most
    else:
        j = least | by & ~segment
        inside = j <= most
    return (j if inside else lane), inside


def shuffles(s):
    for mode in ('idx', 'up', 'down', 'bfly'):
        for width in (32, 16, 8, 4, 2):
            c = (32 - width) << 8 | (0 if mode == 'up' else 31)

            def run(lanes, mode=mode, c=c):
                out = []
                for i, (_, b) in enumerate(lanes):
                    j, inside = shuffle(mode, i, b, c)
                    out.append((lanes[j][0], int(inside)))
                return out
            # One amount for a warp and one for each lane.
            mixed = tuples(s, ['b32', range(32)])
            even = [(a, (i // 32 * 5 + 1) & 31) for i, (a, _) in enumerate(mixed)]
            for kind, values in (('', even), (' by lane', mixed)):
                s.warp('shfl.sync.%s.b32 width %d%s' % (mode, width, kind),
                       'shfl.sync.%s.b32 %%d|%%e, %%a, %%b, %d, -1;' % (mode, c), ['b32', 'b32'], ['b32', 'pred'], run, values)

        def anything(lanes, mode=mode):
            out = []
            for i, (_, b, c) in enumerate(lanes):
                j, inside = shuffle(mode, i, b, c)
                out.append((lanes[j][0], int(inside)))
            return out
        values = [(a, b, c) for a, b, c in tuples(s, ['b32', 'u8', 'u16'])]
        s.warp('shfl.sync.%s.b32 any c' % mode, 'mov.u32 %%r1, 0xffffffff;\nshfl.sync.%s.b32 %%d|%%e, %%a, %%b, %%c, %%r1;' % mode,
               ['b32'] * 3, ['b32', 'pred'], anything, values)
        for by in (1, 16):
            def fixed(lanes, mode=mode, by=by):
                return [lanes[shuffle(mode, i, by, 0 if mode == 'up' else 31)[0]][0] for i in range(32)]
            s.warp('shfl.sync.%s.b32 a, %d' % (mode, by), 'shfl.sync.%s.b32 %%d, %%a, %d, %d, 0xffffffff;' % (
                mode, by, 0 if mode == 'up' else 31), ['b32'], ['b32'], fixed, tuples(s, ['b32']))
    # Some lanes only; the others do theirs on the other side of a branch.
    code = ('mov.u32 %r1, %laneid;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@!%p1 bra L_odd;\n'
            'shfl.sync.bfly.b32 %d, %a, 2, 31, 0x55555555;\nbra.uni L_met;\nL_odd:\n'
            'shfl.sync.bfly.b32 %d, %a, 4, 31, 0xaaaaaaaa;\nL_met:\nbar.warp.sync -1;\nshfl.sync.idx.b32 %e, %d, 3, 31, -1;')

    def halves(lanes):
        d = [lanes[i ^ (4 if i & 1 else 2)][0] for i in range(32)]
        return [(x, d[3]) for x in d]
    s.warp('shfl.sync by halves', '{\n' + code + '\n}', ['b32'], ['b32', 'b32'], halves, tuples(s, ['b32']))
    guarded = ('mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 16;\nmov.u32 %d, 9;\n@%p1 shfl.sync.down.b32 %d, %a, 8, 0x1f, 0x0000ffff;')

    s.warp('shfl.sync under a guard', guarded.replace('0x1f', '0x100f'), ['b32'], ['b32'],
           lambda lanes: [lanes[shuffle('down', i, 8, 0x100F)[0]][0] if i < 16 else 9 for i in range(32)], tuples(s, ['b32']))


def votes(s):
    def mask_of(lanes):
        return sum(bool(v[0]) << i for i, v in enumerate(lanes))
    kinds = {'all': lambda x, k: int(x & k == k), 'any': lambda x, k: int(x & k != 0), 'uni': lambda x, k: int(x & k in (0, k))}
    patterns = [(1,)] * 32 + [(0,)] * 32 + [(int(i == 7),) for i in range(32)] + [(int(i != 31),) for i in range(32)] + [
        (s.random.randrange(2),) for _ in range(128)]
    for kind, fn in kinds.items():
        for bang in ('', '!'):
            s.warp('vote.sync.%s.pred %sa' % (kind, bang), 'vote.sync.%s.pred %%d, %s%%a, -1;' % (kind, bang), ['pred'], ['pred'],
                   lambda lanes, fn=fn, bang=bang: [fn(mask_of(lanes) ^ (FULL if bang else 0), FULL)] * 32, patterns)
    s.warp('vote.sync.ballot.b32', 'vote.sync.ballot.b32 %d, %a, 0xffffffff;\nvote.sync.ballot.b32 %e, !%a, 0xffffffff;',
           ['pred'], ['b32', 'b32'], lambda lanes: [(mask_of(lanes), mask_of(lanes) ^ FULL)] * 32, patterns)
    code = ('mov.u32 %d, 5;\nmov.u32 %r1, %laneid;\nsetp.ge.u32 %p1, %r1, 20;\n@%p1 vote.sync.ballot.b32 %d, %a, 0xfff00000;')
    s.warp('vote.sync.ballot.b32 of some', code, ['pred'], ['b32'],
           lambda lanes: [mask_of(lanes) & 0xFFF00000 if i >= 20 else 5 for i in range(32)], patterns)
    code = ('mov.u32 %r1, %laneid;\nactivemask.b32 %d;\nmov.u32 %e, 0;\nsetp.lt.u32 %p1, %r1, 11;\n@%p1 activemask.b32 %r2;\n'
            '@%p1 shr.u32 %r2, %r2, %r1;\n@%p1 and.b32 %e, %r2, 1;')
    s.warp('activemask', code, ['pred'], ['b32', 'b32'], lambda lanes: [(FULL, int(i < 11)) for i in range(32)], patterns)


def matches(s):
    for n in (32, 64):
        few = [(s.random.choice((1, 2, 3, 1 << (n - 1))),) for _ in range(128)] + [(7,)] * 32 + tuples(s, ['b%d' % n])[:96]

        def any_of(lanes):
            return [sum((v == w) << k for k, w in enumerate(lanes)) for v in lanes]

        def all_of(lanes):
            same = all(v == lanes[0] for v in lanes)
            return [(FULL if same else 0, int(same))] * 32
        s.warp('match.any.sync.b%d' % n, 'match.any.sync.b%d %%d, %%a, -1;' % n, ['b%d' % n], ['b32'], any_of, few)
        s.warp('match.all.sync.b%d' % n, 'match.all.sync.b%d %%d|%%e, %%a, -1;' % n, ['b%d' % n], ['b32', 'pred'], all_of, few)
        s.warp('match.all.sync.b%d mask only' % n, 'match.all.sync.b%d %%d, %%a, -1;' % n, ['b%d' % n], ['b32'],
               lambda lanes, f=all_of: [x[0] for x in f(lanes)], few)


def reductions(s):
    for op in ('add', 'min', 'max', 'and', 'or', 'xor'):
        for t in ('u32', 's32') if op in ('add', 'min', 'max') else ('b32',):
            def run(lanes, op=op, t=t):
                v = [m.as_type(x[0], t) if t != 'b32' else x[0] for x in lanes]
                r = v[0]
                for x in v[1:]:
                    r = {'add': r + x, 'min': min(r, x), 'max': max(r, x), 'and': r & x, 'or': r | x, 'xor': r ^ x}[op]
                return [r & FULL] * 32
            s.warp('redux.sync.%s.%s' % (op, t), 'redux.sync.%s.%s %%d, %%a, -1;' % (op, t), ['b32'], ['b32'], run, tuples(s, ['b32']))

            def low(lanes, run=run):
                return [run(lanes[:10])[0] if i < 10 else 3 for i in range(32)]
            s.warp('redux.sync.%s.%s of ten' % (op, t), 'mov.u32 %%d, 3;\nmov.u32 %%r1, %%laneid;\nsetp.lt.u32 %%p1, %%r1, 10;\n'
                   '@%%p1 redux.sync.%s.%s %%d, %%a, 0x3ff;' % (op, t), ['b32'], ['b32'], low, tuples(s, ['b32']))


def barriers(s):
    regs = '.reg .b32 %r<8>;\n.reg .b64 %l<4>;\n.reg .pred %p<4>;\nmul.wide.u32 %l1, %id, 8;\nadd.u64 %l1, %l1, %out;\n'
    keep = 'cvt.u64.u32 %l2, %r1;\nst.global.u64 [%l1], %l2;\n'
    for kind in ('bar', 'barrier'):
        # Each thread writes, all meet, each reads a neighbour's.
        text = ('.shared .align 4 .b8 buf[512];\nmov.u32 %%r2, buf;\nmad.lo.u32 %%r3, %%thread, 4, %%r2;\nst.shared.u32 [%%r3], %%id;\n'
                '%s;\nxor.b32 %%r4, %%thread, 127;\nmad.lo.u32 %%r3, %%r4, 4, %%r2;\nld.shared.u32 %%r1, [%%r3];\n')
        for form in ('.sync 0', '.sync 5, 128') + ('.cta.sync 1',):
            s.raw(kind + form, regs + text % (kind + form) + keep, [i ^ 127 for i in range(256)], grid=2, block=128)
        for op, fn in (('popc.u32', lambda v: sum(v)), ('and.pred', lambda v: int(all(v))), ('or.pred', lambda v: int(any(v)))):
            for bang in ('', '!'):
                for threshold in (0, 77, 128):
                    dest = '%r1' if 'popc' in op else '%p2'
                    code = 'setp.lt.u32 %%p1, %%thread, %d;\n%s.red.%s %s, 1, %s%%p1;\n' % (threshold, kind, op, dest, bang)
                    code += '' if 'popc' in op else 'selp.u32 %r1, 1, 0, %p2;\n'
                    v = [int(i < threshold) ^ bool(bang) for i in range(128)]
                    s.raw('%s.red.%s %sp, %d' % (kind, op, bang, threshold), regs + code + keep, [fn(v)] * 128, block=128)
    s.raw('bar.warp.sync by register', regs + '.shared .align 4 .b8 buf[128];\nmov.u32 %r2, buf;\nmad.lo.u32 %r3, %thread, 4, %r2;\n'
          'mov.u32 %r4, 0x0000ffff;\nsetp.lt.u32 %p1, %thread, 16;\n@!%p1 not.b32 %r4, %r4;\nst.shared.u32 [%r3], %thread;\n'
          'bar.warp.sync %r4;\nxor.b32 %r5, %thread, 15;\nmad.lo.u32 %r3, %r5, 4, %r2;\nld.shared.u32 %r1, [%r3];\n' + keep,
          [i ^ 15 for i in range(32)], block=32)
    # One warp arrives and goes on, the other waits for its words.
    code = ('.shared .align 4 .b8 buf[128];\nmov.u32 %r2, buf;\nand.b32 %r3, %thread, 31;\nmad.lo.u32 %r2, %r3, 4, %r2;\nmov.u32 %r1, 4;\n'
            'setp.ge.u32 %p1, %thread, 32;\n@%p1 bra L_second;\nadd.u32 %r4, %thread, 100;\nst.shared.u32 [%r2], %r4;\nmembar.cta;\n'
            'bar.arrive 3, 64;\nbra.uni L_end;\nL_second:\nbar.sync 3, 64;\nld.shared.u32 %r1, [%r2];\nL_end:\n')
    s.raw('bar.arrive', regs + code + keep, [4] * 32 + [100 + i for i in range(32)], block=64)
    # Threads that have left don't hold up a barrier of those that are there.
    code = ('setp.ge.u32 %p1, %thread, 96;\nmov.u32 %r1, 1;\ncvt.u64.u32 %l2, %r1;\n@%p1 st.global.u64 [%l1], %l2;\n@%p1 exit;\n'
            'setp.lt.u32 %p1, %thread, 50;\nbar.red.popc.u32 %r1, 0, 96, %p1;\n')
    s.raw('bar behind an exit', regs + code + keep, [50] * 96 + [1] * 32, block=128)


def run(s):
    shuffles(s)
    votes(s)
    matches(s)
    reductions(s)
    barriers(s)
