#!/usr/bin/python3
"""Verdicts don't hang on looks: rewrites the labelled files and asks for their verdicts again.

  CMPD_BIN=.../cmpd tests/cases/looks.py [--seed N] [--only TEXT] [--ways a,b] [--keep DIR]

Each file is rewritten in these ways; what it means stays the same:
  names   its own identifiers are renamed throughout (in comments that name them too)
  order   function definitions move behind the others, with a declaration where they stood
  consts  literals, index expressions, rounded-up divisions and barriers become macros or constants
  layout  comments go (those that may state a precondition stay) or come, white space changes
  all     everything at once
The verdict and the set of reasons must be those of the file as it stands. The seed fixes all.
"""
import argparse
import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

from cases_common import FOLDERS, HERE, judge, program, read_table  # noqa: E402
from cuda_text import (COMMENT, DIRECTIVE, NAME, NUMBER, PUNCT, SPACE, STRING,  # noqa: E402
                       inner, lex, own_names, text_of)

# ---------------------------------------------------------------- names

# English words that are also likely identifiers: in a comment renamed only where used as a name.
_WORDS = set("""a an at in is to on of or and the by for as up no if it be do with one all each any
both from not multiple multiples number value values exactly most least even odd between host device
aligned byte bytes power powers than more less free""".split())
_AS_NAME = re.compile(r"\s*(,|is\b|are\b|holds?\b|and\b|has\b|starts?\b|<|>|=|:)")


def fresh_names(names, rng):
    """One new name for each old one; no two alike, in the style of the old one's case."""
    syllables = ["ka", "lo", "mi", "ru", "te", "vo", "na", "shi", "pa", "zu", "de", "go"]
    taken, out = set(names), {}
    for name in sorted(names):
        while True:
            new = "".join(rng.choice(syllables) for _ in range(rng.randint(2, 4)))
            style = rng.randrange(3)
            if name.isupper():
                new = new.upper()
            elif style == 1:
                new = new.capitalize()
            elif style == 2:
                new = new + "_" + rng.choice(syllables)
            if new not in taken:
                break
        taken.add(new)
        out[name] = new
    return out


def _rename_comment(text, table):
    def one(found):
        word = found.group()
        if word not in table:
            return word
        if word.lower() in _WORDS and not _AS_NAME.match(text, found.end()):
            return word
        return table[word]
    return re.sub(r"[A-Za-z_]\w*", one, text)


def rename(tokens, rng, fixed):
    table = fresh_names(own_names(tokens) - fixed, rng)
    for token in tokens:
        if token.kind == NAME:
            token.text = table.get(token.text, token.text)
        elif token.kind == COMMENT:
            token.text = _rename_comment(token.text, table)
        elif token.kind == DIRECTIVE and not re.match(r"#\s*(include|pragma)", token.text):
            parts = inner(token.text)
            head = True  # the directive's own word stays
            for part in parts:
                if part.kind == NAME:
                    part.text = part.text if head else table.get(part.text, part.text)
                    head = False
            token.text = text_of(parts)
        elif token.kind == DIRECTIVE and "pragma" in token.text:
            token.text = _rename_comment(token.text, table)
    return tokens


# ---------------------------------------------------------------- order

class Item:
    """A run of tokens at the top level: a directive, a declaration, a function definition."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.body = None  # index of the { of a function definition

    @property
    def code(self):
        return [t for t in self.tokens if t.code]


def _close(tokens, k):
    depth = 0
    while k < len(tokens):
        if tokens[k].text == "{":
            depth += 1
        elif tokens[k].text == "}":
            depth -= 1
            if depth == 0:
                return k
        k += 1
    return None


def split_items(tokens):
    """The top-level items; a namespace's or linkage block's braces are items of their own."""
    items, start, k, parens = [], 0, 0, 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == DIRECTIVE:
            items.append(Item(tokens[start:k + 1]))
            start = k + 1
        elif token.text in ("(", ")"):
            parens += 1 if token.text == "(" else -1
        elif token.text == ";" and parens == 0:
            items.append(Item(tokens[start:k + 1]))
            start = k + 1
        elif token.text == "{" and parens == 0:
            head = [t.text for t in tokens[start:k] if t.code]
            if head and (head[0] == "namespace" or head[:1] == ["extern"] and len(head) == 2):
                items.append(Item(tokens[start:k + 1]))
                start = k + 1
            else:
                end = _close(tokens, k)
                if end is None:
                    return None
                item = Item(tokens[start:end + 1])
                if ")" in head and not {"struct", "class", "union", "enum", "="} & set(head):
                    item.body = k - start
                    items.append(item)
                    start = end + 1
                k = end
        elif token.text == "}":
            items.append(Item(tokens[start:k + 1]))
            start = k + 1
        k += 1
    items.append(Item(tokens[start:]))
    return items


_RETURNED = {"void", "__global__", "__device__", "int", "bool", "float", "double", "cudaError_t"}
_STAYS = {"constexpr", "auto", "operator", "=", "::", "decltype", "inline", "__forceinline__"}


def _may_move(item):
    if item.body is None:
        return False
    head = [t.text for t in item.tokens[:item.body] if t.code]
    if set(head[:head.index("(")]) & _STAYS or "=" in head or "noexcept" in head:
        return False
    if not _RETURNED & set(head):
        return False
    return head[:3] != ["template", "<", ">"]


def _barrier(item):
    """Code must not move over it: a directive that changes what names mean, a block's brace."""
    code = item.code
    if not code:
        return False
    first = code[0]
    if first.kind == DIRECTIVE:
        return not re.match(r"#\s*(include|pragma)", first.text)
    if code[-1].text in ("{", "}") and item.body is None:
        return True
    return first.text == "template" and "<" in code[-1].text or \
        (first.text == "template" and len(code) > 1 and code[1].text != "<")


