"""Control: branches, loops, tables of branches, calls of all kinds, leaving."""
from model import unsigned
from suite import tuples

REGS = '.reg .b32 %r<12>;\n.reg .b64 %l<6>;\n.reg .pred %p<6>;\nmul.wide.u32 %l1, %id, 8;\nadd.u64 %l1, %l1, %out;\n'
KEEP = 'cvt.u64.u32 %l2, %r1;\nst.global.u64 [%l1], %l2;\n'


def collatz(n):
    steps = 0
    while n != 1 and steps < 200:
        n = unsigned(n * 3 + 1, 32) if n & 1 else n >> 1
        steps += 1
    return steps


def loops(s):
    code = ('{\nmov.u32 %d, 0;\nmov.u32 %r1, %a;\nL_top:\nsetp.eq.u32 %p1, %r1, 1;\nsetp.ge.or.u32 %p1, %d, 200, %p1;\n@%p1 bra L_done;\n'
            'and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra L_even;\nmad.lo.u32 %r1, %r1, 3, 1;\nbra.uni L_next;\nL_even:\n'
            'shr.u32 %r1, %r1, 1;\nL_next:\nadd.u32 %d, %d, 1;\nbra L_top;\nL_done:\n}')
    s.lane('a loop of different lengths', code, ['b32'], ['b32'], collatz, [(i + 1,) for i in range(256)], guard=False)
    nested = ('{\nmov.u32 %d, 0;\nand.b32 %r3, %a, 15;\nmov.u32 %r1, 0;\nL_i:\nsetp.ge.u32 %p1, %r1, %r3;\n@%p1 bra L_end;\nmov.u32 %r2, 0;\n'
              'L_j:\nsetp.gt.u32 %p2, %r2, %r1;\n@%p2 bra L_j_end;\nadd.u32 %r2, %r2, 1;\nand.b32 %r4, %r2, 3;\nsetp.eq.u32 %p3, %r4, 3;\n'
              '@%p3 bra L_j;\nmad.lo.u32 %d, %r1, %r2, %d;\nbra L_j;\nL_j_end:\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p3, %d, 300;\n@%p3 bra L_i;\n'
              'L_end:\n}')

    def run(a):
        d = 0
        for i in range(a & 15):
            j = 0
            while j <= i:
                j += 1
                if j & 3 != 3:
                    d += i * j
            if d == 300:
                break
        return d
    s.lane('loops in one another', nested, ['b32'], ['b32'], run, tuples(s, ['b32']), guard=False)
    # Lanes that wait for one another only within a warp: the last to leave a loop must not hold what others need.
    chain = ('{\nmov.u32 %d, 0;\nand.b32 %r1, %a, 7;\nsetp.gt.u32 %p1, %r1, 3;\n@%p1 bra L_a;\n@!%p1 bra L_b;\nL_a:\nadd.u32 %d, %d, 1;\n'
             'setp.eq.u32 %p2, %r1, 5;\n@%p2 bra L_b;\nbra L_c;\nL_b:\nadd.u32 %d, %d, 10;\nsetp.eq.u32 %p2, %r1, 2;\n@%p2 bra L_a2;\nbra L_c;\n'
             'L_a2:\nadd.u32 %d, %d, 100;\nL_c:\nadd.u32 %d, %d, 1000;\n}')
    answer = {0: 1010, 1: 1010, 2: 1110, 3: 1010, 4: 1001, 5: 1011, 6: 1001, 7: 1001}
    s.lane('branches across one another', chain, ['b32'], ['b32'], lambda a: answer[a & 7], tuples(s, ['b32']), guard=False)


