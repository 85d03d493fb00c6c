package store

import (
	"fmt"
	"io"
	"os"

	"likc/runtime/sys/space"
)

// maxStreamed limits the bytes that are read from a pipe or a device, because either may never end.
const maxStreamed = 64 << 20

// ReadFile does what os.ReadFile does, for files that a user has named. It returns an error if a file is too large for the
// memory, or if a pipe or a device gives more than 64 MiB. Its errors do not contain the path.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Cause(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Cause(err)
	}
	if info.Mode().IsRegular() || info.IsDir() {
		if err := space.Check(uint64(info.Size())); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(path)
		return text, Cause(err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxStreamed+1))
	if len(text) > maxStreamed {
		return nil, fmt.Errorf("more than %d MiB, the most that is read from a pipe or a device", maxStreamed>>20)
	}
	return text, Cause(err)
}
