package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Without a terminal, nothing is shown: neither in a buffer nor in a file.
func TestNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text bytes.Buffer
	for _, b := range []*Bars{NewBars(&text), NewBars(file)} {
		b.Subjects(1, 2)
		b.Show(3, "three ", 1, 2, "")
		b.Close()
	}
	if info, err := file.Stat(); err != nil || info.Size() > 0 || text.Len() > 0 {
		t.Errorf("%q in the buffer, %v, %v", &text, info, err)
	}
}

// draw is called once a second, and not after stop.
func TestEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var drawn atomic.Int32
		stop := EverySecond(func() { drawn.Add(1) })
		time.Sleep(3500 * time.Millisecond)
		stop()
		stop()
		time.Sleep(5 * time.Second)
		if n := drawn.Load(); n != 3 {
			t.Errorf("drawn %d times in 3.5 s, want 3", n)
		}
	})
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0:00", 61900 * time.Millisecond: "1:01", 2 * time.Hour: "120:00"} {
		if got := Clock(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// 25 iterations in 10 s leave 30 s for 75 more. There is no estimate before the first iteration, nor after the last.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		done, rest int
		want       time.Duration
		ok         bool
	}{{25, 75, 30 * time.Second, true}, {0, 100, 0, false}, {100, 0, 0, false}} {
		if got, ok := left(10*time.Second, c.done, c.rest); got != c.want || ok != c.ok {
			t.Errorf("%d done, %d to do: %v, %v", c.done, c.rest, got, ok)
		}
	}
}
