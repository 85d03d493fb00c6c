package bound

import (
	"errors"
	"math"
	"testing"

	"likc/compiler/build"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
)

// TestMuchWorkIsAskedOfAnotherProcess: where there are no plugins, few trials are interpreted, and many are evaluated in another process,
// with the same results up to rounding.
func TestMuchWorkIsAskedOfAnotherProcess(t *testing.T) {
	withoutPlugins(t)
	m := parsed(t, "v - log(rt - t) * z - normcdf(a - v * (rt - t))^2 / (rt - t)^z")
	for trials, remote := range map[int]bool{100: false, 40_000: true} {
		columns, choice := simulated(t, trials)
		got, want := openAndBind(t, m, Auto, columns, choice), openAndBind(t, m, Ready, columns, choice)
		if is := got.(*Bound).IsRemote(); is != remote {
			t.Errorf("%d trials: in another process: %v", trials, is)
		}
		theta, g, w := []float64{0.5, 1.1, 0.45, 0.01}, make([]float64, 4), make([]float64, 4)
		x, y := got.LogLikGrad(theta, g), want.LogLikGrad(theta, w)
		if !(math.Abs(x-y) <= 1e-11*math.Abs(y)) {
			t.Errorf("%d trials: %v and %v", trials, x, y)
		}
		for j := range g {
			if !(math.Abs(g[j]-w[j]) <= 1e-11*(math.Abs(y)+math.Abs(w[j]))) {
				t.Errorf("%d trials, slope %d: %v and %v", trials, j, g[j], w[j])
			}
		}
	}
}

// TestWithoutGoMuchWorkIsInterpreted checks that Slow says why once much work is bound, and not before.
func TestWithoutGoMuchWorkIsInterpreted(t *testing.T) {
	withoutPlugins(t)
	t.Setenv("PATH", "")
	t.Setenv("LIKC_CACHE", t.TempDir())
	p, err := Open(parsed(t, "v - log(rt - t) * z - normcdf(a - v * (rt - t))^2 / (rt - t)^z"), Auto)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var missing *build.ToolchainError
	for _, trials := range []int{100, 40_000} {
		columns, choice := simulated(t, trials)
		b, err := p.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
		if err != nil {
			t.Fatal(err)
		}
		if b.IsRemote() || errors.As(p.Slow(), &missing) != (trials > 100) {
			t.Errorf("%d trials: in another process: %v; %v", trials, b.IsRemote(), p.Slow())
		}
	}
}

// withoutPlugins makes the test a program that can open no plugins.
func withoutPlugins(t *testing.T) {
	open := load.OpenPlugin
	load.OpenPlugin = nil
	t.Cleanup(func() { load.OpenPlugin = open })
}
