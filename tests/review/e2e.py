#!/usr/bin/python3
"""`cmpd review` from end to end, on repositories made here."""
import glob
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from repo import Repo, check, cmpd, equal, reasons, run_all

# libgit2 1.5 leaks what its regular expressions need; a sanitizer build is not to blame us for it.
REGEX_LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

# One finding each way: printf in a kernel is REVIEW, an API that is gone is REJECT.
KERNEL = """__global__ void {name}(float *__restrict__ out, const float *__restrict__ in, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * 7 % n] * 2.0f;
}}
"""
NOISY = """__global__ void {name}(float *__restrict__ out, const float *__restrict__ in, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{
        printf("%d", i);
        out[i] = in[i * 7 % n] * 2.0f;
    }}
}}
"""
GONE = """void wait_for_all()
{
    cudaThreadSynchronize();
}
"""


def good(name="scale"):
    return KERNEL.format(name=name)


def noisy(name="scale"):
    return NOISY.format(name=name)


def started(name, files, bare=False):
    """A repository whose main holds the files, with `topic` checked out."""
    r = Repo(name)
    r.commit(files, "base")
    r.branch("topic")
    return r


# --- what is judged ---------------------------------------------------------------------------


def no_cuda_changes():
    r = started("nocuda", {"a.cu": good(), "README": "x\n"})
    r.commit({"README": "y\n", "main.py": "print(1)\n"})
    text = r.review(form="text", track=None)
    equal(text.status, 0, "status")
    check("no CUDA changes" in text.text and "result: PASS" in text.text, text.text)
    doc = r.review(track=None).doc
    equal((doc["verdict"], doc["files"], doc["reasons"]), ("PASS", [], []), "document")
    equal(r.review(head="main").doc["files"], [], "head equals base")


def kinds_of_change():
    body = good() + "// tail\n" * 10
    r = started("kinds", {"k/mod.cu": body, "k/old.cu": good("old") + "// o\n" * 9, "k/gone.cu": good("gone"),
                          "k/pure.cu": good("pure"), "k/mode.cu": good("mode"), "k/same.cu": good("same"),
                          "x.cpp": good("cpp") + "// c\n" * 9, "leaves.cu": good("leaves") + "// l\n" * 9})
    r.edit("k/mod.cu", "2.0f", "3.0f")
    os.rename(r.full("k/old.cu"), r.full("k/new.cuh"))
    r.edit("k/new.cuh", "2.0f", "4.0f")
    os.rename(r.full("k/pure.cu"), r.full("moved.cu"))
    os.rename(r.full("x.cpp"), r.full("x.cu"))
    os.rename(r.full("leaves.cu"), r.full("leaves.txt"))
    os.chmod(r.full("k/mode.cu"), 0o755)
    r.commit({"k/add.cu": GONE + "// new\n" * 9, "notes.txt": "n\n"}, remove=["k/gone.cu"])
    result = r.review()
    got = {f["path"]: (f["change"]["status"], f.get("old_path")) for f in result.doc["files"]}
    equal(got, {"k/add.cu": ("added", None), "k/gone.cu": ("deleted", None), "k/mod.cu": ("modified", None),
                "k/mode.cu": ("mode", None), "k/new.cuh": ("renamed", "k/old.cu"), "moved.cu": ("renamed", "k/pure.cu"),
                "x.cu": ("renamed", "x.cpp"), "leaves.txt": ("renamed", "leaves.cu")}, "files")
    equal(result.paths(), sorted(result.paths()), "order")
    equal(result.file("k/mod.cu")["change"]["added"], [[5, 5]], "added lines")
    equal(result.file("k/mod.cu")["change"]["removed"], [[5, 5]], "removed lines")
    equal(result.file("moved.cu")["change"]["added"], [], "a pure rename adds nothing")
    equal(result.file("k/gone.cu")["static"]["status"], "skipped", "a deleted file is not judged")
    equal(result.file("k/gone.cu")["verdict"], "PASS", "a deleted file passes")
    equal(result.file("moved.cu")["static"]["status"], "done", "a pure rename is judged")
    doc = result.doc
    equal(doc["merge_base"], r.git("merge-base", "main", "topic"), "merge base")
    equal((doc["base"], doc["head"]), (r.git("rev-parse", "main"), r.git("rev-parse", "topic")), "revisions")
    text = r.review(form="text").text
    top = text.split("[static_review]")[0]
    check(doc["merge_base"][:12] in top and "8 files" in top, top)
    check("deleted    k/gone.cu" in top and "k/old.cu -> k/new.cuh" in top, top)


def judged_from_the_head_tree():
    r = started("tree", {"a.cu": good()})
    r.commit({"a.cu": noisy()})
    r.git("checkout", "-q", "main")
    r.write("a.cu", GONE)           # in the work tree alone
    r.write("untracked.cu", GONE)
    r.git("add", "a.cu")            # and in the index
    result = r.review()
    equal(result.paths(), ["a.cu"], "files")
    equal(reasons(result.file("a.cu"), track="static", tier="review"), [("api_device_printf", 5)], "findings")
    equal(result.status, 2, "status")


def diff_from_the_merge_base():
    r = started("mergebase", {"a.cu": good(), "b.cu": good("b")})
    r.commit({"a.cu": noisy()})
    r.git("checkout", "-q", "main")
    r.commit({"b.cu": noisy("b"), "c.cu": GONE})  # base has moved on
    equal(r.review().paths(), ["a.cu"], "only the change's own files")


