#!/usr/bin/env bash
# gopacket 1.7.7 (Go module github.com/gopacket/gopacket), pcapgo.NgReader: time stamps in units of 2^-20 s.
#
# Guess:  half a second, 2^19 such units, is read as 0.500000 s. if_tsresol of pcapng allows powers of two.
# Seen:   0.499646 s. A unit is rounded down to whole nanoseconds (953 for 953.67) before it is multiplied, so that times
#         within a second are up to 0.7 ms early, and a frame behind a full second may seem to follow 0.7 ms too late.
# So:     round trips below a millisecond from such a capture are wrong, and whole seconds look right.
set -euo pipefail
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
if ! command -v go > /dev/null; then
  echo "go is missing" >&2
  exit 2
fi
export GOPATH=$work/go GOFLAGS=-mod=mod
cd "$work"
cat > go.mod <<'MOD'
module example

go 1.24

require github.com/gopacket/gopacket v1.7.7
MOD
cat > main.go <<'GO'
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/gopacket/gopacket/pcapgo"
)

func block(kind uint32, body []byte) []byte {
	size := uint32(len(body) + 12)
	out := binary.LittleEndian.AppendUint32(nil, kind)
	out = binary.LittleEndian.AppendUint32(out, size)
	out = append(out, body...)
	return binary.LittleEndian.AppendUint32(out, size)
}

func words(values ...uint32) []byte {
	var out []byte
	for _, value := range values {
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out
}

func main() {
	const second, unit = uint64(1_700_000_000), 20
	ticks := second<<unit + 1<<(unit-1)
	file := block(0x0A0D0D0A, words(0x1A2B3C4D, 1, 0xFFFFFFFF, 0xFFFFFFFF))
	// Option 9, if_tsresol, one byte: 0x80 says that the unit is a power of two.
	file = append(file, block(1, words(1, 0, 1<<16|9, 0x80|unit, 0))...)
	file = append(file, block(6, append(words(0, uint32(ticks>>32), uint32(ticks), 60, 60), make([]byte, 60)...))...)
	reader, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		panic(err)
	}
	_, info, err := reader.ReadPacketData()
	if err != nil {
		panic(err)
	}
	fmt.Printf("gopacket 1.7.7: captured at %d.500000000, read as %d.%09d\n", second, info.Timestamp.Unix(), info.Timestamp.Nanosecond())
	if info.Timestamp.Nanosecond() != 499_646_464 {
		fmt.Println("gopacket no longer rounds a unit of 2^-20 s down to 953 ns")
		os.Exit(1)
	}
}
GO
go run .
