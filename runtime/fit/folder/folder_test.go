package folder

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// drawsNear returns two chains of 100 draws, normal around theta.
func drawsNear(names []string, theta []float64, sd float64) *chains.Draws {
	rng := rand.New(rand.NewPCG(5, 6))
	d := &chains.Draws{Names: names}
	for c := range 2 {
		trace := chains.NewTrace(len(theta), 100)
		for range 100 {
			for j, middle := range theta {
				trace.Params[j] = append(trace.Params[j], middle+sd*rng.NormFloat64())
			}
			trace.LogDensity, trace.AcceptStat = append(trace.LogDensity, 0), append(trace.AcceptStat, 1)
			trace.StepSize, trace.Energy = append(trace.StepSize, 1), append(trace.Energy, rng.NormFloat64())
			trace.TreeDepth, trace.Leapfrogs = append(trace.TreeDepth, 1), append(trace.Leapfrogs, 1)
			trace.Divergent = append(trace.Divergent, false)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: trace})
	}
	return d
}

// drawn returns a folder, and a result to be saved in it.
func drawn(t *testing.T) (*Folder, *fit.Result) {
	t.Helper()
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := fit.NewSpec(m, fit.Wishes{})
	if err != nil {
		t.Fatal(err)
	}
	d := drawsNear(m.ParamNames(), []float64{1, 1.2, 0.5, 0.2}, 0.01)
	simulate, err := fit.SimulatorOf(m, nil) // the model declares it
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(filepath.Join(t.TempDir(), "out"), Settings{Spec: spec, Simulator: simulate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	r := &fit.Result{Subject: fit.Subject{Columns: [][]float64{{0.7, 0.9, 1.3, 0.6, 0.8, 1}}, Choice: []float64{1, -1, 1, 1, 1, 1},
		Conditions: []string{"a", "a", "a", "a", "a", "a"}}, Draws: d}
	r.Summary = &fit.Summary{Format: fit.Format, Model: m.Name, Params: d.Summarise()}
	r.Study = unbound(t, spec, &r.Subject)
	return f, r
}

func unbound(t *testing.T, spec *fit.Spec, of *fit.Subject) *hierarchy.Study {
	t.Helper()
	study, err := spec.BeforeData(of)
	if err != nil {
		t.Fatal(err)
	}
	return study
}

func entriesOf(t *testing.T, dir string) map[string]bool {
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

// Draws and summary are written before figures, so an interrupt leaves out only figures.
func TestInterruptLeavesOutFigures(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, r := drawn(t)
	err := f.Save(ctx, r, 1)
	got := entriesOf(t, f.hidden.Path)
	if err != nil || !errors.Is(r.Figures, context.Canceled) || !got["chain_1.csv"] || !got["summary.json"] || got["trace.svg"] {
		t.Errorf("%v, %v: %v", err, r.Figures, got)
	}
	f, r = drawn(t)
	err = f.Save(t.Context(), r, 2)
	got = entriesOf(t, f.hidden.Path)
	for _, figure := range figures {
		if !got[figure+".svg"] {
			t.Errorf("no %s: %v, %v", figure, r.Figures, err)
		}
	}
}

// An incomplete fit does not replace an older fit, but a complete one does. A folder with other files is never replaced.
func TestPublish(t *testing.T) {
	f, r := drawn(t)
	dir := f.dir
	if where, err := f.Publish([]*fit.Result{{Err: errors.New("no density")}}); where != "" || err != nil {
		t.Errorf("nothing was kept: %q, %v", where, err)
	}
	f.Discard() // only one process may fill a folder at a time
	for _, c := range []struct {
		err, figures error
		want         string
	}{{nil, nil, dir}, {errors.New("chain 2: burnt"), nil, dir + ".partial"}, {nil, context.Canceled, dir + ".partial"}, {nil, nil, dir}} {
		g, err := New(dir, f.Settings)
		if err != nil {
			t.Fatal(err)
		}
		again := *r
		again.Err = c.err
		if err := g.Save(t.Context(), &again, 1); err != nil {
			t.Fatal(err)
		}
		again.Figures = c.figures
		where, err := g.Publish([]*fit.Result{&again})
		g.Discard()
		if where != c.want || err != nil || !entriesOf(t, where)["chain_2.csv"] {
			t.Errorf("%q, %v; want %q", where, err, c.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Check(dir); !errors.As(err, new(TakenError)) {
		t.Errorf("a folder that holds a letter: %v", err)
	}
}

func TestSubjectFoldersAreDistinctAndSafe(t *testing.T) {
	labels := []string{"0", "a/b", "a b", "..", ".", "a%2Fb", "ü", "s1", "S1", strings.Repeat("x", 300), strings.Repeat("x", 299), strings.Repeat("ü", 100)}
	seen := map[string]string{}
	for i, name := range names(labels) {
		if strings.ContainsAny(name, "/\\ .") || len(name) > 200 {
			t.Errorf("%q gives the folder %q", labels[i], name)
		}
		folded := strings.ToLower(name)
		if other, twice := seen[folded]; twice {
			t.Errorf("%q and %q both give %q on some file systems", labels[i], other, name)
		}
		seen[folded] = labels[i]
	}
	if seen["subject_0"] != "0" {
		t.Error("a plain label has a hash in its folder's name")
	}
}

// If a fit cannot be written, the error says how to continue if states of its chains are stored. Otherwise no folder is left.
func TestUnsavedFit(t *testing.T) {
	f, r := drawn(t)
	r.Summary, r.Unsaved = &fit.Summary{}, errors.New("no space left")
	work := f.states.dir
	if err := os.MkdirAll(work, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kept, want string }{
		{keyFile, "no space left"},
		{".1.state", "no space left; chains are kept beside it: when there is room, the same command with --resume goes on"},
	} {
		if err := os.WriteFile(filepath.Join(work, c.kept), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Publish([]*fit.Result{r}); err == nil || err.Error() != c.want {
			t.Errorf("with %s: %v, want %s", c.kept, err, c.want)
		}
	}
	f.Discard()
	if !f.states.any() {
		t.Error("the states of the chains are gone")
	}
	if err := os.Remove(filepath.Join(work, ".1.state")); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if _, err := os.Stat(work); err == nil {
		t.Error("a folder without a state stays")
	}
}