def _declaration(item):
    head = []
    for token in item.tokens[:item.body]:
        if token.kind == COMMENT:
            continue
        head.append(token)
    return text_of(head).strip() + ";\n"


def reorder(tokens, rng):
    items = split_items(tokens)
    if items is None:
        return tokens
    out, late = [], []
    for item in items:
        if _barrier(item):
            out += late
            late = []
        if _may_move(item) and rng.random() < 0.7:
            out.append("\n" + _declaration(item))
            late.append(text_of(item.tokens))
        else:
            out.append(text_of(item.tokens))
    if out and not out[-1].strip():
        out.insert(len(out) - 1, "".join(late))
    else:
        out += late
    return lex("".join(out).rstrip("\n") + "\n")


# ---------------------------------------------------------------- constants and macros

def _find(tokens, pattern):
    """Where code tokens match a pattern of texts and predicates: lists of token indices."""
    code = [k for k, t in enumerate(tokens) if t.kind not in (SPACE, COMMENT)]
    hits, at = [], 0
    while at + len(pattern) <= len(code):
        span = code[at:at + len(pattern)]
        if all(p(tokens[k]) if callable(p) else tokens[k].text == p
               for p, k in zip(pattern, span)):
            hits.append(span)
            at += len(pattern)
        else:
            at += 1
    return hits


def _replace(tokens, span, text):
    """Puts text in place of the tokens of span (comments between them are kept behind it)."""
    tokens[span[0]].text = text
    tokens[span[0]].kind = NAME
    for k in range(span[0] + 1, span[-1] + 1):
        if tokens[k].kind != COMMENT:
            tokens[k].text = ""


_OPENS = {"=", "+=", "(", "[", "{", ",", ";", "return", "<", "<<<", "?", ":", "&&", "||"}
_TIGHT = {"*", "/", "%", ".", "->", "(", "[", "::"}


def _stands_alone(tokens, span):
    """True where the span is an operand by itself: no cast or product before it, none behind it."""
    before = [t.text for t in tokens[:span[0]] if t.code][-1:]
    after = [t.text for t in tokens[span[-1] + 1:] if t.code][:1]
    opened = not before or before[0] in _OPENS
    return opened and (not after or after[0] not in _TIGHT)


def _atom(token):
    if token.kind == NAME:
        return token.text not in ("threadIdx", "blockIdx")
    return token.kind == NUMBER


def _ceil_divisions(tokens, rng, head):
    """(a + b - 1) / b and (a + 255) / 256, with single tokens for a and b."""
    use_macro = rng.random() < 0.5
    name = rng.choice(["CEIL_OF_Q", "UP_DIV_Q"]) if use_macro else "round_up_q"
    done = False
    long = ["(", _atom, "+", _atom, "-", "1", ")", "/", _atom]
    short = ["(", _atom, "+", lambda t: t.kind == NUMBER, ")", "/", lambda t: t.kind == NUMBER]
    for pattern, a, b in ((long, 1, 8), (short, 1, 6)):
        for span in _find(tokens, pattern):
            if not _stands_alone(tokens, span):
                continue
            top, div = tokens[span[a]].text, tokens[span[b]].text
            if pattern is long and tokens[span[3]].text != div:
                continue
            if pattern is short and not (tokens[span[3]].text.isdigit() and div.isdigit()
                                         and int(tokens[span[3]].text) == int(div) - 1):
                continue
            _replace(tokens, span, f"{name}({top}, {div})")
            done = True
    if done and use_macro:
        head.append(f"#define {name}(top_, part_) (((top_) + (part_) - 1) / (part_))")
    elif done:
        head.append("template <typename A_, typename B_>\n"
                    f"__host__ __device__ constexpr auto {name}(A_ top, B_ part)\n"
                    "{\n    return (top + part - 1) / part;\n}")


