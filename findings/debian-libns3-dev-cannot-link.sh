#!/usr/bin/env bash
# Debian's libns3-dev 3.37-2 (bookworm): what pkg-config says of ns-3.
#
# Guess:  after its installation a program compiles with `pkg-config --cflags --libs ns3-internet`.
# Seen:   the linker's options name libgsl.so and libgslcblas.so of libgsl-dev, on which the package does not depend, so the
#         link fails. The compiler's options have a folder with a semicolon at its end, -I/usr;.
#
# Takes some seconds. Everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/debian-apt.inc
. "$here/debian-apt.inc"

debian_apt bookworm
fetch libns3-dev=3.37-2 > /dev/null
depends=$(dpkg-deb -f "$folder"/debs/libns3-dev/*.deb Depends)
PKG_CONFIG_PATH=$(dirname "$(find "$folder/libns3-dev" -name ns3-internet.pc)")
flags=$(sed -n 's/^\(Cflags\|Libs\|Requires[^:]*\): *//p' "$PKG_CONFIG_PATH"/ns3-{internet,core,network,stats}.pc | tr ' ' '\n' | sort -u)
echo "libns3-dev 3.37-2 depends on: $depends"
echo "its ns3-*.pc files name: $(grep -E 'gsl|;' <<<"$flags" | paste -sd' ')"
expected() { "$@" || { echo "changed: $* does not hold" >&2; exit 1; }; }
expected grep -q 'libgsl\.so' <<<"$flags"
expected grep -q ';' <<<"$flags"
expected test -z "$(grep -o 'libgsl-dev' <<<"$depends")"
echo "as described"
