package study

import (
	"errors"
	"runtime"
	"testing"

	"likc/runtime/model/timing"
)

// TestBindingIsTimed: the time of binding is what binding takes, whatever the thread did before.
func TestBindingIsTimed(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	work := func(seconds float64) {
		for start := timing.ThreadSeconds(); timing.ThreadSeconds()-start < seconds; {
		}
	}
	work(0.2)
	f, _, err := Bind(func(*Case) (Problem, error) {
		work(0.05)
		return Problem{}, errors.New("no model")
	}).posterior(&Case{})
	if err == nil || !(f.Binding >= 0.05 && f.Binding < 0.15) {
		t.Errorf("%v; binding took %v s, want 0.05 s", err, f.Binding)
	}
}