def _index_macro(tokens, rng, head):
    for axis in "xyz":
        name = f"GLOBAL_{axis.upper()}_Q"
        a = ["blockIdx", ".", axis, "*", "blockDim", ".", axis, "+", "threadIdx", ".", axis]
        b = ["threadIdx", ".", axis, "+", "blockIdx", ".", axis, "*", "blockDim", ".", axis]
        spans = [s for s in _find(tokens, a) + _find(tokens, b) if _stands_alone(tokens, s)]
        if not spans or rng.random() < 0.2:
            continue
        for span in spans:
            _replace(tokens, span, name)
        head.append(f"#define {name} (blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis})")


def _barrier_macro(tokens, rng, head):
    spans = _find(tokens, ["__syncthreads", "(", ")"])
    if spans and rng.random() < 0.5:
        for span in spans:
            _replace(tokens, span, "BLOCK_WAIT_Q()")
        head.append("#define BLOCK_WAIT_Q() __syncthreads()")


def _literals(tokens, rng, head):
    found = {}
    for k, token in enumerate(tokens):
        if token.kind == NUMBER and token.text.isdigit() and 8 <= int(token.text) <= 4096:
            found.setdefault(token.text, []).append(k)
    for text in sorted(found, key=int):
        if rng.random() < 0.3:
            continue
        name = f"LIT_{text}_Q"
        for k in found[text]:
            tokens[k].text, tokens[k].kind = name, NAME
        head.append(rng.choice([f"#define {name} {text}", f"constexpr int {name} = {text};",
                                f"static const int {name} = {text};"]))


def to_constants(tokens, rng):
    head = []
    _ceil_divisions(tokens, rng, head)
    tokens = lex(text_of(tokens))
    _index_macro(tokens, rng, head)
    _barrier_macro(tokens, rng, head)
    tokens = lex(text_of(tokens))
    _literals(tokens, rng, head)
    at = 0
    for k, token in enumerate(tokens):
        if token.kind == DIRECTIVE and re.match(r"#\s*include", token.text):
            at = k + 1
    block = "\n" + "\n".join(reversed(head)) if head else ""
    return lex(text_of(tokens[:at]) + block + text_of(tokens[at:]))


# ---------------------------------------------------------------- layout

_KEEPS = re.compile(r"[0-9]|multiple|aligned|host|device|managed|holds|exact|cmpd:")
_DECOYS = ["__syncthreads() is not needed here", "if (i >= n) return;",
           "no printf, no malloc, no rand()",
           "see the caller", "was cudaThreadSynchronize()", "extern __shared__ float unused[];"]


def _comments(tokens, rng):
    drop = rng.random() < 0.6
    for token in tokens:
        if token.kind == COMMENT and drop and not _KEEPS.search(token.text):
            token.text, token.kind = " ", SPACE
    if rng.random() < 0.6:
        for token in tokens:
            if token.kind == SPACE and "\n" in token.text and rng.random() < 0.15:
                token.text = f"  // {rng.choice(_DECOYS)}" + token.text
            elif token.kind == PUNCT and token.text in (",", "=", "+") and rng.random() < 0.05:
                token.text += f" /* {rng.choice(_DECOYS)} */ "
    return lex(text_of(tokens))


def _sticky(a, b):
    """True where a and b must not touch."""
    words = (NAME, NUMBER, STRING)
    if a.kind in words and b.kind in words:
        return True
    glue = set("+-&|<>=*/:%!^.#")
    return a.text[-1] in glue and b.text[0] in glue or (a.kind == NUMBER and b.text[0] in "+-.")


def _one_a_line(tokens):
    return "".join(t.text.rstrip() + "\n" for t in tokens if t.kind != SPACE)


def _squeezed(tokens):
    out, last = [], None
    for token in tokens:
        if token.kind == SPACE:
            continue
        if token.kind == DIRECTIVE:
            if out and not out[-1].endswith("\n"):
                out.append("\n")
            out.append(token.text + "\n")
            last = None
            continue
        text = token.text
        if token.kind == COMMENT and text.startswith("//"):
            text = "/* " + text[2:].strip().replace("*/", "* /") + " */"
        if last is not None and (_sticky(last, token) or COMMENT in (last.kind, token.kind)):
            out.append(" ")
        out.append(text)
        last = token
    return "".join(out) + "\n"


