"""Arithmetic of f32 and f64: exact roundings, flush to zero, saturation; comparisons; the approximations' bounds."""
import math

import model as m
from model import F32, F64
from suite import ANY, Nan, Range, tuples

ROUNDINGS = ('rn', 'rz', 'rm', 'rp')
FORMATS = (F32, F64)


def reg(f):
    return 'b%d' % f.bits


def finish(r, f, ftz, sat):
    """A result behind .ftz and .sat. A zero that .sat makes may have either sign."""
    if ftz:
        r = m.flush(r, f)
    if sat:
        if m.is_nan(r, f) or m.sign_of(r, f) or m.is_zero(r, f):
            return Range(f, 0, 0)
        return m.saturate(r, f)
    # The payload of a double's NaN is not promised.
    return Nan(f) if f is F64 and m.is_nan(r, f) else r


def flushes_at_the_edge(r, f, exact):
    """A result that rounds up to the least normal number: whether it counts as tiny is not said."""
    return exact is not None and (r & ~f.sign) == f.min_normal and exact


def operation(s, op, f, fn, arity, mode, ftz, sat, text=None, threads=256):
    name = '%s%s%s%s.%s' % (op, '.' + mode if mode else '', '.ftz' if ftz else '', '.sat' if sat else '', f.name)

    def run(*v):
        v = [m.flush(x, f) for x in v] if ftz else v
        r = fn(*v, f, mode or 'rn')
        out = finish(r, f, ftz, sat)
        if ftz and not sat and isinstance(out, int) and (r & ~f.sign) == f.min_normal:
            # Rounded up to the least normal number: before or after rounding it may count as tiny.
            sign = r & f.sign
            return Range(f, *((0, r) if not sign else (r, 0)))
        return out

    code = '%s %%d, %s;' % (name, ', '.join('%' + n for n in 'abc'[:arity]))
    s.lane(name, code, [reg(f)] * arity, [reg(f)], run, tuples(s, [f.name] * arity, threads))


def subtract(x, y, f, mode):
    if m.is_nan(y, f):
        return f.nan
    return m.add(x, m.negate(y, f), f, mode)


def arithmetic(s):
    for op, fn, arity in (('add', lambda a, b, f, k: m.add(a, b, f, k), 2), ('sub', subtract, 2),
                          ('mul', lambda a, b, f, k: m.mul(a, b, f, k), 2),
                          ('fma', lambda a, b, c, f, k: m.fma(a, b, c, f, k), 3),
                          ('mad', lambda a, b, c, f, k: m.fma(a, b, c, f, k), 3)):
        for mode in ROUNDINGS:
            operation(s, op, F64, fn, arity, mode, False, False)
            for ftz in (False, True):
                for sat in (False, True):
                    operation(s, op, F32, fn, arity, mode, ftz, sat)
        if op in ('add', 'sub', 'mul'):
            operation(s, op, F32, fn, arity, '', False, False)
            operation(s, op, F32, fn, arity, '', True, False)
            operation(s, op, F32, fn, arity, '', True, True)
            operation(s, op, F64, fn, arity, '', False, False)
    reciprocal = (lambda a, f, k: m.div(f.one, a, f, k))
    for op, fn, arity in (('div', lambda a, b, f, k: m.div(a, b, f, k), 2), ('rcp', reciprocal, 1),
                          ('sqrt', lambda a, f, k: m.sqrt(a, f, k), 1)):
        for mode in ROUNDINGS:
            operation(s, op, F64, fn, arity, mode, False, False)
            operation(s, op, F32, fn, arity, mode, False, False)
            operation(s, op, F32, fn, arity, mode, True, False)


def signs(s):
    for f in FORMATS:
        b = reg(f)
        for ftz in (False, True) if f is F32 else (False,):
            end = '%s.%s' % ('.ftz' if ftz else '', f.name)

            def clean(x, f=f, ftz=ftz):
                return m.flush(x, f) if ftz else x

            s.lane('abs' + end, 'abs%s %%d, %%a;' % end, [b], [b],
                   lambda a, f=f, c=clean: Nan(f) if m.is_nan(a, f) else c(a) & ~f.sign, tuples(s, [f.name]))
            s.lane('neg' + end, 'neg%s %%d, %%a;' % end, [b], [b],
                   lambda a, f=f, c=clean: Nan(f) if m.is_nan(a, f) else c(a) ^ f.sign, tuples(s, [f.name]))
        s.lane('copysign.' + f.name, 'copysign.%s %%d, %%a, %%b;' % f.name, [b] * 2, [b],
               lambda a, c, f=f: Nan(f) if m.is_nan(c, f) else c & ~f.sign | a & f.sign, tuples(s, [f.name] * 2))


