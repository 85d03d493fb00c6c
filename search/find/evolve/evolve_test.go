package evolve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"likc/search/find/tree"
)

// quartic is an objective with one symbol, product one with three.
func quartic() *toy {
	return newToy([]string{"x"}, -1, 1, 20, func(x []float64) float64 {
		return x[0]*x[0]*x[0]*x[0] + x[0]*x[0]*x[0] + x[0]*x[0] + x[0]
	})
}

func product() *toy {
	return newToy([]string{"x", "y", "z"}, 0.5, 2, 30, func(x []float64) float64 {
		return x[0]*x[1]/x[2] + x[2]*x[2] - x[1]
	})
}

// small returns settings for quick tests.
func small(t testing.TB, preset string) Settings {
	s, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	s.Populations, s.Cycles, s.MaxSize, s.Budget, s.Threads = 5, 20, 20, 4000, 1
	s.StartSize, s.Ladder, s.Life = 9, 0, 0
	return s
}

func begin(t testing.TB, o Objective, s Settings) *Search {
	search, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	return search
}

// text returns everything that a search has found, in full precision.
func text(s *Search) string {
	var b strings.Builder
	for _, list := range [][]Entry{s.Front(), s.Archive()} {
		for _, e := range list {
			fmt.Fprintln(&b, e.Tree.Expr(s.objective.Symbols()), e.Loss, e.Terms, e.Niche, e.Evaluations)
		}
	}
	fmt.Fprintf(&b, "%+v\n", s.Counters())
	return b.String()
}

// difference is the first line in which two texts differ.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// niched puts a niche on a toy: whether an expression is close.
type niched struct{ *toy }

func (niched) Niche(terms []float64) uint16 {
	switch {
	case terms[0] < 0.1:
		return 2
	case terms[0] < 0.5:
		return 1
	}
	return 0
}