def includers():
    r = started("includers", {
        "k/a.cu": '#include "a.cuh"\n' + good("a"), "k/a.cuh": '#include "../lib/deep.h"\n',
        "lib/deep.h": "#define DEEP 1\n", "k/other.cu": good("other"), "k/x.cuh": "#define X 1\n",
        "k/x.cu": '#include "x.cuh"\n' + good("x"), "m/x.cuh": "#define X 2\n",
        "m/x.cu": '#include "x.cuh"\n' + good("x"),
        "k/comment.cu": '// #include "../lib/deep.h"\n/*\n#include "../lib/deep.h"\n*/\n' + good("c"),
        "k/odd.cu": '#  include /* here */ "a.cuh" // x\n' + good("odd"),
        "k/joined.cu": '#inc\\\nlude "a.cuh"\n' + good("j"),
        "sys.cu": "#include <shared/s.hpp>\n" + good("s"), "inc/shared/s.hpp": "#define S 1\n",
        "code.cu": '#include "body.cu"\n', "body.cu": good("body"),
        "up.cu": '#include "../../../etc/passwd"\n#include "/etc/passwd"\n' + good("up"),
        "cmpd.json": json.dumps({"version": 1, "policy": {"nvcc": {"include": ["inc"]}}}),
    })
    r.commit({"lib/deep.h": "#define DEEP 2\n"})
    result = r.review()
    equal(set(result.paths()), {"k/a.cu", "k/odd.cu"}, "transitively")
    equal(result.file("k/a.cu")["change"]["status"], "includer", "status")
    equal(result.file("k/a.cu")["change"]["via"], "lib/deep.h", "via")
    check("includes lib/deep.h" in r.review(form="text").text, "the text form says why it is listed")
    r.branch("header")
    r.commit({"k/x.cuh": "#define X 3\n"})
    equal(set(r.review(head="header").paths()), {"k/x.cu", "k/x.cuh"}, "the nearest header of that name")
    r.branch("system")
    r.commit({"inc/shared/s.hpp": "#define S 2\n"})
    equal(r.review(head="system").paths(), ["sys.cu"], "through the policy's include folder")
    r.branch("body")
    r.commit({"body.cu": good("body2")})
    equal(set(r.review(head="body").paths()), {"body.cu", "code.cu"}, "a source that is included")
    r.branch("removed")
    r.commit(remove=["lib/deep.h"])
    equal(set(r.review(head="removed").paths()), {"k/a.cu", "k/odd.cu"}, "a header that is gone")
    r.branch("both")
    r.commit({"lib/deep.h": "#define DEEP 3\n", "k/a.cu": '#include "a.cuh"\n' + noisy("a")})
    equal(r.review(head="both").file("k/a.cu")["change"]["status"], "modified", "changed itself")
    # An include of a folder that only the build system knows: every file whose path ends so.
    r.branch("guess")
    r.commit({"deepdir/src/util/u.h": "#define U 1\n", "app/u.cu": '#include "util/u.h"\n' + good("u")})
    r.branch("guessed", "guess")
    r.commit({"deepdir/src/util/u.h": "#define U 2\n"})
    equal(r.review(base="guess", head="guessed").paths(), ["app/u.cu"], "a path that ends in the name")


LAUNCHER = """#include "cfg/block.h"
__global__ void scale(float *x, int n)
{
    int i = first_index();
    if (i < n)
        x[i] *= 2.0f;
}
void run(float *x, int n)
{
    scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, n);
}
"""
BLOCK = """#pragma once
#include "../run.cu"
#define BLOCK %d
static __device__ inline int first_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
"""


def header_breaks_a_launch():
    r = started("header", {"run.cu": LAUNCHER, "cfg/block.h": BLOCK % 256})
    r.commit({"cfg/block.h": BLOCK % 2048})
    f = r.review().file("run.cu")
    equal(reasons(f, tier="reject"), [("launch_config_invalid", 10)], "head's header says so")
    r.branch("later", "topic")
    r.commit({"cfg/block.h": BLOCK % 2048 + "// a remark\n"})
    result = r.review(base="topic", head="later")
    equal(result.doc["verdict"], "PASS", "base's header said it too")
    r.branch("link", "main")
    r.commit(remove=["cfg/block.h"])
    os.symlink("../elsewhere.h", r.full("cfg/block.h"))
    r.commit({"elsewhere.h": BLOCK % 2048, "run.cu": LAUNCHER + "// a remark\n"})
    equal(reasons(r.review(base="main", head="link").file("run.cu"), tier="reject"), [], "links are not followed")


def include_cycles():
    r = started("cycle", {"a.cuh": '#include "b.cuh"\n', "b.cuh": '#include "a.cuh"\n#include "b.cuh"\n',
                          "k.cu": '#include "a.cuh"\n' + good()})
    r.commit({"b.cuh": '#include "a.cuh"\n// new\n'})
    equal(set(r.review().paths()), {"b.cuh", "k.cu"}, "files")


# --- policy -----------------------------------------------------------------------------------


def policy(**members):
    return json.dumps({"version": 1, "policy": members}, indent=1) + "\n"


def policy_from_base():
    r = started("policybase", {"a.cu": good(), "cmpd.json": policy(tiers={"api_device_printf": "reject"})})
    r.commit({"a.cu": noisy()})
    equal(r.review().doc["verdict"], "REJECT", "base's tiers")
    r = started("policybase", {"a.cu": good(), "cmpd.json": policy(tiers={"api_device_printf": "note"})})
    r.commit({"a.cu": noisy()})
    result = r.review()
    equal((result.status, result.doc["verdict"]), (0, "PASS"), "base's tiers")
    r.branch("edit")
    r.commit({"a.cu": noisy(), "cmpd.json": policy(tiers={"api_device_printf": "review"})})
    result = r.review(head="edit")
    equal(reasons(result.file("a.cu"), tier="review"), [], "head's tiers are not used")
    equal(reasons(result.file("cmpd.json")), [("policy_changed", 5)], "policy_changed on its line")
    equal((result.status, result.doc["reasons"]), (2, ["policy_changed"]), "REVIEW")
    # The change would let itself off.
    r = started("policybase", {"a.cu": good()})
    r.commit({"a.cu": noisy(), "cmpd.json": policy(tiers={"api_device_printf": "note"})})
    result = r.review()
    equal(set(result.doc["reasons"]), {"api_device_printf", "policy_changed"}, "defaults judge the first cmpd.json")
    check("adds cmpd.json" in result.file("cmpd.json")["findings"][0]["message"], "the message says so")
    check("policy_changed" in r.review(form="text").text, "the text form shows it")
    r.branch("only")
    r.commit({"cmpd.json": policy(enforce=False)})
    result = r.review(head="only")
    equal((result.status, result.doc["verdict"]), (2, "REVIEW"), "a change of the policy alone")
    check("advisory" not in result.doc, "enforce: false of head is not used")


