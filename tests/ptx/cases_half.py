"""f16 and bf16, single and in pairs."""
import math

import model as m
from cases_float import COMBINE, FLOAT_OPS, holds, subtract
from model import BF16, F16
from suite import ANY, Nan, Range, tuples


def pair(fn):
    """The same for both halves; where one is left open the pair is."""
    def run(*v):
        halves = []
        for shift in (0, 16):
            r = fn(*[x >> shift & 0xFFFF for x in v])
            if not isinstance(r, int):
                return ANY
            halves.append(r)
        return halves[0] | halves[1] << 16
    return run


def both(s, op, f, fn, arity):
    """op.f16 and op.f16x2."""
    code = ' %d, ' + ', '.join('%' + n for n in 'abc'[:arity]) + ';'
    s.lane('%s.%s' % (op, f.name), '%s.%s%s' % (op, f.name, code), ['b16'] * arity, ['b16'], fn,
           tuples(s, [f.name] * arity))
    s.lane('%s.%sx2' % (op, f.name), '%s.%sx2%s' % (op, f.name, code), ['b32'] * arity, ['b32'], pair(fn),
           tuples(s, [f.name + 'x2'] * arity))


def finish(r, f, mods):
    if 'ftz' in mods:
        r = m.flush(r, f)
    if 'sat' in mods:
        return Range(f, f.sign, 0) if m.is_zero(r, f) or m.sign_of(r, f) else m.saturate(r, f)
    if 'relu' in mods:
        return Range(f, f.sign, 0) if m.is_zero(r, f) else m.relu(r, f)
    return r


def at_the_edge(r, f, mods):
    """Rounded up to the least normal number, which may have counted as tiny before."""
    return 'ftz' in mods and (r & ~f.sign) == f.min_normal


def arithmetic(s):
    table = (('add', lambda a, b, f: m.add(a, b, f), 2), ('sub', lambda a, b, f: subtract(a, b, f, 'rn'), 2),
             ('mul', lambda a, b, f: m.mul(a, b, f), 2), ('fma.rn', lambda a, b, c, f: m.fma(a, b, c, f), 3))
    for op, fn, arity in table:
        for f in (F16, BF16):
            mods = ['', '.ftz', '.sat', '.ftz.sat'] if f is F16 else ['']
            if arity == 3:
                mods += ['.relu'] + (['.ftz.relu'] if f is F16 else [])
            for mod in mods:
                for rn in ('', '.rn') if arity == 2 else ('',):
                    def run(*v, f=f, fn=fn, mod=mod):
                        if 'ftz' in mod:
                            v = [m.flush(x, f) for x in v]
                        r = fn(*v, f)
                        return ANY if at_the_edge(r, f, mod) else finish(r, f, mod)
                    both(s, op + rn + mod, f, run, arity)


def signs_and_extremes(s):
    for f in (F16, BF16):
        for mod in ('', '.ftz') if f is F16 else ('',):
            def clean(x, f=f, mod=mod):
                return m.flush(x, f) if mod else x
            both(s, 'abs' + mod, f, lambda a, f=f, c=clean: Nan(f) if m.is_nan(a, f) else c(a) & ~f.sign, 1)
            both(s, 'neg' + mod, f, lambda a, f=f, c=clean: Nan(f) if m.is_nan(a, f) else c(a) ^ f.sign, 1)
        for op, fn in (('min', m.least), ('max', m.greatest)):
            for mod in ('', '.NaN', '.xorsign.abs', '.NaN.xorsign.abs') + (('.ftz', '.ftz.NaN', '.ftz.xorsign.abs') if f is F16 else ()):
                def run(a, b, f=f, mod=mod, fn=fn):
                    if 'ftz' in mod:
                        a, b = m.flush(a, f), m.flush(b, f)
                    if 'abs' not in mod:
                        return fn(a, b, f, 'NaN' in mod)
                    r = fn(a & ~f.sign, b & ~f.sign, f, 'NaN' in mod)
                    if m.is_nan(r, f):
                        return r
                    # With one NaN the sign of the answer is not said.
                    return ANY if m.is_nan(a, f) or m.is_nan(b, f) else r | (a ^ b) & f.sign
                both(s, op + mod, f, run, 2)


def close(s, kind):
    return [(a, a) if i % 3 == 0 else (a, b) for i, (a, b) in enumerate(tuples(s, [kind, kind]))]


