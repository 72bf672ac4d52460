"""Reads C and CUDA headers lexically: which names they declare, and how.

This is no compiler.  It walks the output of the preprocessor token by token, opens namespaces and
extern "C" blocks, and skips the bodies of functions and classes.  What it finds at that level are
functions, types, enumerators and typedefs with the attributes that stand before them.
"""

import re
from collections import namedtuple

Decl = namedtuple("Decl", "name kind where deprecated file")

TOKEN = re.compile(
    r'(?P<mark>^\s*\#[^\n]*)'
    r'|(?P<str>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r'|(?P<id>[A-Za-z_$]\w*)'
    r'|(?P<num>\.?\d(?:[\w.]|[eEpP][+-])*)'
    r'|(?P<op>::|->|[^\sA-Za-z0-9_])',
    re.M)
MARK = re.compile(r'\s*#(?:line)?\s*\d+\s+"([^"]*)"')
NOT_A_NAME = {
    "if", "for", "while", "switch", "return", "sizeof", "alignof", "alignas", "decltype", "noexcept",
    "throw", "static_assert", "requires", "asm", "__asm__", "operator", "defined", "explicit",
    "__attribute__", "__attribute", "__declspec", "template", "typename", "void", "int", "unsigned",
    "char", "long", "short", "float", "double", "bool", "const", "__builtin_align__", "_Static_assert",
}


def tokens(text):
    """Yields (kind, text, file) with the file that the line markers name."""
    where = ""
    for m in TOKEN.finditer(text):
        if m.lastgroup == "mark":
            mark = MARK.match(m.group())
            if mark:
                where = mark.group(1)
            continue
        yield m.lastgroup, m.group(), where


def skip_balanced(toks, i, opening, closing):
    """toks[i] is the opening token; returns the index behind its partner."""
    depth = 0
    while i < len(toks):
        if toks[i][1] == opening:
            depth += 1
        elif toks[i][1] == closing:
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return i


def split_attributes(stmt):
    """Takes __attribute__((...)) out of a statement; returns the rest and the attributes' words."""
    rest, words, i = [], set(), 0
    while i < len(stmt):
        if stmt[i][1] in ("__attribute__", "__declspec") and i + 1 < len(stmt):
            end = skip_balanced(stmt, i + 1, "(", ")")
            words.update(t[1].strip("_") for t in stmt[i + 1:end] if t[0] == "id")
            i = end
        else:
            rest.append(stmt[i])
            i += 1
    return rest, words


def drop_template_head(stmt):
    while stmt and stmt[0][1] == "template" and len(stmt) > 1 and stmt[1][1] == "<":
        depth, i = 0, 1
        while i < len(stmt):
            depth += {"<": 1, ">": -1}.get(stmt[i][1], 0)
            i += 1
            if depth == 0:
                break
        stmt = stmt[i:]
    return stmt


def function_name(stmt):
    """The identifier before the first '(' outside of angle brackets, or None."""
    angle = 0
    for i, (kind, text, _) in enumerate(stmt):
        if text == "<":
            angle += 1
        elif text == ">":
            angle = max(0, angle - 1)
        elif text in ("=", "operator"):
            return None
        elif text == "(" and angle == 0 and i > 0:
            prev = stmt[i - 1]
            if prev[0] == "id" and prev[1] not in NOT_A_NAME and i > 1 and stmt[i - 2][1] != "::":
                return prev[1]
            if prev[1] in ("decltype", "alignas", "noexcept", "__builtin_align__", "asm", "__asm__"):
                continue
            return None
    return None


def is_initialised(text):
    """Is there a '=' outside of parentheses that is no part of an operator's name?"""
    depth = 0
    for i, word in enumerate(text):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "=" and depth == 0 and "operator" not in text[max(0, i - 3):i]:
            return True
    return False


def typedef_name(stmt):
    """The name that 'typedef ... NAME;' or 'typedef R (*NAME)(...);' introduces."""
    for i in range(len(stmt) - 2):
        if stmt[i][1] == "(" and stmt[i + 1][1] == "*" and stmt[i + 2][0] == "id":
            return stmt[i + 2][1]
    ids = [t[1] for t in stmt if t[0] == "id"]
    return ids[-1] if ids else None


