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
        self.first = self.last = None
        if line != "-":
            first, _, last = line.partition("-")
            self.first, self.last = int(first), int(last or first)

    @property
    def name(self):
        return self.folder + "/" + self.file

    def anchored(self, line):
        """One line off is fine, as is any line of the range."""
        return self.first is None or self.first - 1 <= line <= self.last + 1


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


def judge(files, folder):
    """The static verdicts of files (relative to folder), as the list of the document's entries."""
    command = [program(), "check", "--track", "static", "--format", "json", *files]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    if done.returncode not in (0, 1, 2):
        sys.stderr.write(done.stderr.decode("utf-8", "replace")[-2000:])
        sys.exit(f"{command[0]} in {folder}: exit status {done.returncode}")
    entries = json.loads(done.stdout)["files"]
    if [e["path"] for e in entries] != list(files):
        sys.exit(f"{command[0]} in {folder}: the entries are not the files asked for, in order")
    return entries


def counted(entry):
    """The findings that count: tier reject or review."""
    return [f for f in entry.get("findings", []) if f.get("tier") in ("reject", "review")]
