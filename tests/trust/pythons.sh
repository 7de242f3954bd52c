#!/usr/bin/env bash
# Runs the README's two installs and pytest in a fresh clone, in a virtual environment for each Python:
#     bash tests/trust/pythons.sh [PYTHON …] [-- arguments of pytest]
# Without a name: python3.11, python3.12 and python3.13, as far as they are there.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)

pythons=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do pythons+=("$1"); shift; done
[ $# -eq 0 ] || shift
if [ ${#pythons[@]} -eq 0 ]; then
    for name in python3.11 python3.12 python3.13; do
        if "$name" -c "" 2>/dev/null; then pythons+=("$name"); else echo "$name is not there"; fi
    done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "no Python to try"; exit 1; }

commands() { sed -n "s/^    \(pip install .*\) && $1.*$/\1/p" README.md; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=()
for python in "${pythons[@]}"; do
    rm -rf "$folder"/*
    git clone -q "$here" "$folder/fresh clone"
    cd "$folder/fresh clone"
    start=$(commands jupyter) test=$(commands pytest)
    [ -n "$start" ] && [ -n "$test" ] || { echo "README.md does not name its two commands"; exit 1; }
    "$python" -m venv "$folder/environment"
    source "$folder/environment/bin/activate"
    python --version
    if ! { eval "$start" && eval "$test" && pytest "$@"; }; then failed+=("$python"); fi
    deactivate
    cd "$here"
done
[ ${#failed[@]} -eq 0 ] || { echo "failed with: ${failed[*]}"; exit 1; }
echo "passed with: ${pythons[*]}"
