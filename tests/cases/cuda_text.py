"""A small lexer for CUDA C++ and the questions looks.py asks of its tokens.

It is made for the files of this folder: good enough to rewrite them without changing what they
mean. Joining the tokens' texts gives the file back byte for byte.
"""
import re

SPACE, COMMENT, STRING, NUMBER, NAME, PUNCT, DIRECTIVE = range(7)

_SCAN = re.compile(r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>(?:u8|u|U|L)?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z]|[0-9a-zA-Z_.])*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<punct><<<|>>>|->\*|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
      |[-+*/%&|^]=|\#\#|.)
""", re.X | re.S)
_KIND = {"space": SPACE, "comment": COMMENT, "string": STRING, "number": NUMBER, "name": NAME,
         "punct": PUNCT}

KEYWORDS = set("""
alignas alignof asm auto bool break case catch char class const constexpr const_cast continue
decltype default delete do double dynamic_cast else enum explicit extern false float for friend
goto if inline int long mutable namespace new noexcept nullptr operator private protected public
register reinterpret_cast return short signed sizeof static static_assert static_cast struct
switch template this throw true try typedef typeid typename union unsigned using virtual void
volatile while final override __restrict__ __restrict __global__ __device__ __host__ __shared__
__constant__ __managed__ __forceinline__ __noinline__ __launch_bounds__ __align__ __volatile__
__inline__ defined""".split())

_BASIC = set("""
auto bool char double float int long short signed unsigned void size_t FILE dim3 clock_t int8_t
int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t ptrdiff_t __half __half2
half half2 __nv_bfloat16 __nv_bfloat162""".split())
_VECTOR = re.compile(r"^(u?char|u?short|u?int|u?long|u?longlong|float|double)[1-4]$"
                     r"|^cuda[A-Z]\w*(_t|Kind|Desc|Prop)$")

# Names that a file may declare but that also belong to a type, a macro or a tool outside it.
FIXED = set("""
main scalar_t x y z w data size begin end get push_back value type clockRate f u c s gridDim
blockDim stream sync shfl_down shfl thread_rank meta_group_rank res resType linear array desc
devPtr sizeInBytes readMode cudaDeviceReset puts printf fprintf exit malloc free memcpy memset
device options numel contiguous""".split())


class Token:
    __slots__ = ("kind", "text")

    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    @property
    def code(self):
        return self.kind not in (SPACE, COMMENT)


def lex(text):
    """The tokens of a file; a preprocessor directive is one token, continuation lines included."""
    tokens, at, fresh = [], 0, True
    while at < len(text):
        if fresh and text[at] == "#":
            end = at
            while True:
                stop = text.find("\n", end)
                stop = len(text) if stop < 0 else stop
                if text[stop - 1] != "\\" or stop == len(text):
                    break
                end = stop + 1
            tokens.append(Token(DIRECTIVE, text[at:stop]))
            at = stop
            continue
        found = _SCAN.match(text, at)
        kind = _KIND[found.lastgroup]
        tokens.append(Token(kind, found.group()))
        at = found.end()
        if kind == SPACE:
            fresh = fresh or "\n" in found.group()
        elif kind != COMMENT:
            fresh = False
    return tokens


def text_of(tokens):
    return "".join(t.text for t in tokens)


def inner(directive):
    """The tokens of a directive's text."""
    return [Token(_KIND[m.lastgroup], m.group()) for m in _SCAN.finditer(directive)]


def code_of(tokens):
    """All code tokens in order, with those inside #define bodies and conditions."""
    out = []
    for token in tokens:
        if token.kind == DIRECTIVE:
            if not re.match(r"#\s*(include|pragma)", token.text):
                out += [t for t in inner(token.text) if t.code]
                out.append(Token(PUNCT, "\n"))
        elif token.code:
            out.append(token)
    return out


def _is_type(text, own):
    return text in _BASIC or text in own or bool(_VECTOR.match(text))


_NAMES_TYPE = ("struct", "class", "union", "typename", "enum", "using", "namespace")


def _own_types(code):
    own = set()
    for k in range(1, len(code)):
        before, here = code[k - 1].text, code[k]
        if here.kind == NAME and before in _NAMES_TYPE and here.text not in KEYWORDS:
            own.add(here.text)
    return own


