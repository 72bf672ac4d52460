"""Cases: PTX, inputs, and what must come out. Written as one stream that conformance.c reads.

A lane case is a snippet that each thread runs on inputs of its own: %a, %b, ... are the inputs, %d, %e, ... the
results. It is run twice, once for all threads and once under a guard that holds for some, so that what a guard
keeps out must stay as it was. A raw case is a whole kernel body.

Results are slots of 8 bytes: a slot holds the value zero-extended and an expectation says what it may be.
"""
import random
import struct

from model import F16, BF16, F32, F64

SEED = 20240229
THREADS, BLOCK = 256, 128
STALE = 0x5A5A5A5A5A5A5A5A  # what a result register holds before a guarded instruction

EXACT, ANY_VALUE, A_NAN, A_RANGE = 0, 1, 2, 3
FORMAT_INDEX = {'f16': 0, 'bf16': 1, 'f32': 2, 'f64': 3}


class Any:
    """Whatever: the manual leaves it open."""


class Nan:
    """Any NaN of the format."""

    def __init__(self, f):
        self.f = f


class Range:
    """A number of the format between lo and hi, both of its bits; -0 equals 0."""

    def __init__(self, f, lo, hi):
        self.f, self.lo, self.hi = f, lo, hi


ANY = Any()


def pack_expected(e):
    if isinstance(e, int):
        return struct.pack('<BQ', EXACT, e)
    if isinstance(e, Any):
        return struct.pack('<BQ', ANY_VALUE, 0)
    if isinstance(e, Nan):
        return struct.pack('<BQ', A_NAN, FORMAT_INDEX[e.f.name])
    return struct.pack('<BQQ', A_RANGE | FORMAT_INDEX[e.f.name] << 4, e.lo, e.hi)


