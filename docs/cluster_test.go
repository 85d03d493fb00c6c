package docs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/search/study/applied"
	"likc/search/work/pipeline"
	"likc/search/work/recipe"
)

// Processor seconds of units on one core of an AMD EPYC with AVX-512. Those of searches and verdicts are of whole runs; those of the
// checks are of 6 to 10 subjects or simulations, in proportion.
var measured = map[string]float64{
	"teacher": 60,
	"gate":    60,
	"search":  120,
	"polish":  360,  // 16 climbs of 6000 evaluations
	"judge":   1.53, // a formula, fitted to 60 subjects
	"screen":  0.1,  // a formula
	"refit":   12,   // a formula
	"holdout": 10,   // a formula
	"rows":    5,
	"ppc":     60,
	"sbc":     0.1, // a simulation
	"audit":   60,
	"applied": 3, // a fit of a study under a formula
	"speed":   60,
}

// forms is how many formulas a search's front has, and how many of all are fitted again.
const (
	forms   = 22
	refits  = 60
	heldOut = 13
	passing = 494 // number of expressions that pass
)

// work is a task of the simulated cluster.
type work struct {
	seconds float64
	after   []string
	here    bool // on the machine that steers
	parts   int
}

// paperWork is the paper's pipeline with the measured times, in the order of the plan.
func paperWork(t *testing.T) (names []string, all map[string]work) {
	t.Helper()
	r, err := recipe.Open("paper")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(func(name string) (string, error) { return filepath.Join("/", name), nil })
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]work{}
	for i, u := range plan.Units {
		w := work{here: u.Light, parts: 1, seconds: 1}
		if !u.Light {
			w.seconds, w.parts = costOf(t, u, i)
		}
		for _, in := range u.Inputs {
			if in.Path == "" {
				w.after = append(w.after, in.Unit)
			}
		}
		names, all[u.Name] = append(names, u.Name), w
	}
	return names, all
}

// costOf is the time of a unit and the number of its parts. Searches differ by a fifth either way.
func costOf(t *testing.T, u pipeline.Unit, i int) (seconds float64, parts int) {
	each, ok := measured[u.Stage]
	if !ok {
		t.Fatalf("%s: no time is known", u.Name)
	}
	searches := 100.0
	switch u.Stage {
	case "search":
		return each * (0.8 + 0.4*float64(i*37%100)/99), 1
	case "judge":
		return each * forms, 2
	case "screen":
		return each * forms * searches, 5
	case "refit":
		return each * refits, 24
	case "holdout":
		return each * heldOut, 7
	case "sbc":
		return each * 11 * 200, 44
	case "applied": // one takes the best 100, the other all that pass; with each two models
		fits := passing + 2
		if u.Name == "applied/full" {
			fits = 102
		}
		return each * float64(fits), applied.CountParts(fits)
	}
	return each, 1
}

// simulate runs the work on so many cores: a task starts when a core is free, its inputs are there, and the queue has noticed, which takes
// lag seconds. It returns the seconds until all is done.
func simulate(names []string, all map[string]work, cores int, lag float64) float64 {
	free := make([]float64, cores)
	done := map[string]float64{}
	left := slices.Clone(names)
	for len(left) > 0 {
		ready := func(name string) float64 {
			at := 0.0
			for _, in := range all[name].after {
				end, ok := done[in]
				if !ok {
					return -1
				}
				at = max(at, end)
			}
			return at
		}
		// Of what can be done, the earliest first.
		best := slices.MinFunc(left, func(a, b string) int {
			x, y := ready(a), ready(b)
			if (x < 0) != (y < 0) {
				return cmp.Compare(y, x)
			}
			return cmp.Compare(x, y)
		})
		w, at := all[best], ready(best)
		if w.here {
			done[best] = at + w.seconds
		}
		for range w.parts {
			if w.here {
				break
			}
			k := slices.Index(free, slices.Min(free))
			free[k] = max(free[k], at+lag) + w.seconds/float64(w.parts)
			done[best] = max(done[best], free[k])
		}
		left = slices.DeleteFunc(left, func(name string) bool { return name == best })
	}
	end := 0.0
	for _, at := range done {
		end = max(end, at)
	}
	return end
}

// TestPlan: the table of costs is what the simulation gives.
func TestPlan(t *testing.T) {
	names, all := paperWork(t)
	total, tasks := 0.0, 0
	for _, w := range all {
		total += w.seconds
		if !w.here {
			tasks += w.parts
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| cores | wall time, no waiting | 20 s of waiting a step | 5 min a step | share of the cores at work |\n| --- | --- | --- | --- | --- |\n")
	for _, cores := range []int{2, 10, 100, 1000} {
		quick, usual, slow := simulate(names, all, cores, 0), simulate(names, all, cores, 20), simulate(names, all, cores, 300)
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %.0f %% |\n", cores, duration(quick), duration(usual), duration(slow), 100*total/usual/float64(cores))
		if quick < total/float64(cores)*0.999 || usual < quick || slow < usual {
			t.Errorf("%d cores: %v, %v, %v for %v s of work", cores, quick, usual, slow, total)
		}
	}
	table := fmt.Sprintf("All of it is %.1f core-hours in %d tasks.\n\n%s", total/3600, tasks, b.String())
	checkBlock(t, "how-to/cluster.md", "plan", table)
}

func duration(seconds float64) string {
	minutes := int(seconds/60 + 0.5)
	if minutes < 60 {
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
}

// checkBlock compares what a page has between two comments with what it should have, or writes that.
func checkBlock(t *testing.T, file, name, want string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	begin := strings.Index(text, "<!-- "+name)
	begin += strings.Index(text[max(begin, 0):], "\n") + 1
	end := strings.Index(text, "<!-- end of "+name)
	if begin < 1 || end < begin {
		t.Fatalf("%s has no place for %s", file, name)
	}
	if *update {
		if err := os.WriteFile(file, []byte(text[:begin]+want+text[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text[begin:end] != want {
		t.Errorf("%s of %s is not what it should be: rewrite it with -update; want\n%s", name, file, want)
	}
}
