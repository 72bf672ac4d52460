#!/usr/bin/python3
"""Odd files and odd policies: each has its message and its exit status; nothing hangs or eats memory."""
import json
import os
import subprocess
import tempfile

import jsonschema

from e2e import SOURCE, check, cmpd, done, write

# Address space: the program's own, threads and the arena's ceiling for one file.
LIMIT_KIB = 3 << 20

with open(os.path.join(SOURCE, "config/schema/verdict.schema.json"), encoding="utf-8") as f:
    SCHEMA = json.load(f)

KERNEL = "__global__ void k(float *a, int n)\n{\n    int i = threadIdx.x;\n    if (i < n)\n        a[i] = 0;\n}\n"


def judge(args, status, message=None, verdict=None, **kw):
    """Text and JSON agree on the status; the JSON is valid; the message is on standard error."""
    name = " ".join(str(a) for a in args)[:200]
    text = cmpd("check", "--track", "static", *args, limit_kib=LIMIT_KIB, **kw)
    check(text.status == status, f"{name}: status {text.status}, not {status}: {text.err[-500:]}")
    if message:
        check(message.encode() in text.err, f"{name}: no '{message}' in {text.err[-500:]}")
    else:
        check(not text.err, f"{name}: said {text.err[-500:]}")
    r = cmpd("check", "--track", "static", "--format", "json", *args, limit_kib=LIMIT_KIB, **kw)
    check(r.status == status, f"{name}: status {r.status} with json, not {status}")
    try:
        doc = r.json()
        jsonschema.validate(doc, SCHEMA)
    except (ValueError, jsonschema.ValidationError) as e:
        check(False, f"{name}: json: {str(e)[:300]}")
        return None
    if verdict:
        check(doc["verdict"] == verdict, f"{name}: {doc['verdict']}, not {verdict}")
    if status >= 64:
        errors = [doc.get("error")] + [f.get("error") for f in doc["files"]]
        check(any(e and e["exit_status"] == status for e in errors), f"{name}: no error in the json")
    return doc


def odd_files():
    doc = judge([write("empty.cu", "")], 0, verdict="PASS")
    check(doc and doc["files"][0]["static"]["clean"] == ["no kernels."], "empty file: not said that it has no kernels")
    judge([write("plain.cu", "int main() { return 0; }\n")], 0, verdict="PASS")
    judge([write("binary.cu", b"\x7fELF\x00\x01" + os.urandom(4096))], 65, "binary")
    judge([write("nul.cu", KERNEL + "\0")], 65, "binary")
    judge([write("utf8.cu", b"// \xff\xfe caf\xe9\n" + KERNEL.encode())], 0, verdict="PASS")
    judge([write("bom.cu", b"\xef\xbb\xbf" + KERNEL.encode())], 0, verdict="PASS")
    judge([write("utf16.cu", KERNEL.encode("utf-16"))], 65, "binary")
    judge([write("cut.cu", KERNEL.rstrip("\n"))], 0, verdict="PASS")
    judge([write("half.cu", KERNEL[:60])], 0)
    judge([write("open.cu", KERNEL + "/* never closed")], 0)
    judge([write("quote.cu", KERNEL + 'const char *s = "never closed')], 0)


def same_with_other_line_ends():
    """CRLF and CR give the same findings on the same lines."""
    source = "#include <cstdio>\n" + KERNEL.replace("a[i] = 0", 'printf("%d", i)')
    found = []
    for name, text in (("lf.cu", source), ("crlf.cu", source.replace("\n", "\r\n")), ("cr.cu", source.replace("\n", "\r"))):
        doc = cmpd("check", "--track", "static", "--format", "json", write(name, text)).json()
        found.append([(f["reason"], f["line"], f["column"], f["fingerprint"]) for f in doc["files"][0]["findings"]])
    check(found[0] == found[1], f"CRLF: {found[1]} instead of {found[0]}")
    check(found[0] == found[2], f"CR: {found[2]} instead of {found[0]}")