def policy_moved_and_removed():
    r = started("policymoved", {"a.cu": good(), "cmpd.json": policy(perf_ratio=2.0)})
    r.commit(remove=["cmpd.json"])
    result = r.review()
    equal(result.doc["reasons"], ["policy_changed"], "removed")
    check("removes cmpd.json" in result.out.decode(), "the message says so")
    r.branch("moved")
    r.git("mv", "cmpd.json", "other.json")
    r.commit()
    equal(r.review(head="moved").doc["reasons"], ["policy_changed"], "renamed away")
    r.branch("nested")
    r.commit({"sub/cmpd.json": policy(enforce=False)})
    equal(r.review(head="nested").doc["files"], [], "only the root's cmpd.json is the policy")
    r.branch("mode")
    os.chmod(r.full("cmpd.json"), 0o755)
    r.commit()
    equal(r.review(head="mode").doc["reasons"], ["policy_changed"], "its mode")


def policy_moves_on_at_base():
    r = started("policyon", {"a.cu": good()})
    r.commit({"a.cu": noisy()})
    r.git("checkout", "-q", "main")
    r.commit({"cmpd.json": policy(tiers={"api_device_printf": "note"})})
    result = r.review()
    equal((result.doc["verdict"], result.paths()), ("PASS", ["a.cu"]), "base's tip judges, not the merge base")


def broken_policy():
    r = started("broken", {"a.cu": good(), "cmpd.json": '{\n "version": 1,\n "kernals": []\n}\n'})
    r.commit({"a.cu": noisy()})
    result = r.review()
    equal(result.status, 65, "status")
    message = result.doc["error"]["message"]
    check("cmpd.json" in message and "kernals" in message and "3" in message, message)
    equal(result.doc["verdict"], "REVIEW", "fails closed")
    result = r.review(form="text")
    check(result.out == b"" and "kernals" in result.err, "text: standard error alone")
    r.branch("docs")
    r.commit({"README": "x\n"})
    equal(r.review(head="docs").status, 0, "nothing to judge: a broken policy does not matter")
    equal(r.review("--policy", r.path + "/none.json").status, 66, "--policy without a file")
    r.write("mine.json", policy(tiers={"api_device_printf": "note"}))
    equal(r.review("--policy", r.path + "/mine.json").status, 0, "--policy in place of base's")
    r = started("broken", {"a.cu": good(), "cmpd.json": "{ not json"})
    r.commit({"a.cu": noisy()})
    equal(r.review().status, 65, "no JSON")
    r = started("broken", {"a.cu": good(), "cmpd.json": b"\0\xff" * 50})
    r.commit({"a.cu": noisy()})
    equal(r.review().status, 65, "binary")
    r = started("broken", {"a.cu": good(), "cmpd.json": "[" + "1," * 600000 + "1]"})
    r.commit({"a.cu": noisy()})
    equal(r.review().status, 65, "over the ceiling")
    r = Repo("broken")
    os.symlink("/etc/passwd", r.full("cmpd.json"))
    r.commit({"a.cu": good()})
    r.branch("topic")
    r.commit({"a.cu": noisy()})
    result = r.review()
    equal(result.status, 65, "a link")
    check("symbolic link" in result.doc["error"]["message"] and b"root:" not in result.out, "a link is not followed")
    r = started("broken", {"a.cu": good()})
    r.commit({"a.cu": good("b"), "cmpd.json": '{"version": 1, "nope": 1}'})
    result = r.review()
    equal(result.status, 2, "head's broken policy does not judge")
    check("nope" in result.file("cmpd.json")["findings"][0]["message"], "but is told of")


def baseline_changed():
    named = json.dumps({"version": 1, "kernels": [
        {"path": "k/a.cu", "op": "relu", "baseline": "base/a.cu"}, {"path": "k/b.cu", "baseline": "./base/../base/b.txt"},
        {"path": "k/*.cu", "baseline": "builtin"}]})
    r = started("baseline", {"k/a.cu": good(), "base/a.cu": good("base"), "base/b.txt": "x\n" * 9, "cmpd.json": named})
    r.commit({"k/a.cu": good() + "// x\n"})
    equal(r.review().doc["verdict"], "PASS", "a kernel whose baseline stays")
    r.branch("base")
    r.commit({"base/a.cu": good("base") + "// y\n"})
    result = r.review(head="base")
    equal(reasons(result.file("base/a.cu"), tier="review"), [("policy_changed", 7)], "an edited baseline")
    r.branch("moved")
    r.git("mv", "base/b.txt", "base/c.txt")
    r.commit()
    result = r.review(head="moved")
    equal((result.paths(), result.doc["reasons"]), (["base/c.txt"], ["policy_changed"]), "a baseline moved away")


def reference_changed():
    named = json.dumps({"version": 1, "kernels": [{"path": "k/*.cu", "op": "mine", "reference": {"file": "ops/mine.c"}},
                                                  {"path": "x.cu", "op": "mine", "reference": {"command": "ops/run"}}]})
    r = started("reference", {"k/a.cu": good(), "ops/mine.c": "int x;\n", "ops/run": "#!/bin/sh\n", "cmpd.json": named})
    for path in ("ops/mine.c", "ops/run"):
        r.branch("of_" + os.path.basename(path))
        r.commit({path: "changed\n"})
        result = r.review(head="of_" + os.path.basename(path))
        equal((result.paths(), result.doc["reasons"]), ([path], ["policy_changed"]), f"an edited reference: {path}")
        r.git("checkout", "-q", "main")


def advisory_and_fail_on():
    r = started("advisory", {"a.cu": good(), "cmpd.json": policy(enforce=False)})
    r.commit({"a.cu": GONE})
    result = r.review()
    equal((result.status, result.doc["verdict"], result.doc["advisory"]), (0, "REJECT", True), "advisory")
    r = started("advisory", {"a.cu": good()})
    r.commit({"a.cu": noisy()})
    equal(r.review("--fail-on", "reject").status, 0, "--fail-on reject")
    equal(r.review().status, 2, "REVIEW")
    r.commit({"a.cu": GONE})
    equal(r.review("--fail-on", "reject").status, 1, "REJECT")


# --- what stands on base too ------------------------------------------------------------------


TWO = noisy("one") + "\n" + noisy("two")