func TestThreadsChangeNothing(t *testing.T) {
	for _, preset := range Presets {
		var first string
		for _, threads := range []int{1, 2, 5} {
			s := small(t, preset)
			s.Threads = threads
			search := begin(t, niched{product()}, s)
			search.Run(context.Background(), nil)
			if got := text(search); first == "" {
				first = got
			} else if got != first {
				t.Errorf("%s, %d threads: %s", preset, threads, difference(got, first))
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for seed := range 4 {
		s := small(t, "likc")
		s.Seed = uint64(seed)
		search := begin(t, product(), s)
		search.Run(context.Background(), nil)
		seen[text(search)] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 seeds gave %d results", len(seen))
	}
}

// The number of evaluations equals the budget, and each candidate is counted once.
func TestBudgetAndCounters(t *testing.T) {
	for _, preset := range Presets {
		for _, budget := range []int64{1, 7, 1234} {
			s := small(t, preset)
			s.Budget = budget
			search := begin(t, product(), s)
			if reason := search.Run(context.Background(), nil); reason != Spent {
				t.Fatalf("%s: the run ended by %s", preset, reason)
			}
			c := search.Counters()
			if c.Full != budget {
				t.Errorf("%s: %d evaluations, want %d", preset, c.Full, budget)
			}
			sum := c.Infeasible + c.Memo + c.Semantic + c.NonFinite + c.Staged + c.Full + c.Unscored
			if c.Drawn != sum || c.Useful+c.Repeated+c.Rejected > c.Full {
				t.Errorf("%s: %+v does not add up: %d drawn, %d told", preset, c, c.Drawn, sum)
			}
		}
	}
}

// A run that is interrupted at every third epoch, saved and restored gives the same result as an uninterrupted one. An interrupt
// drops the epoch under way.
func TestResumeIsExact(t *testing.T) {
	for _, preset := range Presets {
		o := niched{product()}
		s := small(t, preset)
		s.Ladder, s.Life = 0.5, 7
		whole := begin(t, o, s)
		whole.Run(context.Background(), nil)
		part := begin(t, o, s)
		for part.finished() == "" {
			ctx, cancel := context.WithCancel(context.Background())
			epochs := 0
			part.Run(ctx, func(Snapshot) {
				if epochs++; epochs == 3 {
					time.AfterFunc(100*time.Microsecond, cancel)
				}
			})
			cancel()
			part = restored(t, part, o)
		}
		if got, want := text(part), text(whole); got != want {
			t.Errorf("%s, resumed: %s", preset, difference(got, want))
		}
		if !bytes.Equal(saved(t, part), saved(t, whole)) {
			t.Errorf("%s: the final states differ", preset)
		}
	}
}

func saved(t *testing.T, s *Search) []byte {
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func restored(t *testing.T, s *Search, o Objective) *Search {
	again, err := Restore(bytes.NewReader(saved(t, s)), o)
	if err != nil {
		t.Fatal(err)
	}
	again.SetThreads(2)
	return again
}

func TestRestoreRefuses(t *testing.T) {
	search := begin(t, product(), small(t, "likc"))
	search.settings.Budget = 300
	search.Run(context.Background(), nil)
	state := saved(t, search)
	flipped := bytes.Clone(state)
	flipped[len(flipped)-9] ^= 4
	for name, c := range map[string]struct {
		state []byte
		want  string
	}{
		"empty":     {nil, "not the state of a search"},
		"foreign":   {[]byte("Complexity,Loss,Equation\n1,2,x\n"), "not the state of a search"},
		"older":     {[]byte("likc search state 1\n" + string(state[len(magic):])), `format "1": this likc reads format 2`},
		"header":    {state[:len(magic)+3], "truncated"},
		"truncated": {state[:len(state)-1], "truncated"},
		"damaged":   {flipped, "damaged"},
	} {
		if _, err := Restore(bytes.NewReader(c.state), product()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := Restore(bytes.NewReader(state), quartic()); err == nil || !strings.Contains(err.Error(), "another objective") {
		t.Errorf("another objective: error %v", err)
	}
}

// slow is an objective whose evaluations take a millisecond.
type slow struct{ *toy }

type slowScorer struct{ Scorer }

func (s slow) NewScorer() Scorer { return slowScorer{s.toy.NewScorer()} }

func (s slowScorer) Fingerprint(t tree.Tree) (uint64, bool) {
	time.Sleep(time.Millisecond)
	return s.Scorer.Fingerprint(t)
}

// A deadline in the middle of an epoch leaves the state after the last complete epoch.
func TestDeadlineLeavesTheLastBarrier(t *testing.T) {
	s := small(t, "likc")
	s.Cycles = 10000
	search := begin(t, slow{product()}, s)
	before := saved(t, search)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if reason := search.Run(ctx, nil); reason != Deadline {
		t.Fatalf("the run ended by %s", reason)
	}
	if !bytes.Equal(before, saved(t, search)) {
		t.Error("a part of an epoch is in the state")
	}
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	if reason := search.Run(ctx, nil); reason != Interrupted {
		t.Errorf("the run ended by %s", reason)
	}
}

func TestExhausted(t *testing.T) {
	s := small(t, "likc")
	s.MaxSize, s.StartSize = 2, 2
	search := begin(t, quartic(), s)
	if reason := search.Run(context.Background(), nil); reason != Exhausted {
		t.Errorf("the run ended by %s", reason)
	}
	// x, exp(x) and x^2 are finite on all rows; islands do not know of each other's finds in the first epoch
	if c := search.Counters(); c.Full < 3 || c.Full > 3*5 {
		t.Errorf("%d evaluations in a space of 3", c.Full)
	}
}

func TestGuess(t *testing.T) {
	search := begin(t, quartic(), small(t, "likc"))
	guess := parse(t, "x + x*x + x*(x*x) + x^2*x^2", []string{"x"})
	if err := search.Guess(guess); err != nil {
		t.Fatal(err)
	}
	search.Run(context.Background(), nil)
	if front := search.Front(); front[len(front)-1].Loss > 1e-20 {
		t.Errorf("the guess is lost: %v", front)
	}
	if err := search.Guess(guess); err == nil {
		t.Error("a guess was taken after the start")
	}
	fresh := begin(t, quartic(), small(t, "likc"))
	if err := fresh.Guess(parse(t, "log(log(x))", []string{"x"})); err == nil {
		t.Error("a guess that breaks a constraint was taken")
	}
}

// Each dealt tree goes to one island, and the search continues from it.
func TestDeal(t *testing.T) {
	search := begin(t, quartic(), small(t, "likc"))
	found := parse(t, "x + x*x + x*(x*x) + x^2*x^2", []string{"x"})
	if err := search.Deal([]tree.Tree{parse(t, "x + x*x", []string{"x"}), found}); err != nil {
		t.Fatal(err)
	}
	if a, ok := search.guessed(1, 0); !ok || !a.Equal(found) {
		t.Errorf("island 1 begins with %v", a.Codes)
	}
	if a, ok := search.guessed(2, 0); ok {
		t.Errorf("island 2 begins with %v", a.Codes)
	}
	search.Run(context.Background(), nil)
	if front := search.Front(); front[len(front)-1].Loss > 1e-20 {
		t.Errorf("what was dealt is lost: %v", front)
	}
}

func TestSettingsRoundTrip(t *testing.T) {
	for _, preset := range Presets {
		s := small(t, preset)
		s.Required, s.Threads = []string{}, 0
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Settings
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(back)
		if string(again) != string(text) || back.Required == nil || back.Check() != nil {
			t.Errorf("%s came back as %s", text, again)
		}
	}
}

func TestSettingsCheck(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"budget":            func(s *Settings) { s.Budget = -1 },
		"max_size":          func(s *Settings) { s.MaxSize = 0 },
		"populations":       func(s *Settings) { s.Populations = 0 },
		"tournament_size":   func(s *Settings) { s.TournamentSize = 28 },
		"tournament_p":      func(s *Settings) { s.TournamentP = 0 },
		"crossover":         func(s *Settings) { s.Crossover = 1.5 },
		"weights":           func(s *Settings) { s.Weights = Weights{} },
		"constants":         func(s *Settings) { s.Constants = "maybe" },
		"argument_size":     func(s *Settings) { s.ArgumentSize = map[string]int{"nonsense": 3} },
		"nesting":           func(s *Settings) { s.Nesting = map[string][]string{"exp": {"nonsense"}} },
		"operators":         func(s *Settings) { s.Operators = []string{"nonsense"} },
		"unknown symbol":    func(s *Settings) { s.Required = []string{"nonsense"} },
		"cannot fit":        func(s *Settings) { s.Constants = Fitted },
		"alone need 5":      func(s *Settings) { s.MaxSize, s.StartSize = 4, 4 },
		"unknown or takes":  func(s *Settings) { s.Operators = []string{"fma"} },
		"hall_fraction":     func(s *Settings) { s.HallFraction = -1 },
		"frequency_scaling": func(s *Settings) { s.FrequencyScaling = -1 },
	} {
		s, _ := Preset("likc")
		change(&s)
		if _, err := New(product(), s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Preset("nonsense"); err == nil {
		t.Error("there is a preset called nonsense")
	}
}
