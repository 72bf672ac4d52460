"""mma, ldmatrix, stmatrix, movmatrix, wmma. Layouts of fragments: PTX ISA 9.0, "Warp Level Matrix Instructions".

How a tensor core rounds is not said. So one set of inputs is of small whole numbers, for which every order of adding
gives one answer, and one is of any numbers, with a bound that grows with the sum of the magnitudes.
"""
import math
import struct

import model as m
from model import BF16, F16, F32, F64
from suite import ANY, Range

FORMATS = {'f16': F16, 'bf16': BF16, 'tf32': F32, 'f32': F32, 'f64': F64}
BITS = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 'f64': 64, 's8': 8, 'u8': 8, 's32': 32}


def place_a(shape, t, lane, i):
    """Row and column of element i of the lane's part of A."""
    group, tig = lane >> 2, lane & 3
    rows, _, k = shape
    if BITS[t] == 64:
        return group, tig
    if BITS[t] == 32:
        return group + 8 * (i & 1), tig + 4 * (i >> 1)
    per = 32 // BITS[t]  # elements of a register, side by side in a row
    register, within = divmod(i, per)
    if rows == 8:
        return group, tig * per + within
    assert k in (2 * 4 * per, 4 * per)
    return group + 8 * (register & 1), tig * per + within + 4 * per * (register >> 1)


def place_b(shape, t, lane, i):
    group, tig = lane >> 2, lane & 3
    if BITS[t] == 64:
        return tig, group
    per = 32 // BITS[t]
    register, within = divmod(i, per)
    return tig * per + within + 4 * per * register, group


def place_c(shape, lane, i):
    return (lane >> 2) + 8 * (i >> 1), 2 * (lane & 3) + (i & 1)


def counts(shape, t):
    rows, columns, k = shape
    return rows * k // 32, k * columns // 32, rows * columns // 32


def number(r, t, wild):
    """A random element: its bits."""
    if t in ('s8', 'u8'):
        return r.getrandbits(8)
    if t == 's32':
        return r.getrandbits(32) if wild else r.getrandbits(16)
    f = FORMATS[t]
    if not wild:
        return m.from_double(float(r.randrange(-8, 9)), f)
    bits = m.from_double(r.uniform(-2, 2) * 2.0 ** r.randrange(-6, 3), f)
    return bits & ~0x1FFF if t == 'tf32' else bits


def value(bits, t):
    if t in ('s8', 's32'):
        return m.signed(bits, BITS[t])
    if t == 'u8':
        return bits
    return m.to_double(bits, FORMATS[t])


def product(a, b, c, shape, types, satfinite):
    """The expectation for each element of D."""
    rows, columns, k = shape
    dtype, atype, btype, ctype = types
    out = {}
    for i in range(rows):
        for j in range(columns):
            terms = [value(a[i, x], atype) * value(b[x, j], btype) for x in range(k)]
            if dtype == 's32':
                total = sum(terms) + value(c[i, j], ctype)
                out[i, j] = m.unsigned(m.clamp(total, *m.limits('s32')) if satfinite else total, 32)
                continue
            terms.append(value(c[i, j], ctype))
            exact, size = math.fsum(terms), sum(abs(x) for x in terms)
            f = FORMATS[dtype]
            error = size * (2.0 ** -9.5 if f is F16 else 2.0 ** -21 if f is F32 else 2.0 ** -50)
            whole = all(x == int(x) for x in terms) and size < 2 ** (f.mbits + 1)
            bits = m.from_double(exact, f)
            out[i, j] = bits if whole and exact else Range(
                f, m.from_double(exact - error, f, 'rm'), m.from_double(exact + error, f, 'rp')) if not whole else Range(f, f.sign, 0)
    return out


def packed(elements, t):
    """Elements of one lane as registers (ints) of 32 or 64 bits."""
    bits = BITS[t]
    if bits >= 32:
        return list(elements)
    per = 32 // bits
    return [sum(e << bits * k for k, e in enumerate(elements[i:i + per])) for i in range(0, len(elements), per)]