def tables(s):
    code = ('{\nand.b32 %r1, %a, 3;\nmov.u32 %d, 0;\nL_table: .branchtargets L_0, L_1, L_2, L_1;\nbrx.idx %r1, L_table;\n'
            'L_0:\nadd.u32 %d, %d, 1;\nL_1:\nadd.u32 %d, %d, 10;\nbra.uni L_end;\nL_2:\nmov.u32 %d, 7;\nL_end:\n}')
    s.lane('brx.idx', code, ['b32'], ['b32'], lambda a: (11, 10, 7, 10)[a & 3], tuples(s, ['b32']), guard=False)
    code = code.replace('brx.idx %r1', 'and.b32 %r2, %a, 16;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 brx.idx %r1')
    s.lane('brx.idx under a guard', code, ['b32'], ['b32'], lambda a: (11, 10, 7, 10)[a & 3] if a & 16 else 11,
           tuples(s, ['b32']), guard=False)


FUNCTIONS = '''
.func (.param .b32 result) twice(.param .b32 value)
{
.reg .b32 %x;
ld.param.b32 %x, [value];
add.u32 %x, %x, %x;
st.param.b32 [result], %x;
ret;
}
.func (.param .b32 result) thrice(.param .b32 value)
{
.reg .b32 %x;
.reg .pred %p;
ld.param.b32 %x, [value];
setp.eq.u32 %p, %x, 5;
@%p bra L_five;
mul.lo.u32 %x, %x, 3;
st.param.b32 [result], %x;
ret;
L_five:
mov.u32 %x, 55;
st.param.b32 [result], %x;
ret.uni;
}
.func (.param .align 8 .b8 result[16]) swap(.param .align 8 .b8 value[16], .param .b32 more)
{
.reg .b64 %x, %y;
.reg .b32 %z;
ld.param.u64 %x, [value];
ld.param.u64 %y, [value+8];
ld.param.b32 %z, [more];
cvt.u64.u32 %x, %z;
st.param.u64 [result], %y;
st.param.u64 [result+8], %x;
ret;
}
.func (.param .b32 result) fib(.param .b32 value)
{
.reg .b32 %n, %x, %y;
.reg .pred %p;
ld.param.b32 %n, [value];
setp.lt.u32 %p, %n, 2;
@%p bra L_small;
{
.param .b32 arg;
.param .b32 back;
sub.u32 %x, %n, 1;
st.param.b32 [arg], %x;
call (back), fib, (arg);
ld.param.b32 %y, [back];
}
{
.param .b32 arg;
.param .b32 back;
sub.u32 %x, %n, 2;
st.param.b32 [arg], %x;
call.uni (back), fib, (arg);
ld.param.b32 %x, [back];
}
add.u32 %n, %x, %y;
L_small:
st.param.b32 [result], %n;
ret;
}
.func (.param .b32 result) local_sum(.param .b32 value)
{
.local .align 4 .b8 depot[64];
.reg .b32 %n, %i, %v, %s;
.reg .b64 %a, %b;
.reg .pred %p;
ld.param.b32 %n, [value];
mov.u64 %a, depot;
mov.u32 %i, 0;
L_fill:
mul.wide.u32 %b, %i, 4;
add.u64 %b, %b, %a;
mad.lo.u32 %v, %i, %n, 1;
st.local.u32 [%b], %v;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 16;
@%p bra L_fill;
and.b32 %i, %n, 15;
mul.wide.u32 %b, %i, 4;
add.u64 %b, %b, %a;
ld.local.u32 %v, [%b];
ld.local.u32 %s, [depot+60];
add.u32 %v, %v, %s;
st.param.b32 [result], %v;
ret;
}
.func no_value(.param .b64 where, .param .b32 what)
{
.reg .b64 %a;
.reg .b32 %v;
ld.param.u64 %a, [where];
ld.param.b32 %v, [what];
st.global.u32 [%a], %v;
}
.global .align 8 .u64 pointers[2] = {twice, thrice};
'''


def call(name, arg='%a', back='%d'):
    return '{\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %s;\ncall (back), %s, (arg);\nld.param.b32 %s, [back];\n}' % (
        arg, name, back)


