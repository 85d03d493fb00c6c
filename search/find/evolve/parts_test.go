package evolve

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/search/find/tree"

	"pgregory.net/rapid"
)

// A table behaves like a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x table[int]
		want := map[uint64]int{}
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(1, 20))
		for i := range rapid.IntRange(0, 2000).Draw(t, "n") {
			k := key.Draw(t, "key")
			if k == 0 {
				k = 1
			}
			x.put(k, i)
			want[k] = i
		}
		keys, values := x.sorted()
		if x.n != len(want) || len(keys) != len(want) || !slices.IsSorted(keys) {
			t.Fatalf("%d entries, want %d", x.n, len(want))
		}
		for i, k := range keys {
			if v, ok := x.get(k); !ok || v != want[k] || values[i] != v {
				t.Fatalf("key %d has %d, want %d", k, v, want[k])
			}
		}
		if _, ok := x.get(key.Draw(t, "other")); ok && x.n == 0 {
			t.Fatal("an empty table holds a key")
		}
		if x.clear(); x.n != 0 {
			t.Fatal("not empty after clear")
		}
		for k := range want {
			if _, ok := x.get(k); ok {
				t.Fatal("a key outlives clear")
			}
		}
	})
}

// rivals returns a worker with a population of members of the same size and the given losses.
func rivals(t *testing.T, losses []float64, change func(*Settings)) *worker {
	w := bench(t, "pysr", func(s *Settings) {
		s.PopulationSize, s.Top = len(losses), 1
		change(s)
	})
	for _, l := range losses {
		w.out.Members = append(w.out.Members, member{Tree: tree.Tree{Codes: []tree.Code{0}}, Loss: l})
	}
	return w
}

// The k-th best of a tournament, from 0, wins with probability proportional to p(1-p)^k. The best of 27 members is drawn into a
// tournament of 15 with probability 15/27.
func TestTournament(t *testing.T) {
	const draws = 200000
	losses := rand.New(rand.NewPCG(1, 1)).Perm(27)
	var list []float64
	for _, l := range losses {
		list = append(list, float64(l))
	}
	wins := make([]float64, 27)
	w := rivals(t, list, func(s *Settings) { s.TournamentSize, s.TournamentP, s.FrequencyScaling = 15, 0.9, 0 })
	for range draws {
		wins[int(w.tournament().Loss)]++
	}
	norm := 1 - math.Pow(0.1, 15)
	drawn := func(n, k float64) float64 { return n / k }
	best := drawn(15, 27) * 0.9 / norm
	// the second best of all: first of the tournament where the best is absent, second where both are there
	second := drawn(15, 27)*drawn(12, 26)*0.9/norm + drawn(15, 27)*drawn(14, 26)*0.09/norm
	for k, p := range []float64{best, second} {
		if sd := math.Sqrt(p * (1 - p) / draws); abs(wins[k]/draws-p) > 5*sd {
			t.Errorf("place %d wins %v of the tournaments, want %v", k, wins[k]/draws, p)
		}
	}
}

// Adaptive parsimony multiplies a loss by exp(scaling × share of its size). So of two sizes, the rarer one wins until its loss is
// larger by the ratio of these factors.
func TestTournamentPrefersRareSizes(t *testing.T) {
	w := rivals(t, []float64{1, 1}, func(s *Settings) { s.TournamentSize, s.TournamentP, s.FrequencyScaling = 2, 1, 10 })
	w.out.Members[1].Tree = parse(t, "x + y", w.symbols)
	f := &w.search.frequency
	for range 50 {
		f.count(w.out.Members[:1])
	}
	f.weigh(10)
	sum := 50.0 + 51 - 1 // all counts begin at 1; sizes 1 to 50
	ratio := math.Exp(10 * (51/sum - 1/sum))
	for _, c := range []struct{ loss, want float64 }{{0.99 * ratio, 0.99 * ratio}, {1.01 * ratio, 1}} {
		w.out.Members[1].Loss = c.loss
		if got := w.tournament().Loss; got != c.want {
			t.Errorf("a rare member of loss %v: loss %v wins, want %v", c.loss, got, c.want)
		}
	}
}