def _tabs(found):
    return "\t" * (len(found.group()) // 4)


def _braces(tokens, own_line):
    """Opening braces on their own line or at the end of the line before; indentation by tabs."""
    text = text_of(tokens)
    pieces, before = [], None  # before: the kind of the last token but white space
    for token in lex(text):
        if token.kind in (COMMENT, STRING, DIRECTIVE):
            pieces.append(token.text)
        elif token.kind == SPACE:
            pieces.append(re.sub(r"(?m)^( {4})+", _tabs, token.text))
        elif token.text == "{" and before == PUNCT and len(pieces) > 1 and not pieces[-1].strip() \
                and pieces[-2] == ")":
            pieces[-1] = "\n" if own_line else " "
            pieces.append("{")
        else:
            pieces.append(token.text)
        before = before if token.kind == SPACE else token.kind
    return "".join(pieces)


def relayout(tokens, rng):
    tokens = _comments(tokens, rng)
    way = rng.randrange(4)
    if way == 0:
        return lex(_one_a_line(tokens))
    if way == 1:
        return lex(_squeezed(tokens))
    text = _braces(tokens, way == 2)
    if rng.random() < 0.3:
        text = text.replace("\n", "\r\n") if "\\\n" not in text else text
    return lex(text)


# ---------------------------------------------------------------- the test

WAYS = ("names", "order", "consts", "layout", "all")


def rewrite(text, way, rng, fixed):
    tokens = lex(text)
    if way in ("names", "all"):
        tokens = rename(tokens, rng, fixed)
    if way in ("order", "all"):
        tokens = reorder(tokens, rng)
    if way in ("consts", "all"):
        tokens = to_constants(tokens, rng)
    if way in ("layout", "all"):
        tokens = relayout(tokens, rng)
    return text_of(tokens)


def lay_out(cases, ways, seed, root):
    """Writes plain/ and one folder a way below root; returns the files, in case order."""
    files = []
    for case in cases:
        with open(os.path.join(HERE, case.name), encoding="utf-8") as source:
            text = source.read()
        policy = os.path.join(HERE, case.folder, "cmpd.json")
        fixed = set()
        if os.path.exists(policy):
            with open(policy, encoding="utf-8") as rules:
                fixed = set(re.findall(r'"(\w+)"', rules.read()))
        for way in ("plain", *ways):
            folder = os.path.join(root, way, case.folder)
            os.makedirs(folder, exist_ok=True)
            if fixed:
                shutil.copy(policy, folder)
            rng = random.Random(f"{seed}/{way}/{case.name}")
            new = text if way == "plain" else rewrite(text, way, rng, fixed)
            with open(os.path.join(folder, case.file), "w", encoding="utf-8", newline="") as out:
                out.write(new)
            files.append(f"{way}/{case.name}")
    return files


def compare(cases, ways, entries):
    """Prints every verdict that a rewriting changed; returns how many there are."""
    changed, at = 0, 0
    for case in cases:
        group = entries[at:at + 1 + len(ways)]
        at += len(group)
        plain = (group[0]["verdict"], sorted(set(group[0]["reasons"])))
        for way, entry in zip(ways, group[1:]):
            now = (entry["verdict"], sorted(set(entry["reasons"])))
            if now != plain:
                changed += 1
                print(f"CHANGED {case.name} by {way}: {plain[0]} {','.join(plain[1]) or '-'} -> "
                      f"{now[0]} {','.join(now[1]) or '-'}")
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="TEXT", help="only files whose folder/name contains TEXT")
    parser.add_argument("--ways", default=",".join(WAYS),
                        help="comma-separated; default: all of them")
    parser.add_argument("--keep", metavar="DIR", help="leave the rewritten files in DIR")
    options = parser.parse_args()

    ways = tuple(options.ways.split(","))
    if set(ways) - set(WAYS):
        parser.error(f"unknown way in {options.ways}")
    cases = [c for f in FOLDERS for c in read_table(f)
             if not options.only or options.only in c.name]
    if not cases:
        parser.error("no such file")
    program()
    root = options.keep or tempfile.mkdtemp(prefix="cmpd-looks-")
    try:
        files = lay_out(cases, ways, options.seed, root)
        changed = compare(cases, ways, judge(files, root))
    finally:
        if not options.keep:
            shutil.rmtree(root)
    total = len(cases) * len(ways)
    print(f"{total - changed} rewritten files keep their verdict, {changed} do not "
          f"(seed {options.seed})")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
