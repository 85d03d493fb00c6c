package fit

import (
	"context"
	"errors"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/store"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// fakeFit is a fit that has drawn and not yet written.
func fakeFit(t *testing.T, chainLengths ...int) (*fitRun, *fitted) {
	t.Helper()
	src, err := cli.ReadModel("expr2")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	d := &chains.Draws{Names: src.ParamNames()}
	for c, n := range chainLengths {
		trace := chains.NewTrace(4, n)
		for range n {
			for j, middle := range []float64{1, 1.2, 0.5, 0.2} {
				trace.Params[j] = append(trace.Params[j], middle+0.01*rng.NormFloat64())
			}
			trace.LogDensity, trace.AcceptStat = append(trace.LogDensity, 0), append(trace.AcceptStat, 1)
			trace.StepSize, trace.Energy = append(trace.StepSize, 1), append(trace.Energy, rng.NormFloat64())
			trace.TreeDepth, trace.Leapfrogs = append(trace.TreeDepth, 1), append(trace.Leapfrogs, 1)
			trace.Divergent = append(trace.Divergent, len(trace.Divergent) >= 50)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: trace})
	}
	dir := filepath.Join(t.TempDir(), "out")
	folder, err := store.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(folder.Discard)
	settings := nuts.DefaultSettings()
	settings.NumChains, settings.NumSamples = 2, 100
	r := &fitRun{fitFlags: &fitFlags{dir: dir}, src: src, settings: settings, target: dir, folder: folder}
	f := &fitted{job: job{columns: [][]float64{{0.7, 0.9, 1.3}}, choice: []float64{1, -1, 1}}}
	r.describe(t.Context(), f, d, nil)
	return r, f
}

func names(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, e := range entries {
		all[e.Name()] = true
	}
	return all
}

// Draws and summary come before figures: an interrupt leaves out the figures alone.
func TestInterruptLeavesOutFigures(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, f := fakeFit(t, 100, 100)
	r.write(ctx, f, 1)
	got := names(t, r.folder.Path)
	if f.written != nil || !errors.Is(f.figures, context.Canceled) || !got["chain_1.csv"] || !got["summary.json"] || got["trace.svg"] {
		t.Errorf("%v, %v: %v", f.written, f.figures, got)
	}
	r, f = fakeFit(t, 100, 100)
	r.write(t.Context(), f, 2)
	got = names(t, r.folder.Path)
	for _, figure := range fitFigures {
		if !got[figure+".svg"] {
			t.Errorf("no %s: %v, %v", figure, f.figures, f.written)
		}
	}
}

// Of unequal chains all is said of the draws that both have: of 60, and of the divergences among them, those from the 51st.
func TestPartsOfAFitAreMarked(t *testing.T) {
	r, f := fakeFit(t, 100, 60)
	if s := f.summary; !s.Partial || s.Draws != 60 || s.Divergences != 20 || s.DrawsPerChain[0] != 100 || s.DrawsPerChain[1] != 60 || f.summaries[0].PerChain != 60 {
		t.Errorf("%+v", s)
	}
	if _, f := fakeFit(t, 100, 100); f.summary.Partial || f.summary.Divergences != 100 {
		t.Errorf("a whole fit: %+v", f.summary)
	}
	if _, f := fakeFit(t, 100); !f.summary.Partial {
		t.Error("a chain is missing, and the fit is whole")
	}
	f.err = errors.New("chain 2: burnt")
	want := "chain 2: burnt; the other 2 chains kept in out"
	if err := r.missing(t.Context(), []*fitted{f}, []*fitted{f}); err == nil || err.Error() != want[:len(want)-3]+r.dir {
		t.Errorf("%v, want %s", err, want)
	}
}