def comparisons(s):
    for f in (F16, BF16):
        for op in FLOAT_OPS:
            for ftz in ('', '.ftz') if f is F16 else ('',):
                def yes(a, b, f=f, op=op, ftz=ftz):
                    if ftz:
                        a, b = m.flush(a, f), m.flush(b, f)
                    return int(holds(op, m.compare(a, b, f)))
                name = 'setp.%s%s.%s' % (op, ftz, f.name)
                s.lane(name, name + ' %d, %a, %b;', ['b16'] * 2, ['pred'], yes, close(s, f.name))
                s.lane(name + 'x2', name + 'x2 %d|%e, %a, %b;', ['b32'] * 2, ['pred'] * 2,
                       lambda a, b, y=yes: (y(a & 0xFFFF, b & 0xFFFF), y(a >> 16, b >> 16)), close(s, f.name + 'x2'))
                if op not in ('lt', 'equ', 'ge'):
                    continue
                for combine, fn in COMBINE.items():
                    full = 'setp.%s.%s%s.%s' % (op, combine, ftz, f.name)
                    triples = [(a, b, s.random.randrange(2)) for a, b in close(s, f.name)]
                    s.lane(full, full + ' %d, %a, %b, %c;', ['b16', 'b16', 'pred'], ['pred'],
                           lambda a, b, c, y=yes, fn=fn: fn(y(a, b), c), triples)
                    triples = [(a, b, s.random.randrange(2)) for a, b in close(s, f.name + 'x2')]
                    s.lane(full + 'x2', full + 'x2 %d|%e, %a, %b, !%c;', ['b32', 'b32', 'pred'], ['pred'] * 2,
                           lambda a, b, c, y=yes, fn=fn: (fn(y(a & 0xFFFF, b & 0xFFFF), 1 - c),
                                                          fn(y(a >> 16, b >> 16), 1 - c)), triples)
                one = f.one
                for dtype, value, reg in ((f.name, one, 'b16'), ('u16', 0xFFFF, 'b16'), ('s16', 0xFFFF, 'b16'),
                                          ('u32', 0xFFFFFFFF, 'b32'), ('s32', 0xFFFFFFFF, 'b32')):
                    full = 'set.%s%s.%s.%s' % (op, ftz, dtype, f.name)
                    s.lane(full, full + ' %d, %a, %b;', ['b16'] * 2, [reg],
                           lambda a, b, y=yes, v=value: v if y(a, b) else 0, close(s, f.name))
                for dtype, value in ((f.name + 'x2', one), ('u32', 0xFFFF), ('s32', 0xFFFF)):
                    full = 'set.%s%s.%s.%sx2' % (op, ftz, dtype, f.name)
                    s.lane(full, full + ' %d, %a, %b;', ['b32'] * 2, ['b32'],
                           pair(lambda a, b, y=yes, v=value: v if y(a, b) else 0), close(s, f.name + 'x2'))


def approximations(s):
    def band(value, error, f):
        return Range(f, m.from_double(value - error, f, 'rm'), m.from_double(value + error, f, 'rp'))

    def ex2(x, f, ftz, error):
        if ftz:
            x = m.flush(x, f)
        if m.is_nan(x, f):
            return f.nan
        v = m.to_double(x, f)
        if v == -math.inf:
            return 0
        if v >= f.bias + 1:
            return f.inf
        y = 2.0 ** v
        if ftz and y < 2.0 ** (1 - f.bias) * 1.1:
            return Range(f, 0, m.from_double(y * 1.1, f, 'rp'))
        return band(y, y * error + 2.0 ** (f.emin - 1), f)

    def tanh(x, f, relative, absolute):
        if m.is_nan(x, f):
            return f.nan
        y = math.tanh(m.to_double(x, f))
        if m.is_zero(x, f):
            return x
        return band(y, abs(y) * relative + absolute, f)

    for name, f, fn in (('ex2.approx', F16, lambda x: ex2(x, F16, False, 2.0 ** -9.9)),
                        ('ex2.approx.ftz', BF16, lambda x: ex2(x, BF16, True, 2.0 ** -7)),
                        ('tanh.approx', F16, lambda x: tanh(x, F16, 0, 2.0 ** -10.987)),
                        ('tanh.approx', BF16, lambda x: tanh(x, BF16, 2.0 ** -8, 0))):
        s.lane('%s.%s' % (name, f.name), '%s.%s %%d, %%a;' % (name, f.name), ['b16'], ['b16'], fn, tuples(s, [f.name]))
        s.lane('%s.%sx2' % (name, f.name), '%s.%sx2 %%r1, %%a;\nmov.b32 {%%d, %%e}, %%r1;' % (name, f.name), ['b32'],
               ['b16', 'b16'], lambda x, fn=fn: (fn(x & 0xFFFF), fn(x >> 16)), tuples(s, [f.name + 'x2']), guard=False)


def run(s):
    arithmetic(s)
    signs_and_extremes(s)
    comparisons(s)
    approximations(s)
