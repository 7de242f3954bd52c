"""Ask for known weaknesses of the pinned packages, and say plainly which pins nobody could tell about.

`pip install pip-audit`, then `python -m tests.trust.audit`; it is no dependency of the project. It ends with 0 if every
pin was looked up and none has a known weakness, 1 if one has, 2 if some could not be looked up. What is written after
the command goes to pip-audit, such as `-s osv` for another source of advisories.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("requirements.txt", "tests/constraints.txt")
UNREACHED = "The advisory data could not be reached from here, so nothing is known of these pins, good or bad."
AUDIT = "pip_audit --format json --progress-spinner off --no-deps --disable-pip --requirement"
WAIT = 300  # seconds; a network that swallows requests gives no answer at all


def asked(file: str, more: list[str]) -> tuple[list[dict], str]:
    """Return what pip-audit found out about each pin of a file, and its last words where it found out nothing."""
    pins = [line for line in (ROOT / file).read_text(encoding="utf-8").splitlines() if not line.startswith("-e ")]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        print(*pins, sep="\n", file=listed, flush=True)
        command = [sys.executable, "-m", *AUDIT.split(), listed.name, *more]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
            return json.loads(done.stdout)["dependencies"], ""
        except subprocess.TimeoutExpired:
            return [], f"no answer within {WAIT} s"
        except (ValueError, KeyError):
            return [], (done.stderr.strip().splitlines() or ["no word"])[-1][:300]


def report(file: str, pins: list[dict], problem: str) -> tuple[list[str], int]:
    """Return what to print about a file, and the status: 0 all well, 1 a known weakness, 2 not all looked up."""
    if not pins:
        return [f"{file}: pip-audit said: {problem}", f"    {UNREACHED}"], 2
    unknown = [pin for pin in pins if "skip_reason" in pin]
    weak = [(pin, one) for pin in pins for one in pin.get("vulns", [])]
    lines = [f"{file}: {len(pins)} pins, {len(pins) - len(unknown)} looked up, {len(weak)} known weaknesses"]
    for pin, one in weak:
        mended = ", ".join(one.get("fix_versions", [])) or "no version yet"
        lines.append(f"    {pin['name']} {pin['version']}: {one['id']}, mended in {mended}")
    if len(unknown) == len(pins):
        lines += [f"    of the first: {unknown[0]['skip_reason']}", f"    {UNREACHED}"]
    elif unknown:
        lines.append(f"    not looked up: {', '.join(pin['name'] for pin in unknown)}")
    return lines, 1 if weak else 2 if unknown else 0


if __name__ == "__main__":
    reports = [report(file, *asked(file, sys.argv[1:])) for file in FILES]
    print(*(line for lines, _ in reports for line in lines), sep="\n")
    statuses = {status for _, status in reports}
    sys.exit(1 if 1 in statuses else max(statuses))
