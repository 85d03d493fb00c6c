//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// lockAge is the age after which a lock is taken for abandoned: far longer than a build takes.
const lockAge = 10 * time.Minute

// lock takes the lock that the existence of a file stands for, and waits while others have it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			f.Close()
			return func() { os.Remove(path) }, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > lockAge {
			os.Remove(path)
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w while another builder has %s", ctx.Err(), path)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
