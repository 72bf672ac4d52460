"""Integer arithmetic and bits."""
from model import as_type, clamp, limits, signed, unsigned
from suite import ANY, tuples

TYPES = ('u16', 'u32', 'u64', 's16', 's32', 's64')


def width(t):
    return int(t[1:])


def reg(t):
    return 'b%d' % width(t)


def simple(s, op, types, kinds, fn, divisor=False):
    """`op d, a, b, ...` of one type: fn works on numbers, its result is cut to the result's width."""
    for t in types:
        bits = width(t)
        values = tuples(s, [t] * len(kinds))
        if divisor:
            # What a division by zero gives is open, and the device says so; that has tests of its own.
            values = [(a, b or 7) for a, b in values]

        def run(*v, t=t, bits=bits):
            r = fn(t, *[as_type(x, t) for x in v])
            return r if r is ANY else unsigned(r, bits)

        code = '%s.%s %%d, %s;' % (op, t, ', '.join('%' + n for n in 'abc'[:len(kinds)]))
        s.lane('%s.%s' % (op, t), code, [reg(t)] * len(kinds), [reg(t)], run, values)


def divide(t, a, b):
    if t[0] == 's' and b == -1 and a == limits(t)[0]:
        return ANY
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(t, a, b):
    q = divide(t, a, b)
    return ANY if q is ANY else a - q * b


def arithmetic(s):
    simple(s, 'add', TYPES, 'ab', lambda t, a, b: a + b)
    simple(s, 'sub', TYPES, 'ab', lambda t, a, b: a - b)
    for op, sign in (('add', 1), ('sub', -1)):
        s.lane(op + '.sat.s32', op + '.sat.s32 %d, %a, %b;', ['b32'] * 2, ['b32'],
               lambda a, b, k=sign: unsigned(clamp(signed(a, 32) + k * signed(b, 32), *limits('s32')), 32),
               tuples(s, ['s32'] * 2))
    simple(s, 'mul.lo', TYPES, 'ab', lambda t, a, b: a * b)
    simple(s, 'mul.hi', TYPES, 'ab', lambda t, a, b: (a * b) >> width(t))
    simple(s, 'mad.lo', TYPES, 'abc', lambda t, a, b, c: a * b + c)
    simple(s, 'mad.hi', TYPES, 'abc', lambda t, a, b, c: ((a * b) >> width(t)) + c)
    s.lane('mad.hi.sat.s32', 'mad.hi.sat.s32 %d, %a, %b, %c;', ['b32'] * 3, ['b32'],
           lambda a, b, c: unsigned(clamp((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32), *limits('s32')), 32),
           tuples(s, ['s32'] * 3))
    for t in ('u16', 's16', 'u32', 's32'):
        wide = t[0] + str(2 * width(t))
        s.lane('mul.wide.' + t, 'mul.wide.%s %%d, %%a, %%b;' % t, [reg(t)] * 2, [reg(wide)],
               lambda a, b, t=t, w=width(wide): unsigned(as_type(a, t) * as_type(b, t), w), tuples(s, [t] * 2))
        s.lane('mad.wide.' + t, 'mad.wide.%s %%d, %%a, %%b, %%c;' % t, [reg(t)] * 2 + [reg(wide)], [reg(wide)],
               lambda a, b, c, t=t, w=width(wide): unsigned(as_type(a, t) * as_type(b, t) + c, w),
               tuples(s, [t, t, wide]))
    simple(s, 'sad', TYPES, 'abc', lambda t, a, b, c: c + abs(a - b))
    simple(s, 'div', TYPES, 'ab', divide, True)
    simple(s, 'rem', TYPES, 'ab', remainder, True)
    simple(s, 'abs', ('s16', 's32', 's64'), 'a', lambda t, a: abs(a))
    simple(s, 'neg', ('s16', 's32', 's64'), 'a', lambda t, a: -a)
    simple(s, 'min', TYPES, 'ab', lambda t, a, b: min(a, b))
    simple(s, 'max', TYPES, 'ab', lambda t, a, b: max(a, b))
    simple(s, 'min.relu', ('s32',), 'ab', lambda t, a, b: max(0, min(a, b)))
    simple(s, 'max.relu', ('s32',), 'ab', lambda t, a, b: max(0, a, b))