class Reader:
    """Collects the declarations of one preprocessed translation unit."""

    def __init__(self, text):
        self.toks = list(tokens(text))
        self.decls = []

    def add(self, name, kind, words, file):
        host = "host" in words or not ({"host", "device", "global"} & words)
        where = ("host" if host else "") + ("device" if "device" in words else "")
        self.decls.append(Decl(name, kind, where, "deprecated" in words, file))

    def enumerators(self, i):
        """toks[i] is the '{' of an enum; returns the index behind its '}'."""
        end, fresh = skip_balanced(self.toks, i, "{", "}"), True
        depth = 0
        for kind, text, file in self.toks[i + 1:end - 1]:
            if text in "([{":
                depth += 1
            elif text in ")]}":
                depth -= 1
            elif text == "," and depth == 0:
                fresh = True
            elif fresh and kind == "id":
                self.add(text, "enumerator", set(), file)
                fresh = False
        return end

    def block(self, stmt, i):
        """A '{' at declaration level follows stmt; returns (index, statement that goes on)."""
        rest, words = split_attributes(stmt)
        rest = drop_template_head(rest)
        text = [t[1] for t in rest]
        if "namespace" in text[:2] or text[:2] == ["extern", '"C"'] and len(text) == 2 or \
                text[:2] == ["extern", '"C++"']:
            return i + 1, []
        name = function_name(rest)
        tags = [k for k in ("enum", "struct", "union", "class") if k in text]
        if tags and name is None:
            ids = [t for t in rest[text.index(tags[0]) + 1:] if t[0] == "id"
                   and t[1] not in ("class", "struct", "final")]
            if ids:
                self.add(ids[0][1], "type", words, ids[0][2])
            if tags[0] == "enum":
                return self.enumerators(i), stmt
            return skip_balanced(self.toks, i, "{", "}"), stmt
        if name is not None and "typedef" not in text:
            self.add(name, "function", words, rest[0][2])
        end = skip_balanced(self.toks, i, "{", "}")
        return end, (stmt if is_initialised(text) or "typedef" in text else [])

    def statement(self, stmt):
        rest, words = split_attributes(stmt)
        rest = drop_template_head(rest)
        if not rest:
            return
        text = [t[1] for t in rest]
        if text[0] == "extern" and len(text) > 1 and text[1].startswith('"'):
            rest, text = rest[2:], text[2:]
        if not rest or text[0] in ("friend", "static_assert"):
            return
        if text[0] == "using" and len(text) > 1:
            name = text[1] if "=" in text else text[-1]
            self.add(name, "type" if "=" in text else "using", words, rest[0][2])
        elif text[0] == "typedef":
            name = typedef_name(rest)
            if name:
                self.add(name, "type", words, rest[0][2])
        elif (name := function_name(rest)) is not None:
            self.add(name, "function", words, rest[0][2])
        else:
            self.data_or_type(rest, words)

    def data_or_type(self, rest, words):
        cut = [t[1] for t in rest]
        for stop in ("=", "[", "{"):
            if stop in cut:
                cut = cut[:cut.index(stop)]
        ids = [t for t in rest[:len(cut)] if t[0] == "id"]
        if len(ids) == 2 and ids[0][1] in ("struct", "class", "union", "enum"):
            self.add(ids[1][1], "type", words, ids[1][2])
        elif len(ids) >= 2:
            self.add(ids[-1][1], "object", words, ids[-1][2])

    def read(self):
        i, stmt, paren = 0, [], 0
        toks = self.toks
        while i < len(toks):
            text = toks[i][1]
            if text == "(":
                paren += 1
            elif text == ")":
                paren = max(0, paren - 1)
            if text == "{" and paren == 0:
                i, stmt = self.block(stmt, i)
                continue
            if text == "{":
                i = skip_balanced(toks, i, "{", "}")
                continue
            if text == "}" and paren == 0:
                stmt = []
            elif text == ";" and paren == 0:
                self.statement(stmt)
                stmt = []
            else:
                stmt.append(toks[i])
            i += 1
        return self.decls


def strip_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/', lambda m: "\n" * m.group().count("\n") or " ", text,
                  flags=re.S)


def macros(text):
    """Names that a header defines as macros, its own include guard left out."""
    guards = set(re.findall(r'#\s*if(?:ndef\s+|\s+!\s*defined\s*\(?\s*)(\w+)\)?\s*\n\s*#\s*define\s+\1[ \t]*\n', text))
    return set(re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', text, re.M)) - guards


def aliases(text):
    """Pairs (name, name it stands for) of object-like macros that rename one thing."""
    return re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(?:__CUDA_API_PT(?:SZ|DS)\()?(\w+)\)?[ \t]*$', text, re.M)


def documented_deprecations(text):
    """Functions and enumerators whose comment block says that they are deprecated."""
    found = {}
    for m in re.finditer(r'/\*\*(.*?)\*/\s*([^;{},=]*)', text, re.S):
        comment, after = m.groups()
        if not re.search(r'\\deprecated\b', comment):
            continue
        since = re.search(r'\\deprecated[^.]*?deprecated as of CUDA (\d+\.\d+)', comment, re.S)
        fn = re.search(r'(\w+)\s*\(', after)
        name = fn.group(1) if fn else (re.findall(r'\w+', after) or [""])[-1]
        if name in ("enum", "struct", "typedef"):
            continue
        if name:
            found[name] = since.group(1) if since else ""
    return found
