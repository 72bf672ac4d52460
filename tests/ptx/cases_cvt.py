"""Conversions: each type to each other, each rounding."""
import model as m
from model import BF16, F16, F32, F64, as_type, clamp, limits, unsigned
from suite import ANY, Nan, Range, tuples

INTEGERS = ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64')
FLOATS = {'f16': F16, 'bf16': BF16, 'f32': F32, 'f64': F64}
INTEGRAL = {'rni': 'rn', 'rzi': 'rz', 'rmi': 'rm', 'rpi': 'rp'}


def registers(t):
    """Widths of registers in which a value of the type may lie."""
    return [w for w in (16, 32, 64) if w >= int(t[1:])]


def widen(value, t, register):
    """How a value of an integer type fills a wider register."""
    return unsigned(value, register)


def integer_to_integer(s):
    for to in INTEGERS:
        for source in INTEGERS:
            # .sat is allowed only where values could be out of range.
            whole = limits(to)[0] <= limits(source)[0] and limits(source)[1] <= limits(to)[1]
            for sat in ('',) if whole else ('', '.sat'):
                for a in registers(source):
                    for d in registers(to):
                        if a != min(registers(source)) and d != min(registers(to)) and (a, d) != (32, 32):
                            continue

                        def run(x, to=to, source=source, sat=sat, d=d):
                            v = as_type(x, source)
                            v = clamp(v, *limits(to)) if sat else as_type(v, to)
                            return widen(v, to, d)
                        name = 'cvt%s.%s.%s' % (sat, to, source)
                        s.lane('%s b%d b%d' % (name, d, a), name + ' %d, %a;', ['b%d' % a], ['b%d' % d], run,
                               tuples(s, ['u%d' % a], 128))


def integer_to_float(s):
    for source in INTEGERS:
        a = registers(source)[0]
        for name, f in FLOATS.items():
            if f is BF16 and source in ('u8', 's8'):
                continue
            for mode in ('rn', 'rz', 'rm', 'rp'):
                s.lane('cvt.%s.%s.%s' % (mode, name, source), 'cvt.%s.%s.%s %%d, %%a;' % (mode, name, source),
                       ['b%d' % a], ['b%d' % f.bits],
                       lambda x, t=source, f=f, k=mode: m.from_int(as_type(x, t), f, k), tuples(s, [source], 256))
        for name in ('f16', 'f32', 'f64'):
            f = FLOATS[name]
            s.lane('cvt.rn.sat.%s.%s' % (name, source), 'cvt.rn.sat.%s.%s %%d, %%a;' % (name, source), ['b%d' % a],
                   ['b%d' % f.bits], lambda x, t=source, f=f: f.one if as_type(x, t) > 0 else 0,
                   tuples(s, [source], 128))


def to_int(x, f, to, mode, ftz):
    if ftz:
        x = m.flush(x, f)
    bits = int(to[1:])
    if m.is_nan(x, f):
        # PTX ISA, "cvt": zero, but the bits 100...0 where the source is f64 or the destination has 64 bits.
        return as_type(1 << (bits - 1), to) if bits == 64 or f is F64 else 0
    low, high = limits(to)
    if m.is_inf(x, f):
        return low if m.sign_of(x, f) else high
    return clamp(m.to_integer(x, f, mode), low, high)


def float_to_integer(s):
    for name, f in FLOATS.items():
        for to in INTEGERS:
            d = registers(to)[0]
            if f is BF16 and to in ('u8', 's8'):
                continue
            for mode, k in INTEGRAL.items():
                for ftz in ('', '.ftz') if f is F32 else ('',):
                    for sat in ('', '.sat') if mode == 'rzi' and f is not BF16 else ('',):
                        full = 'cvt.%s%s%s.%s.%s' % (mode, ftz, sat, to, name)
                        s.lane(full, full + ' %d, %a;', ['b%d' % f.bits], ['b%d' % d],
                               lambda x, f=f, to=to, k=k, z=ftz, d=d: widen(to_int(x, f, to, k, z), to, d),
                               tuples(s, [name], 256))


def clean_nan(r, f):
    return Nan(f) if f in (F32, F64) and m.is_nan(r, f) else r