def odd_places():
    os.mkdir("folder.cu")
    os.mkfifo("fifo.cu")
    judge(["folder.cu"], 65, "a directory")
    judge(["fifo.cu"], 65, "a fifo")
    judge(["/dev/zero"], 65, "a device")
    judge(["/dev/null"], 65, "a device")
    judge(["none.cu"], 66, "none.cu")
    judge(["none/none.cu"], 66, "none")
    judge(["empty.cu/x.cu"], 66, "x.cu")
    judge(["a" * 300 + ".cu"], 74, "too long")
    outside = tempfile.mkdtemp()
    write(os.path.join(outside, "real.cu"), KERNEL)
    os.symlink(os.path.join(outside, "real.cu"), "link.cu")
    judge(["link.cu"], 0, verdict="PASS")
    os.symlink("loop.cu", "loop.cu")
    judge(["loop.cu"], 74, "loop.cu")
    if os.geteuid() != 0:
        os.chmod(write("secret.cu", KERNEL), 0)
        judge(["secret.cu"], 74, "secret.cu")
    judge(["none.cu", "empty.cu"], 66, "none.cu", verdict="REVIEW")


def hundred_megabytes():
    with open("big.cu", "wb") as f:
        f.truncate(100 << 20)
    judge(["big.cu"], 65, "104857600 bytes", timeout=20)
    with open("text.cu", "wb") as f:
        for _ in range(100):
            f.write(b"x = 1; " * 149797)
    judge(["text.cu"], 65, "bytes", timeout=20)
    with open("text.cu", "rb") as f:
        p = subprocess.run([os.environ["CMPD_BIN"], "check", "-"], stdin=f, capture_output=True, timeout=20)
    check(p.returncode == 65 and b"standard input" in p.stderr, f"100 MB on standard input: {p.returncode} {p.stderr}")
    os.remove("big.cu")
    os.remove("text.cu")


def deep_and_long():
    """What is too deep to be parsed is for a person; it is not a pass."""
    deep = "__global__ void k(float *a) { a[0] = " + "(" * 100000 + "1" + ")" * 100000 + "; }\n" + "void f(float *a) { k<<<1, 1>>>(a); }\n"
    doc = judge([write("deep.cu", deep)], 2, verdict="REVIEW")
    reasons = doc["files"][0]["reasons"] if doc else []
    check(reasons == ["index_space_unproven"], f"deep nesting: {reasons}")
    judge([write("angle.cu", KERNEL + "int x = " + "a<" * 50000 + "1;\n")], None)
    judge([write("braces.cu", "void f() " + "{" * 50000)], None)
    judge([write("line.cu", KERNEL + "// " + "x" * (4 << 20))], 0)
    judge([write("lines.cu", KERNEL + "\n" * (4 << 20))], 0)
    bomb = "#define A0 x x x x x x x x x x\n"
    for i in range(1, 12):
        bomb += f"#define A{i} " + f"A{i - 1} " * 10 + "\n"
    judge([write("bomb.cu", bomb + "__global__ void k(float *x) { A11 }\nvoid f(float *a) { k<<<1, 1>>>(a); }\n")], None)


def standard_input():
    r = cmpd("check", "--track", "static", "-", stdin=KERNEL.encode())
    check(r.status == 0, f"standard input: {r.status} {r.err}")
    r = cmpd("check", "--track", "static", "-", stdin=b"")
    check(r.status == 0, f"empty standard input: {r.status} {r.err}")
    r = cmpd("check", "--track", "static", "-", "-", stdin=b"")
    check(r.status == 64, f"standard input twice: {r.status}")


