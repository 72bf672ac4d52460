#!/usr/bin/python3
"""Runs the static track over the labelled files and compares it with their tables.

  CMPD_BIN=.../cmpd tests/cases/check.py [--min-caught PCT] [--allow-false N] [FOLDER...]

A faulty file is caught when the verdict is the expected one and a finding at that tier carries the
tag on its line; in a file expected "review" no other finding may count. A right file passes when it
is not rejected and draws none of the tags of its column "false".
The exit status is 0 when at least PCT percent (100) of the faulty files of each folder were caught
and at most N (0) of all right files were not passed.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True

from cases_common import FOLDERS, HERE, counted, judge, read_table

VERDICT = {"reject": "REJECT", "review": "REVIEW"}


def told(entry):
    """The counted findings in a few words."""
    words = [f"{f['reason']}@{f.get('line', '?')}({f['tier']})" for f in counted(entry)]
    return f"{entry['verdict']} {' '.join(words) or 'no finding'}"


def fault_of(case, entry):
    """Why the answer for a faulty file is not the expected one, or None."""
    tagged = [f for f in counted(entry) if f["reason"] in case.tags]
    at_tier = [f for f in tagged if f["tier"] == case.expected]
    if not tagged:
        return "tag missing"
    if not at_tier:
        return "tag at another tier"
    if not any(case.anchored(f.get("line", 0)) for f in at_tier):
        return "tag on another line"
    if entry["verdict"] != VERDICT[case.expected]:
        return "verdict differs"
    if case.expected == "review":
        extra = {f["reason"] for f in counted(entry)} - set(case.tags)
        if extra:
            return "also " + ",".join(sorted(extra))
    return None


def alarm_of(case, entry):
    """Why the answer for a right file is a false alarm, or None."""
    if entry["verdict"] not in ("PASS", "REVIEW"):
        return "rejected"
    wrong = case.false & {f["reason"] for f in counted(entry)}
    return "false " + ",".join(sorted(wrong)) if wrong else None


def check_folder(folder, totals):
    cases = read_table(folder)
    entries = judge([c.file for c in cases], os.path.join(HERE, folder))
    for case, entry in zip(cases, entries):
        bad = case.expected != "not-reject"
        what = fault_of(case, entry) if bad else alarm_of(case, entry)
        totals["bad" if bad else "good"] += 1
        if what is None:
            totals["caught" if bad else "passed"] += 1
            continue
        if bad:
            line = ",".join(str(n) for n in case.lines)
            print(f"MISS   {case.name}: {what}; expected {case.expected} "
                  f"{','.join(case.tags)}@{line}; got {told(entry)}")
        else:
            print(f"ALARM  {case.name}: {what}; got {told(entry)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=" ".join(FOLDERS))
    parser.add_argument("--min-caught", type=float, default=100.0, metavar="PCT")
    parser.add_argument("--allow-false", type=int, default=0, metavar="N")
    options = parser.parse_args()

    passed = failed = alarms = 0
    low = []
    for folder in options.folders or FOLDERS:
        totals = {"bad": 0, "caught": 0, "good": 0, "passed": 0}
        check_folder(folder, totals)
        missed = totals["bad"] - totals["caught"]
        false = totals["good"] - totals["passed"]
        share = 100.0 * totals["caught"] / totals["bad"] if totals["bad"] else 100.0
        print(f"{folder}: {totals['caught']} of {totals['bad']} faults caught ({share:.1f} %), "
              f"{false} false alarms on {totals['good']} right files")
        if share < options.min_caught:
            low.append(folder)
        passed += totals["caught"] + totals["passed"]
        failed += missed + false
        alarms += false
    if low:
        print(f"below {options.min_caught:g} % caught: {' '.join(low)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if low or alarms > options.allow_false else 0


if __name__ == "__main__":
    sys.exit(main())
