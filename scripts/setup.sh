#!/bin/sh
# Prepares a checkout: finds a Python, makes .venv from the hashed requirements, links the checkout as a collection.
# Safe to run again and after an interruption; does nothing when nothing changed. EKSOPS_PYTHON names a Python to use.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

check_machine() {
    [ "$(uname -s)" = Linux ] || fail "Linux only: the sandbox starts Linux programs and reads /proc, and this is $(uname -s). Use a Linux machine, a virtual machine or WSL 2."
    command -v make >/dev/null 2>&1 || fail "make is missing: install it with your package manager (Debian, Ubuntu: apt-get install make; Fedora: dnf install make)."
    free_mib=$(df -Pm . | awk 'NR == 2 { print $4 }')
    [ "$free_mib" -ge 2048 ] || fail "Only ${free_mib} MiB of disk are free here and the Python environment needs 2048 MiB: free some, or check the project out on a larger disk."
    memory_mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
    [ "$memory_mib" -ge 1024 ] || fail "Only ${memory_mib} MiB of memory are available and the set-up needs 1024 MiB: close something first."
}

# A shim of pyenv can be on PATH and print an error, so a Python counts only when it ran and said its version.
works() {
    "$1" -c 'import sys, venv, ensurepip, ssl; sys.exit(not (3, 12) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${EKSOPS_PYTHON:-}" ]; then
        works "$EKSOPS_PYTHON" || fail "EKSOPS_PYTHON is $EKSOPS_PYTHON, which is no working Python 3.12, 3.13 or 3.14 with venv and ensurepip."
        echo "$EKSOPS_PYTHON"
        return
    fi
    for candidate in python3.13 python3.12 python3.14 python3 python \
        "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.13*/bin/python3 \
        "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.12*/bin/python3 \
        "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.14*/bin/python3; do
        if works "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    if command -v uv >/dev/null 2>&1; then
        candidate=$(uv python find --no-project '>=3.12,<3.15' 2>/dev/null ||
            { uv python install 3.13 >&2 && uv python find --no-project 3.13; }) || candidate=
        if [ -n "$candidate" ] && works "$candidate"; then
            echo "$candidate"
            return
        fi
    fi
    fail "Python 3.12 or newer is missing: install python3.12 with its venv package, or pyenv install 3.13, or uv (which brings its own Python)."
}

make_environment() {
    wanted="$(cat requirements/setup.txt requirements/dev.txt | sha256sum | cut -d' ' -f1)"
    stamp=.venv/.requirements
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && works .venv/bin/python; then
        return
    fi
    python=$(find_python)
    printf 'Python environment: .venv from %s ... ' "$python"
    started=$(date +%s)
    log=$(mktemp)
    if ! install_packages "$python" >"$log" 2>&1; then
        printf 'failed\n'
        tail -n 30 "$log" >&2
        rm -f "$log"
        fail "The Python packages could not be installed; the lines above say why."
    fi
    rm -f "$log"
    echo "$wanted" >"$stamp"
    printf 'done in %s s\n' "$(($(date +%s) - started))"
}

install_packages() {
    works .venv/bin/python || rm -rf .venv
    rm -f .venv/.requirements
    [ -d .venv ] || "$1" -m venv .venv || return 1
    .venv/bin/python -m pip install --disable-pip-version-check --no-input --require-hashes -r requirements/setup.txt &&
        .venv/bin/uv pip sync --require-hashes --python .venv/bin/python requirements/setup.txt requirements/dev.txt
}

# Ansible finds collections as collections/ansible_collections/<namespace>/<name>; ansible.cfg names collections/.
link_checkout() {
    mkdir -p collections/ansible_collections/eksops
    ln -sfn ../../.. collections/ansible_collections/eksops/karpenter
}

check_machine
make_environment
link_checkout