def policies():
    write("good.cu", KERNEL)
    cases = [
        ('{"policy": {"perf_ration": 2}}', "p.json:1:13: unknown key 'perf_ration' in policy; did you mean 'perf_ratio'?"),
        ('{\n  "version": 1,\n  "polcy": {}\n}', "p.json:3:3: unknown key 'polcy' in the file; did you mean 'policy'?"),
        ('{"policy": {}, "policy": {}}', "duplicate"),
        ('{"policy": {"enforce": "yes"}}', "'enforce' must be true or false, not a string"),
        ('{"policy": {"perf_ratio": -1}}', "'perf_ratio' must be within 0.01..1000"),
        ('{"policy": {"require": ["everything"]}}', "'everything' in require is not one of"),
        ('{"policy": {"tiers": {"compile_error": "note"}}}', "compile_error can't be lowered"),
        ('{"policy": {"tiers": {"numeric_mismatch": "review"}}}', "numeric_mismatch can't be lowered"),
        ('{"policy": {"tiers": {"out_of_bounds": "note"}}}', "out_of_bounds can't be lowered"),
        ('{"policy": {"tiers": {"output_nan_inf": "note"}}}', "output_nan_inf can't be lowered"),
        ('{"policy": {"tiers": {"missing_sinc": "note"}}}', "did you mean 'missing_sync'?"),
        ('{"policy": {"tiers": {"missing_sync": "ignore"}}}', 'must be "reject", "review" or "note"'),
        ('{"policy": {"nvcc": {"flags": ["-o", "x"]}}}', "'-o' in flags is not among"),
        ('{"policy": {"nvcc": {"flags": ["--compiler-bindir=/tmp"]}}}', "is not among"),
        ('{"policy": {"nvcc": {"include": ["../up"]}}}', "without '..'"),
        ('{"policy": {"nvcc": {"path": "nvcc"}}}', "must be an absolute path"),
        ('{"policy": {"nvcc": []}}', "must not be an empty list"),
        ('{"kernels": [{"op": "x"}]}', "needs a 'path'"),
        ('{"kernels": [{"path": "a.cu", "args": ["inn:a"]}]}', "'inn:a' in args"),
        ('{"version": 2}', "'version' must be within 1..1"),
        ('[]', "must be a JSON object, not a list"),
        ('', "the policy is empty"),
        ('{"version": 1', "not valid JSON"),
        ('{"version": 1} x', "not valid JSON"),
        ("\xff", "not valid JSON"),
        ("[" * 100000, "not valid JSON"),
        ('{"x": "' + "y" * (2 << 20) + '"}', "bytes"),
        ('{"' + "k" * 5000 + '": 1}', "unknown key 'kkkk"),
    ]
    for text, message in cases:
        write("p.json", text.encode("latin-1"))
        judge(["--policy", "p.json", "good.cu"], 65, message)
    judge(["--policy", "none.json", "good.cu"], 66, "none.json")
    judge(["--policy", ".", "good.cu"], 65, "a directory")
    judge(["--policy", "/dev/zero", "good.cu"], 65, "a device")
    write("p.json", '{"version": 1, "policy": {"require": ["static"]}}')
    r = cmpd("check", "--policy", "p.json", "good.cu")
    check(r.status in (0, 2), f"a right policy: {r.status} {r.err}")


def nearest_policy():
    """The nearest cmpd.json upward counts, not past the repository's root."""
    os.makedirs("outer/repo/.git")
    os.makedirs("outer/repo/sub")
    write("outer/cmpd.json", '{"bad": 1}')
    write("outer/repo/sub/k.cu", KERNEL)
    judge(["outer/repo/sub/k.cu"], 0)
    write("outer/repo/cmpd.json", '{"worse": 1}')
    judge(["outer/repo/sub/k.cu"], 65, "unknown key 'worse'")
    write("outer/repo/sub/cmpd.json", "{}")
    judge(["outer/repo/sub/k.cu"], 0)


def main():
    global judge
    plain = judge

    def lenient(args, status, message=None, verdict=None, **kw):
        """None: any verdict will do, as long as there is one."""
        if status is not None:
            return plain(args, status, message, verdict, **kw)
        r = cmpd("check", "--track", "static", "--format", "json", *args, limit_kib=LIMIT_KIB, **kw)
        check(r.status in (0, 1, 2), f"{args}: status {r.status}: {r.err[-300:]}")
        jsonschema.validate(r.json(), SCHEMA)
        return r.json()

    judge = lenient
    odd_files()
    same_with_other_line_ends()
    odd_places()
    hundred_megabytes()
    deep_and_long()
    standard_input()
    policies()
    nearest_policy()
    done()


main()