def low24(t, x):
    return signed(x, 24) if t[0] == 's' else x & 0xFFFFFF


def arithmetic24(s):
    for t in ('u32', 's32'):
        for part, shift in (('lo', 0), ('hi', 16)):
            s.lane('mul24.%s.%s' % (part, t), 'mul24.%s.%s %%d, %%a, %%b;' % (part, t), ['b32'] * 2, ['b32'],
                   lambda a, b, t=t, k=shift: unsigned(low24(t, a) * low24(t, b) >> k, 32), tuples(s, [t] * 2))
            s.lane('mad24.%s.%s' % (part, t), 'mad24.%s.%s %%d, %%a, %%b, %%c;' % (part, t), ['b32'] * 3, ['b32'],
                   lambda a, b, c, t=t, k=shift: unsigned((low24(t, a) * low24(t, b) >> k) + c, 32),
                   tuples(s, [t] * 3))
    s.lane('mad24.hi.sat.s32', 'mad24.hi.sat.s32 %d, %a, %b, %c;', ['b32'] * 3, ['b32'],
           lambda a, b, c: unsigned(clamp((low24('s32', a) * low24('s32', b) >> 16) + signed(c, 32),
                                          *limits('s32')), 32), tuples(s, ['s32'] * 3))


def carry(s):
    """Chains of two words: what the first leaves in the carry flag, the second takes in."""
    for bits in (32, 64):
        for letter in 'us':
            t, m = '%s%d' % (letter, bits), (1 << bits) - 1

            def halves(total, bits=bits, m=m):
                return total & m, (total >> bits) & m

            def run_add(a, b, c, x, k=bits, h=halves):
                total = (a | b << k) + (c | x << k)
                return h(total) + ((total >> 2 * k) & 1,)

            def run_sub(a, b, c, x, k=bits, h=halves):
                total = (a | b << k) - (c | x << k)
                return h(total) + (1 if total < 0 else 0,)

            s.lane('add.cc.%s addc.cc addc' % t,
                   'add.cc.%s %%d, %%a, %%c;\naddc.cc.%s %%e, %%b, %%x;\naddc.%s %%f, 0, 0;' % (t, t, t),
                   ['b%d' % bits] * 4, ['b%d' % bits] * 3, run_add, tuples(s, [t] * 4))
            s.lane('sub.cc.%s subc.cc subc' % t,
                   'sub.cc.%s %%d, %%a, %%c;\nsubc.cc.%s %%e, %%b, %%x;\nsubc.%s %%f, 0, 0;\nneg.s%d %%f, %%f;' %
                   (t, t, t, bits),
                   ['b%d' % bits] * 4, ['b%d' % bits] * 3, run_sub, tuples(s, [t] * 4), guard=False)

            # What the manual leaves open, as an H200 does it: the flag is 0 where the subtraction borrowed.
            s.lane('sub.cc.%s addc' % t, 'sub.cc.%s %%d, %%a, %%b;\naddc.%s %%e, 0, 0;' % (t, t),
                   ['b%d' % bits] * 2, ['b%d' % bits] * 2, lambda a, b, m=m: (a - b & m, int(a >= b)),
                   tuples(s, [t] * 2), guard=False)

            def run_mad(a, b, c, x, t=t, k=bits, h=halves, m=m):
                product = as_type(a, t) * as_type(b, t)
                low = (product & m) + c
                high = ((product >> k) & m) + x + (low >> k)
                return low & m, high & m, high >> k & 1

            s.lane('mad.lo.cc.%s madc.hi.cc addc' % t,
                   'mad.lo.cc.%s %%d, %%a, %%b, %%c;\nmadc.hi.cc.%s %%e, %%a, %%b, %%x;\naddc.%s %%f, 0, 0;' % (t, t, t),
                   ['b%d' % bits] * 4, ['b%d' % bits] * 3, run_mad, tuples(s, [t] * 4))

            def run_high(a, b, c, x, t=t, k=bits, m=m):
                product = as_type(a, t) * as_type(b, t)
                first = ((product >> k) & m) + c
                second = (product & m) + x + (first >> k)
                third = (product & m) + c + (second >> k)
                fourth = ((product >> k) & m) + x
                return first & m, second & m, third & m, (fourth + (third >> k)) & m

            s.lane('mad.hi.cc.%s madc.lo.cc' % t,
                   'mad.hi.cc.%s %%d, %%a, %%b, %%c;\nmadc.lo.cc.%s %%e, %%a, %%b, %%x;\n'
                   'madc.lo.cc.%s %%f, %%a, %%b, %%c;\nmadc.hi.%s %%g, %%a, %%b, %%x;' % (t, t, t, t),
                   ['b%d' % bits] * 4, ['b%d' % bits] * 4, run_high, tuples(s, [t] * 4))
            s.lane('madc.lo.%s' % t, 'add.cc.%s %%e, %%c, %%x;\nmadc.lo.%s %%d, %%a, %%b, %%c;' % (t, t),
                   ['b%d' % bits] * 4, ['b%d' % bits] * 2,
                   lambda a, b, c, x, k=bits, m=m: ((a * b + c + (c + x >> k)) & m, (c + x) & m),
                   tuples(s, [t] * 4))