def extremes(s):
    for op, fn in (('min', m.least), ('max', m.greatest)):
        for f in FORMATS:
            variants = ['']
            if f is F32:
                variants = ['', '.ftz', '.NaN', '.ftz.NaN', '.xorsign.abs', '.ftz.xorsign.abs', '.NaN.xorsign.abs',
                            '.ftz.NaN.xorsign.abs']
            for v in variants:
                def run(a, b, f=f, v=v, fn=fn):
                    if 'ftz' in v:
                        a, b = m.flush(a, f), m.flush(b, f)
                    sign = (a ^ b) & f.sign
                    if 'abs' in v:
                        x, y = a & ~f.sign, b & ~f.sign
                    else:
                        x, y = a, b
                    r = fn(x, y, f, 'NaN' in v)
                    if m.is_nan(r, f):
                        return r if f is F32 else Nan(f)
                    return r | sign if 'abs' in v and not m.is_nan(a, f) and not m.is_nan(b, f) else (
                        Range(f, r | f.sign, r) if 'abs' in v else r)
                name = '%s%s.%s' % (op, v, f.name)
                if 'abs' in v:
                    # With one NaN the sign of the answer is not said: only its magnitude is held to.
                    def checked(a, b, run=run, f=f):
                        r = run(a, b)
                        return r if isinstance(r, int) else ANY
                    s.lane(name, '%s %%d, %%a, %%b;' % name, [reg(f)] * 2, [reg(f)], checked, tuples(s, [f.name] * 2))
                else:
                    s.lane(name, '%s %%d, %%a, %%b;' % name, [reg(f)] * 2, [reg(f)], run, tuples(s, [f.name] * 2))


def extremes_of_three(s):
    for op, fn in (('min', m.least), ('max', m.greatest)):
        for v in ('', '.ftz', '.NaN', '.abs', '.ftz.NaN.abs'):
            def run(a, b, c, v=v, fn=fn):
                if 'ftz' in v:
                    a, b, c = (m.flush(x, F32) for x in (a, b, c))
                if 'abs' in v:
                    a, b, c = (x & ~F32.sign for x in (a, b, c))
                return fn(fn(a, b, F32, 'NaN' in v), c, F32, 'NaN' in v)
            name = '%s%s.f32' % (op, v)
            s.lane(name + ' of three', name + ' %d, %a, %b, %c;', ['b32'] * 3, ['b32'], run, tuples(s, ['f32'] * 3))


COMPARISONS = {  # ordered ones; of -1, 0, 1
    'eq': (0,), 'ne': (-1, 1), 'lt': (-1,), 'le': (-1, 0), 'gt': (1,), 'ge': (0, 1)}


def holds(op, order):
    """order None: a NaN took part."""
    if op == 'num':
        return order is not None
    if op == 'nan':
        return order is None
    if op in COMPARISONS:
        return order is not None and order in COMPARISONS[op]
    return order is None or order in COMPARISONS[op[:-1]]


FLOAT_OPS = tuple(COMPARISONS) + tuple(c + 'u' for c in COMPARISONS) + ('num', 'nan')
UNSIGNED_NAMES = {'lo': 'lt', 'ls': 'le', 'hi': 'gt', 'hs': 'ge'}
COMBINE = {'and': lambda x, c: x & c, 'or': lambda x, c: x | c, 'xor': lambda x, c: x ^ c}


def ordered(t, ftz):
    """A function that orders two values of the type."""
    if t in ('f32', 'f64'):
        f = m.FORMATS[t]
        return lambda a, b: m.compare(m.flush(a, f), m.flush(b, f), f) if ftz else m.compare(a, b, f)
    if t[0] == 'b':
        return lambda a, b: (a > b) - (a < b)
    return lambda a, b: (m.as_type(a, t) > m.as_type(b, t)) - (m.as_type(a, t) < m.as_type(b, t))


def close_pairs(s, t):
    """Pairs of which a third are equal, since else few comparisons say yes."""
    pairs = tuples(s, [t, t])
    return [(a, a) if i % 3 == 0 else (a, b) for i, (a, b) in enumerate(pairs)]