def round_integral(x, f, mode):
    if m.is_nan(x, f):
        return f.nan
    if m.is_inf(x, f):
        return x
    v = m.to_integer(x, f, mode)
    return m.from_int(v, f) if v else x & f.sign


def saturated(r, f):
    if m.is_zero(r, f) or (m.sign_of(r, f) and not m.is_nan(r, f)):
        return Range(f, f.sign, 0)
    return m.saturate(r, f)


def float_to_float(s):
    narrow = [(F32, F64), (F16, F32), (F16, F64), (BF16, F32), (BF16, F64)]
    for to, source in narrow:
        for mode in ('rn', 'rz', 'rm', 'rp') if to is not BF16 or source is not F32 else ('rn', 'rz'):
            for mod in ('', '.sat', '.ftz', '.relu'):
                if mod == '.ftz' and (to is not F32 and source is not F32 or to is BF16):
                    continue
                if mod == '.relu' and (source is not F32 or to is F32 or mode not in ('rn', 'rz')):
                    continue
                if mod == '.sat' and to is BF16:
                    continue

                def run(x, to=to, source=source, k=mode, mod=mod):
                    if mod == '.ftz' and source is F32:
                        if m.is_subnormal(x, F32) and k in ('rm', 'rp'):
                            return ANY  # the manual flushes it, an H200 does not
                        x = m.flush(x, F32)
                    r = m.convert(x, source, to, k)
                    if source is F64 and mod != '.sat' and m.is_nan(x, F64):
                        return Nan(to)  # some of the payload is kept
                    if mod == '.ftz' and to is F32:
                        if r & ~to.sign == to.min_normal:
                            return Range(to, *sorted((r, r & to.sign), key=lambda y: m.order(y, to)))
                        r = m.flush(r, to)
                    if mod == '.sat':
                        return saturated(r, to)
                    if mod == '.relu':
                        return Range(to, to.sign, 0) if m.is_zero(r, to) else m.relu(r, to)
                    return r
                full = 'cvt.%s%s.%s.%s' % (mode, mod, to.name, source.name)
                s.lane(full, full + ' %d, %a;', ['b%d' % source.bits], ['b%d' % to.bits], run,
                       tuples(s, [source.name]) + near(s, source, to))
    for to, source in ((F32, F16), (F64, F16), (F64, F32), (F32, BF16), (F64, BF16)):
        for mod in ('', '.sat'):
            if mod and source is BF16:
                continue

            def run(x, to=to, source=source, mod=mod):
                r = m.convert(x, source, to)
                return saturated(r, to) if mod else clean_nan(r, to)
            full = 'cvt%s.%s.%s' % (mod, to.name, source.name)
            s.lane(full, full + ' %d, %a;', ['b%d' % source.bits], ['b%d' % to.bits], run, tuples(s, [source.name]))
    for f in (F16, F32, F64, BF16):
        for mode, k in INTEGRAL.items():
            for mod in ('', '.sat', '.ftz') if f is F32 else ('', '.sat') if f is not BF16 else ('',):
                def run(x, f=f, k=k, mod=mod):
                    x = m.flush(x, f) if mod == '.ftz' else x
                    r = round_integral(x, f, k)
                    return saturated(r, f) if mod == '.sat' else clean_nan(r, f)
                full = 'cvt.%s%s.%s.%s' % (mode, mod, f.name, f.name)
                s.lane(full, full + ' %d, %a;', ['b%d' % f.bits], ['b%d' % f.bits], run, tuples(s, [f.name]))
    s.lane('cvt.sat.f32.f32', 'cvt.sat.f32.f32 %d, %a;', ['b32'], ['b32'], lambda x: saturated(x, F32), tuples(s, ['f32']))
    s.lane('cvt.ftz.f32.f32', 'cvt.ftz.f32.f32 %d, %a;', ['b32'], ['b32'],
           lambda x: Nan(F32) if m.is_nan(x, F32) else m.flush(x, F32), tuples(s, ['f32']))
    s.lane('cvt.ftz.f64.f32', 'cvt.ftz.f64.f32 %d, %a;', ['b32'], ['b64'],
           lambda x: clean_nan(m.convert(m.flush(x, F32), F32, F64), F64), tuples(s, ['f32']))


