// Package interrupt ends a program by signals: at the first one work that heeds a context ends by itself and keeps what it has, and
// reads that may last for ever are not waited for.
package interrupt

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"likc/runtime/sys/store"
)

// Context returns a context that ends with the first Ctrl-C, SIGTERM, by which batch systems end a job, or SIGHUP, with which a
// terminal goes, and a function that releases it. A second signal kills the program; so does the first if keeps is false: what runs
// holds nothing worth keeping. A SIGHUP that was ignored when the program started (nohup) stays so.
func Context(keeps bool) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	pressed, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(pressed, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(pressed, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-done:
		case <-pressed:
			if !keeps {
				endAtOnce("interrupted")
			}
			cancel()
			afterFirst(pressed, done)
		}
	}()
	return ctx, func() {
		signal.Stop(pressed)
		close(done)
	}
}

// afterFirst waits for the command to end. It ends the program where the command waits for an input that does not come or
// for a reader of a pipe that it writes to, and at a second signal whatever goes on.
func afterFirst(pressed <-chan os.Signal, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case s := <-pressed:
			number, _ := s.(syscall.Signal)
			os.Exit(128 + int(number))
		case <-time.After(grace):
			if inputs.Load() > 0 {
				endAtOnce("interrupted while it read its input")
			}
			if store.Waiting() {
				endAtOnce("interrupted while it waited for a reader of its output")
			}
		}
	}
}

func endAtOnce(why string) {
	store.Clear()
	fmt.Fprintln(os.Stderr, "likc: "+why)
	os.Exit(1)
}

// inputs are being opened or read. Both may last for ever, as with a pipe that nobody writes to, and heed no context.
var inputs atomic.Int32

// Reading calls read, which reads an input that an interrupt need not wait for.
func Reading[T any](read func() (T, error)) (T, error) {
	inputs.Add(1)
	defer inputs.Add(-1)
	return read()
}

// Until waits for work until the context ends. What goes on then is not heeded: the program is about to end.
func Until[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case o := <-done:
		return o.value, o.err
	}
}

// grace is the time that a command may take to end after the first interrupt, before a message says what it waits for.
const grace = 250 * time.Millisecond