def comparisons(s):
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        if t[0] == 'f':
            ops = FLOAT_OPS
        elif t[0] == 'b':
            ops = ('eq', 'ne')
        else:
            ops = tuple(COMPARISONS) + (tuple(UNSIGNED_NAMES) if t[0] == 'u' else ())
        b = 'b' + t[1:]
        for op in ops:
            base = UNSIGNED_NAMES.get(op, op)
            for ftz in ('', '.ftz') if t == 'f32' else ('',):
                order = ordered(t, ftz)
                name = 'setp.%s%s.%s' % (op, ftz, t)
                s.lane(name, name + ' %d, %a, %b;', [b, b], ['pred'],
                       lambda x, y, o=order, k=base: int(holds(k, o(x, y))), close_pairs(s, t))
                for dtype, yes in (('u32', 0xFFFFFFFF), ('s32', 0xFFFFFFFF), ('f32', 0x3F800000)):
                    if op not in ('eq', 'ltu', 'gt', 'hs', 'nan', 'ne'):
                        continue
                    full = 'set.%s%s.%s.%s' % (op, ftz, dtype, t)
                    s.lane(full, full + ' %d, %a, %b;', [b, b], ['b32'],
                           lambda x, y, o=order, k=base, yes=yes: yes if holds(k, o(x, y)) else 0, close_pairs(s, t))
            order = ordered(t, '')
            for combine, fn in COMBINE.items():
                name = 'setp.%s.%s.%s' % (op, combine, t)
                triples = [(x, y, s.random.randrange(2)) for x, y in close_pairs(s, t)]

                def run(x, y, c, o=order, k=base, fn=fn):
                    yes = int(holds(k, o(x, y)))
                    return fn(yes, c), fn(1 - yes, c)

                s.lane(name, name + ' %d|%e, %a, %b, %c;', [b, b, 'pred'], ['pred', 'pred'], run, triples)
                if op in ('lt', 'ne', 'equ'):
                    s.lane(name + ' !c', name + ' %d|%e, %a, %b, !%c;', [b, b, 'pred'], ['pred', 'pred'],
                           lambda x, y, c, run=run: run(x, y, 1 - c), triples)
                    s.lane(name + ' one', name + ' %d, %a, %b, %c;', [b, b, 'pred'], ['pred'],
                           lambda x, y, c, run=run: run(x, y, c)[0], triples)
                    full = 'set.%s.%s.u32.%s' % (op, combine, t)
                    s.lane(full, full + ' %d, %a, %b, %c;', [b, b, 'pred'], ['b32'],
                           lambda x, y, c, run=run: 0xFFFFFFFF if run(x, y, c)[0] else 0, triples)
            if op == 'lt':
                s.lane('setp.lt.%s pair' % t, 'setp.lt.%s %%d|%%e, %%a, %%b;' % t, [b, b], ['pred', 'pred'],
                       lambda x, y, o=order: (int(holds('lt', o(x, y))), int(not holds('lt', o(x, y)))),
                       close_pairs(s, t))


def kinds(s):
    tests = {'finite': lambda x, f: not m.is_nan(x, f) and not m.is_inf(x, f), 'infinite': m.is_inf,
             'number': lambda x, f: not m.is_nan(x, f), 'notanumber': m.is_nan,
             'normal': lambda x, f: not m.is_nan(x, f) and not m.is_inf(x, f) and not m.is_subnormal(x, f),
             'subnormal': m.is_subnormal}
    for f in FORMATS:
        for name, fn in tests.items():
            s.lane('testp.%s.%s' % (name, f.name), 'testp.%s.%s %%d, %%a;' % (name, f.name), [reg(f)], ['pred'],
                   lambda a, f=f, fn=fn: int(bool(fn(a, f))), tuples(s, [f.name]))


def selection(s):
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        b = 'b' + t[1:]
        s.lane('selp.' + t, 'selp.%s %%d, %%a, %%b, %%c;' % t, [b, b, 'pred'], [b], lambda x, y, c: x if c else y,
               tuples(s, [b, b, 'pred']))
        for k in ('s32', 'f32'):
            for ftz in ('', '.ftz') if k == 'f32' else ('',):
                def run(x, y, c, k=k, ftz=ftz):
                    if k == 's32':
                        return x if m.signed(c, 32) >= 0 else y
                    c = m.flush(c, F32) if ftz else c
                    return x if not m.is_nan(c, F32) and m.order(c, F32) >= 0 else y
                s.lane('slct%s.%s.%s' % (ftz, t, k), 'slct%s.%s.%s %%d, %%a, %%b, %%c;' % (ftz, t, k), [b, b, 'b32'],
                       [b], run, tuples(s, [b, b, k]))


# ---- approximations: bounds from the manual, worked out in double precision ----

def band(value, error, f):
    """All numbers of the format within error of the value (both Python floats)."""
    lo, hi = m.from_double(value - error, f, 'rm'), m.from_double(value + error, f, 'rp')
    return Range(f, lo, hi)