def _after_angles(code, k):
    """The index behind a template argument list that starts at k."""
    depth = 0
    while k < len(code):
        text = code[k].text
        if text in ("<", "<<"):
            depth += len(text)
        elif text in (">", ">>", ">>>"):
            depth -= len(text)
        elif text in (";", "{", "}") or depth <= 0:
            return None
        k += 1
        if depth <= 0:
            return k
    return None


_ENDS = {"=", ";", ",", ")", "(", "[", "{", ":", ">"}
_BEFORE_NAME = {"*", "&", "&&", "const", "volatile", "__restrict__", "__restrict", "..."}


def _declarator(code, k):
    """The index of the name that a declarator starting at k declares, or None."""
    while k < len(code) and code[k].text in _BEFORE_NAME:
        k += 1
    if k < len(code) and code[k].text == "__launch_bounds__":
        while k < len(code) and code[k].text != ")":
            k += 1
        k += 1
    if k + 1 >= len(code) or code[k].kind != NAME or code[k].text in KEYWORDS:
        return None
    return k if code[k + 1].text in _ENDS else None


def _more_declarators(code, k):
    """The further names of 'int a = 1, *b;' behind the first, which is at k."""
    names, depth = [], 0
    k += 1
    while k < len(code):
        text = code[k].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            if depth == 0:
                return names
            depth -= 1
        elif depth == 0 and text in (";", ":", "\n"):
            return names
        elif depth == 0 and text == ",":
            at = _declarator(code, k + 1)
            if at is None:
                return names
            names.append(code[at].text)
            k = at
        k += 1
    return names


def own_names(tokens):
    """The names that a file declares itself and that may be renamed everywhere in it."""
    code = code_of(tokens)
    own = _own_types(code)
    names = set(own)
    k = 0
    while k < len(code):
        here = code[k]
        member = k > 0 and code[k - 1].text in (".", "->")
        if here.kind == NAME and _is_type(here.text, own) and not member:
            nxt = k + 1
            if nxt < len(code) and code[nxt].text == "<":
                nxt = _after_angles(code, nxt) or nxt
            at = _declarator(code, nxt)
            if at is not None:
                names.add(code[at].text)
                names.update(_more_declarators(code, at))
        elif here.text == "enum":
            names.update(_enumerators(code, k))
        k += 1
    names |= _macro_names(tokens)
    for k in range(2, len(code) - 1):  # std::vector<T> v, std::unique_ptr<T> p
        if [code[j].text for j in (k - 2, k - 1, k + 1)] == ["std", "::", "<"]:
            nxt = _after_angles(code, k + 1)
            at = _declarator(code, nxt) if nxt else None
            if at is not None:
                names.add(code[at].text)
    names = {n for n in names if n not in KEYWORDS and n not in _BASIC and not _VECTOR.match(n)}
    return names - FIXED - _foreign_members(code, names, own)


def _enumerators(code, k):
    while k < len(code) and code[k].text not in ("{", ";"):
        k += 1
    names = []
    while k < len(code) and code[k].text not in ("}", ";"):
        if code[k].kind == NAME and code[k - 1].text in ("{", ","):
            names.append(code[k].text)
        k += 1
    return names


def _macro_names(tokens):
    """Names that #define makes, with their parameters; not those that replace another's."""
    names, undefined = set(), set()
    for token in tokens:
        if token.kind != DIRECTIVE:
            continue
        gone = re.match(r"#\s*undef\s+(\w+)", token.text)
        if gone and gone.group(1) not in names:
            undefined.add(gone.group(1))
        made = re.match(r"#\s*define\s+(\w+)(\(([^)]*)\))?", token.text)
        if made:
            names.add(made.group(1))
            parameters = [p.strip() for p in (made.group(3) or "").split(",")]
            names.update(p for p in parameters if re.match(r"[A-Za-z_]\w*$", p))
    return names - undefined


def _foreign_members(code, names, own):
    """Names behind . or -> or std:: that no class of the file can have declared."""
    has_class = any(t.text in ("struct", "class", "union") for t in code)
    foreign = set()
    for k in range(2, len(code)):
        if code[k].kind != NAME or code[k].text not in names:
            continue
        if code[k - 1].text in (".", "->") and not has_class:
            foreign.add(code[k].text)
        if code[k - 1].text == "::" and code[k - 2].kind == NAME and code[k - 2].text not in own:
            foreign.add(code[k].text)
    return foreign
