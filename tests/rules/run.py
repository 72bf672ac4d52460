#!/usr/bin/python3
"""Runs the static track over the rules' fixtures and compares it with what they say of themselves.

  CMPD_BIN=build/release/bin/cmpd tests/rules/run.py [TAG...]

tests/rules/TAG/bad*.cu carry `// expect: TAG TIER` (several with commas) on the line of each finding;
tests/rules/TAG/good*.cu are traps and carry none. Of the folder's tag and of every tag that a file
expects, the findings at reject and review must be exactly the expected ones; notes are compared where
the tag is never more than a note. A folder's cmpd.json is its policy.

Beside that the table is complete: each tag of a static rule has a folder with a bad and a good file,
each folder is a tag, and each tag has a page in rules/docs.

Standard library only. The exit status is 0 when all of it holds.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIMEOUT_S = 600
TIERS = ("reject", "review", "note")
STAGES = {"compile", "run", "memory", "numeric", "perf", "undecided"}

Tag = collections.namedtuple("Tag", "name rule tier")


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


def read_tags():
    rows = re.findall(r"^TAG\((\w+), (\w+), (\w+),", read(ROOT, "analysis/verdict/tags.def"), re.M)
    return {name: Tag(name, rule, tier.lower()) for name, rule, tier in rows}


def static_rules():
    """The names that the rules of the table give themselves."""
    names = set()
    for row in re.findall(r"^RULE\((\w+)\)", read(ROOT, "rules/rules.def"), re.M):
        names.update(re.findall(r'\.name = "(\w+)"', read(ROOT, "rules", row + ".c")))
    return names


def check_table(tags):
    """What is missing, as a list of sentences."""
    faults = []
    rules = static_rules()
    folders = {f for f in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, f))} - {"__pycache__"}
    for tag in tags.values():
        if not os.path.exists(os.path.join(ROOT, "rules/docs", tag.name + ".md")):
            faults.append(f"{tag.name}: no page in rules/docs")
        if tag.rule not in rules and tag.rule not in STAGES:
            faults.append(f"{tag.name}: {tag.rule} is neither a rule nor a dynamic stage")
        for kind in ("bad", "good") if tag.rule in rules else ():
            if not glob.glob(os.path.join(HERE, tag.name, kind + "*.cu")):
                faults.append(f"{tag.name}: no tests/rules/{tag.name}/{kind}*.cu")
    faults += [f"tests/rules/{f} is no tag" for f in sorted(folders - set(tags))]
    return faults


def expectations(path, tags):
    """The expected (line, tag, tier) of a fixture."""
    found = set()
    for number, line in enumerate(read(path).splitlines(), 1):
        at = line.find("// expect:")
        for item in line[at + len("// expect:"):].split(",") if at >= 0 else ():
            words = item.split()
            if len(words) != 2 or words[0] not in tags or words[1] not in TIERS:
                sys.exit(f"{path}:{number}: not an expectation: {item.strip()}")
            found.add((number, *words))
    return found


def judge(program, policy, files):
    """One run of the program: the document's entries by path."""
    command = [program, "check", "--track", "static", "--format", "json", "--policy", policy, *files]
    done = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=TIMEOUT_S, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"cmpd ended with {done.returncode} on: {' '.join(files)}")
    entries = json.loads(done.stdout)["files"]
    if [e["path"] for e in entries] != list(files):
        sys.exit("the entries are not the files asked for, in order")
    return {e["path"]: e for e in entries}


def compare(file, entry, tags):
    """The differences between a fixture and its result, as a list of sentences."""
    folder = os.path.dirname(file)
    expected = expectations(os.path.join(HERE, file), tags)
    if bool(expected) != os.path.basename(file).startswith("bad"):
        return [f"{file}: bad*.cu say what they expect, good*.cu expect nothing"]
    if expected and folder not in {tag for _, tag, _ in expected}:
        return [f"{file}: expects nothing of {folder}"]
    wanted = {folder} | {tag for _, tag, _ in expected}
    got = {(f.get("line", 0), f["reason"], f["tier"]) for f in entry["findings"]
           if f["reason"] in wanted and (f["tier"] != "note" or tags[f["reason"]].tier == "note")}
    expected = {e for e in expected if e[2] != "note" or tags[e[1]].tier == "note"}
    told = [f"{file}:{line}: expected {tag} {tier}, which did not come"
            for line, tag, tier in sorted(expected - got)]
    return told + [f"{file}:{line}: {tag} {tier} came, which was not expected"
                   for line, tag, tier in sorted(got - expected)]


def main():
    program = os.environ.get("CMPD_BIN") or sys.exit("CMPD_BIN names no program")
    tags = read_tags()
    faults = [] if sys.argv[1:] else check_table(tags)
    default = os.path.join(os.getcwd(), "default-policy.json")
    with open(default, "w", encoding="utf-8") as f:
        f.write('{"version": 1}\n')
    by_policy = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(HERE, "*", "*.cu"))):
        folder = os.path.dirname(path)
        if sys.argv[1:] and os.path.basename(folder) not in sys.argv[1:]:
            continue
        own = os.path.join(folder, "cmpd.json")
        by_policy[own if os.path.exists(own) else default].append(os.path.relpath(path, HERE))
    total = 0
    for policy, files in by_policy.items():
        entries = judge(os.path.abspath(program), policy, files)
        for file in files:
            faults += compare(file, entries[file], tags)
        total += len(files)
    os.remove(default)
    for fault in faults:
        print(fault)
    print(f"{total} fixtures, {len(faults)} faults")
    return 1 if faults or not total else 0


if __name__ == "__main__":
    sys.exit(main())