def thrice(a):
    return 55 if a == 5 else unsigned(3 * a, 32)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def calls(s):
    s.flush()
    s.globals.append(FUNCTIONS)
    values = tuples(s, ['b32'])
    s.lane('call', call('twice') + '\n' + call('thrice', '%a', '%e'), ['b32'], ['b32', 'b32'],
           lambda a: (unsigned(2 * a, 32), thrice(a)), values, guard=False)
    split = '{\nand.b32 %r1, %a, 1;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra L_odd;\n' + call('twice') + '\nbra L_end;\nL_odd:\n' + call('thrice') + '\nL_end:\n}'
    s.lane('calls on both sides of a branch', split, ['b32'], ['b32'], lambda a: thrice(a) if a & 1 else unsigned(2 * a, 32), values, guard=False)
    s.lane('call with structures', '{\n.param .align 8 .b8 arg[16];\n.param .b32 more;\n.param .align 8 .b8 back[16];\n'
           'st.param.u64 [arg], %a;\nst.param.u64 [arg+8], %b;\nst.param.b32 [more], 77;\ncall (back), swap, (arg, more);\n'
           'ld.param.u64 %d, [back];\nld.param.u64 %e, [back+8];\n}', ['b64', 'b64'], ['b64', 'b64'], lambda a, b: (b, 77),
           tuples(s, ['b64', 'b64']), guard=False)
    s.lane('recursion', 'and.b32 %r1, %a, 7;\n' + call('fib', '%r1'), ['b32'], ['b32'], lambda a: fibonacci(a & 7), values, guard=False)
    s.lane('local memory of a function', call('local_sum'), ['b32'], ['b32'],
           lambda a: unsigned((a & 15) * a + 1 + 15 * a + 1, 32), values, guard=False)
    s.lane('call without a value', '{\n.param .b64 where;\n.param .b32 what;\nst.param.u64 [where], %i;\nst.param.b32 [what], %b;\n'
           'call no_value, (where, what);\n}\nld.global.u32 %d, [%i];', ['b32', 'b32'], ['b32'], lambda a, b: b,
           tuples(s, ['b32', 'b32']), guard=False)
    indirect = ('and.b32 %r1, %a, 1;\nmul.wide.u32 %l1, %r1, 8;\nmov.u64 %l2, pointers;\nadd.u64 %l1, %l1, %l2;\nld.global.u64 %l3, [%l1];\n'
                '{\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %a;\nproto : .callprototype (.param .b32 _) _ (.param .b32 _);\n'
                'call (back), %l3, (arg), proto;\nld.param.b32 %d, [back];\n}')
    s.lane('call by pointer', indirect, ['b32'], ['b32'], lambda a: thrice(a) if a & 1 else unsigned(2 * a, 32), values, guard=False)
    s.lane('call by pointer and targets', indirect.replace('proto : .callprototype (.param .b32 _) _ (.param .b32 _);',
                                                          'list : .calltargets twice, thrice;').replace(', proto', ', list'),
           ['b32'], ['b32'], lambda a: thrice(a) if a & 1 else unsigned(2 * a, 32), values, guard=False)
    s.lane('address of a function', 'mov.u64 %l3, twice;\n{\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %a;\n'
           'proto : .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (back), %l3, (arg), proto;\nld.param.b32 %d, [back];\n}',
           ['b32'], ['b32'], lambda a: unsigned(2 * a, 32), values, guard=False)


def leaving(s):
    s.raw('exit under a guard', REGS + 'mov.u32 %r1, 3;\nsetp.lt.u32 %p1, %thread, 20;\n@%p1 exit;\n' + KEEP,
          [0] * 20 + [3] * 12, block=32)
    s.raw('ret under a guard', REGS + 'mov.u32 %r1, 3;\nsetp.ge.u32 %p1, %thread, 20;\n@%p1 ret;\n' + KEEP,
          [3] * 20 + [0] * 12, block=32)
    s.raw('a block that is no multiple of a warp', REGS + 'mov.u32 %r1, %thread;\n' + KEEP, list(range(37)), block=37)


def run(s):
    loops(s)
    tables(s)
    calls(s)
    leaving(s)
