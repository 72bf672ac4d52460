"""What check.py, compile_check.py and looks.py share: the tables and how the program is asked.

Standard library only.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("handed", "bad", "good", "policy")
COLUMNS = 7
TIMEOUT_S = 600


class Case:
    """One row of an expect.tsv."""

    def __init__(self, folder, row):
        self.folder = folder
        self.file, self.expected, reason, line, self.why, false, compile_ = row
        self.tags = [] if reason == "-" else reason.split(",")
        self.false = set() if false == "-" else set(false.split(","))
        self.nocompile = compile_ == "nocompile"
        self.lines = [] if line == "-" else [int(n) for n in line.split(",")]

    @property
    def name(self):
        return self.folder + "/" + self.file

    def anchored(self, line):
        """True where line is one of the case's, or a neighbour of one."""
        return any(abs(line - n) <= 1 for n in self.lines)


def read_table(folder):
    """The cases of a folder, in the table's order; the table and the folder must agree."""
    path = os.path.join(HERE, folder, "expect.tsv")
    cases = []
    with open(path, encoding="utf-8") as table:
        for number, text in enumerate(table, 1):
            text = text.rstrip("\n")
            if not text or text.startswith("#"):
                continue
            row = text.split("\t")
            if len(row) != COLUMNS:
                sys.exit(f"{path}:{number}: {len(row)} columns, expected {COLUMNS}")
            if row[1] not in ("reject", "review", "not-reject"):
                sys.exit(f"{path}:{number}: unknown expectation {row[1]}")
            cases.append(Case(folder, row))
    there = {f for f in os.listdir(os.path.join(HERE, folder)) if f.endswith((".cu", ".cuh"))}
    listed = {c.file for c in cases}
    if there != listed or len(listed) != len(cases):
        odd = sorted(there ^ listed)
        sys.exit(f"{path}: the table and the folder differ: {' '.join(odd) or 'a file twice'}")
    return cases


def program():
    path = os.environ.get("CMPD_BIN")
    if not path:
        sys.exit("CMPD_BIN names no program")
    return os.path.abspath(path)


def _ask(files, folder):
    """One run of the program: its exit status, what it wrote to stdout and to stderr."""
    command = [program(), "check", "--track", "static", "--format", "json", *files]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def judge(files, folder):
    """The static verdicts of files (relative to folder), as the list of the document's entries.

    One run for all of them. Should that run fail, each half is asked for by itself, and so on; a
    file that fails alone gets an entry whose verdict tells the exit status.
    """
    status, out, errors = _ask(files, folder)
    if status in (0, 1, 2):
        entries = json.loads(out)["files"]
        if [e["path"] for e in entries] != list(files):
            sys.exit(f"in {folder}: the entries are not the files asked for, in order")
        return entries
    if len(files) == 1:
        sys.stderr.write(errors[-2000:])
        verdict = f"exit status {status}"
        return [{"path": files[0], "verdict": verdict, "findings": [], "reasons": []}]
    half = len(files) // 2
    return judge(files[:half], folder) + judge(files[half:], folder)


def counted(entry):
    """The findings that count: tier reject or review."""
    return [f for f in entry.get("findings", []) if f.get("tier") in ("reject", "review")]
