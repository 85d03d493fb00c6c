package cluster

import (
	"context"
	"errors"
	"testing"
)

// deaf is a queue that does not answer.
type deaf struct{ *fake }

func (deaf) Poll(context.Context, []string) (map[Task]State, error) {
	return nil, errors.New("no answer")
}

func (deaf) Find(context.Context, string) (string, error) { return "", errors.New("no answer") }

// Queued asks the queue for the arrays that a run has left. What nobody can say counts as queued.
func TestQueued(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	if Queued(t.Context(), dir, deaf{f}) {
		t.Error("a folder without a run: queued")
	}
	f.states = func(int) (State, bool) { return State{Running: true}, true }
	run(t, f, dir, units("u"), func(s *Settings) { s.Detach = true })
	expect := func(what string, q Queue, want bool) {
		t.Helper()
		if got := Queued(t.Context(), dir, q); got != want {
			t.Errorf("%s: queued %v, want %v", what, got, want)
		}
	}
	expect("a detached run", f, true)
	expect("a detached run, and the queue does not answer", deaf{f}, true)

	e := &Engine{dir: dir}
	left, err := e.saved()
	if err != nil || len(left) != 1 {
		t.Fatal(left, err)
	}
	id := left[0].ID
	left[0].ID = "" // the state after a kill between the submission and the answer
	if err := e.save(left[0]); err != nil {
		t.Fatal(err)
	}
	expect("an array whose id is not known", f, true)
	expect("an array whose id is not known, and the queue does not answer", deaf{f}, true)
	gone := newFake(t)
	expect("an array that was never submitted", gone, false)
	left[0].ID = id
	if err := e.save(left[0]); err != nil {
		t.Fatal(err)
	}
	expect("an array that the queue has forgotten", gone, false)
}
