"""Does what the Dockerfile says where there is no container engine, and tries the result: `make image-check`.

Every stage is an overlay over this machine's own file system, so RUN lines run as written, as root, in a chroot, and
leave nothing behind. The result is started as the image would be: as its user, without capabilities, as process 1 of
its own process namespace, on a read-only root with /tmp and the volume writable, with no key and no configuration. What
it cannot check is the base image: this machine's Python stands in for it.

Needs Linux, root, unshare and setpriv (util-linux), and network or a cache for the packages.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
# Where the result finds the database that it is tried on.
SHOP = "/tmp/shop.duckdb"
# What a build gets from its surroundings: certificates and package indexes, here from pip's own variables.
_FROM_HERE = re.compile(r"(PIP|SSL|REQUESTS|UV)_\w+|(https?|no)_proxy", re.IGNORECASE)
_PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")


@dataclass
class Stage:
    """An image in the making: `root` is its file system, mounted over this machine's, `own` what it adds."""

    folder: Path
    env: dict[str, str] = field(
        default_factory=lambda: {"PATH": f"{_PYTHON.parent}:/usr/local/bin:/usr/bin:/usr/sbin:/bin"}
    )
    workdir: str = "/"
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def own(self) -> Path:
        return self.folder / "own"

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def mount(self) -> None:
        for name in ("own", "work", "root"):
            (self.folder / name).mkdir(parents=True)
        options = f"lowerdir=/,upperdir={self.own},workdir={self.folder / 'work'}"
        run("mount", "-t", "overlay", "overlay", "-o", options, str(self.root))
        run("mount", "-t", "proc", "proc", str(self.root / "proc"))
        run("mount", "--bind", "/dev", str(self.root / "dev"))
        # This machine's Python may be one person's; the image's is everybody's.
        for folder in _PYTHON.parents:
            place = self.root / str(folder)[1:]
            place.chmod(place.stat().st_mode | 0o055)

    def enter(self, script: str) -> None:
        environ = {name: value for name, value in os.environ.items() if _FROM_HERE.fullmatch(name)} | self.env
        (self.root / self.workdir[1:]).mkdir(parents=True, exist_ok=True)
        inside = f"cd {shlex.quote(self.workdir)} && {script}"
        subprocess.run(["chroot", str(self.root), "/bin/sh", "-ec", inside], env=environ, check=True)


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def instructions(text: str) -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, comments out and continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines()) if word]


def build(folder: Path) -> Stage:
    """The last stage, built."""
    stages: list[Stage] = []
    for word, rest in instructions((REPOSITORY / "Dockerfile").read_text()):
        began = time.perf_counter()
        if word == "FROM":
            stages.append(Stage(folder / str(len(stages))))
            stages[-1].mount()
            continue
        stage = stages[-1] if stages else Stage(folder)
        match word:
            case "RUN":
                stage.enter(rest)
            case "COPY":
                _copy(stages, rest.split())
            case "ENV":
                for pair in shlex.split(rest):
                    name, _, value = pair.partition("=")
                    stage.env[name] = value.replace("$PATH", stage.env["PATH"])
            case "WORKDIR":
                stage.workdir = rest
                (stage.root / rest[1:]).mkdir(parents=True, exist_ok=True)
            case "ARG":
                pass
            case _:
                stage.settings[word] = rest
        if word in ("RUN", "COPY"):
            say(f"  {time.perf_counter() - began:6.1f} s  {word} {rest[:90]}")
    return stages[-1]


def _copy(stages: list[Stage], words: list[str]) -> None:
    stage, origin = stages[-1], REPOSITORY
    if words[0].startswith("--from="):
        origin = stages[0].root  # the only other stage
        words = words[1:]
    *sources, target = words
    place = stage.root / os.path.join(stage.workdir, target)[1:]
    for source in sources:
        what = origin / source.lstrip("/")
        into = place / what.name if target.endswith("/") else place
        if what.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc") if origin is REPOSITORY else None
            shutil.copytree(what, into, symlinks=True, ignore=ignored, dirs_exist_ok=True)
        elif any(fnmatch.fnmatch(source, line[1:]) for line in _included()):
            shutil.copy2(what, into)
        else:
            sys.exit(f".dockerignore leaves out {source}")