def mma(s, shape, types, extra=''):
    """One case: a warp, its fragments in the input, its results as registers."""
    rows, columns, k = shape
    dtype, atype, btype, ctype = types
    name = 'm%dn%dk%d' % shape
    na, nb, nc = counts(shape, atype)
    for wild in (False, True):
        a = {(i, x): number(s.random, atype, wild) for i in range(rows) for x in range(k)}
        b = {(x, j): number(s.random, btype, wild) for x in range(k) for j in range(columns)}
        c = {(i, j): number(s.random, ctype, wild) for i in range(rows) for j in range(columns)}
        d = product(a, b, c, shape, types, 'satfinite' in extra)
        data, slots = b'', []
        for lane in range(32):
            ra = packed([a[place_a(shape, atype, lane, i)] for i in range(na)], atype)
            rb = packed([b[place_b(shape, btype, lane, i)] for i in range(nb)], btype)
            rc = packed([c[place_c(shape, lane, i)] for i in range(nc)], ctype)
            data += struct.pack('<%dQ' % (len(ra + rb + rc)), *ra, *rb, *rc)
            slots += [d[place_c(shape, lane, i)] for i in range(nc)]
        widths = [[max(32, BITS[t])] * n for t, n in ((atype, len(ra)), (btype, len(rb)), (ctype, len(rc)))]
        dest = [max(32, BITS[dtype])] * (nc * BITS[dtype] // 32 if BITS[dtype] < 32 else nc)
        text, operands = registers(widths, dest)
        full = 'mma.sync.aligned.%s.row.col%s.%s' % (name, extra, '.'.join(types))
        text += '%s %s;\n' % (full, operands) + results(dest, dtype)
        s.raw('%s %s' % (full, 'any' if wild else 'whole'), text, slots, data=data)



def registers(widths, dest):
    text = '.reg .b64 %pi, %po;\n.reg .b32 %lo;\n.reg .b16 %h0, %h1;\n'
    total = sum(len(w) for w in widths)
    text += 'mad.wide.u32 %%pi, %%id, %d, %%in;\n' % (8 * total)
    operands, at = [], 0
    for letter, ws in zip('abc', widths):
        names = []
        for i, w in enumerate(ws):
            names.append('%%%s%d' % (letter, i))
            text += '.reg .b%d %s;\nld.global.b%d %s, [%%pi+%d];\n' % (w, names[-1], w, names[-1], 8 * at)
            at += 1
        operands.append('{%s}' % ', '.join(names))
    names = ['%%d%d' % i for i in range(len(dest))]
    text += ''.join('.reg .b%d %s;\n' % (w, n) for w, n in zip(dest, names))
    return text, ', '.join(['{%s}' % ', '.join(names)] + operands)


def results(dest, dtype):
    """Stores the results; halves go to slots of their own."""
    if BITS[dtype] == 16:
        text = 'mad.wide.u32 %%po, %%id, %d, %%out;\n' % (16 * len(dest))
        for i in range(len(dest)):
            text += 'mov.b32 {%%h0, %%h1}, %%d%d;\nst.global.u16 [%%po+%d], %%h0;\nst.global.u16 [%%po+%d], %%h1;\n' % (i, 16 * i, 16 * i + 8)
        return text
    text = 'mad.wide.u32 %%po, %%id, %d, %%out;\n' % (8 * len(dest))
    return text + ''.join('st.global.b%d [%%po+%d], %%d%d;\n' % (w, 8 * i, i) for i, w in enumerate(dest))


def products(s):
    for t in ('f16', 'bf16'):
        for shape in ((16, 8, 8), (16, 8, 16)):
            mma(s, shape, ('f32', t, t, 'f32'))
            if t == 'f16':
                mma(s, shape, ('f16', t, t, 'f16'))
    for shape in ((16, 8, 4), (16, 8, 8)):
        mma(s, shape, ('f32', 'tf32', 'tf32', 'f32'))
    mma(s, (8, 8, 4), ('f64', 'f64', 'f64', 'f64'))
    for a in ('s8', 'u8'):
        for b in ('s8', 'u8'):
            for shape in ((8, 8, 16), (16, 8, 16), (16, 8, 32)):
                mma(s, shape, ('s32', a, b, 's32'))
                mma(s, shape, ('s32', a, b, 's32'), '.satfinite')


# ---- ldmatrix, stmatrix, movmatrix ----

def matrices(s):
    words = [s.random.getrandbits(16) for _ in range(32 * 8)]
    data = struct.pack('<256H', *words)
    head = ('.shared .align 16 .b8 buf[1024];\n.reg .b32 %r<8>;\n.reg .b64 %l<6>;\nmov.u32 %r6, buf;\nmad.lo.u32 %r7, %thread, 16, %r6;\n'
            'mad.wide.u32 %l1, %id, 16, %in;\nld.global.v2.u64 {%l2, %l3}, [%l1];\nst.shared.v2.u64 [%r7], {%l2, %l3};\nbar.sync 0;\n')
    # Rows in another order than they lie in memory.
    order = list(range(32))
    s.random.shuffle(order)
    rows = struct.pack('<32I', *[16 * x for x in order])
    head += 'mad.wide.u32 %l1, %thread, 4, %mem;\nld.global.u32 %r5, [%l1];\nadd.u32 %r7, %r6, %r5;\n'
    for count in (1, 2, 4):
        for trans in ('', '.trans'):
            for space in ('.shared', '.shared::cta', ''):
                dest = ', '.join('%%r%d' % i for i in range(count))
                text = head
                address = '%r7'
                if space == '':
                    text += 'cvt.u64.u32 %l4, %r7;\ncvta.shared.u64 %l4, %l4;\n'
                    address = '%l4'
                text += 'ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 {%s}, [%s];\n' % (count, trans, space, dest, address)
                text += 'mad.wide.u32 %%l1, %%id, %d, %%out;\n' % (8 * count)
                text += ''.join('st.global.u32 [%%l1+%d], %%r%d;\n' % (8 * i, i) for i in range(count))
                slots = []
                for lane in range(32):
                    for q in range(count):
                        v = 0
                        for i in (0, 1):
                            row, column = lane // 4, 2 * (lane % 4) + i
                            if trans:
                                row, column = column, row
                            v |= words[8 * order[8 * q + row] + column] << 16 * i
                        slots.append(v)
                s.raw('ldmatrix x%d%s%s' % (count, trans, space), text, slots, data=data, mem=rows)
            text = head + 'mad.wide.u32 %l1, %thread, 16, %in;\n' + ''.join(
                'ld.global.u32 %%r%d, [%%l1+%d];\n' % (i, 4 * i) for i in range(4))
            text += 'stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r7], {%s};\nbar.sync 0;\n' % (
                count, trans, ', '.join('%%r%d' % i for i in range(count)))
            text += 'mad.lo.u32 %r7, %thread, 16, %r6;\nld.shared.v2.u64 {%l2, %l3}, [%r7];\nmad.wide.u32 %l1, %id, 16, %out;\nst.global.v2.u64 [%l1], {%l2, %l3};\n'
            after = list(words)
            for lane in range(32):
                for q in range(count):
                    for i in (0, 1):
                        row, column = lane // 4, 2 * (lane % 4) + i
                        if trans:
                            row, column = column, row
                        after[8 * order[8 * q + row] + column] = words[8 * lane + 2 * q + i]
            raw = struct.pack('<256H', *after)
            s.raw('stmatrix x%d%s' % (count, trans), text, list(struct.unpack('<64Q', raw)), data=data, mem=rows)
    text = ('.reg .b32 %r<4>;\n.reg .b64 %l<4>;\nmad.wide.u32 %l1, %id, 16, %in;\nld.global.u32 %r1, [%l1];\n'
            'movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\nmad.wide.u32 %l1, %id, 8, %out;\nst.global.u32 [%l1], %r2;\n')
    at = {(lane // 4, 2 * (lane % 4) + i): words[8 * lane + i] for lane in range(32) for i in (0, 1)}
    s.raw('movmatrix', text, [at[2 * (lane % 4), lane // 4] | at[2 * (lane % 4) + 1, lane // 4] << 16 for lane in range(32)], data=data)


# ---- wmma: how a fragment lies in registers is nobody's business, so load, multiply and store go together ----

WMMA = {  # registers of a, b and c by type of a: (32-bit) counts
    ('f16', (16, 16, 16)): (8, 8), ('f16', (32, 8, 16)): (8, 8), ('f16', (8, 32, 16)): (8, 8),
    ('bf16', (16, 16, 16)): (4, 4), ('bf16', (32, 8, 16)): (8, 2), ('bf16', (8, 32, 16)): (2, 8),
    ('tf32', (16, 16, 8)): (4, 4), ('f64', (8, 8, 4)): (1, 1),
    ('s8', (16, 16, 16)): (2, 2), ('s8', (32, 8, 16)): (4, 1), ('s8', (8, 32, 16)): (1, 4),
    ('u8', (16, 16, 16)): (2, 2), ('u8', (32, 8, 16)): (4, 1), ('u8', (8, 32, 16)): (1, 4)}
ACCUMULATOR = {'f16': 4, 'f32': 8, 's32': 8, 'f64': 2}


def wmma(s, shape, t, ctype, dtype, layouts, space, pad):
    rows, columns, k = shape
    name = 'm%dn%dk%d' % shape
    a = {(i, x): number(s.random, t, False) for i in range(rows) for x in range(k)}
    b = {(x, j): number(s.random, t, False) for x in range(k) for j in range(columns)}
    c = {(i, j): number(s.random, ctype, False) for i in range(rows) for j in range(columns)}
    d = product(a, b, c, shape, (dtype, t, t, ctype), False)
    mem, starts, strides = b'', [], []
    for matrix, (h, w), kind, layout in ((a, (rows, k), t, layouts[0]), (b, (k, columns), t, layouts[1]), (c, (rows, columns), ctype, layouts[2])):
        size = BITS[kind] // 8
        lines, line = (h, w) if layout == 'row' else (w, h)
        stride = line + pad * 16 // size
        block = bytearray(lines * stride * size)
        for (i, j), v in matrix.items():
            at = (i * stride + j if layout == 'row' else j * stride + i) * size
            block[at:at + size] = v.to_bytes(size, 'little')
        starts.append(len(mem))
        strides.append(stride)
        mem += bytes(block) + bytes(-len(block) % 256)
    out, line = {}, columns if layouts[2] == 'row' else rows
    lines = rows if layouts[2] == 'row' else columns
    for (i, j), e in d.items():
        out[i * line + j if layouts[2] == 'row' else j * line + i] = e
    na, nb = WMMA[t, shape]
    wide = {'f64': 'f64', 'tf32': 'b32'}.get(t, 'b32')
    reg = 'b64' if t == 'f64' else 'b32'
    vec = {n: '{%s}' % ', '.join('%%%s%d' % (n, i) for i in range(c)) for n, c in
           (('a', na), ('b', nb), ('c', ACCUMULATOR[ctype]), ('d', ACCUMULATOR[dtype]))}
    assert wide
    text = ''.join('.reg .%s %s;\n' % (reg if n in 'ab' or t == 'f64' else 'b32', v[1:-1]) for n, v in vec.items())
    text += '.reg .b64 %p;\n.reg .b32 %s<8>;\n.reg .b64 %q<8>;\n.reg .pred %more;\n'
    where = '.global'
    base = '%mem'
    if space == 'shared':
        where = '.shared'
        base = '%s6'
        text += ('.shared .align 128 .b8 buf[16384];\nmov.u32 %%s6, buf;\nmov.u32 %%s1, %%thread;\nL_copy:\nmul.wide.u32 %%q1, %%s1, 4;\nadd.u64 %%q1, %%q1, %%mem;\n'
                 'ld.global.u32 %%s2, [%%q1];\nmad.lo.u32 %%s3, %%s1, 4, %%s6;\nst.shared.u32 [%%s3], %%s2;\nadd.u32 %%s1, %%s1, 32;\n'
                 'setp.lt.u32 %%more, %%s1, %d;\n@%%more bra L_copy;\nbar.sync 0;\n' % (len(mem) // 4))
        assert len(mem) <= 16384
    for n, start, stride, layout, kind in zip('abc', starts, strides, layouts, (t, t, ctype)):
        text += 'wmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%s+%d], %d;\n' % (n, layout, name, where, kind, vec[n], base, start, stride)
    types = {'f16': dtype + '.' + ctype, 'bf16': 'f32.bf16.bf16.f32', 'tf32': 'f32.tf32.tf32.f32', 'f64': 'f64.f64.f64.f64',
             's8': 's32.s8.s8.s32', 'u8': 's32.u8.u8.s32'}[t]
    text += 'wmma.mma.sync.aligned.%s.%s.%s.%s%s %s, %s, %s, %s;\n' % (
        layouts[0], layouts[1], name, '' if t != 'f64' else 'rn.', types, vec['d'], vec['a'], vec['b'], vec['c'])
    text += 'wmma.store.d.sync.aligned.%s.%s.global.%s [%%out], %s, %d;\n' % (layouts[2], name, dtype, vec['d'], line)
    flat = [out[i] for i in range(lines * line)]
    s.raw('wmma %s %s %s %s %s %s' % (name, t, ctype, dtype, '.'.join(layouts), space), text, in_slots(flat, dtype), mem=mem)


def in_slots(flat, dtype):
    """The stored matrix is dense; slots are of 8 bytes, so each holds several elements."""
    per = 64 // BITS[dtype]
    out = []
    for i in range(0, len(flat), per):
        group = flat[i:i + per]
        if all(isinstance(e, int) for e in group):
            out.append(sum(e << BITS[dtype] * k for k, e in enumerate(group)))
        else:
            out.append(ANY)  # a zero, whose sign is open
    return out


def whole_products(s):
    for i, layouts in enumerate((x, y, z) for x in ('row', 'col') for y in ('row', 'col') for z in ('row', 'col')):
        for space in ('global', 'shared'):
            for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16)):
                for ctype in ('f16', 'f32'):
                    for dtype in ('f16', 'f32'):
                        wmma(s, shape, 'f16', ctype, dtype, layouts, space, i & 1)
                wmma(s, shape, 'bf16', 'f32', 'f32', layouts, space, i & 1)
                wmma(s, shape, 's8', 's32', 's32', layouts, space, i & 1)
                wmma(s, shape, 'u8', 's32', 's32', layouts, space, i & 1)
            wmma(s, (16, 16, 8), 'tf32', 'f32', 'f32', layouts, space, i & 1)
            wmma(s, (8, 8, 4), 'f64', 'f64', 'f64', layouts, space, i & 1)


def run(s):
    products(s)
    matrices(s)
    whole_products(s)