class Suite:
    def __init__(self):
        self.cases = []
        self.kernels = []  # of the module being filled
        self.globals = []
        self.out = []
        self.count = 0
        self.target = 'sm_90'
        self.random = random.Random(SEED)

    # ---- modules ----

    def flush(self):
        """Ends the module: its text and its cases go to the stream."""
        if not self.kernels:
            return
        version = '8.8' if self.target == 'sm_100' else '8.6'
        text = ('.version ' + version + '\n.target ' + self.target + '\n.address_size 64\n' + '\n'.join(self.globals) + '\n' +
                '\n'.join(self.kernels) + '\n').encode()
        self.out.append(struct.pack('<II', len(text), len(self.cases)) + text + b''.join(self.cases))
        self.cases, self.kernels, self.globals = [], [], []

    def kernel(self, body, entry_lines=''):
        name = 'k%d' % self.count
        self.count += 1
        self.kernels.append('''.visible .entry %s(.param .u64 p_in, .param .u64 p_out, .param .u64 p_mem)%s
{
.reg .b64 %%in, %%out, %%mem;
.reg .b32 %%thread, %%block, %%id;
ld.param.u64 %%in, [p_in];
ld.param.u64 %%out, [p_out];
ld.param.u64 %%mem, [p_mem];
mov.u32 %%thread, %%tid.x;
mov.u32 %%block, %%ctaid.x;
mov.u32 %%id, %%ntid.x;
mad.lo.u32 %%id, %%block, %%id, %%thread;
%s
ret;
}''' % (name, entry_lines, body))
        return name

    def add(self, name, kernel, data, slots, grid, block, mem=b'', mem_after=None, shared=0):
        head = struct.pack('<HH', len(name), len(kernel)) + name.encode() + kernel.encode()
        after = mem if mem_after is None else mem_after
        assert len(after) == len(mem)
        self.cases.append(head + struct.pack('<10I', *dims(grid), *dims(block), shared, len(data), len(mem), len(slots)) +
                          data + mem + after + b''.join(map(pack_expected, slots)))
        if len(self.cases) >= 64:
            self.flush()

    # ---- cases ----

    def raw(self, name, body, slots, data=b'', mem=b'', mem_after=None, grid=1, block=32, shared=0, entry=''):
        self.add(name, self.kernel(body, entry), data, slots, grid, block, mem, mem_after, shared)

    def aim(self, target):
        """What follows needs that device to be assembled; the emulated one takes PTX of any."""
        self.flush()
        self.target = target

    def warp(self, name, code, ins, outs, fn, values):
        """As lane, but fn gets the inputs of the 32 threads of a warp and gives a list of their results."""
        values = list(values)
        whole = -(-len(values) // BLOCK) * BLOCK
        while len(values) < whole:
            values += values[:whole - len(values)]
        slots = []
        for w in range(0, len(values), 32):
            for r in fn(values[w:w + 32]):
                r = r if isinstance(r, tuple) else (r,)
                assert len(r) == len(outs), name
                slots += r
        data = b''.join(struct.pack('<%dQ' % len(v), *v) for v in values)
        self.add(name, self.kernel(lane_text(code, ins, outs, False, len(values))), data, slots, len(values) // BLOCK, BLOCK)

    def lane(self, name, code, ins, outs, fn, values, guard=True):
        """values: one tuple of inputs a thread. fn gives the result, or a tuple of them."""
        values = list(values)
        whole = max(THREADS, -(-len(values) // BLOCK) * BLOCK)
        while len(values) < whole:
            values += values[:whole - len(values)]
        results = []
        for v in values:
            r = fn(*v)
            results.append(r if isinstance(r, tuple) else (r,))
        text = lane_text(code, ins, outs, guard, len(values))
        data = b''.join(struct.pack('<%dQ' % len(v), *v) for v in values)
        slots = []
        for i, r in enumerate(results):
            assert len(r) == len(outs), name
            slots += r
            if guard:
                slots += r if holds(i) else [stale(t) for t in outs]
        threads = len(values)
        grid = (threads + BLOCK - 1) // BLOCK
        self.add(name, self.kernel(text), data, slots, grid, BLOCK)


def dims(n):
    return n if isinstance(n, tuple) else (n, 1, 1)


def holds(thread):
    """Where the guard of a lane case lets the instruction run."""
    return (thread * 0x9E3779B1 >> 13) & 1


def stale(t):
    return 0 if t == 'pred' else STALE & ((1 << int(t[1:])) - 1)


def load(t, reg, address):
    if t == 'pred':
        return 'ld.global.u32 %%scratch, [%s];\nsetp.ne.u32 %s, %%scratch, 0;' % (address, reg)
    return 'ld.global.%s %s, [%s];' % (t if t != 'b8' else 'u8', reg, address)


def store(t, reg, address):
    if t == 'pred':
        return 'selp.u32 %%scratch, 1, 0, %s;\nst.global.u64 [%s], 0;\nst.global.u32 [%s], %%scratch;' % (
            reg, address, address)
    clear = 'st.global.u64 [%s], 0;\n' % address if t in ('b16', 'b32') else ''
    return clear + 'st.global.%s [%s], %s;' % (t, address, reg)


def initial(t, reg):
    if t == 'pred':
        return 'setp.ne.u32 %s, %%thread, %%thread;' % reg
    return 'mov.%s %s, %d;' % (t, reg, stale(t))


def register_type(t):
    return t


def lane_text(code, ins, outs, guard, threads):
    names_in, names_out = 'abcxyzuvw'[:len(ins)], 'defghijklmno'[:len(outs)]
    lines = ['.reg .b32 %scratch, %r<8>;', '.reg .b64 %i, %o, %l<8>;', '.reg .pred %guard, %p<4>;', '.reg .b16 %s<8>;']
    for n, t in list(zip(names_in, ins)) + list(zip(names_out, outs)):
        lines.append('.reg .%s %%%s;' % (t, n))
    lines.append('mad.wide.u32 %%i, %%id, %d, %%in;' % (8 * len(ins)))
    lines.append('mad.wide.u32 %%o, %%id, %d, %%out;' % (8 * len(outs) * (2 if guard else 1)))
    for k, (n, t) in enumerate(zip(names_in, ins)):
        lines.append(load(t, '%' + n, '%%i+%d' % (8 * k)))
    lines += [initial(t, '%' + n) for n, t in zip(names_out, outs)]
    lines.append(code)
    lines += [store(t, '%' + n, '%%o+%d' % (8 * k)) for k, (n, t) in enumerate(zip(names_out, outs))]
    if guard:
        lines += ['mul.lo.u32 %scratch, %id, 0x9E3779B1;', 'bfe.u32 %scratch, %scratch, 13, 1;',
                  'setp.ne.u32 %guard, %scratch, 0;']
        lines += [initial(t, '%' + n) for n, t in zip(names_out, outs)]
        for line in code.strip().split('\n'):
            lines.append('@%guard ' + line.strip())
        lines += [store(t, '%' + n, '%%o+%d' % (8 * (k + len(outs))))
                  for k, (n, t) in enumerate(zip(names_out, outs))]
    return '\n'.join(lines)


# ---- values worth trying ----

def int_edges(bits):
    top = 1 << (bits - 1)
    mask = (1 << bits) - 1
    return [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, mask, mask - 1, mask - 2, top,
            top - 1, top + 1, top >> 1, 0x5555555555555555 & mask, 0xAAAAAAAAAAAAAAAA & mask,
            (1 << bits // 2) - 1, 1 << bits // 2, (1 << bits // 2) + 1, 0x123456789ABCDEF0 & mask]


def float_edges(f):
    out = []
    for magnitude in (0, 1, 2, f.min_normal - 1, f.min_normal, f.min_normal + 1, f.max, f.max - 1, f.inf, f.inf + 1,
                      f.nan, f.inf | 1 << (f.mbits - 1), f.one, f.one + 1, f.one - 1, f.one + f.min_normal,
                      f.one + (1 << (f.mbits - 1)), f.one - f.min_normal, f.one + 3 * f.min_normal,
                      f.one + f.mbits * f.min_normal, f.one + (f.mbits + 1) * f.min_normal,
                      f.one - (f.mbits + 2) * f.min_normal, f.min_normal << 1, f.min_normal * (f.mbits + 3) + 5):
        if magnitude <= f.nan:
            out += [magnitude, magnitude | f.sign]
    return out


def random_int(r, bits):
    kind = r.randrange(4)
    if kind == 0:
        return r.getrandbits(bits)
    if kind == 1:
        return r.getrandbits(r.randrange(1, bits + 1))
    if kind == 2:
        return (1 << bits) - 1 - r.getrandbits(r.randrange(1, bits + 1))
    return (r.getrandbits(bits) & r.getrandbits(bits)) & r.getrandbits(bits)


def random_float(r, f):
    kind = r.randrange(4)
    if kind == 0:
        return r.getrandbits(f.bits)
    # Exponents near one another, so that something is left of a sum; short mantissas, so that halves come up.
    exponent = f.bias + r.randrange(-12, 13)
    mantissa = r.getrandbits(f.mbits)
    if kind == 1:
        mantissa &= ~((1 << r.randrange(f.mbits)) - 1)
    if kind == 2 and r.randrange(2):
        exponent = r.randrange(f.emax)
    exponent = max(0, min(f.emax - 1, exponent))
    return exponent << f.mbits | mantissa | (f.sign if r.randrange(2) else 0)


FORMAT_OF = {'f16': F16, 'bf16': BF16, 'f32': F32, 'f64': F64}


def pool(kind):
    """(edges, random function) of 's32', 'u8', 'f16', 'pred', 'f16x2', ('few', [..])."""
    if isinstance(kind, (list, range)):
        items = list(kind)
        return items, lambda r: r.choice(items)
    if kind == 'pred':
        return [0, 1], lambda r: r.randrange(2)
    if kind in FORMAT_OF:
        f = FORMAT_OF[kind]
        return float_edges(f), lambda r: random_float(r, f)
    if kind.endswith('x2'):
        f = FORMAT_OF[kind[:-2]]
        edges = float_edges(f)
        mixed = [lo | edges[(i * 7 + 3) % len(edges)] << 16 for i, lo in enumerate(edges)]
        return mixed, lambda r: random_float(r, f) | random_float(r, f) << 16
    bits = int(kind[1:])
    return int_edges(bits), lambda r: random_int(r, bits)


def tuples(s, kinds, threads=THREADS):
    """So many tuples of inputs: edges with edges first, then random ones."""
    pools = [pool(k) for k in kinds]
    edges = threads * 5 // 8
    out = []
    if len(kinds) == 1:
        out = [(x,) for x in pools[0][0]]
        edges = len(out)
    elif len(kinds) == 2 and len(pools[0][0]) * len(pools[1][0]) <= edges:
        out = [(x, y) for x in pools[0][0] for y in pools[1][0]]
        edges = len(out)
    while len(out) < edges:
        out.append(tuple(s.random.choice(p[0]) for p in pools))
    while len(out) < threads:
        # One edge among random ones too.
        t = [p[1](s.random) for p in pools]
        if s.random.randrange(3) == 0:
            k = s.random.randrange(len(t))
            t[k] = s.random.choice(pools[k][0])
        out.append(tuple(t))
    return out
