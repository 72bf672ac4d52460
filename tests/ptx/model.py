"""Numbers as PTX means them, exactly: integers of a width, IEEE formats by integer arithmetic.

A float is its bits. Inside, a finite value is (sign, m, e): (-1)^sign * m * 2^e with an integer m. Nothing here uses
the machine's floating point, but for the approximations at the end, whose error bounds are millions of times wider
than a double's.
"""
import math


class Format:
    def __init__(self, name, bits, exponent, mantissa):
        self.name, self.bits, self.ebits, self.mbits = name, bits, exponent, mantissa
        self.bias = (1 << (exponent - 1)) - 1
        self.emax = (1 << exponent) - 1
        self.sign = 1 << (bits - 1)
        self.inf = self.emax << mantissa
        self.nan = (1 << (bits - 1)) - 1  # PTX's canonical NaN
        self.max = self.inf - 1
        self.min_normal = 1 << mantissa
        self.one = self.bias << mantissa
        self.emin = 1 - self.bias - mantissa  # of the last place of a subnormal


F16 = Format('f16', 16, 5, 10)
BF16 = Format('bf16', 16, 8, 7)
F32 = Format('f32', 32, 8, 23)
F64 = Format('f64', 64, 11, 52)
TF32 = Format('tf32', 19, 8, 10)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


def is_nan(x, f):
    return (x & (f.sign - 1)) > f.inf


def is_inf(x, f):
    return (x & (f.sign - 1)) == f.inf


def is_zero(x, f):
    return (x & (f.sign - 1)) == 0


def is_subnormal(x, f):
    return 0 < (x & (f.sign - 1)) < f.min_normal


def sign_of(x, f):
    return 1 if x & f.sign else 0


def flush(x, f):
    """A subnormal becomes a zero of its sign."""
    return x & f.sign if is_subnormal(x, f) else x


def split(x, f):
    """Of a finite number: (sign, m, e)."""
    exponent = (x >> f.mbits) & f.emax
    m = x & ((1 << f.mbits) - 1)
    if exponent == 0:
        return sign_of(x, f), m, f.emin
    return sign_of(x, f), m | 1 << f.mbits, exponent - f.bias - f.mbits


def round_to(sign, m, e, f, mode, sticky=False):
    """(-1)^sign * (m + something below one, if sticky) * 2^e, rounded. m > 0 or sticky."""
    length = m.bit_length()
    # The exponent of the last place that the result keeps.
    last = max(length + e - (f.mbits + 1), f.emin)
    drop = last - e
    if drop <= 0:
        kept, half, rest = m << -drop, 0, 0
        if sticky:
            raise AssertionError('too few bits for a sticky bit')
    else:
        kept = m >> drop
        half = (m >> (drop - 1)) & 1
        rest = 1 if sticky or m & ((1 << (drop - 1)) - 1) else 0
    inexact = half or rest
    if mode == 'rn':
        up = half and (rest or kept & 1)
    elif mode == 'rna':
        up = half
    elif mode == 'rz':
        up = False
    elif mode == 'rm':
        up = inexact and sign
    elif mode == 'rp':
        up = inexact and not sign
    else:
        raise AssertionError(mode)
    if up:
        kept += 1
        if kept.bit_length() > f.mbits + 1:
            kept >>= 1
            last += 1
    if kept == 0:
        return f.sign if sign else 0
    if kept.bit_length() <= f.mbits:
        magnitude = kept  # subnormal
    else:
        exponent = last + f.mbits + f.bias
        if exponent >= f.emax:
            away = mode in ('rn', 'rna') or (mode == 'rp' and not sign) or (mode == 'rm' and sign)
            magnitude = f.inf if away else f.max
        else:
            magnitude = (exponent << f.mbits) + kept - (1 << f.mbits)
    return magnitude | (f.sign if sign else 0)


def add(x, y, f, mode='rn', g=None):
    """x + y of format f, rounded to g (else f)."""
    g = g or f
    if is_nan(x, f) or is_nan(y, f):
        return g.nan
    if is_inf(x, f) or is_inf(y, f):
        if is_inf(x, f) and is_inf(y, f) and sign_of(x, f) != sign_of(y, f):
            return g.nan
        return g.inf | (g.sign if sign_of(x if is_inf(x, f) else y, f) else 0)
    return sum_of(split(x, f), split(y, f), g, mode)


def sum_of(a, b, g, mode):
    (s, m, e), (t, n, k) = a, b
    low = min(e, k)
    total = (m << (e - low)) * (-1 if s else 1) + (n << (k - low)) * (-1 if t else 1)
    if total == 0:
        if m == 0 and n == 0 and s == t:
            return g.sign if s else 0
        return g.sign if mode == 'rm' else 0
    return round_to(total < 0, abs(total), low, g, mode)


def negate(x, f):
    return x ^ f.sign


def mul(x, y, f, mode='rn', g=None):
    g = g or f
    if is_nan(x, f) or is_nan(y, f):
        return g.nan
    sign = sign_of(x, f) ^ sign_of(y, f)
    top = g.sign if sign else 0
    if is_inf(x, f) or is_inf(y, f):
        return g.nan if is_zero(x, f) or is_zero(y, f) else g.inf | top
    (_, m, e), (_, n, k) = split(x, f), split(y, f)
    if m == 0 or n == 0:
        return top
    return round_to(sign, m * n, e + k, g, mode)