def top_bit(x, bits, is_signed):
    if is_signed and x >> (bits - 1):
        x = ~x & ((1 << bits) - 1)
    return x.bit_length() - 1 if x else 0xFFFFFFFF


def extract(a, b, c, bits, is_signed):
    pos, length, msb = b & 0xFF, c & 0xFF, bits - 1
    sign = 0 if not is_signed or length == 0 else (a >> min(pos + length - 1, msb)) & 1
    r = 0
    for i in range(bits):
        r |= ((a >> (pos + i)) & 1 if i < length and pos + i <= msb else sign) << i
    return r


def insert(a, b, c, x, bits):
    pos, length = c & 0xFF, x & 0xFF
    r = b
    for i in range(length):
        if pos + i < bits:
            r = r & ~(1 << (pos + i)) | ((a >> i) & 1) << (pos + i)
    return r


def find_nth(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    step, left, pos = (1, offset, base) if offset > 0 else (-1, -offset, base)
    while 0 <= pos < 32:
        if mask >> pos & 1:
            left -= 1
            if left == 0:
                return pos
        pos += step
    return 0xFFFFFFFF


def bit_mask(a, b, mode):
    mask0, n = 0xFFFFFFFF << (a & 31), b & 31
    total = (a & 31) + n
    mask1 = 0xFFFFFFFF << total
    position, large = mode == 'clamp' and a >= 32, mode == 'clamp' and b >= 32
    if total >= 32 or position or large:
        mask1 = 0
    elif n == 0:
        mask1 = -1
    if position:
        mask0 = 0
    return ~mask1 & mask0 & 0xFFFFFFFF


def bits(s):
    for n in (32, 64):
        b = 'b%d' % n
        # Places and lengths of one byte; what the 64-bit forms make of more is not said.
        byte = 'u32' if n == 32 else 'u8'
        s.lane('popc.' + b, 'popc.%s %%d, %%a;' % b, [b], ['b32'], lambda a: bin(a).count('1'), tuples(s, [b]))
        s.lane('clz.' + b, 'clz.%s %%d, %%a;' % b, [b], ['b32'], lambda a, n=n: n - a.bit_length(), tuples(s, [b]))
        s.lane('brev.' + b, 'brev.%s %%d, %%a;' % b, [b], [b],
               lambda a, n=n: int(bin(a + (1 << n))[3:][::-1], 2), tuples(s, [b]))
        for letter in 'us':
            t = letter + str(n)
            s.lane('bfind.' + t, 'bfind.%s %%d, %%a;' % t, [b], ['b32'],
                   lambda a, n=n, k=letter == 's': top_bit(a, n, k), tuples(s, [t]))
            s.lane('bfind.shiftamt.' + t, 'bfind.shiftamt.%s %%d, %%a;' % t, [b], ['b32'],
                   lambda a, n=n, k=letter == 's': n - 1 - top_bit(a, n, k) if top_bit(a, n, k) < n else 0xFFFFFFFF,
                   tuples(s, [t]))
            s.lane('bfe.' + t, 'bfe.%s %%d, %%a, %%b, %%c;' % t, [b, 'b32', 'b32'], [b],
                   lambda a, p, l, n=n, k=letter == 's': extract(a, p, l, n, k), tuples(s, [t, range(70), range(70)]))
            s.lane('bfe.%s bytes' % t, 'bfe.%s %%d, %%a, %%b, %%c;' % t, [b, 'b32', 'b32'], [b],
                   lambda a, p, l, n=n, k=letter == 's': extract(a, p, l, n, k), tuples(s, [t, byte, byte]))
        s.lane('bfi.' + b, 'bfi.%s %%d, %%a, %%b, %%c, %%x;' % b, [b, b, 'b32', 'b32'], [b],
               lambda a, p, c, x, n=n: insert(a, p, c, x, n), tuples(s, [b, b, range(70), range(70)]))
        s.lane('bfi.%s bytes' % b, 'bfi.%s %%d, %%a, %%b, %%c, %%x;' % b, [b, b, 'b32', 'b32'], [b],
               lambda a, p, c, x, n=n: insert(a, p, c, x, n), tuples(s, [b, b, byte, byte]))
    s.lane('fns.b32', 'fns.b32 %d, %a, %b, %c;', ['b32'] * 3, ['b32'],
           lambda a, b, c: find_nth(a, b, signed(c, 32)),
           tuples(s, ['u32', range(32), [x & 0xFFFFFFFF for x in range(-33, 34)]]))
    for mode in ('clamp', 'wrap'):
        s.lane('bmsk.%s.b32' % mode, 'bmsk.%s.b32 %%d, %%a, %%b;' % mode, ['b32'] * 2, ['b32'],
               lambda a, b, k=mode: bit_mask(a, b, k), tuples(s, [list(range(35)) + [255, 1 << 31]] * 2))


def logic(s):
    for n in (16, 32, 64):
        b, m = 'b%d' % n, (1 << n) - 1
        for op, fn in (('and', lambda a, c: a & c), ('or', lambda a, c: a | c), ('xor', lambda a, c: a ^ c)):
            s.lane('%s.%s' % (op, b), '%s.%s %%d, %%a, %%b;' % (op, b), [b, b], [b], fn, tuples(s, [b, b]))
        s.lane('not.' + b, 'not.%s %%d, %%a;' % b, [b], [b], lambda a, m=m: ~a & m, tuples(s, [b]))
        s.lane('cnot.' + b, 'cnot.%s %%d, %%a;' % b, [b], [b], lambda a: 0 if a else 1, tuples(s, [b]))
        amounts = list(range(0, 70)) + [255, 256, 1 << 16, 1 << 31, (1 << 32) - 1]
        s.lane('shl.' + b, 'shl.%s %%d, %%a, %%b;' % b, [b, 'b32'], [b],
               lambda a, c, n=n, m=m: a << min(c, n) & m, tuples(s, [b, amounts]))
        s.lane('shr.' + b, 'shr.%s %%d, %%a, %%b;' % b, [b, 'b32'], [b],
               lambda a, c, n=n: a >> min(c, n), tuples(s, [b, amounts]))
        s.lane('shr.u%d' % n, 'shr.u%d %%d, %%a, %%b;' % n, [b, 'b32'], [b],
               lambda a, c, n=n: a >> min(c, n), tuples(s, [b, amounts]))
        s.lane('shr.s%d' % n, 'shr.s%d %%d, %%a, %%b;' % n, [b, 'b32'], [b],
               lambda a, c, n=n: unsigned(signed(a, n) >> min(c, n), n), tuples(s, [b, amounts]))
    for op, fn in (('and', lambda a, c: a & c), ('or', lambda a, c: a | c), ('xor', lambda a, c: a ^ c)):
        s.lane(op + '.pred', op + '.pred %d, %a, %b;', ['pred'] * 2, ['pred'], fn, tuples(s, ['pred'] * 2))
    s.lane('not.pred', 'not.pred %d, %a;', ['pred'], ['pred'], lambda a: 1 - a, tuples(s, ['pred']))
    s.lane('mov.pred', 'mov.pred %d, %a;', ['pred'], ['pred'], lambda a: a, tuples(s, ['pred']))
    for way in 'lr':
        for mode in ('wrap', 'clamp'):
            def run(a, b, c, way=way, mode=mode):
                n = c & 31 if mode == 'wrap' else min(c, 32)
                pair = b << 32 | a
                return (pair << n >> 32 if way == 'l' else pair >> n) & 0xFFFFFFFF
            s.lane('shf.%s.%s.b32' % (way, mode), 'shf.%s.%s.b32 %%d, %%a, %%b, %%c;' % (way, mode), ['b32'] * 3,
                   ['b32'], run, tuples(s, ['b32', 'b32', list(range(40)) + [63, 64, 255, 1 << 31]]))


def lut(a, b, c, table):
    r = 0
    for i in range(8):
        if table >> i & 1:
            r |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    return r & 0xFFFFFFFF


def lookup(s):
    for table in (0, 1, 0x80, 0x96, 0xE8, 0xCA, 0xB8, 0xFE, 0xFF, 0x3C, 0x6A, 0x1B, 0x78, 0xD2):
        s.lane('lop3.b32 %#x' % table, 'lop3.b32 %%d, %%a, %%b, %%c, %d;' % table, ['b32'] * 3, ['b32'],
               lambda a, b, c, t=table: lut(a, b, c, t), tuples(s, ['b32'] * 3))


FIXED = {  # by selector 0..3, the bytes from the highest on
    'f4e': ('3210', '4321', '5432', '6543'), 'b4e': ('5670', '6701', '7012', '0123'),
    'rc8': ('0000', '1111', '2222', '3333'), 'ecl': ('3210', '3211', '3222', '3333'),
    'ecr': ('0000', '1110', '2210', '3210'), 'rc16': ('1010', '3232', '1010', '3232')}


def permute(a, b, c):
    both = b << 32 | a
    r = 0
    for i in range(4):
        sel = c >> 4 * i & 15
        byte = both >> 8 * (sel & 7) & 255
        if sel & 8:
            byte = 255 if byte & 128 else 0
        r |= byte << 8 * i
    return r


def permutations(s):
    s.lane('prmt.b32', 'prmt.b32 %d, %a, %b, %c;', ['b32'] * 3, ['b32'], permute, tuples(s, ['b32'] * 3))
    for mode, rows in FIXED.items():
        def run(a, b, c, rows=rows):
            both = b << 32 | a
            return sum((both >> 8 * int(x) & 255) << 8 * (3 - i) for i, x in enumerate(rows[c & 3]))
        s.lane('prmt.b32.' + mode, 'prmt.b32.%s %%d, %%a, %%b, %%c;' % mode, ['b32'] * 3, ['b32'], run,
               tuples(s, ['b32'] * 3))
    for t in ('u32', 's32'):
        for k in ('u32', 's32'):
            def four(a, b, c, t=t, k=k):
                return unsigned(c + sum(as_type(a >> 8 * i, t[0] + '8') * as_type(b >> 8 * i, k[0] + '8')
                                        for i in range(4)), 32)
            s.lane('dp4a.%s.%s' % (t, k), 'dp4a.%s.%s %%d, %%a, %%b, %%c;' % (t, k), ['b32'] * 3, ['b32'], four,
                   tuples(s, ['b32'] * 3))
            for part, base in (('lo', 0), ('hi', 2)):
                def two(a, b, c, t=t, k=k, base=base):
                    return unsigned(c + sum(as_type(a >> 16 * i, t[0] + '16') *
                                            as_type(b >> 8 * (base + i), k[0] + '8') for i in range(2)), 32)
                s.lane('dp2a.%s.%s.%s' % (part, t, k), 'dp2a.%s.%s.%s %%d, %%a, %%b, %%c;' % (part, t, k),
                       ['b32'] * 3, ['b32'], two, tuples(s, ['b32'] * 3))


VIDEO = {'vadd': lambda x, y: x + y, 'vsub': lambda x, y: x - y, 'vabsdiff': lambda x, y: abs(x - y),
         'vavrg': lambda x, y: (x + y + (x + y >= 0)) >> 1, 'vmin': min, 'vmax': max}


def video_result(op, lanes, types, sat, add, a, b, c):
    bits, r, total = 32 // lanes, 0, c
    d = types[0][0]
    for i in range(lanes):
        x, y = (as_type(v >> bits * i, t[0] + str(bits)) for v, t in ((a, types[1]), (b, types[2])))
        v = VIDEO[op](x, y)
        if sat:
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if d == 's' else (0, (1 << bits) - 1)
            v = min(max(v, low), high)
        r |= (v & (1 << bits) - 1) << bits * i
        total += v
    return unsigned(total, 32) if add else r


def video(s):
    for op in VIDEO:
        for lanes in (2, 4):
            for types in (('u32', 'u32', 'u32'), ('s32', 's32', 's32'), ('u32', 's32', 's32'), ('s32', 'u32', 's32')):
                for sat, add in ((0, 0), (1, 0), (0, 1)):
                    name = '%s%d.%s%s%s' % (op, lanes, '.'.join(types), '.sat' * sat, '.add' * add)
                    s.lane(name, name + ' %d, %a, %b, %c;', ['b32'] * 3, ['b32'],
                           lambda a, b, c, op=op, lanes=lanes, types=types, sat=sat, add=add:
                           video_result(op, lanes, types, sat, add, a, b, c), tuples(s, ['b32'] * 3))


def immediates(s):
    """A constant in each place, of each width, negative and unsigned ones."""
    for t in TYPES:
        b, n = reg(t), width(t)
        for value in (0, 1, -1, 5, -7, limits(t)[1], limits(t)[0]):
            text = str(value) if t[0] == 's' or value >= 0 else str(value)
            s.lane('add.%s a, %s' % (t, text), 'add.%s %%d, %%a, %s;' % (t, text), [b], [b],
                   lambda a, v=value, n=n: unsigned(a + v, n), tuples(s, [t]))
            s.lane('sub.%s %s, a' % (t, text), 'sub.%s %%d, %s, %%a;' % (t, text), [b], [b],
                   lambda a, v=value, n=n: unsigned(v - a, n), tuples(s, [t]))
        s.lane('mov.%s constant' % t, 'mov.%s %%d, %d;' % (t, limits(t)[0] or limits(t)[1]), [b], [b],
               lambda a, t=t, n=n: unsigned(limits(t)[0] or limits(t)[1], n), tuples(s, [t]))
    s.lane('and.b32 0xffU', 'and.b32 %d, %a, 0xff00U;', ['b32'], ['b32'], lambda a: a & 0xFF00, tuples(s, ['b32']))
    s.lane('mov.b32 0b, octal', 'mov.b32 %d, 0b1011;\nmov.b32 %e, 017;', ['b32'], ['b32', 'b32'],
           lambda a: (11, 15), tuples(s, ['b32']))
    s.lane('mul.wide.s32 a, -8', 'mul.wide.s32 %d, %a, -8;', ['b32'], ['b64'],
           lambda a: unsigned(signed(a, 32) * -8, 64), tuples(s, ['s32']))


def run(s):
    arithmetic(s)
    arithmetic24(s)
    carry(s)
    bits(s)
    logic(s)
    lookup(s)
    permutations(s)
    video(s)
    immediates(s)
