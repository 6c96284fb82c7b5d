#!/usr/bin/env bash
# Debian's linux-image-7.3.4+deb13-cloud-amd64 7.3.4-1~bpo13+1 (trixie-backports): where the kernel is.
#
# Guess:  linux-image-VERSION has /boot/vmlinuz-VERSION and the modules, as in each release up to Debian 13.
# Seen:   it is 2 kB and has neither; it depends on three packages. The image is usr/lib/modules/VERSION/vmlinuz in
#         linux-binary-VERSION, the modules are in linux-modules-VERSION, modules.builtin is in linux-base-VERSION. A script
#         that unpacks linux-image alone ends well, without a kernel.
#
# Takes some seconds and 37 MB from the mirror that this machine's apt has. Everything is in a temporary folder.
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
