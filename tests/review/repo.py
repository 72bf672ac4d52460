"""What the review's tests share: repositories made for a test, and cmpd run on them."""
import json
import os
import shutil
import subprocess
import sys

try:
    import jsonschema
except ImportError:  # the documents are then read, but not held against their schema
    jsonschema = None

CMPD = os.environ["CMPD_BIN"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(SOURCE, "config/schema/verdict.schema.json")) as schema:
    VALIDATOR = jsonschema.Draft202012Validator(json.load(schema)) if jsonschema else None
ENV = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C.UTF-8",
           GIT_AUTHOR_DATE="2024-01-01T00:00:00Z", GIT_COMMITTER_DATE="2024-01-01T00:00:00Z",
           GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@example.org", GIT_COMMITTER_NAME="t",
           GIT_COMMITTER_EMAIL="t@example.org")
for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
    ENV.pop(name, None)

failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)
    return ok


def equal(got, want, what):
    return check(got == want, f"{what}: got {got!r}, want {want!r}")


def run_all(tests):
    for test in tests:
        before = len(failures)
        try:
            test()
        except Exception as why:  # one broken case must not hide the others
            check(False, f"{test.__name__}: {type(why).__name__}: {why}")
        print(("ok      " if len(failures) == before else "FAILED  ") + test.__name__)
    print(f"{len(tests)} cases, {len(failures)} failures")
    sys.exit(1 if failures else 0)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err.decode("utf-8", "replace")
        self.text = out.decode("utf-8", "replace")
        self.parsed = None

    @property
    def doc(self):
        if self.parsed is None:
            self.parsed = json.loads(self.out.decode("utf-8"))
            for error in VALIDATOR.iter_errors(self.parsed) if VALIDATOR else ():
                check(False, f"the document does not fit its schema: {error.json_path}: {error.message[:200]}")
        return json.loads(self.out.decode("utf-8"))

    def file(self, path):
        for f in self.doc["files"]:
            if f["path"] == path:
                return f
        raise KeyError(f"{path} is not among {[f['path'] for f in self.doc['files']]}")

    def paths(self):
        return [f["path"] for f in self.doc["files"]]


def cmpd(*args, cwd=None, env=None, timeout=120):
    argv = [os.path.abspath(CMPD), *args]
    p = subprocess.run(argv, capture_output=True, env=dict(ENV, **(env or {})), cwd=cwd, timeout=timeout,
                       stdin=subprocess.DEVNULL)
    check(p.returncode >= 0, f"{args} died by signal {-p.returncode}: {p.stderr[-1500:]}")
    check(b"Sanitizer" not in p.stderr and b"runtime error" not in p.stderr, f"{args}: {p.stderr[-3000:]}")
    return Result(p.returncode, p.stdout, p.stderr)


def reasons(f, **conditions):
    """(reason, line) of a file's findings that meet the conditions, in order; notes on style are no matter here."""
    return [(x["reason"], x.get("line", 0)) for x in f["findings"]
            if not x["reason"].startswith("style_") and all(x.get(k, False) == v for k, v in conditions.items())]


class Repo:
    def __init__(self, name, bare=False):
        self.path = os.path.abspath(name)
        shutil.rmtree(self.path, ignore_errors=True)
        self.git("init", "-q", "-b", "main", *(["--bare"] if bare else []), self.path, cwd=".")

    def git(self, *args, cwd=None, check_status=True, stdin=None):
        p = subprocess.run(["git", *args], cwd=cwd or self.path, env=ENV, capture_output=True, input=stdin)
        if check_status and p.returncode != 0:
            raise RuntimeError(f"git {args}: {p.stderr.decode(errors='replace')}")
        return p.stdout.decode("utf-8", "surrogateescape").strip()

    def full(self, name):
        return os.path.join(os.fsencode(self.path), name if isinstance(name, bytes) else name.encode())

    def write(self, name, data, mode=None):
        path = self.full(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.islink(path):
            os.unlink(path)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        if mode:
            os.chmod(path, mode)

    def read(self, name):
        with open(self.full(name), "rb") as f:
            return f.read()

    def edit(self, name, old, new, count=1):
        data = self.read(name).decode()
        if data.count(old) < 1:
            raise RuntimeError(f"{old!r} is not in {name}")
        self.write(name, data.replace(old, new, count))

    def commit(self, files=None, message="change", remove=()):
        for name, data in (files or {}).items():
            self.write(name, data)
        for name in remove:
            os.unlink(self.full(name))
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name, start="main"):
        self.git("checkout", "-q", "-B", name, start)

    def review(self, *args, base="main", head="topic", track="static", form="json", **kw):
        command = ["review", "--repo", self.path, "--base", base, "--head", head, "--format", form]
        if track:
            command += ["--track", track]
        return cmpd(*command, *args, **kw)