def ulps(value, n, f):
    if value == 0:
        return Range(f, f.sign, 0)
    exponent = max(math.frexp(abs(value))[1] - 1, 1 - f.bias)
    return band(value, n * math.ldexp(1.0, exponent - f.mbits), f)


def special(x, table):
    """The answer for a zero, an infinity or a NaN, of a table by name; None: it is neither."""
    if m.is_nan(x, F32):
        return F32.nan
    if m.is_inf(x, F32):
        return table['-inf' if m.sign_of(x, F32) else '+inf']
    if m.is_zero(x, F32):
        return table['-0' if m.sign_of(x, F32) else '+0']
    return None


INF, NINF, NAN, ONE, NEG0 = F32.inf, F32.inf | F32.sign, F32.nan, F32.one, F32.sign


def approximate(s, op, table, fn, ok=None, kind='f32'):
    """fn gives the expectation for an ordinary number, as a Python float; with .ftz and without."""
    for ftz in ('', '.ftz'):
        if op == 'tanh.approx' and ftz:
            continue

        def run(x, ftz=ftz):
            # Without .ftz subnormals are supported.
            if ftz:
                x = m.flush(x, F32)
            r = special(x, table)
            if r is not None:
                return r
            if ok and not ok(m.to_double(x, F32)):
                return ANY
            e = fn(m.to_double(x, F32))
            if ftz and isinstance(e, Range):
                e = widen_to_zero(e)
            return e
        s.lane('%s%s.f32' % (op, ftz), '%s%s.f32 %%d, %%a;' % (op, ftz), ['b32'], ['b32'], run, tuples(s, [kind]))


def widen_to_zero(e):
    """A subnormal result becomes zero: where the band touches subnormals, zero is in it."""
    if m.is_subnormal(e.lo, F32) or m.is_subnormal(e.hi, F32):
        lo = 0 if not m.sign_of(e.lo, F32) else e.lo
        hi = F32.sign if m.sign_of(e.hi, F32) else e.hi
        return Range(F32, lo, hi)
    return e


def relative(value, error):
    return band(value, abs(value) * error, F32) if abs(value) > 2.0 ** -126 else band(value, 2.0 ** -148, F32)


def approximations(s):
    def ex2(x):
        if x >= 128:
            return INF
        return relative(2.0 ** x, 2.0 ** -22) if x > -160 else band(0.0, 2.0 ** -149, F32)

    approximate(s, 'ex2.approx', {'+inf': INF, '-inf': 0, '+0': ONE, '-0': ONE}, ex2)

    def lg2(x):
        if x < 0:
            return NAN
        v = math.log2(x)
        return band(v, 2.0 ** -22 if 0.5 < x < 2 else abs(v) * 2.0 ** -22, F32)

    approximate(s, 'lg2.approx', {'+inf': INF, '-inf': NAN, '+0': NINF, '-0': NINF}, lg2)
    limit = 2 * math.pi
    angles = list(range(0x3D000000, 0x40C90FDB, 0x01234567)) + [x | F32.sign for x in range(0x3D000000, 0x40C90FDB, 0x01434567)]
    angles += [0, NEG0, INF, NINF, NAN, 1, F32.sign | 1, 0x33800000, 0x3F490FDB, 0x3FC90FDB, 0x40490FDB, 0x40C90FDA]
    approximate(s, 'sin.approx', {'+inf': NAN, '-inf': NAN, '+0': 0, '-0': NEG0},
                lambda x: band(math.sin(x), 2.0 ** -20.5, F32), lambda x: abs(x) <= limit, angles)
    approximate(s, 'cos.approx', {'+inf': NAN, '-inf': NAN, '+0': ONE, '-0': ONE},
                lambda x: band(math.cos(x), 2.0 ** -20.5, F32), lambda x: abs(x) <= limit, angles)
    approximate(s, 'tanh.approx', {'+inf': ONE, '-inf': ONE | F32.sign, '+0': 0, '-0': NEG0},
                lambda x: relative(math.tanh(x), 2.0 ** -11))
    approximate(s, 'rcp.approx', {'+inf': 0, '-inf': NEG0, '+0': INF, '-0': NINF},
                lambda x: overflow(x) if abs(1 / x) >= 2.0 ** 128 else ulps(1 / x, 1.01, F32))
    approximate(s, 'rsqrt.approx', {'+inf': 0, '-inf': NAN, '+0': INF, '-0': NINF},
                lambda x: NAN if x < 0 else relative(1 / math.sqrt(x), 2.0 ** -22.4))
    approximate(s, 'sqrt.approx', {'+inf': INF, '-inf': NAN, '+0': 0, '-0': NEG0},
                lambda x: NAN if x < 0 else relative(math.sqrt(x), 2.0 ** -22.4))
    quotients(s)
    wide_approximations(s)