func TestFrequencyWindow(t *testing.T) {
	f := newFrequency(10, 1)
	members := []member{{Tree: tree.Tree{Codes: make([]tree.Code, 3)}}, {Tree: tree.Tree{Codes: make([]tree.Code, 7)}}}
	for range 500 {
		f.count(members)
		f.shrink(100)
	}
	sum := 0.0
	for _, c := range f.Count[1:] {
		sum += c
		if c < 1 {
			t.Errorf("a count of %v", c)
		}
	}
	if abs(sum-100) > 1e-9 || abs(f.Count[3]-f.Count[7]) > 1e-9 || f.Count[3] < 40 {
		t.Errorf("counts %v", f.Count)
	}
}

func TestPoisson(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, mean = 100000, 1.66
	sum, squares := 0.0, 0.0
	for range n {
		x := float64(poisson(r, mean))
		sum += x
		squares += x * x
	}
	m := sum / n
	if v := squares/n - m*m; abs(m-mean) > 0.03 || abs(v-mean) > 0.06 {
		t.Errorf("mean %v, variance %v, want %v", m, v, mean)
	}
}

// The first members have every required symbol, and no two have the same values.
func TestStart(t *testing.T) {
	s := small(t, "likc")
	s.Cycles, s.HallFraction = 1, 0
	search := begin(t, product(), s)
	for range 3 {
		search.settings.Budget = search.Counters().Full + 1000
		ctx, cancel := context.WithCancel(context.Background())
		search.Run(ctx, func(Snapshot) { cancel() })
	}
	for _, i := range search.islands {
		prints := map[uint64]bool{}
		for _, m := range i.Members {
			if m.Tree.Symbols() != 7 || math.IsInf(m.Loss, 1) {
				t.Errorf("%v has loss %v", m.Tree.Expr(search.rules.symbols), m.Loss)
			}
			prints[m.Print] = true
		}
		if len(i.Members) != s.PopulationSize || len(prints) != len(i.Members) {
			t.Errorf("%d members, %d with values of their own", len(i.Members), len(prints))
		}
	}
}

// Members of the islands of the ladder are not larger than their islands' limits, also after migration. The other islands have
// all sizes.
func TestLadder(t *testing.T) {
	s := small(t, "likc")
	s.Ladder, s.Populations, s.MigrationFraction, s.HallFraction = 0.5, 8, 0.05, 0.05
	search := begin(t, product(), s)
	largest := make([]int, 8)
	search.Run(context.Background(), func(Snapshot) {
		for i, island := range search.islands {
			for _, m := range island.Members {
				largest[i] = max(largest[i], m.Size())
			}
		}
	})
	for i, want := range []int{9, 11, 14, 17, 20, 20, 20, 20} { // limits go from StartSize to MaxSize
		if largest[i] > want || largest[i] < want-2 {
			t.Errorf("island %d has sizes to %d, want %d", i, largest[i], want)
		}
	}
}

// Each island starts again when its life ends, each at a different epoch. In the first half of its life, it gets no migrants.
func TestLife(t *testing.T) {
	s := small(t, "likc")
	s.Life, s.Populations, s.HallFraction = 10, 5, 1
	search := begin(t, product(), s)
	var births [5][]int
	search.Run(context.Background(), func(sn Snapshot) {
		for i, island := range search.islands {
			if len(island.Members) == 0 {
				births[i] = append(births[i], sn.Epoch)
			}
		}
	})
	for i, epochs := range births {
		for k, epoch := range epochs {
			if epoch != epochs[0]+10*k || (epoch+2*i)%10 != 0 {
				t.Errorf("island %d began anew in epochs %v", i, epochs)
			}
		}
		if len(epochs) < 2 {
			t.Errorf("island %d began anew in epochs %v", i, epochs)
		}
	}
	for age, want := range []bool{true, true, true, true, true, false, false, false, false, false} {
		if got := s.sheltered(0, 20+age); got != want {
			t.Errorf("at age %d sheltered %v, want %v", age, got, want)
		}
	}
}

// In the likc preset, most full evaluations are useful; in PySR's, few are.
func TestUsefulShare(t *testing.T) {
	share := map[string]float64{}
	for _, preset := range Presets {
		s := small(t, preset)
		s.Budget, s.MaxSize = 20000, 50
		search := begin(t, product(), s)
		search.Run(context.Background(), nil)
		share[preset] = search.Counters().UsefulShare()
	}
	if share["likc"] < 0.6 || share["pysr"] > 0.5 {
		t.Errorf("useful shares %v", share)
	}
}