def fma(x, y, z, f, mode='rn'):
    if is_nan(x, f) or is_nan(y, f) or is_nan(z, f):
        return f.nan
    sign = sign_of(x, f) ^ sign_of(y, f)
    if is_inf(x, f) or is_inf(y, f):
        if is_zero(x, f) or is_zero(y, f) or (is_inf(z, f) and sign_of(z, f) != sign):
            return f.nan
        return f.inf | (f.sign if sign else 0)
    if is_inf(z, f):
        return z
    (_, m, e), (_, n, k) = split(x, f), split(y, f)
    return sum_of((sign, m * n, e + k), split(z, f), f, mode)


def div(x, y, f, mode='rn'):
    if is_nan(x, f) or is_nan(y, f):
        return f.nan
    sign = sign_of(x, f) ^ sign_of(y, f)
    top = f.sign if sign else 0
    if is_inf(x, f):
        return f.nan if is_inf(y, f) else f.inf | top
    if is_inf(y, f):
        return top
    if is_zero(y, f):
        return f.nan if is_zero(x, f) else f.inf | top
    if is_zero(x, f):
        return top
    (_, m, e), (_, n, k) = split(x, f), split(y, f)
    shift = max(0, f.mbits + 4 + n.bit_length() - m.bit_length())
    q, r = divmod(m << shift, n)
    return round_to(sign, q, e - k - shift, f, mode, r != 0)


def sqrt(x, f, mode='rn'):
    if is_nan(x, f) or (sign_of(x, f) and not is_zero(x, f)):
        return f.nan
    if is_zero(x, f) or is_inf(x, f):
        return x
    _, m, e = split(x, f)
    shift = 2 * (f.mbits + 4)
    if (e - shift) & 1:
        shift += 1
    root = math.isqrt(m << shift)
    return round_to(0, root, (e - shift) // 2, f, mode, root * root != m << shift)


def convert(x, f, g, mode='rn'):
    """From format f to format g."""
    if is_nan(x, f):
        return g.nan
    top = g.sign if sign_of(x, f) else 0
    if is_inf(x, f):
        return g.inf | top
    sign, m, e = split(x, f)
    return round_to(sign, m, e, g, mode) if m else top


def from_int(value, g, mode='rn'):
    return round_to(value < 0, abs(value), 0, g, mode) if value else 0


def to_integer(x, f, mode):
    """The integer nearest by the mode (rn, rz, rm, rp) of a finite number."""
    sign, m, e = split(x, f)
    if e >= 0:
        return (-m if sign else m) << e
    kept, rest = m >> -e, m & ((1 << -e) - 1)
    half = 1 << (-e - 1)
    up = {'rn': rest > half or (rest == half and kept & 1), 'rz': False, 'rm': rest and sign,
          'rp': rest and not sign}[mode]
    kept += 1 if up else 0
    return -kept if sign else kept


def compare(x, y, f):
    """None: a NaN; else -1, 0 or 1."""
    if is_nan(x, f) or is_nan(y, f):
        return None
    a, b = order(x, f), order(y, f)
    return (a > b) - (a < b)


def order(x, f):
    """An integer that is ordered as the number is; both zeros are 0."""
    magnitude = x & (f.sign - 1)
    return -magnitude if x & f.sign else magnitude


def least(x, y, f, nan=False):
    return pick(x, y, f, nan, -1)


def greatest(x, y, f, nan=False):
    return pick(x, y, f, nan, 1)


def pick(x, y, f, nan, direction):
    if is_nan(x, f) or is_nan(y, f):
        if nan or (is_nan(x, f) and is_nan(y, f)):
            return f.nan
        return y if is_nan(x, f) else x
    if is_zero(x, f) and is_zero(y, f):  # -0 is below +0
        return (x | y) if direction < 0 else (x & y)
    return x if (order(x, f) - order(y, f)) * direction >= 0 else y


def saturate(x, f):
    """To [0, 1], NaN to 0."""
    if is_nan(x, f) or sign_of(x, f):
        return 0
    return min(x, f.one)


def relu(x, f):
    """Below zero to 0; NaN stays."""
    if is_nan(x, f):
        return f.nan
    return 0 if sign_of(x, f) else x


def to_double(x, f):
    """As Python's float: exact for all but f64's own NaNs."""
    if is_nan(x, f):
        return math.nan
    if is_inf(x, f):
        return -math.inf if sign_of(x, f) else math.inf
    sign, m, e = split(x, f)
    return math.copysign(math.ldexp(m, e), -1.0 if sign else 1.0)


def from_double(d, g, mode='rn'):
    if math.isnan(d):
        return g.nan
    if math.isinf(d):
        return g.inf | (g.sign if d < 0 else 0)
    sign = 1 if math.copysign(1.0, d) < 0 else 0
    if d == 0:
        return g.sign if sign else 0
    m, e = math.frexp(abs(d))
    return round_to(sign, int(m * (1 << 53)), e - 53, g, mode)


# ---- integers ----

def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def unsigned(x, bits):
    return x & ((1 << bits) - 1)


def clamp(value, low, high):
    return max(low, min(high, value))


def limits(type_name):
    """(least, greatest) of an integer type such as s32."""
    bits = int(type_name[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_name[0] == 's' else (0, (1 << bits) - 1)


def as_type(x, type_name):
    """Bits as the number that the type makes of them."""
    bits = int(type_name[1:])
    return signed(x, bits) if type_name[0] == 's' else unsigned(x, bits)
