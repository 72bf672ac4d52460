"""Loads and stores of every width, space and flavour; addresses; atomics; packing and special registers."""
import struct

import model as m
from model import BF16, F16, F32, F64, as_type, signed, unsigned
from suite import Nan, tuples

MASK64 = (1 << 64) - 1
TYPES = ('u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'u64', 's64', 'b64', 'f32', 'f64')


def bits_of(t):
    return int(t.rstrip('x2')[1:]) if t.startswith('x') else int(t[1:])


def registers(t):
    n = bits_of(t)
    if t[0] == 'f':
        return [n]
    return [w for w in (16, 32, 64) if w >= n]


def loaded(word, t, register):
    """What a load of the type leaves in a register of that width."""
    n = bits_of(t)
    v = word & ((1 << n) - 1)
    return unsigned(signed(v, n), register) if t[0] == 's' else v


def loads(s, space, before, address, flavours=('',)):
    """before: what puts the first input where the space can be read at `address`."""
    for flavour in flavours:
        for t in TYPES:
            for w in registers(t):
                for offset in ((0, 8 - bits_of(t) // 8) if flavour == '' else (0,)):
                    name = 'ld%s%s.%s b%d +%d' % (space, flavour, t, w, offset)
                    code = '%sld%s%s.%s %%d, [%s+%d];' % (before, space, flavour, t, address, offset)
                    s.lane(name, code, ['b64'], ['b%d' % w],
                           lambda a, t=t, w=w, o=offset: loaded(a >> 8 * o, t, w), tuples(s, ['b64'], 128), guard=not before)


def stores(s, space, before, address, after, flavours=('',)):
    for flavour in flavours:
        for t in TYPES:
            n = bits_of(t) // 8
            for w in registers(t):
                offset = 8 - n if flavour == '' else 0

                def run(a, b, n=n, o=offset):
                    cut = ((1 << 8 * n) - 1) << 8 * o
                    return a & ~cut & MASK64 | b << 8 * o & cut
                code = '%sst%s%s.%s [%s+%d], %%%s;\n%s' % (before, space, flavour, t, address, offset,
                                                        'b' if w == 64 else 'r1' if w == 32 else 's1', after)
                convert = {64: '', 32: 'cvt.u32.u64 %r1, %b;\n', 16: 'cvt.u16.u64 %s1, %b;\n'}[w]
                s.lane('st%s%s.%s b%d' % (space, flavour, t, w), convert + code, ['b64', 'b64'], ['b64'], run,
                       tuples(s, ['b64', 'b64'], 128), guard=False)


SHARED = '.shared .align 16 .b8 buf[4096];\n'
OWN_SHARED = SHARED + 'mov.u32 %r7, buf;\nmad.lo.u32 %r7, %thread, 16, %r7;\n'
OWN_LOCAL = '.local .align 16 .b8 loc[64];\nmov.u64 %l7, loc;\n'
GENERIC_SHARED = OWN_SHARED + 'cvt.u64.u32 %l7, %r7;\ncvta.shared.u64 %l7, %l7;\n'
GENERIC_LOCAL = OWN_LOCAL + 'cvta.local.u64 %l7, %l7;\n'


def spaces(s):
    flavours = ('', '.nc', '.ca', '.cg', '.cs', '.lu', '.cv', '.L1::no_allocate', '.L1::evict_last', '.L2::128B',
                '.nc.L1::no_allocate.L2::256B')
    loads(s, '.global', '', '%i', flavours)
    for head in ('ld.volatile.global', 'ld.relaxed.gpu.global', 'ld.acquire.gpu.global', 'ld.relaxed.cta.global',
                 'ld.acquire.sys.global', 'ld.relaxed.sys.global', 'ldu.global', 'ld.weak.global'):
        for t in ('s8', 'u16', 'u32', 'u64', 'f32'):
            w = registers(t)[-1] if t != 'u16' else 16
            s.lane('%s.%s' % (head, t), '%s.%s %%d, [%%i];' % (head, t), ['b64'], ['b%d' % w],
                   lambda a, t=t, w=w: loaded(a, t, w), tuples(s, ['b64'], 128))
    loads(s, '', '', '%i')
    loads(s, '.shared', OWN_SHARED + 'st.shared.u64 [%r7], %a;\n', '%r7')
    loads(s, '.shared::cta', OWN_SHARED + 'st.shared::cta.u64 [%r7], %a;\n', '%r7')
    loads(s, '', GENERIC_SHARED + 'st.u64 [%l7], %a;\n', '%l7')
    loads(s, '.local', OWN_LOCAL + 'st.local.u64 [%l7], %a;\n', '%l7')
    loads(s, '.local', OWN_LOCAL + 'st.local.u64 [loc], %a;\n', 'loc')
    loads(s, '', GENERIC_LOCAL + 'st.u64 [%l7], %a;\n', '%l7')
    fetch = 'ld.global.u64 %d, [%i];'
    stores(s, '.global', '', '%i', fetch, ('', '.wb', '.cg', '.cs', '.wt', '.L1::no_allocate', '.L1::evict_first'))
    stores(s, '', '', '%i', fetch)
    stores(s, '.shared', OWN_SHARED + 'st.shared.u64 [%r7], %a;\n', '%r7', 'ld.shared.u64 %d, [%r7];')
    stores(s, '', GENERIC_SHARED + 'st.u64 [%l7], %a;\n', '%l7', 'ld.shared.u64 %d, [%r7];')
    stores(s, '.local', OWN_LOCAL + 'st.local.u64 [%l7], %a;\n', '%l7', 'ld.local.u64 %d, [loc];')
    stores(s, '', GENERIC_LOCAL + 'st.u64 [%l7], %a;\n', '%l7', 'ld.local.u64 %d, [loc];')
    for head in ('st.volatile.global', 'st.relaxed.gpu.global', 'st.release.gpu.global', 'st.relaxed.cta.global',
                 'st.release.sys.global', 'st.weak.global'):
        s.lane(head + '.u32', head + '.u32 [%i+4], 77;\n' + fetch, ['b64'], ['b64'],
               lambda a: a & 0xFFFFFFFF | 77 << 32, tuples(s, ['b64'], 128), guard=False)


def vectors(s):
    for t in TYPES:
        n = bits_of(t)
        for count in (2, 4):
            if n * count > 128:
                continue
            w = max(n, 16)
            outs = ['b%d' % w] * count
            dest = '{%s}' % ', '.join('%' + x for x in 'defg'[:count])

            def parts(a, b, t=t, n=n, w=w, count=count):
                both = b << 64 | a
                return tuple(loaded(both >> n * i, t, w) for i in range(count))
            for space in ('.global', '.global.nc', ''):
                s.lane('ld%s.v%d.%s' % (space, count, t), 'ld%s.v%d.%s %s, [%%i];' % (space, count, t, dest),
                       ['b64'] * 2, outs, parts, tuples(s, ['b64'] * 2, 128))
            s.lane('ld.shared.v%d.%s' % (count, t), OWN_SHARED + 'st.shared.v2.u64 [%%r7], {%%a, %%b};\nld.shared.v%d.%s %s, [%%r7];' % (
                count, t, dest), ['b64'] * 2, outs, parts, tuples(s, ['b64'] * 2, 128), guard=False)
            s.lane('ld.local.v%d.%s' % (count, t), OWN_LOCAL + 'st.local.v2.u64 [loc], {%%a, %%b};\nld.local.v%d.%s %s, [loc];' % (
                count, t, dest), ['b64'] * 2, outs, parts, tuples(s, ['b64'] * 2, 128), guard=False)
            if n < 16:
                continue
            code = 'ld.global.v%d.%s %s, [%%i];\n' % (count, t, dest.replace('%', '%q'))
            regs = '.reg .b%d %s;\n' % (w, ', '.join('%q' + x for x in 'defg'[:count]))

            def rotated(a, b, n=n, count=count):
                both = (b << 64 | a) & ((1 << n * count) - 1)
                return unsigned(both >> n | (both & ((1 << n) - 1)) << n * (count - 1), 64), \
                    (both >> n | (both & ((1 << n) - 1)) << n * (count - 1)) >> 64 if n * count > 64 else b
            order = ', '.join('%q' + x for x in 'defg'[1:count] + 'd')
            s.lane('st.global.v%d.%s' % (count, t), regs + code + 'st.global.v%d.%s [%%i], {%s};\nld.global.v2.u64 {%%d, %%e}, [%%i];' % (
                count, t, order), ['b64'] * 2, ['b64'] * 2,
                lambda a, b, r=rotated, n=n, count=count: (
                    (r(a, b)[0] | (a & ~((1 << min(64, n * count)) - 1) & MASK64), r(a, b)[1])),
                tuples(s, ['b64'] * 2, 128), guard=False)


def addresses(s):
    s.flush()  # the variables below belong to one module
    s.globals.append('.const .align 8 .b8 ctab[32] = {1, 2, 3, 4, 5, 6, 7, 8, 249, 250, 251, 252, 253, 254, 255, 128};')
    s.globals.append('.global .align 8 .u32 gtab[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};')
    s.globals.append('.global .align 8 .u64 gptr[2] = {gtab, generic(gtab)+8};')
    table = bytes([1, 2, 3, 4, 5, 6, 7, 8, 249, 250, 251, 252, 253, 254, 255, 128]) + bytes(16)
    index = [(i,) for i in range(16)]
    s.lane('ld.const', 'cvt.u64.u32 %l1, %a;\nmov.u64 %l2, ctab;\nadd.u64 %l1, %l1, %l2;\nld.const.s8 %d, [%l1];\n'
           'ld.const.u8 %e, [%l1+16];\nld.const.u32 %f, [ctab+8];', ['b32'], ['b32', 'b32', 'b32'],
           lambda i: (unsigned(signed(table[i], 8), 32), table[i + 16], struct.unpack_from('<I', table, 8)[0]), index)
    s.lane('cvta.const', 'mov.u64 %l1, ctab;\ncvta.const.u64 %l1, %l1;\nld.u16 %d, [%l1+2];', ['b32'], ['b32'],
           lambda i: 0x0403, index)
    s.lane('symbol + offset', 'ld.global.u32 %d, [gtab+8];\nmov.u64 %l1, gtab+4;\nld.global.u32 %e, [%l1];\n'
           'ld.global.u64 %l1, [gptr+8];\nld.u32 %f, [%l1];\nld.global.u64 %l1, [gptr];\nld.global.u32 %g, [%l1+12];',
           ['b32'], ['b32'] * 4, lambda i: (0x33333333, 0x22222222, 0x33333333, 0x44444444), index)
    s.lane('negative offset', 'add.u64 %l1, %i, 64;\nld.global.u64 %d, [%l1+-64];\nadd.u64 %l2, %l1, 8;\nld.u64 %e, [%l2+-72];',
           ['b64'], ['b64'] * 2, lambda a: (a, a), tuples(s, ['b64'], 128), guard=False)
    s.lane('cvta', 'cvta.global.u64 %l1, %i;\ncvta.to.global.u64 %l2, %l1;\nsub.u64 %d, %l2, %i;\nld.u64 %e, [%l1];',
           ['b64'], ['b64'] * 2, lambda a: (0, a), tuples(s, ['b64'], 128))
    s.lane('cvta.shared', OWN_SHARED + 'cvt.u64.u32 %l1, %r7;\ncvta.shared.u64 %l2, %l1;\ncvta.to.shared.u64 %l3, %l2;\n'
           'sub.u64 %d, %l3, %l1;\nst.u64 [%l2], %a;\nld.shared.u64 %e, [%r7];', ['b64'], ['b64'] * 2, lambda a: (0, a),
           tuples(s, ['b64'], 128), guard=False)
    s.lane('cvta.local', OWN_LOCAL + 'cvta.local.u64 %l2, %l7;\ncvta.to.local.u64 %l3, %l2;\nsub.u64 %d, %l3, %l7;\n'
           'st.u64 [%l2+8], %a;\nld.local.u64 %e, [loc+8];', ['b64'], ['b64'] * 2, lambda a: (0, a),
           tuples(s, ['b64'], 128), guard=False)
    places = ('global', 'shared', 'local', 'const')
    setup = (OWN_SHARED + '.local .align 16 .b8 loc[64];\n' +
             'mov.u64 %l1, loc;\ncvta.local.u64 %l3, %l1;\ncvt.u64.u32 %l1, %r7;\ncvta.shared.u64 %l2, %l1;\n'
             'mov.u64 %l1, ctab;\ncvta.const.u64 %l4, %l1;\n')
    address = {'global': '%i', 'shared': '%l2', 'local': '%l3', 'const': '%l4'}
    for asked in places:
        if asked == 'const':
            continue
        code = setup + '\n'.join('isspacep.%s %%%s, %s;' % (asked, n, address[p]) for n, p in zip('def', places))
        s.lane('isspacep.' + asked, code, ['b64'], ['pred'] * 3,
               lambda a, k=asked: tuple(int(p == k) for p in places[:3]), tuples(s, ['b64'], 128), guard=False)
    s.lane('isspacep.const, .param', setup + 'isspacep.const %d, %l4;\nisspacep.const %e, %i;\nisspacep.param %f, %l2;', ['b64'],
           ['pred'] * 3, lambda a: (1, 0, 0), tuples(s, ['b64'], 128), guard=False)
    s.lane('ld.param', 'ld.param.u32 %r1, [p_in];\nld.param.u32 %r2, [p_in+4];\nmov.b64 %l1, {%r1, %r2};\n'
           'ld.param.u64 %l2, [p_in];\nsub.u64 %d, %l1, %l2;\nld.param.u16 %s1, [p_in+2];\nshr.u32 %r1, %r1, 16;\n'
           'cvt.u32.u16 %r2, %s1;\nsub.u32 %e, %r1, %r2;', ['b32'], ['b64', 'b32'], lambda a: (0, 0), index)


def packing(s):
    s.lane('mov.b64 {b32,b32}', 'mov.b64 %d, {%a, %b};\nmov.b64 {%e, %f}, %c;', ['b32', 'b32', 'b64'],
           ['b64', 'b32', 'b32'], lambda a, b, c: (b << 32 | a, c & 0xFFFFFFFF, c >> 32), tuples(s, ['b32', 'b32', 'b64']))
    s.lane('mov.b32 {b16,b16}', 'mov.b32 %d, {%a, %b};\nmov.b32 {%e, %f}, %c;', ['b16', 'b16', 'b32'],
           ['b32', 'b16', 'b16'], lambda a, b, c: (b << 16 | a, c & 0xFFFF, c >> 16), tuples(s, ['b16', 'b16', 'b32']))
    s.lane('mov.b64 {4 b16}', 'mov.b64 %d, {%a, %b, %c, %x};\nmov.b64 {%e, %f, %g, %h}, %y;', ['b16'] * 4 + ['b64'],
           ['b64'] + ['b16'] * 4, lambda a, b, c, x, y: (a | b << 16 | c << 32 | x << 48,) + tuple(
               y >> 16 * i & 0xFFFF for i in range(4)), tuples(s, ['b16'] * 4 + ['b64']))
    s.lane('mov.b64 {_, b32}', 'mov.b64 {_, %d}, %a;\nmov.b64 {%e, _}, %a;', ['b64'], ['b32', 'b32'],
           lambda a: (a >> 32, a & 0xFFFFFFFF), tuples(s, ['b64']))
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        b = 'b' + t[1:]
        s.lane('mov.' + t, 'mov.%s %%d, %%a;' % t, [b], [b], lambda a: a, tuples(s, [b]))


# ---- atomics ----

def plus(f):
    return lambda old, v: m.add(old, v, f)


def plus_f32_global(old, v):
    return m.flush(m.add(m.flush(old, F32), m.flush(v, F32), F32), F32)


def pairwise(f):
    def run(old, v):
        return m.add(old & 0xFFFF, v & 0xFFFF, f) | m.add(old >> 16, v >> 16, f) << 16
    return run


def table_of_atomics():
    rows = []
    for t in ('u32', 's32', 'u64', 's64'):
        n = int(t[1:])
        if t != 's64':
            rows.append(('add', t, lambda o, v, n=n: unsigned(o + v, n)))
        rows.append(('min', t, lambda o, v, t=t: o if as_type(o, t) <= as_type(v, t) else v))
        rows.append(('max', t, lambda o, v, t=t: o if as_type(o, t) >= as_type(v, t) else v))
    for t in ('b32', 'b64'):
        rows += [('and', t, lambda o, v: o & v), ('or', t, lambda o, v: o | v), ('xor', t, lambda o, v: o ^ v),
                 ('exch', t, lambda o, v: v)]
    rows += [('inc', 'u32', lambda o, v: 0 if o >= v else o + 1), ('dec', 'u32', lambda o, v: v if o == 0 or o > v else o - 1)]
    rows += [('add', 'f32', None), ('add', 'f64', plus(F64)), ('add.noftz', 'f16', plus(F16)),
             ('add.noftz', 'f16x2', pairwise(F16)), ('add.noftz', 'bf16', plus(BF16)), ('add.noftz', 'bf16x2', pairwise(BF16))]
    return rows


WIDTH = {'f16': 16, 'bf16': 16, 'f16x2': 32, 'bf16x2': 32}


def sloppy(f, value):
    return Nan(f) if m.is_nan(value, f) else value


def atomics(s):
    for op, t, fn in table_of_atomics():
        n = WIDTH.get(t) or int(t[1:])
        b = 'b%d' % n
        values = tuples(s, [t if t[0] in 'fb' and t not in ('b32', 'b64') else b] * 2)
        if op in ('inc', 'dec'):
            values = [(x % 9, y % 7) if i % 2 else (x, y) for i, (x, y) in enumerate(values)]
        if op == 'exch' or t == 'f64':
            pass
        for space in ('.global', '.shared', ''):
            run = fn or (plus_f32_global if space != '.shared' else plus(F32))

            def expected(a, v, run=run, t=t):
                new = run(a, v)
                return a, sloppy(F64, new) if t == 'f64' else new

            def reduced(a, v, e=expected):
                return e(a, v)[1]
            for order in ('', '.relaxed.gpu', '.acq_rel.cta', '.release.sys', '.acquire.gpu') if space == '.global' else ('',):
                if space == '.shared':
                    before, at, back = OWN_SHARED + 'st.shared.%s [%%r7], %%a;\n' % b, '%r7', 'ld.shared.%s' % b
                else:
                    before, at, back = '', '%i', 'ld.global.%s' % b
                head = 'atom%s%s.%s.%s' % (order, space, op, t)
                s.lane(head, '%s%s %%d, [%s], %%b;\n%s %%e, [%s];' % (before, head, at, back, at), [b] * 2, [b] * 2,
                       expected, values, guard=False)
                if op == 'exch' or 'acq' in order:
                    continue
                head = 'red%s%s.%s.%s' % (order, space, op, t)
                s.lane(head, '%s%s [%s], %%b;\n%s %%d, [%s];' % (before, head, at, back, at), [b] * 2, [b], reduced,
                       values, guard=False)
    for n in (16, 32, 64):
        b = 'b%d' % n
        values = [(x, x if i % 2 else y, z) for i, (x, y, z) in enumerate(tuples(s, [b] * 3))]
        for space in ('.global', '.shared', ''):
            if space == '.shared':
                before, at, back = OWN_SHARED + 'st.shared.%s [%%r7], %%a;\n' % b, '%r7', 'ld.shared.%s' % b
            else:
                before, at, back = '', '%i', 'ld.global.%s' % b
            head = 'atom%s.cas.%s' % (space, b)
            s.lane(head, '%s%s %%d, [%s], %%b, %%c;\n%s %%e, [%s];' % (before, head, at, back, at), [b] * 3, [b] * 2,
                   lambda a, c, v: (a, v if a == c else a), values, guard=False)
    contention(s)


def contention(s):
    """Many threads on one word: what is left at the end."""
    threads = 4 * 256

    def body(text):
        return '.reg .b32 %r<4>;\n.reg .b64 %l<4>;\n' + text
    for op, t, value, start, end in (('add', 'u32', '%id', 5, 5 + sum(range(threads))), ('max', 's32', '%id', 0, threads - 1),
                                     ('inc', 'u32', '999', 0, threads % 1000), ('or', 'b32', '%id', 0, threads - 1),
                                     ('min', 'u32', '%id', 99, 0), ('xor', 'b32', '%id', 0, 0)):
        for kind in ('atom', 'red'):
            code = '%s.global.%s.%s %s[%%mem], %s;' % (kind, op, t, '%r1, ' if kind == 'atom' else '', value)
            s.raw('%s.global.%s.%s contended' % (kind, op, t), body(code), [], mem=struct.pack('<I', start),
                  mem_after=struct.pack('<I', end), grid=4, block=256)
    # Each thread gets a ticket of its own and marks the place that it names.
    code = ('atom.global.add.u32 %r1, [%mem], 1;\nmul.wide.u32 %l1, %r1, 8;\nadd.u64 %l1, %l1, %out;\n'
            'atom.global.add.u32 %r2, [%l1], 1;')
    s.raw('atom tickets', body(code), [1] * threads, mem=struct.pack('<I', 0), mem_after=struct.pack('<I', threads),
          grid=4, block=256)
    lock = ('L_try:\natom.global.cas.b32 %r1, [%mem], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L_try;\nmembar.gl;\n'
            'ld.volatile.global.u32 %r2, [%mem+4];\nadd.u32 %r2, %r2, %id;\nst.volatile.global.u32 [%mem+4], %r2;\nmembar.gl;\n'
            'atom.global.exch.b32 %r1, [%mem], 0;')
    s.raw('a lock by cas and exch', body('.reg .pred %p<2>;\nsetp.ne.u32 %p1, %thread, 0;\n@%p1 bra L_end;\n' + lock + '\nL_end:'), [],
          mem=struct.pack('<II', 0, 0), mem_after=struct.pack('<II', 0, 0 + 32 + 64 + 96), grid=4, block=32)


def nothing_happens(s):
    """What orders or hints and changes no value."""
    for text in ('membar.cta', 'membar.gl', 'membar.sys', 'fence.sc.gpu', 'fence.acq_rel.cta', 'fence.sc.sys', 'fence.sc.cta',
                 'fence.acq_rel.gpu', 'prefetch.global.L2 [%i]', 'prefetch.global.L1 [%i]', 'prefetchu.L1 [%i]', 'pmevent 3',
                 'createpolicy.fractional.L2::evict_last.b64 %l1, 1.0',
                 'nanosleep.u32 20', 'bar.warp.sync 0xffffffff', 'bar.sync 0'):
        guard = not text.startswith(('bar', '.reg'))
        s.lane(text, text + ';\nmov.b32 %d, %a;', ['b32'], ['b32'], lambda a: a, tuples(s, ['b32'], 128), guard=guard)


def special_registers(s):
    grid, block = (3, 2, 2), (5, 4, 3)
    names = ['tid.x', 'tid.y', 'tid.z', 'ntid.x', 'ntid.y', 'ntid.z', 'ctaid.x', 'ctaid.y', 'ctaid.z', 'nctaid.x',
             'nctaid.y', 'nctaid.z', 'laneid', 'lanemask_eq', 'lanemask_lt', 'lanemask_le', 'lanemask_gt', 'lanemask_ge',
             'dynamic_smem_size']
    slots = []
    for bz in range(grid[2]):
        for by in range(grid[1]):
            for bx in range(grid[0]):
                for z in range(block[2]):
                    for y in range(block[1]):
                        for x in range(block[0]):
                            lane = (x + block[0] * (y + block[1] * z)) % 32
                            eq, m32 = 1 << lane, 0xFFFFFFFF
                            slots += [x, y, z, *block, bx, by, bz, *grid, lane, eq, eq - 1, eq * 2 - 1,
                                      ~(eq * 2 - 1) & m32, ~(eq - 1) & m32, 48]
    lines = ['.reg .b32 %r<8>;', '.reg .b64 %l<4>;', 'mov.u32 %r1, %ctaid.z;', 'mov.u32 %r2, %nctaid.y;',
             'mov.u32 %r3, %ctaid.y;', 'mad.lo.u32 %r1, %r1, %r2, %r3;', 'mov.u32 %r2, %nctaid.x;', 'mov.u32 %r3, %ctaid.x;',
             'mad.lo.u32 %r1, %r1, %r2, %r3;', 'mov.u32 %r2, %ntid.z;', 'mov.u32 %r3, %tid.z;', 'mad.lo.u32 %r1, %r1, %r2, %r3;',
             'mov.u32 %r2, %ntid.y;', 'mov.u32 %r3, %tid.y;', 'mad.lo.u32 %r1, %r1, %r2, %r3;', 'mov.u32 %r2, %ntid.x;',
             'mov.u32 %r3, %tid.x;', 'mad.lo.u32 %r1, %r1, %r2, %r3;', 'mad.wide.u32 %%l1, %%r1, %d, %%out;' % (8 * len(names))]
    for i, n in enumerate(names):
        lines += ['mov.u32 %%r4, %%%s;' % n, 'cvt.u64.u32 %l2, %r4;', 'st.global.u64 [%%l1+%d], %%l2;' % (8 * i)]
    s.raw('special registers', '\n'.join(lines), slots, grid=grid, block=block, shared=48)
    s.lane('WARP_SZ, clocks', 'mov.u32 %d, WARP_SZ;\nmov.u64 %l1, %clock64;\nmov.u64 %l2, %clock64;\nsetp.ge.u64 %e, %l2, %l1;\n'
           'mov.u64 %l1, %globaltimer;\nmov.u64 %l2, %globaltimer;\nsetp.ge.u64 %f, %l2, %l1;\nmov.u32 %r1, %clock;\n'
           'mov.u32 %r1, %smid;\nmov.u32 %r2, %nsmid;\nsetp.lt.u32 %g, %r1, %r2;\nmov.u64 %l1, %gridid;',
           ['b32'], ['b32', 'pred', 'pred', 'pred'], lambda a: (32, 1, 1, 1), tuples(s, ['b32'], 128), guard=False)


def run(s):
    spaces(s)
    vectors(s)
    addresses(s)
    packing(s)
    atomics(s)
    nothing_happens(s)
    special_registers(s)
