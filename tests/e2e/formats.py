#!/usr/bin/python3
"""All forms of one result: valid against their schemas, with the same findings in each.

  formats.py SARIF_SCHEMA
"""
import html.parser
import json
import os
import re
import sys

import jsonschema

from e2e import SOURCE, check, cmpd, done, write

FORMS = ["text", "json", "sarif", "gitlab", "rdjson", "github", "prompt", "html"]

GITLAB_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^.]|^\\.[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1},
                                       "end": {"type": "integer", "minimum": 1}},
                        "additionalProperties": False,
                    },
                },
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
    },
}

POSITION = {
    "type": "object",
    "required": ["line"],
    "properties": {"line": {"type": "integer", "minimum": 1},
                   "column": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
RDJSON_SCHEMA = {
    "type": "object",
    "required": ["source", "diagnostics"],
    "properties": {
        "source": {"type": "object", "required": ["name"]},
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message", "location", "severity", "code"],
                "properties": {
                    "message": {"type": "string", "minLength": 1},
                    "location": {
                        "type": "object",
                        "required": ["path"],
                        "properties": {
                            "path": {"type": "string"},
                            "range": {"type": "object", "required": ["start"],
                                      "properties": {"start": POSITION, "end": POSITION},
                                      "additionalProperties": False},
                        },
                        "additionalProperties": False,
                    },
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {"type": "object", "required": ["value"]},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}

# A finding of each kind of place: behind multi-byte text, on a line with broken UTF-8, one that is
# allowed, a remark that names no tag; and text that would break a careless writer.
NASTY = b"""\xef\xbb\xbf#include <cstdio>
// cmpd: allow no_such_tag: <script>alert(1)</script> & "quotes" ::error::x
__global__ void greet(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    /* gr\xc3\xbc\xc3\x9fe \xf0\x9f\x98\x80 */ printf("<b>%d</b> \xe2\x82\xac\\n", i);
    /* broken: \xff\xfe */ printf("\xff\\n");
    // cmpd: allow api_device_printf: it is wanted, 100% <i>sure</i>
    printf("allowed\\n");
    if (i < n) out[i] = 1.0f;
}
"""
CLEAN = b"__global__ void one(float *out, int n)\n{\n    int i = threadIdx.x;\n    if (i < n) out[i] = 1.0f;\n}\n"


def load(name):
    with open(name, encoding="utf-8") as f:
        return json.load(f)


def run_all(files, extra=()):
    out = {}
    for form in FORMS:
        r = cmpd("check", "--track", "static", "--format", form, *extra, *files, env={"TERM": "xterm"})
        try:
            r.out.decode("utf-8")
        except UnicodeDecodeError as e:
            check(False, f"{form}: not UTF-8: {e}")
        check(b"\x1b" not in r.out, f"{form}: colour in a file")
        check(r.out.endswith(b"\n"), f"{form}: no final newline")
        out[form] = r
    statuses = {form: r.status for form, r in out.items()}
    check(len(set(statuses.values())) == 1, f"the exit status hangs on the form: {statuses}")
    return out


def tags_of_json(doc):
    return sorted(f["reason"] for file in doc["files"] for f in file["findings"])


def tags_of_sarif(doc):
    return sorted(r["ruleId"] for r in doc["runs"][0]["results"] if "suppressions" not in r)


def tags_of_text(text):
    return sorted(re.findall(r"^\S.*?: (?:reject|review|note): (\w+): ", text, re.M))


def tags_of_github(text):
    return sorted(re.findall(r"^::(?:error|warning|notice) file=[^\n]*?title=(\w+)::", text, re.M))


class Articles(html.parser.HTMLParser):
    """Counts the findings of the page; knows which elements and addresses it holds."""

    def __init__(self):
        super().__init__()
        self.kinds, self.elements, self.links, self.allowed, self.tags = [], set(), [], 0, []
        self.in_strong = False

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.links += [v for k, v in attrs if k in ("src", "href")]
        self.in_strong = tag == "strong"

    def handle_data(self, data):
        m = re.fullmatch(r"(reject|review|note|allowed): (\w+)", data)
        if self.in_strong and m and m[1] != "allowed":
            self.tags.append(m[2])
        elif self.in_strong and m:
            self.allowed += 1


def tags_of_html(text):
    page = Articles()
    page.feed(text)
    plain = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "span", "section", "ul",
             "li", "article", "p", "strong", "pre", "b"}
    check(page.elements <= plain, f"html: elements of the source came through: {page.elements - plain}")
    check(not page.links, f"html: it needs other files: {page.links}")
    return sorted(page.tags)


def same_findings(out, suppressed):
    doc = out["json"].json()
    text = {form: r.out.decode("utf-8") for form, r in out.items()}
    expected = tags_of_json(doc)
    found = {
        "sarif": tags_of_sarif(json.loads(text["sarif"])),
        "gitlab": sorted(e["check_name"] for e in json.loads(text["gitlab"])),
        "rdjson": sorted(d["code"]["value"] for d in json.loads(text["rdjson"])["diagnostics"]),
        "text": tags_of_text(text["text"]),
        "github": tags_of_github(text["github"]),
        "prompt": sorted(re.findall(r"^\d+\. (\w+) \(", text["prompt"], re.M)),
        "html": tags_of_html(text["html"]),
    }
    for form, tags in found.items():
        check(tags == expected, f"{form} has {tags}, json has {expected}")
    listed = sum(len(f["suppressed"]) for f in doc["files"])
    check(listed == suppressed, f"json lists {listed} suppressed findings, not {suppressed}")
    in_sarif = sum("suppressions" in r for r in json.loads(text["sarif"])["runs"][0]["results"])
    check(in_sarif == suppressed, f"sarif lists {in_sarif} suppressed findings, not {suppressed}")
    check(text["text"].count(": allowed: ") == suppressed, "text does not list what is allowed")


def valid(out, schemas):
    for form, schema in schemas.items():
        try:
            jsonschema.validate(json.loads(out[form].out.decode("utf-8")), schema)
        except jsonschema.ValidationError as e:
            check(False, f"{form}: {list(e.absolute_path)}: {e.message[:300]}")


def places(path):
    """Columns: bytes in json, code points in sarif."""
    doc = cmpd("check", "--track", "static", "--format", "json", path).json()
    sarif = cmpd("check", "--track", "static", "--format", "sarif", path).json()
    with open(path, "rb") as f:
        lines = f.read().split(b"\n")
    in_json = {(f["line"], f["column"]) for f in doc["files"][0]["findings"]
               if f["reason"] == "api_device_printf"}
    for line in (6, 7):
        byte_column = lines[line - 1].index(b"printf") + 1
        check((line, byte_column) in in_json, f"json: no api_device_printf at {line}:{byte_column}: {in_json}")
    regions = {r["locations"][0]["physicalLocation"]["region"]["startLine"]:
               r["locations"][0]["physicalLocation"]["region"]["startColumn"]
               for r in sarif["runs"][0]["results"]
               if r["ruleId"] == "api_device_printf" and "suppressions" not in r}
    column = lines[5].decode("utf-8").index("printf") + 1
    check(regions.get(6) == column, f"sarif: column {regions.get(6)} on line 6, not {column}")


def github_escapes(path):
    text = cmpd("check", "--track", "static", "--format", "github", path).out.decode("utf-8")
    for line in text.splitlines()[:-1]:
        m = re.fullmatch(r"::(error|warning|notice) file=([^,:]*)(,\w+=[^,:]*)*::(.*)", line)
        if check(m is not None, f"github: {line!r}"):
            check("%2C" in m[2] and "%3A" in m[2] and "%25" in m[2], f"github: path not escaped: {m[2]}")


def main():
    schemas = {
        "json": load(os.path.join(SOURCE, "config/schema/verdict.schema.json")),
        "sarif": load(sys.argv[1]),
        "gitlab": GITLAB_SCHEMA,
        "rdjson": RDJSON_SCHEMA,
    }
    odd = b"k \xff,:%&<.cu"
    write(odd, NASTY)
    write("nasty.cu", NASTY)
    write("clean.cu", CLEAN)
    places("nasty.cu")
    github_escapes(odd)
    for files, suppressed in ((["clean.cu"], 0), (["nasty.cu"], 1), ([odd, "clean.cu", "nasty.cu"], 2)):
        out = run_all(files)
        valid(out, schemas)
        same_findings(out, suppressed)
    prints = cmpd("check", "--track", "static", "--format", "gitlab", "nasty.cu", odd).json()
    check(len({e["fingerprint"] for e in prints}) == len(prints), "gitlab: a fingerprint repeats")
    # Errors give a valid document too.
    broken = run_all(["missing.cu"])
    valid(broken, schemas)
    check(broken["json"].status == 66, f"missing file: status {broken['json'].status}")
    sarif = broken["sarif"].json()["runs"][0]["invocations"][0]
    check(sarif["executionSuccessful"] is False and sarif["exitCode"] == 66, f"sarif invocation: {sarif}")
    done()


main()