def near(s, source, to):
    """Numbers that lie on, just above and just below a half of the last place of the smaller format."""
    out = []
    drop = source.mbits - to.mbits
    for _ in range(96):
        exponent = source.bias + s.random.randrange(max(-to.bias - to.mbits - 2, 1 - source.bias), to.bias + 2)
        top = s.random.getrandbits(to.mbits) << drop
        low = s.random.choice((0, 1 << (drop - 1), (1 << (drop - 1)) - 1, (1 << (drop - 1)) + 1, 1, (1 << drop) - 1))
        out.append(((s.random.randrange(2) << (source.bits - 1)) | exponent << source.mbits | top | low,))
    return out


def packed(s):
    for f in (F16, BF16):
        for mode in ('rn', 'rz'):
            for relu in ('', '.relu'):
                def half(x, f=f, k=mode, relu=relu):
                    r = m.convert(x, F32, f, k)
                    return m.relu(r, f) if relu else r
                full = 'cvt.%s%s.%sx2.f32' % (mode, relu, f.name)
                pairs = tuples(s, ['f32', 'f32']) + [(a[0], b[0]) for a, b in zip(near(s, F32, f), near(s, F32, f))]
                s.lane(full, full + ' %d, %a, %b;', ['b32'] * 2, ['b32'], lambda a, b, h=half: h(a) << 16 | h(b), pairs)


def bounded(r, f):
    """.satfinite: an infinity becomes the greatest finite number of its sign."""
    return f.max | r & f.sign if m.is_inf(r, f) else r


def within_bounds(s):
    for f in (F16, BF16):
        for mode in ('rn', 'rz'):
            for relu in ('', '.relu'):
                def half(x, f=f, k=mode, relu=relu):
                    r = bounded(m.convert(x, F32, f, k), f)
                    return m.relu(r, f) if relu else r

                def one(x, h=half, f=f, relu=relu):
                    r = h(x)
                    return Range(f, f.sign, 0) if relu and m.is_zero(r, f) else r
                full = 'cvt.%s%s.satfinite.%s' % (mode, relu, f.name)
                s.lane(full + '.f32', full + '.f32 %d, %a;', ['b32'], ['b16'], one, tuples(s, ['f32']) + near(s, F32, f))
                pairs = tuples(s, ['f32', 'f32'])
                s.lane(full + 'x2.f32', full + 'x2.f32 %d, %a, %b;', ['b32'] * 2, ['b32'],
                       lambda a, b, h=half: h(a) << 16 | h(b), pairs)
    for to, source in ((BF16, F16), (F16, BF16)):
        for mode in ('rn', 'rz', 'rm', 'rp'):
            full = 'cvt.%s.%s.%s' % (mode, to.name, source.name)
            s.lane(full, full + ' %d, %a;', ['b16'], ['b16'],
                   lambda x, to=to, f=source, k=mode: Nan(to) if m.is_nan(x, f) else m.convert(x, f, to, k),
                   tuples(s, [source.name]))


def tensor_float(s):
    for mods in ('rna', 'rna.satfinite', 'rn', 'rz', 'rn.relu', 'rz.relu'):
        def run(x, mods=mods):
            if m.is_nan(x, F32):
                return ANY  # an H200 cuts the payload, which may leave an infinity
            r = m.convert(x, F32, m.TF32, mods.split('.')[0])
            if 'satfinite' in mods:
                r = bounded(r, m.TF32)
            if 'relu' in mods and r & m.TF32.sign:
                return Range(F32, F32.sign, 0)
            return r << 13
        s.lane('cvt.%s.tf32.f32' % mods, 'cvt.%s.tf32.f32 %%d, %%a;' % mods, ['b32'], ['b32'], run,
               tuples(s, ['f32']) + near(s, F32, m.TF32))


def run(s):
    integer_to_integer(s)
    integer_to_float(s)
    float_to_integer(s)
    float_to_float(s)
    packed(s)
    within_bounds(s)
    tensor_float(s)