def _included() -> list[str]:
    return [line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")]


def started(stage: Stage, home: Path) -> tuple[subprocess.Popen[str], int]:
    """The process that waits for the image's, and the number of the image's own."""
    user, group = stage.settings["USER"].split(":")
    command = json.loads(stage.settings["ENTRYPOINT"]) + json.loads(stage.settings["CMD"])
    root = shlex.quote(str(stage.root))
    volume = shlex.quote(stage.settings["VOLUME"])
    drop = f"setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
    script = f"""
      ip link set lo up
      mount --bind {root} {root} && mount -o remount,bind,ro {root} && mount --bind /dev {root}/dev
      mount -t tmpfs tmpfs {root}/tmp && chmod 1777 {root}/tmp
      mount --bind {shlex.quote(str(home))} {root}{volume} && mount -t proc proc {root}/proc
      exec chroot {root} {drop} /bin/sh -c 'cd {stage.workdir} && exec "$0" "$@"' {shlex.join(command)}
    """
    database = {"ASKWELL_DATA_SOURCES__DEFAULT__ENGINE": "duckdb", "ASKWELL_DATA_SOURCES__DEFAULT__PATH": SHOP}
    process = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--net", "--fork", "/bin/sh", "-ec", script],
        env=stage.env | database,
        stdout=sys.stderr,
        stderr=sys.stderr,
        text=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text().split():
        time.sleep(0.05)
    return process, int(children.read_text().split()[0])


class Beside:
    """Runs commands beside the image's process as `docker exec` does: same user, same namespaces."""

    def __init__(self, stage: Stage, first: int) -> None:
        self._env = stage.env
        user, group = stage.settings["USER"].split(":")
        place = f"--target {first} --mount --pid --net --root=/proc/{first}/root --wd=/proc/{first}/cwd"
        self._enter = f"nsenter {place} setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs".split()

    def __call__(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._enter, *command], env=self._env, capture_output=True, text=True)

    def must(self, *command: str) -> str:
        """What the command says; the end of the check when it fails."""
        done = self(*command)
        if done.returncode:
            sys.exit(f"{shlex.join(command)[:200]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def tried(stage: Stage, home: Path) -> None:
    """Start the result, ask it, look at its processes, stop it."""
    began = time.perf_counter()
    process, first = started(stage, home)
    beside = Beside(stage, first)
    try:
        check = json.loads(stage.settings["HEALTHCHECK"].partition("CMD ")[2])
        while beside(*check).returncode:
            if process.poll() is not None or time.perf_counter() - began > 60:
                sys.exit("it does not become healthy")
            time.sleep(0.2)
        say(f"  healthy after {time.perf_counter() - began:.1f} s, without a network")
        say(beside.must("python", "-c", ASKING.replace("SHOP", repr(SHOP))))
        say(beside.must("askwell", "ask", "--database", SHOP, "How many customers are there?"))
        processes = beside.must("ps", "-eo", "user:8,pid,ppid,stat,rss,cmd")
        say(re.sub(r"(?m)^(.{120}).*$", r"\1", processes))
        if re.search(r"(?m)^\S+ +\d+ +\d+ Z", processes):
            sys.exit("there are zombies")
        began = time.perf_counter()
        os.kill(first, signal.SIGTERM)
        status = process.wait(timeout=30)
        say(f"  SIGTERM: status {status} after {time.perf_counter() - began:.1f} s")
        if status:
            sys.exit(f"it ended with {status}")
    finally:
        if process.poll() is None:
            os.kill(first, signal.SIGKILL)


# A model is prepared over HTTP, and a question asked: query processes work where the service does.
ASKING = """
import json, time, urllib.request
from datetime import date
from importlib.resources import files
from pathlib import Path
from askwell.sample.shop import generate_shop

def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request("http://127.0.0.1:5555/v1" + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)

generate_shop(Path(SHOP), date.today())
checks = call("/health/ready")["checks"]
assert "MiniLM" in checks["embedder"]["message"], "the embedder's files are not found"
for name, check in checks.items():
    print(f"  {name}: {check['message']}")
model = json.loads(files("askwell.sample").joinpath("shop_model.json").read_text())
call("/semantics-preparations", {"mdl": model, "mdl_hash": "shop"})
while (status := call("/semantics-preparations/shop/status"))["status"] == "indexing":
    time.sleep(0.1)
print(f"  model: {status}")
asked = call("/asks", {"query": "How many customers are there?", "execute": True})["query_id"]
while (answer := call(f"/asks/{asked}/result"))["status"] not in ("finished", "failed", "stopped"):
    time.sleep(0.1)
print(f"  answer: {answer['response'][0]['sql']} -> {answer['data']['rows']}")
"""


def say(what: str) -> None:
    sys.stdout.write(what.rstrip() + "\n")
    sys.stdout.flush()


def main() -> None:
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("make image-check mounts and unshares, and so needs Linux and root. With Docker: docker build .")
    if not os.environ.get("ASKWELL_IMAGE_CHECK"):
        # Mounts of its own: they go when this process does.
        os.execvpe(
            "unshare", ["unshare", "--mount", sys.executable, *sys.argv], {**os.environ, "ASKWELL_IMAGE_CHECK": "1"}
        )
    folder = Path(tempfile.mkdtemp(prefix="askwell-image-"))
    try:
        stage = build(folder)
        shutil.copytree(stage.own / "var/lib/askwell", home := folder / "volume", dirs_exist_ok=True)
        user = int(stage.settings["USER"].partition(":")[0])
        os.chown(home, user, user)
        subprocess.run(["du", "-sm", str(stage.own)], check=True)
        tried(stage, home)
    finally:
        for root in folder.glob("*/root"):
            subprocess.run(["umount", "--recursive", "--lazy", str(root)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    say("The image can be built, and works.")


if __name__ == "__main__":
    main()