def overflow(x):
    return NINF if x < 0 else INF


def quotients(s):
    for kind in ('approx', 'full'):
        for ftz in ('', '.ftz'):
            def run(a, b, ftz=ftz):
                if ftz:
                    a, b = m.flush(a, F32), m.flush(b, F32)
                exact = m.div(a, b, F32)
                if m.is_inf(a, F32) and not m.is_inf(b, F32) and abs(m.to_double(b, F32)) >= 2.0 ** 126:
                    return ANY  # infinity times a reciprocal that is zero
                if m.is_nan(exact, F32) or m.is_inf(b, F32) or m.is_zero(b, F32) or m.is_inf(a, F32):
                    # inf / inf and what is like it; by the manual x / large may be 0 or NaN.
                    return exact
                size = abs(m.to_double(b, F32))
                if not 2.0 ** -126 <= size <= 2.0 ** 126:
                    return ANY
                q = m.to_double(a, F32) / m.to_double(b, F32)
                if abs(q) >= 2.0 ** 127.99:
                    return ANY
                e = ulps(q, 2.01, F32)
                return widen_to_zero(e) if ftz or abs(q) < 2.0 ** -125 else e
            name = 'div.%s%s.f32' % (kind, ftz)
            s.lane(name, name + ' %d, %a, %b;', ['b32'] * 2, ['b32'], run, tuples(s, ['f32'] * 2))


def wide_approximations(s):
    """Of f64: the upper half of the words alone; the lower half of a result is zero."""
    top = ~0xFFFFFFFF

    def cut(x):
        return m.flush(x & top, F64)

    def run(x, fn):
        if m.is_nan(x, F64):
            return Nan(F64) if m.is_nan(x & top, F64) else ANY  # with .ftz the lower half may not be looked at
        x = cut(x)
        if m.is_nan(x, F64):
            return Nan(F64)
        r = fn(x)
        if m.is_nan(r, F64):
            return Nan(F64)
        if m.is_inf(r, F64) or m.is_zero(r, F64):
            return r
        if m.is_subnormal(r, F64):
            return ANY
        # A relative error of 2^-20 at most; then cut to the upper half.
        v = m.to_double(r, F64)
        return Range(F64, *sorted((m.from_double(v * (1 - 2.0 ** -19.5), F64), m.from_double(v * (1 + 2.0 ** -19.5), F64)),
                                  key=lambda y: m.order(y, F64)))

    s.lane('rcp.approx.ftz.f64', 'rcp.approx.ftz.f64 %d, %a;', ['b64'], ['b64'],
           lambda a: run(a, lambda x: m.div(F64.one, x, F64)), tuples(s, ['f64']))
    s.lane('rsqrt.approx.ftz.f64', 'rsqrt.approx.ftz.f64 %d, %a;', ['b64'], ['b64'],
           lambda a: run(a, lambda x: m.div(F64.one, m.sqrt(x, F64), F64)), tuples(s, ['f64']))
    s.lane('rsqrt.approx.f64', 'rsqrt.approx.f64 %d, %a;', ['b64'], ['b64'],
           lambda a: ANY if m.is_subnormal(a, F64) else run(a, lambda x: m.div(F64.one, m.sqrt(x, F64), F64)),
           tuples(s, ['f64']))


def constants(s):
    """Constants in all the ways they are written."""
    for text, bits in (('0f3F800000', 0x3F800000), ('0f7FC00001', 0x7FC00001)):
        s.lane('mov.f32 ' + text, 'mov.f32 %%d, %s;' % text, ['b32'], ['b32'], lambda a, v=bits: v, [(0,)])
    for text, value in (('1.5', 1.5), ('-2.25', -2.25), ('1e3', 1000.0), ('0d4000000000000000', 2.0)):
        s.lane('mul.f64 a, ' + text, 'mul.f64 %%d, %%a, %s;' % text, ['b64'], ['b64'],
               lambda a, v=m.from_double(value, F64): finish(m.mul(a, v, F64), F64, False, False), tuples(s, ['f64']))
    s.lane('add.f32 a, 0f40000000', 'add.f32 %d, %a, 0f40000000;', ['b32'], ['b32'],
           lambda a: m.add(a, 0x40000000, F32), tuples(s, ['f32']))


def run(s):
    arithmetic(s)
    signs(s)
    extremes(s)
    comparisons(s)
    kinds(s)
    selection(s)
    approximations(s)
    constants(s)
    s.aim('sm_100')
    extremes_of_three(s)
