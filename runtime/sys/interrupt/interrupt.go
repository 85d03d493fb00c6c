// Package interrupt lets signals such as Ctrl-C end a program. At the first signal a context is cancelled, so that work can
// stop and keep its results. The program does not wait for reads that may never end, such as from a pipe.
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

// Context returns a context that is cancelled at the first signal, and a function that releases it. Signals are Ctrl-C,
// SIGTERM, which batch systems send to end a job, and SIGHUP, which is sent when a terminal closes. A second signal kills the
// program. If keeps is false, so does the first, because there are no results to keep. A SIGHUP that was ignored when the
// program started (nohup) is ignored.
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

// afterFirst waits for the command to end. It ends the program early in three cases: the command waits for an input that does
// not come; it waits for a reader of a pipe that it writes to; or a second signal arrives.
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

// inputs counts the inputs that are being opened or read. Either may never end, as with a pipe to which nobody writes, and no
// context stops it.
var inputs atomic.Int32

// WhileReading calls read. If an interrupt comes while read is running, the program does not wait for read to end.
func WhileReading[T any](read func() (T, error)) (T, error) {
	inputs.Add(1)
	defer inputs.Add(-1)
	return read()
}

// Until runs work, and returns its result. If the context ends first, it returns the context's error and does not wait for
// work.
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

// grace is the time after an interrupt for which a command may still read its input, or wait for a reader of its output. Then
// the program ends.
const grace = 250 * time.Millisecond
