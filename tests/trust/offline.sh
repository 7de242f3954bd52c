#!/usr/bin/env bash
# Runs pytest where there is no network but this machine's own loopback: bash tests/trust/offline.sh [arguments of pytest]
set -euo pipefail
cd "$(dirname "$0")/../.."

loopback='
import errno, fcntl, os, socket, struct
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
with socket.socket() as probe:
    out = probe.connect_ex(("192.0.2.1", 80))  # an address that is kept for examples
    assert out == errno.ENETUNREACH, f"there is still a way out: {os.strerror(out)}"
print("No network: a way out is answered by", os.strerror(out), flush=True)
'
exec unshare --map-root-user --net bash -c 'python -c "$0" && exec python -m pytest "$@"' "$loopback" "$@"
