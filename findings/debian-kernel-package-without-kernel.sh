#!/usr/bin/env bash
# Debian: since 7.1 the package linux-image-VERSION has no kernel image.
#
# Guess of an expert: linux-image-VERSION has /boot/vmlinuz-VERSION and the modules, as in every release so far.
# Seen: linux-image-7.3.4+deb13-cloud-amd64 (trixie-backports) is 2 kB without an image; it depends on three packages. The image
# is usr/lib/modules/VERSION/vmlinuz in linux-binary-VERSION, the modules are in linux-modules-VERSION, modules.builtin in
# linux-base-VERSION. linux-image-6.12 of trixie has them all in one. A script that unpacks linux-image alone ends well, without a kernel.
#
# Takes some seconds and 37 MB, for which it asks the mirror of this machine's apt. Everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/debian-apt.inc
. "$here/debian-apt.inc"

debian_apt trixie-backports
version=7.3.4-1~bpo13+1
release=7.3.4+deb13-cloud-amd64
for kind in image binary modules base; do
  echo "linux-$kind-$release $version: $(fetch "linux-$kind-$release=$version") bytes," \
    "$(find "$folder/linux-$kind-$release" -name 'vmlinuz*' -type f | wc -l) images," \
    "$(find "$folder/linux-$kind-$release" -name '*.ko*' | wc -l) modules"
done
has() { [ -n "$(find "$folder/linux-$1-$release" -path "*$2" -print -quit)" ]; }
expected() { "$@" || { echo "changed: $* does not hold" >&2; exit 1; }; }
expected test -z "$(find "$folder/linux-image-$release" -name '*vmlinuz*' -o -name '*.ko*')"
expected has binary "/usr/lib/modules/$release/vmlinuz"
expected has modules "/usr/lib/modules/$release/kernel/*.ko*"
expected has base "/usr/lib/modules/$release/modules.builtin"
echo "as described"
