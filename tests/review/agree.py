#!/usr/bin/python3
"""Does `cmpd review` see the files and lines that `git diff` sees?

For each range BASE...HEAD the CUDA files of `git diff -M --unified=3` (status, both names, added and
removed lines) are held against the `change` members of `cmpd review --format json`.

  agree.py                                 a generated repository with edits of many kinds (the test)
  agree.py --repo DIR --ranges 50 --seed 1 drawn ranges of a real history

A range counts when git shows its whole diff. Where objects are missing, so that git can't (a partial copy),
files and renames are taken from `git diff --raw` and lines from a diff of the two blobs; where that fails
too, another range is drawn and the number of those is told.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

CMPD = os.environ.get("CMPD_BIN", "cmpd")
# Of a user's settings only the defaults count.
ENV = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C.UTF-8")


class GitFailed(Exception):
    pass


def git(repo, *args, **kw):
    done = subprocess.run(["git", "-C", repo, *args], capture_output=True, env=ENV, **kw)
    if done.returncode != 0:
        raise GitFailed(done.stderr.decode(errors="replace"))
    return done.stdout


def is_cuda(path):
    return path.endswith((b".cu", b".cuh"))


def shown(path):
    """The way in which paths that are no UTF-8 or hold control characters are shown."""
    out = ""
    for char in path.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            out += "\\x%02X" % (code - 0xDC00)
        elif code < 0x20 or 0x7F <= code < 0xA0:
            out += "".join("\\x%02X" % b for b in char.encode())
        else:
            out += char
    return out


def lines_of(patch):
    """Added and removed lines of one file's hunks."""
    added, removed, left_old, left_new = set(), set(), 0, 0
    for line in patch:
        if left_old or left_new:
            kind = line[:1]
            if kind == b"+":
                added.add(new)
            elif kind == b"-":
                removed.add(old)
            if kind in (b" ", b"-"):
                old, left_old = old + 1, left_old - 1
            if kind in (b" ", b"+"):
                new, left_new = new + 1, left_new - 1
            continue
        head = re.match(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
        if head:
            old, new = int(head[1]), int(head[3])
            left_old = int(head[2]) if head[2] is not None else 1
            left_new = int(head[4]) if head[4] is not None else 1
    return added, removed


def raw_files(repo, base, head):
    """[(status letter, old path, new path, old blob, new blob)] of the CUDA files."""
    fields = git(repo, "diff", "--raw", "-z", "-M", "--no-abbrev", f"{base}...{head}").split(b"\0")
    out, i = [], 0
    while i < len(fields) and fields[i]:
        _, _, old_id, new_id, status = fields[i].lstrip(b":").split()
        status, i = chr(status[0]), i + 1
        old = new = fields[i]
        if status in "RC":
            new, i = fields[i + 1], i + 1
        i += 1
        out.append((status, old, new, old_id.decode(), new_id.decode()))
    return [f for f in out if is_cuda(f[2])]


def split_patch(text):
    """The patch of each file, in order; a type change is two patches in git's output."""
    parts, current, left_old, left_new = [], None, 0, 0
    for line in text.split(b"\n"):
        if left_old or left_new:
            left_old -= line[:1] in (b" ", b"-")
            left_new -= line[:1] in (b" ", b"+")
        elif line.startswith(b"diff --git "):
            current = []
            parts.append(current)
        else:
            head = re.match(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
            if head:
                left_old = int(head[1]) if head[1] is not None else 1
                left_new = int(head[2]) if head[2] is not None else 1
        if current is not None:
            current.append(line)
    return parts


EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def blob_lines(repo, old_id, new_id):
    ids = [EMPTY if set(i) == {"0"} else i for i in (old_id, new_id)]
    if EMPTY in ids:
        git(repo, "hash-object", "-t", "blob", "--stdin", input=b"")
    return lines_of(git(repo, "diff", "-U3", "--no-ext-diff", "--no-textconv", *ids).split(b"\n"))


def from_git(repo, base, head):
    """{path: (old path or None, deleted?, added, removed)} and whether the whole patch was there."""
    files = raw_files(repo, base, head)
    try:
        text = git(repo, "diff", "-M", "--unified=3", "--no-color", "--no-ext-diff", "--no-textconv",
                   f"{base}...{head}", "--")
        whole = True
    except GitFailed:
        whole = False
    out = {}
    if whole:
        # The patch comes in the order of --raw; both are matched through all files, CUDA or not.
        fields = git(repo, "diff", "--raw", "-z", "-M", f"{base}...{head}").split(b"\0")
        order, i = [], 0
        while i < len(fields) and fields[i]:
            status = fields[i].split()[-1][:1]
            new = fields[i + 2] if status in b"RC" else fields[i + 1]
            i += 3 if status in b"RC" else 2
            order += [(new, status)] * (2 if status == b"T" else 1)
        parts = split_patch(text)
        if len(parts) != len(order):
            raise GitFailed(f"{len(parts)} patches for {len(order)} files")
        patches = {}
        for (new, _), part in zip(order, parts):
            added, removed = lines_of(part)
            seen = patches.setdefault(new, (set(), set()))
            seen[0].update(added)
            seen[1].update(removed)
    for status, old, new, old_id, new_id in files:
        added, removed = patches[new] if whole else blob_lines(repo, old_id, new_id)
        out[shown(new)] = (shown(old) if old != new else None, status == "D", added, removed)
    return out, whole


def from_cmpd(repo, base, head):
    done = subprocess.run([CMPD, "review", "--repo", repo, "--base", base, "--head", head, "--track", "static",
                           "--format", "json", "--filter", "all"], capture_output=True, env=ENV)
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, f"no JSON, exit status {done.returncode}: {done.stderr.decode(errors='replace')[-3000:]}"
    if "error" in document:
        return None, document["error"]["message"]
    if done.returncode not in (0, 1, 2):
        return None, f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
    out = {}
    for f in document["files"]:
        change = f["change"]
        if change["status"] in ("includer", "submodule") or not f["path"].endswith((".cu", ".cuh")):
            continue
        sets = [{n for a, b in change[side] for n in range(a, b + 1)} for side in ("added", "removed")]
        out[f["path"]] = (f.get("old_path"), change["status"] == "deleted", *sets)
    return out, None


def compare(repo, base, head):
    """(number of files, of renames, of lines, whole patch?) of a range; prints and returns None if it differs."""
    try:
        want, whole = from_git(repo, base, head)
    except GitFailed as why:
        if "no merge base" not in str(why):
            raise
        got, error = from_cmpd(repo, base, head)
        if error and "merge base" in error:
            raise
        print(f"{base[:12]}...{head[:12]}: git finds no merge base, cmpd says: {error or 'it has one'}")
        return None
    got, error = from_cmpd(repo, base, head)
    if error:
        print(f"{base[:12]}...{head[:12]}: {error}")
        return None
    if want == got:
        lines = sum(len(f[2]) + len(f[3]) for f in want.values())
        return len(want), sum(f[0] is not None for f in want.values()), lines, whole
    for path in sorted(set(want) | set(got)):
        if want.get(path) == got.get(path):
            continue
        print(f"{base[:12]}...{head[:12]}: {path}")
        for name, side in (("git", want), ("cmpd", got)):
            f = side.get(path)
            print(f"   {name:4}", "not there" if f is None else
                  f"old={f[0]} deleted={f[1]} +{sorted(f[2])[:12]} -{sorted(f[3])[:12]}")
    return None


class Generator:
    """A repository with edits of many kinds."""

    def __init__(self, path, seed):
        self.path, self.rng, self.names, self.clock = path, random.Random(seed), 0, 1700000000
        git(".", "init", "-q", "-b", "main", path)
        for key, value in (("user.name", "t"), ("user.email", "t@example.org"), ("core.autocrlf", "false"),
                           ("core.fileMode", "true"), ("gc.auto", "0")):
            git(path, "config", key, value)

    def files(self):
        out = []
        for folder, dirs, names in os.walk(os.fsencode(self.path)):
            if b".git" in dirs:
                dirs.remove(b".git")
            out += [os.path.join(folder, n) for n in names]
        return sorted(out)

    def line(self):
        words = ("float", "int i", "out[i]", "a + b", "__syncthreads()", "return", "x * 2", "n", "// note", "{", "}", "",
                 "    ", "for (;;)", "++ plus", "-- minus", "@@ -1 +1 @@")
        return " ".join(self.rng.choice(words) for _ in range(self.rng.randint(0, 5)))

    def content(self, lines, end):
        text = end.join(lines)
        return text + end if self.rng.random() < 0.8 and lines else text

    def new_name(self):
        self.names += 1
        folder = self.rng.choice((b"", b"k/", b"k/deep/", b"src/", b"src/k.d/"))
        stem = self.rng.choice((b"a%d", b"same", b"with space%d", b"\xc3\xa9t\xc3\xa9%d", b"raw\xff%d", b"tab\t%d"))
        ending = self.rng.choice((b".cu", b".cu", b".cu", b".cuh", b".h", b".txt", b".cpp"))
        return os.path.join(os.fsencode(self.path), folder + (stem % self.names if b"%d" in stem else stem) + ending)

    def write(self, path, data):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)

    def add(self):
        path = self.new_name()
        if os.path.lexists(path):
            return
        count = self.rng.choice((0, 1, 2, 5, 20, 80, 300))
        end = self.rng.choice(("\n", "\n", "\n", "\r\n"))
        self.write(path, self.content([self.line() for _ in range(count)], end).encode())

    def edit(self, path):
        if os.path.islink(path):
            return
        with open(path, "rb") as f:
            data = f.read()
        lines = data.split(b"\n")
        for _ in range(self.rng.randint(1, 6)):
            at = self.rng.randrange(len(lines) + 1)
            kind = self.rng.random()
            if kind < 0.35:
                lines[at:at] = [self.line().encode() for _ in range(self.rng.randint(1, 8))]
            elif kind < 0.6:
                del lines[at:at + self.rng.randint(1, 8)]
            elif kind < 0.85 and at < len(lines):
                lines[at] = self.line().encode()
            else:
                to = self.rng.randrange(len(lines) + 1)
                block = lines[at:at + 5]
                del lines[at:at + 5]
                lines[to:to] = block
        self.write(path, b"\n".join(lines))

    def line_ends(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.write(path, data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n"))

    def final_newline(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.write(path, data[:-1] if data.endswith(b"\n") else data + b"\n")

    def move(self, path):
        to = self.new_name() if self.rng.random() < 0.6 else os.path.join(
            os.fsencode(self.path), self.rng.choice((b"k", b"src", b"moved")), os.path.basename(path))
        if os.path.lexists(to):
            return
        os.makedirs(os.path.dirname(to), exist_ok=True)
        os.rename(path, to)
        if self.rng.random() < 0.7:
            self.edit(to)

    def copy(self, path):
        to = self.new_name()
        if os.path.lexists(to) or os.path.islink(path):
            return
        with open(path, "rb") as f:
            self.write(to, f.read())
        if self.rng.random() < 0.5:
            self.edit(to)

    def swap(self, path, other):
        if path == other:
            return
        spare = path + b".spare"
        os.rename(path, spare)
        os.rename(other, path)
        os.rename(spare, other)

    def link(self, path):
        os.unlink(path)
        os.symlink(b"../" + self.rng.choice((b"a", b"b")), path)

    def binary(self, path):
        self.write(path, bytes(self.rng.randrange(256) for _ in range(200)) + b"\0\n")

    def change(self):
        for _ in range(self.rng.randint(1, 7)):
            files = self.files()
            kind = self.rng.random()
            if kind < 0.2 or len(files) < 8:
                self.add()
                continue
            path = self.rng.choice(files)
            plain = not os.path.islink(path)
            if kind < 0.5:
                self.edit(path)
            elif kind < 0.66:
                self.move(path)
            elif kind < 0.73:
                self.copy(path)
            elif kind < 0.8:
                os.unlink(path)
            elif kind < 0.84 and plain:
                self.line_ends(path)
            elif kind < 0.88 and plain:
                self.final_newline(path)
            elif kind < 0.91 and plain:
                os.chmod(path, 0o755 if self.rng.random() < 0.5 else 0o644)
            elif kind < 0.94:
                self.swap(path, self.rng.choice(files))
            elif kind < 0.97:
                self.link(path)
            elif plain:
                self.binary(path)

    def commit(self, number):
        self.change()
        self.tick()
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "--allow-empty", "-m", f"change {number}")

    def tick(self):
        """Times of our own, so that one seed makes one history."""
        self.clock += 60
        ENV["GIT_AUTHOR_DATE"] = ENV["GIT_COMMITTER_DATE"] = f"{self.clock} +0000"

    def build(self, commits):
        for number in range(commits):
            self.commit(number)
            if number % 9 == 8:
                git(self.path, "branch", f"side{number}")
            if number % 9 == 4 and number > 9:
                side = f"side{number - number % 9 - 1}"
                self.tick()
                try:
                    git(self.path, "merge", "-q", "-m", f"merge {number}", "-X", "ours", side)
                except GitFailed:
                    git(self.path, "merge", "--abort")
        for side in git(self.path, "branch", "--format=%(refname:short)").decode().split():
            if side != "main":
                git(self.path, "checkout", "-q", side)
                for number in range(3):
                    self.commit(f"{side}.{number}")
        git(self.path, "checkout", "-q", "main")


def draw(rng, revs):
    """Two revisions: mostly near ones, as a request has them, some anywhere."""
    if rng.random() < 0.6 and len(revs) > 2:
        apart = rng.randint(1, min(60, len(revs) - 1))
        at = rng.randrange(len(revs) - apart)
        return revs[at + apart], revs[at]
    return tuple(rng.sample(revs, 2))


def run(repo, count, seed):
    revs = git(repo, "rev-list", "--all").decode().split()
    rng, done, failed = random.Random(seed), 0, 0
    files = renames = lines = not_whole = skipped = with_cuda = 0
    while done < count:
        base, head = draw(rng, revs)
        try:
            result = compare(repo, base, head)
        except GitFailed:
            skipped += 1
            if skipped > 20 * count:
                print("git shows too few of the ranges")
                return 1
            continue
        done += 1
        if result is None:
            failed += 1
            continue
        files, renames, lines = files + result[0], renames + result[1], lines + result[2]
        not_whole += not result[3]
        with_cuda += result[0] > 0
    print(f"{count} ranges: {count - failed} agree, {failed} differ; {with_cuda} of them touch CUDA files; "
          f"{files} files, {renames} renames, {lines} lines; "
          f"{not_whole} compared by blobs, {skipped} drawn again")
    return 1 if failed or (files == 0) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repo")
    parser.add_argument("--ranges", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commits", type=int, default=60, help="of the generated repository")
    args = parser.parse_args()
    if args.repo:
        return run(args.repo, args.ranges, args.seed)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = os.path.join(folder, "generated")
        Generator(path, args.seed).build(args.commits)
        return run(path, args.ranges, args.seed)


if __name__ == "__main__":
    sys.exit(main())