def preexisting():
    r = started("pre", {"a.cu": TWO})
    r.edit("a.cu", '        out[i] = in[i * 7 % n] * 2.0f;', '        out[i] = in[i * 7 % n] * 3.0f;')
    r.commit()
    f = r.review().file("a.cu")
    equal(reasons(f, tier="review"), [("api_device_printf", 5)], "the touched kernel counts")
    equal(reasons(f, preexisting=True), [("api_device_printf", 14)], "the other does not")
    equal([x["tier"] for x in f["findings"] if x.get("preexisting")], ["note"], "it is a note")
    r.branch("above")
    r.write("a.cu", "// one\n// two\n" + TWO)
    r.commit()
    result = r.review(head="above")
    equal((result.doc["verdict"], reasons(result.file("a.cu"), preexisting=True)),
          ("PASS", [("api_device_printf", 7), ("api_device_printf", 16)]), "a shift of lines")
    r.branch("deleted")
    r.edit("a.cu", "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n",
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    {\n")
    r.commit()
    check(("api_device_printf", 5) in reasons(r.review(head="deleted").file("a.cu"), tier="review"),
          "an edit anywhere in the kernel counts")
    r.branch("gone")
    r.edit("a.cu", "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n", "")
    r.commit()
    check(("api_device_printf", 4) in reasons(r.review(head="gone").file("a.cu"), tier="review"),
          "a deleted line touches the kernel")
    r.branch("signature")
    r.edit("a.cu", "__restrict__ in, int n)", "__restrict__ in, const int n)")
    r.commit()
    check(("api_device_printf", 5) in reasons(r.review(head="signature").file("a.cu"), tier="review"),
          "the head of the kernel is part of it")
    r.branch("renamed")
    os.rename(r.full("a.cu"), r.full("b.cu"))
    r.edit("b.cu", "2.0f", "5.0f")
    r.commit()
    f = r.review(head="renamed").file("b.cu")
    equal((reasons(f, tier="review"), reasons(f, preexisting=True)),
          ([("api_device_printf", 5)], [("api_device_printf", 14)]), "under its old name")
    r.branch("pure")
    r.git("mv", "a.cu", "c.cu")
    r.commit()
    result = r.review(head="pure")
    equal((result.doc["verdict"], len(reasons(result.file("c.cu"), preexisting=True))), ("PASS", 2), "a pure rename")
    r.branch("copied")
    r.commit({"d.cu": TWO})
    equal(len(reasons(r.review(head="copied").file("d.cu"), tier="review")), 2, "a copy is new")
    r.branch("again")
    r.write("a.cu", TWO + noisy("three"))
    r.commit()
    f = r.review(head="again").file("a.cu")
    equal((reasons(f, tier="review"), len(reasons(f, preexisting=True))), ([("api_device_printf", 22)], 2), "a new one")
    r.branch("crlf")
    r.write("a.cu", TWO.replace("\n", "\r\n"))
    r.commit()
    equal(len(reasons(r.review(head="crlf").file("a.cu"), tier="review")), 2, "all lines changed")
    check("stands on base too" in r.review(form="text", head="above").text, "the text form says so")


def preexisting_counts():
    r = started("precount", {"a.cu": TWO, "cmpd.json": policy(preexisting="count")})
    r.write("a.cu", "// x\n" + TWO)
    r.commit()
    result = r.review()
    equal(result.doc["verdict"], "REVIEW", "policy says count")
    equal(len(reasons(result.file("a.cu"), preexisting=True, tier="review")), 2, "and they are marked")


def preexisting_reject():
    r = started("prereject", {"a.cu": GONE + good()})
    r.edit("a.cu", "2.0f", "3.0f")
    r.commit()
    equal(r.review().doc["verdict"], "PASS", "a fault outside what was touched")
    r.branch("worse")
    r.edit("a.cu", "    cudaThreadSynchronize();", "    cudaThreadSynchronize();\n    cudaThreadSynchronize();")
    r.commit()
    equal(r.review(head="worse").status, 1, "one more of the same")


# --- allow comments ---------------------------------------------------------------------------


ALLOWED = noisy().replace("        printf", "        // cmpd: allow api_device_printf: debug build\n        printf")


def allow_on_base():
    r = started("allow", {"a.cu": ALLOWED})
    r.write("a.cu", "// shifted\n" + ALLOWED)
    r.commit()
    result = r.review()
    f = result.file("a.cu")
    equal((result.doc["verdict"], reasons(f), [x["reason"] for x in f["suppressed"]]),
          ("PASS", [], ["api_device_printf"]), "honoured")
    equal(f["suppressed"][0]["why"], "debug build", "the reason is shown")
    r.branch("touched")
    r.edit("a.cu", "2.0f", "3.0f")
    r.commit()
    equal(r.review(head="touched").doc["verdict"], "PASS", "the kernel may be edited")
    r.branch("renamed")
    r.git("mv", "a.cu", "b.cu")
    r.commit()
    equal(r.review(head="renamed").doc["verdict"], "PASS", "the file may be renamed")


def allow_brought_by_the_change():
    r = started("allownew", {"a.cu": good()})
    r.commit({"a.cu": ALLOWED})
    result = r.review()
    f = result.file("a.cu")
    equal((f["verdict"], f["suppressed"]), ("REVIEW", []), "not honoured")
    equal(set(reasons(f, tier="review")), {("api_device_printf", 6), ("policy_changed", 5)}, "both are told")
    r = started("allownew", {"a.cu": noisy()})
    r.commit({"a.cu": ALLOWED})
    equal(set(reasons(r.review().file("a.cu"), tier="review")), {("api_device_printf", 6), ("policy_changed", 5)},
          "a comment on an old fault")
    r = started("allownew", {"a.cu": good()})
    r.commit({"a.cu": "// cmpd: allow api_device_printf: for later\n" + good()})
    equal(reasons(r.review().file("a.cu"), tier="review"), [("policy_changed", 1)], "a comment that covers nothing yet")
    r.commit({"a.cu": good().replace("in[i * 7 % n] * 2.0f;", "in[i * 7 % n] * 2.0f; /* cmpd: allow sign_compare */")})
    equal(reasons(r.review().file("a.cu"), tier="review"), [("policy_changed", 5)], "behind a line")
    r = started("allownew", {"a.cu": ALLOWED})
    r.commit({"b.cu": ALLOWED})
    equal(set(reasons(r.review().file("b.cu"), tier="review")), {("api_device_printf", 6), ("policy_changed", 5)},
          "a copy brings its comments")
    # A comment that base has, moved to where base has none.
    r = started("allownew", {"a.cu": ALLOWED + noisy("two")})
    r.write("a.cu", noisy() + ALLOWED.replace("scale", "two"))
    r.commit()
    check("policy_changed" in r.review().doc["reasons"], "moved to another kernel")


def allow_must_have_covered_the_same():
    # The comment is old, but nobody has seen this under it.
    base = good().replace("    if (i < n)", "    // cmpd: allow api_device_printf: nothing here\n    if (i < n)")
    r = started("allowplanted", {"a.cu": base})
    r.write("a.cu", base.replace("    if (i < n)\n", '    if (i < n) printf("%d", i);\n    if (i < n)\n'))
    r.commit()
    result = r.review()
    check("api_device_printf" in result.doc["reasons"], f"counts: {result.doc['reasons']}")


def operator_comments():
    r = started("op", {"a.cu": "// cmpd: op=relu\n" + good()})
    r.commit({"a.cu": "// cmpd: op=relu\n" + good() + "// x\n", "b.cu": "// cmpd: op=gelu\n" + good("b")})
    result = r.review()
    equal(result.file("a.cu").get("op"), "relu", "base says it too")
    equal(result.file("b.cu").get("op"), None, "brought by the change")
    r.commit({"a.cu": "// cmpd: op=gelu\n" + good()})
    equal(r.review().file("a.cu").get("op"), None, "another than on base")


# --- what is shown ----------------------------------------------------------------------------


def filters():
    spaced = noisy("far") + "// gap\n" * 8 + noisy("near") + "// gap\n" * 8
    r = started("filter", {"a.cu": spaced, "h.cuh": "#define H 1\n", "user.cu": '#include "h.cuh"\n' + noisy("user")})
    text = r.read("a.cu").decode().replace("// gap\n", "// touched\n", 1)
    r.write("a.cu", text + noisy("added"))
    r.edit("h.cuh", "1", "2")
    r.commit()
    got = {}
    for which in ("added", "context", "file", "all"):
        result = r.review("--filter", which)
        equal((result.status, result.doc["verdict"], result.doc["reasons"], result.doc["filter"]),
              (2, "REVIEW", ["api_device_printf"], which), f"{which}: the verdict does not depend on it")
        got[which] = {f["path"]: [line for _, line in reasons(f)] for f in result.doc["files"]}
    lines = [n + 1 for n, line in enumerate(r.read("a.cu").decode().split("\n")) if "printf" in line]
    equal(got["all"], {"a.cu": lines, "h.cuh": [], "user.cu": [6]}, "all")
    equal(got["file"], {"a.cu": lines, "h.cuh": [], "user.cu": []}, "file")
    equal(got["added"], {"a.cu": lines[2:], "h.cuh": [], "user.cu": []}, "added")
    equal(got["context"]["a.cu"], lines[2:], "context")
    equal(r.review("--filter", "added").file("a.cu")["hidden"], 2, "what is hidden is counted")
    r.branch("context", "topic")
    r.edit("a.cu", "        out[i] = in[i * 7 % n] * 2.0f;", "        out[i] = in[i * 7 % n] * 3.0f;")
    r.commit()
    f = r.review("--filter", "context", head="context").file("a.cu")
    equal(reasons(f), [("api_device_printf", lines[0]), ("api_device_printf", lines[2])], "context lines are shown")
    equal(reasons(r.review("--filter", "added", head="context").file("a.cu")), [("api_device_printf", lines[2])],
          "but are not added ones")
    f = r.review("--filter", "all", head="context").file("a.cu")
    equal(reasons(f, in_diff=True), [("api_device_printf", lines[0]), ("api_device_printf", lines[2])], "in_diff")
    equal(r.review("--filter", "none").status, 64, "an unknown filter")


def formats():
    r = started("formats", {"a.cu": TWO, "old.cu": good("old"), "dead.cu": good("dead")})
    r.git("mv", "old.cu", "new.cu")
    r.edit("a.cu", "2.0f", "3.0f")
    os.symlink("a.cu", r.full("link.cu"))
    r.commit({"cmpd.json": policy(enforce=True)}, remove=["dead.cu"])
    for form in ("text", "json", "sarif", "gitlab", "rdjson", "github", "prompt", "html"):
        result = r.review(form=form)
        equal(result.status, 2, form)
        check(result.out != b"", f"{form} says something")
        if form in ("json", "sarif", "gitlab", "rdjson"):
            json.loads(result.out)
        check(b"cmpd-review-" not in result.out, f"{form} names no folder of ours")
    out = os.path.abspath("formats.out")
    result = r.review("--output", out)
    with open(out) as f:
        equal((result.out, json.load(f)["verdict"]), (b"", "REVIEW"), "--output")


# --- odd files --------------------------------------------------------------------------------


def symbolic_links():
    r = started("links", {"real.cu": good(), "dir/x.cuh": "#define X 1\n", "text.txt": noisy()})
    os.symlink("real.cu", r.full("inside.cu"))
    os.symlink("/etc/passwd", r.full("outside.cu"))
    os.symlink("text.txt", r.full("hidden.cu"))
    os.symlink("dir", r.full("folder.cu"))
    os.symlink("nowhere", r.full("dangling.cu"))
    os.symlink("../" * 30 + "etc/passwd", r.full("dir/secret.cuh"))
    os.symlink("..", r.full("dir/up"))
    r.commit({"k.cu": '#include "dir/secret.cuh"\n#include "dir/up/real.cu"\n' + good("k")})
    for track in ("static", None):
        result = r.review(track=track)
        check(b"root:" not in result.out and "root:" not in result.err, "nothing from outside is shown")
    for name in ("inside.cu", "outside.cu", "hidden.cu", "folder.cu", "dangling.cu", "dir/secret.cuh"):
        f = r.review().file(name)
        equal(f["verdict"], "REVIEW", name)
        check("symbolic link" in f["error"]["message"] and name in f["error"]["message"], f["error"])
    equal(r.review().status, 2, "status")
    r.branch("replaced")
    os.unlink(r.full("real.cu"))
    os.symlink("/etc/passwd", r.full("real.cu"))
    r.commit()
    f = r.review(base="topic", head="replaced").file("real.cu")
    equal((f["change"]["status"], f["verdict"]), ("type", "REVIEW"), "a file that becomes a link")
    r.branch("back", "replaced")
    r.commit({"real.cu": noisy()})
    f = r.review(base="replaced", head="back").file("real.cu")
    equal((f["change"]["status"], reasons(f, tier="review")), ("type", [("api_device_printf", 5)]), "and back")


def submodules():
    inner = Repo("inner")
    first = inner.commit({"x.cu": good()})
    second = inner.commit({"x.cu": noisy()})
    r = started("outer", {"a.cu": good()})
    r.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib/inner")
    r.git("commit", "-q", "-m", "add")
    result = r.review()
    f = result.file("lib/inner")
    equal((f["change"]["status"], f["verdict"], result.status), ("submodule", "PASS", 0), "added")
    check("submodule" in f["change"]["note"] and "submodule" in r.review(form="text").text, "a note says so")
    r.branch("moved", "topic")
    r.git("update-index", "--cacheinfo", f"160000,{second},lib/inner")
    r.git("commit", "-q", "-m", "move")
    equal(r.review(base="topic", head="moved").file("lib/inner")["change"]["status"], "submodule", "moved")
    r.branch("gone", "topic")
    r.git("rm", "-q", "--cached", "lib/inner")
    r.git("commit", "-q", "-m", "gone")
    equal(r.review(base="topic", head="gone").file("lib/inner")["change"]["status"], "submodule", "removed")
    r.branch("named", "topic")
    r.git("update-index", "--add", "--cacheinfo", f"160000,{first},k.cu")
    r.git("commit", "-q", "-m", "named like a kernel")
    equal(r.review(base="topic", head="named").file("k.cu")["change"]["status"], "submodule", "named like a kernel")


def odd_content():
    r = started("odd", {"a.cu": good()})
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"
    r.commit({"lfs.cu": pointer, "binary.cu": b"\0\1\2" * 100, "empty.cu": b"", "crlf.cu": noisy().replace("\n", "\r\n"),
              "cr.cu": noisy().replace("\n", "\r"), "bom.cu": b"\xef\xbb\xbf" + noisy().encode(),
              "latin.cu": b"// \xe9\xe8\n" + noisy().encode(), "nonl.cu": noisy().rstrip("\n"),
              "huge.cu": b"// x\n" * (2 << 20), "deep.cu": "int x = " + "(" * 5000 + "1" + ")" * 5000 + ";\n"})
    result = r.review()
    equal(result.status, 2, "status")
    equal(len(result.paths()), 10, "all are listed")
    check("LFS" in result.file("lfs.cu")["error"]["message"], "an LFS pointer")
    equal(result.file("lfs.cu")["verdict"], "REVIEW", "an LFS pointer is not judged")
    check("bytes" in result.file("huge.cu")["error"]["message"], result.file("huge.cu").get("error"))
    equal(result.file("huge.cu")["verdict"], "REVIEW", "an over-long file is not judged")
    equal(result.file("binary.cu")["verdict"], "REVIEW", "binary")
    equal(result.file("empty.cu")["verdict"], "PASS", "empty")
    for name, line in (("crlf.cu", 5), ("bom.cu", 5), ("latin.cu", 6), ("nonl.cu", 5), ("cr.cu", 5)):
        f = result.file(name)
        equal(reasons(f, tier="review", in_diff=True), [("api_device_printf", line)], name)
    shown = r.review("--filter", "added").file("cr.cu")
    equal(reasons(shown, tier="review"), [("api_device_printf", 5)], "lines that only we count are added too")
    r.branch("smaller", "topic")
    r.commit({"huge.cu": good("huge"), "lfs.cu": good("lfs")})
    result = r.review(base="topic", head="smaller")
    equal(result.file("huge.cu")["change"]["added"], [[1, 6]], "from over-long: all counts as new")
    equal(result.status, 0, "status")


def odd_names():
    r = started("names", {"a.cu": good()})
    names = {b"caf\xe9.cu": "caf\\xE9.cu", b"new\nline.cu": "new\\x0Aline.cu", b"esc\x1b[31m.cu": "esc\\x1B[31m.cu",
             "ünï.cu".encode(): "ünï.cu", b"with space.cu": "with space.cu", b"-dash.cu": "-dash.cu",
             b"quo\"te.cu": 'quo"te.cu', b".cu": ".cu", b"d.cu/e.cuh": "d.cu/e.cuh", b"per%cent.cu": "per%cent.cu"}
    r.commit({name: noisy() for name in names})
    result = r.review()
    equal(set(result.paths()), set(names.values()), "names")
    for form in ("text", "sarif", "gitlab", "rdjson", "github", "prompt", "html"):
        out = r.review(form=form).out
        out.decode("utf-8")
        check(b"\x1b" not in out, f"{form}: no escape sequence from a name")
    check("\nline.cu" not in r.review(form="text").text, "a name does not make a line")
    r.branch("moved", "topic")
    os.rename(r.full(b"caf\xe9.cu"), r.full(b"t\xe9.cu"))
    r.commit()
    f = r.review(base="topic", head="moved").file("t\\xE9.cu")
    equal((f["old_path"], f["verdict"]), ("caf\\xE9.cu", "PASS"), "a rename of raw names")


def upper_case_is_no_cuda():
    r = started("upper", {"a.txt": "x\n"})
    r.commit({"K.CU": noisy(), "cu": noisy(), "k.cu.txt": noisy(), "k.cux": noisy()})
    equal(r.review().doc["files"], [], "other names")


def many_files():
    r = started("many", {f"d{i % 7}/k{i}.cu": good(f"k{i}") for i in range(300)})
    for i in range(300):
        r.write(f"d{i % 7}/k{i}.cu", noisy(f"k{i}") if i % 2 else good(f"k{i}") + "// x\n")
    r.commit()
    first = r.review("--jobs", "4")
    equal(len(first.paths()), 300, "files")
    equal(first.paths(), sorted(first.paths()), "order")
    again = r.review("--jobs", "1")

    def stable(result):
        doc = result.doc
        for f in doc["files"]:
            for name in ("elapsed_ms", "timing_ms"):
                f["static"].pop(name, None)
        return doc

    equal(stable(first) == stable(again), True, "one job or several: the same document")


# --- revisions and repositories ---------------------------------------------------------------


def revision_expressions():
    r = started("revs", {"a.cu": good()})
    r.commit({"a.cu": noisy()})
    r.git("tag", "-a", "v1", "-m", "tag")
    r.git("tag", "tree", "HEAD^{tree}")
    head = r.git("rev-parse", "HEAD")
    for base, rev in (("main", "topic"), ("HEAD~1", "HEAD"), ("v1^", "v1"), (head[:9] + "~", head[:9]),
                      ("refs/heads/main", "@"), ("main", ":/change"), ("HEAD^{/base}", "topic^{commit}")):
        result = r.review(base=base, head=rev, env=REGEX_LEAKS)
        equal((result.status, result.doc.get("head")), (2, head), f"{base}..{rev}")
    result = cmpd("review", "--repo", r.path, "--base", "main", "--track", "static")
    equal(result.status, 2, "--head is HEAD by default")
    equal(cmpd("review", "--base", "main", "--track", "static", cwd=r.path).status, 2, "--repo is . by default")
    os.mkdir(r.full("sub"))
    equal(cmpd("review", "--base", "main", "--track", "static", cwd=os.fsdecode(r.full("sub"))).status, 2, "in a folder")
    for base, rev, words in (("nope", "topic", "'nope'"), ("main", "gone", "'gone'"), ("main", "main..topic", "'main..topic'"),
                             ("main", "tree", "tree"), ("main", "topic~99", "'topic~99'"),
                             ("main", "0" * 40, "0" * 40), ("main", "-x", "'-x'"), ("main", "a b", "'a b'")):
        result = r.review(f"--base={base}", f"--head={rev}")
        equal(result.status, 66, f"{base}..{rev}")
        check(words in result.doc["error"]["message"], result.doc["error"]["message"])
    r.git("update-ref", "refs/remotes/origin/release", "main")
    check("origin/release" in r.review(base="release").doc["error"]["message"], "a branch of the remote is named")


def usage():
    r = started("usage", {"a.cu": good()})
    for args in (["--repo", r.path], ["--base", "main", "a.cu"], ["--base"], ["--base", "main", "--head="], ["--base", "main", "--nope"],
                 ["--base", "main", "--track", "x"], ["--base", "main", "--format", "x"]):
        equal(cmpd("review", *args, cwd=r.path).status, 64, str(args))
    result = cmpd("review", "--format", "json", cwd=r.path)
    check(result.doc["error"]["exit_status"] == 64 and "--base" in result.doc["error"]["message"], result.text)
    result = cmpd("review", "--help")
    check(result.status == 0 and "--filter" in result.text, "help")


def no_repository():
    # The test's own folder may lie in a repository; this one does not.
    result = cmpd("review", "--repo", "/proc/self", "--base", "main", "--format", "json")
    equal(result.status, 66, "not a repository")
    check("not a git repository" in result.doc["error"]["message"], result.text)
    result = cmpd("review", "--repo", "no/such", "--base", "main", "--format", "json")
    equal(result.status, 66, "no such folder")
    check("no/such" in result.doc["error"]["message"], result.text)
    equal(cmpd("review", "--repo", "/proc/version", "--base", "main").status in (65, 66), True, "a file")


def unborn_and_empty():
    r = Repo("unborn")
    result = r.review(base="main", head="HEAD")
    equal(result.status, 66, "an empty repository")
    check("no commit yet" in result.doc["error"]["message"], result.text)
    r.commit({"a.cu": good()})
    r.git("checkout", "-q", "--orphan", "fresh")
    result = r.review(base="main", head="HEAD")
    equal(result.status, 66, "an unborn branch")
    check("no commit yet" in result.doc["error"]["message"], result.text)


def unrelated():
    r = started("unrelated", {"a.cu": good()})
    r.git("checkout", "-q", "--orphan", "alien")
    r.commit({"b.cu": good()})
    result = r.review(head="alien")
    equal(result.status, 66, "no merge base")
    check("merge base" in result.doc["error"]["message"] and "unrelated" in result.doc["error"]["message"], result.text)


def shallow():
    r = Repo("deep")
    for i in range(5):
        r.commit({"old.txt": f"{i}\n"})
    r.commit({"a.cu": good()})
    r.branch("topic")
    for i in range(5):
        r.commit({"a.cu": good() + f"// {i}\n"})
    r.git("checkout", "-q", "main")
    r.commit({"b.cu": good("b")})
    clone = Repo("shallow")
    url = "file://" + r.path
    shutil.rmtree(clone.path)
    clone.git("clone", "-q", "--depth", "1", "--no-single-branch", url, clone.path, cwd=".")
    result = clone.review(base="origin/main", head="origin/topic")
    equal(result.status, 66, "the merge base is cut off")
    check("--unshallow" in result.doc["error"]["message"] and "--depth" in result.doc["error"]["message"], result.text)
    result = clone.review(base="origin/main", head="origin/topic~1")
    equal(result.status, 66, "a revision beyond the cut")
    check("shallow" in result.doc["error"]["message"] and "origin/topic~1" in result.doc["error"]["message"], result.text)
    clone.git("fetch", "-q", "--depth", "7")
    result = clone.review(base="origin/main", head="origin/topic")
    equal((result.status, result.paths()), (0, ["a.cu"]), "deep enough, though still shallow")
    equal(result.doc["merge_base"], r.git("merge-base", "main", "topic"), "and the right merge base")
    clone.git("fetch", "-q", "--unshallow")
    equal(clone.review(base="origin/main", head="origin/topic").status, 0, "no longer shallow")


def criss_cross():
    r = Repo("criss")
    r.commit({"a.cu": good()})
    r.branch("topic")
    one = r.commit({"b.cu": good("b")})
    r.git("checkout", "-q", "main")
    two = r.commit({"c.cu": good("c")})
    r.git("merge", "-q", "-m", "m1", one)
    r.git("checkout", "-q", "topic")
    r.git("merge", "-q", "-m", "m2", two)
    r.commit({"d.cu": good("d")})
    result = r.review()
    check(result.doc["merge_base"] in (one, two), "one of the best common ancestors")
    check("d.cu" in result.paths() and "a.cu" not in result.paths(), str(result.paths()))


def bare_and_work_trees():
    r = started("full", {"a.cu": good()})
    r.commit({"a.cu": noisy()})
    bare = os.path.abspath("bare.git")
    shutil.rmtree(bare, ignore_errors=True)
    r.git("clone", "-q", "--bare", r.path, bare, cwd=".")
    equal(cmpd("review", "--repo", bare, "--base", "main", "--head", "topic", "--track", "static").status, 2, "bare")
    equal(cmpd("review", "--repo", r.path + "/.git", "--base", "main", "--track", "static").status, 2, ".git itself")
    tree = os.path.abspath("linked")
    shutil.rmtree(tree, ignore_errors=True)
    r.git("worktree", "add", "-q", tree, "main")
    equal(cmpd("review", "--repo", tree, "--base", "main", "--head", "topic", "--track", "static").status, 2, "linked")
    equal(cmpd("review", "--repo", tree, "--base", "topic", "--track", "static").status, 0, "its own HEAD")
    r.git("config", "extensions.worktreeConfig", "true")
    r.git("config", "core.repositoryFormatVersion", "1")
    equal(r.review(env=REGEX_LEAKS).status, 2, "a repository with per-work-tree settings")
    r.git("config", "diff.renames", "false")
    r.git("config", "diff.context", "0")
    r.git("config", "diff.noprefix", "true")
    r.write(".git/info/attributes", "*.cu -diff binary\n")
    equal(reasons(r.review(env=REGEX_LEAKS).file("a.cu"), in_diff=True), [("api_device_printf", 5)],
          "settings play no part")


def foreign_owner():
    if os.geteuid() != 0:
        print("        (needs root to make a foreign file: left out)")
        return
    r = started("foreign", {"a.cu": good()})
    for folder, dirs, files in os.walk(r.path):
        os.chown(folder, 12345, 12345)
    result = r.review()
    equal(result.status, 74, "a repository of another user")
    check("safe.directory" in result.doc["error"]["message"], result.text)


def missing_objects():
    r = started("missing", {"a.cu": good(), "b.cu": good("b")})
    r.commit({"a.cu": noisy(), "b.cu": noisy("b")})
    blob = r.git("rev-parse", "topic:a.cu")
    os.unlink(os.path.join(r.path, ".git/objects", blob[:2], blob[2:]))
    result = r.review()
    equal(result.status, 74, "a missing blob is a fault of the repository")
    check(blob in result.file("a.cu")["error"]["message"], result.text)
    equal(result.file("b.cu")["verdict"], "REVIEW", "the other file is judged")
    tree = r.git("rev-parse", "topic^{tree}")
    os.unlink(os.path.join(r.path, ".git/objects", tree[:2], tree[2:]))
    equal(r.review().status, 74, "a missing tree")


def hostile_trees():
    r = started("hostile", {"a.cu": good()})

    def tree(*entries):
        data = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
        p = subprocess.run(["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"], cwd=r.path, input=data,
                           capture_output=True, check=True)
        return p.stdout.decode().strip()

    blob = r.git("hash-object", "-w", "--stdin", stdin=noisy().encode())
    escape = os.path.abspath("escaped.cu")
    inner = tree((b"100644", b"escaped.cu", blob))
    for entries in ([(b"40000", b"..", inner)], [(b"40000", b".", inner)], [(b"40000", b".git", inner)],
                    [(b"100644", b"../escaped.cu", blob)], [(b"100644", b"/escaped.cu", blob)],
                    [(b"40000", b"d", tree((b"40000", b"..", tree((b"40000", b"..", inner)))))],
                    [(b"100644", b"k.cu", blob), (b"100644", b"k.cu", blob)], [(b"40000", b"loop.cu", inner)],
                    [(b"100644", b"", blob)], [(b"777777", b"k.cu", blob)], [(b"100644", b"k.cu", "0" * 40)],
                    [(b"40000", b"k.cu", blob)], [(b"100644", b"k.cu", inner)]):
        commit = r.git("commit-tree", tree(*entries), "-p", "main", "-m", "hostile")
        for track in ("static", None):
            result = r.review(head=commit, track=track)
            check(result.status in (0, 1, 2, 65, 66, 74), f"{entries}: {result.status} {result.err}")
            result.doc
    equal([p for p in (escape, "/escaped.cu", "/tmp/escaped.cu") if os.path.exists(p)], [], "nothing is written outside")


def long_names_and_deep_folders():
    r = started("deepdir", {"a.cu": good()})
    deep = "/".join(["d" * 40] * 40)
    blob = r.git("hash-object", "-w", "--stdin", stdin=noisy().encode())
    r.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{deep}/k.cu")
    r.git("commit", "-q", "-m", "deep")
    equal(reasons(r.review(track=None).file(deep + "/k.cu"), track="static", tier="review"),
          [("api_device_printf", 5)], "a deep path")


def nothing_is_left_behind():
    tmp = os.path.abspath("tmp")
    shutil.rmtree(tmp, ignore_errors=True)
    os.mkdir(tmp)
    r = started("clean", {"a.cu": '#include "h.cuh"\n' + good(), "h.cuh": "#define H 1\n", "CMakeLists.txt": "x\n"})
    r.edit("a.cu", "2.0f", "3.0f")
    r.commit()
    before = r.git("status", "--porcelain")
    result = r.review(track=None, env={"TMPDIR": tmp})
    check(result.status in (0, 2), f"status {result.status}: {result.err}")
    equal(glob.glob(tmp + "/cmpd-review-*"), [], "folders left behind")
    equal(r.git("status", "--porcelain"), before, "the work tree is as it was")


def dynamic_track_sees_the_head_tree():
    r = started("dynamic", {"a.cu": '#include "h.cuh"\n' + good(), "h.cuh": "#define FACTOR 1\n"})
    r.edit("a.cu", "2.0f", "FACTOR * 2.0f")
    r.commit({"h.cuh": "#define FACTOR 3\n"})
    r.git("checkout", "-q", "main")
    r.write("h.cuh", "#error not this one\n")
    f = r.review(track=None).file("a.cu")
    compiled = f["dynamic"].get("compile")
    if compiled is None:
        print("        (no nvcc here: not compiled)")
        check("runner_unavailable" in f["reasons"], str(f["reasons"]))
        return
    check(compiled.get("ok") if isinstance(compiled, dict) else all(c["ok"] for c in compiled), json.dumps(f["dynamic"]))


TESTS = [no_cuda_changes, kinds_of_change, judged_from_the_head_tree, diff_from_the_merge_base, includers, header_breaks_a_launch,
         include_cycles,
         policy_from_base, policy_moved_and_removed, policy_moves_on_at_base, broken_policy, baseline_changed, reference_changed,
         advisory_and_fail_on, preexisting, preexisting_counts, preexisting_reject, allow_on_base,
         allow_brought_by_the_change, allow_must_have_covered_the_same, operator_comments, filters, formats,
         symbolic_links, submodules, odd_content, odd_names, upper_case_is_no_cuda, many_files, revision_expressions,
         usage, no_repository, unborn_and_empty, unrelated, shallow, criss_cross, bare_and_work_trees, foreign_owner,
         missing_objects, hostile_trees, long_names_and_deep_folders, nothing_is_left_behind, dynamic_track_sees_the_head_tree]

if __name__ == "__main__":
    wanted = sys.argv[1:]
    run_all([t for t in TESTS if not wanted or t.__name__ in wanted])
