package objective_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"likc/compiler/expr"
	"likc/search/find/objective"
	"likc/search/find/tree"
)

// candidates returns trees that are like those of a search: random ones, and recombined parts of published expressions, written
// with the operators that a search draws.
func candidates(t testing.TB, n int) []tree.Tree {
	rng := rand.New(rand.NewPCG(21, 22))
	set := tree.Searchable(5)
	var pool []tree.Tree
	for _, text := range []string{
		"(a - (rt - t)*((a^2*exp(-(z + z))/(rt - t) - v)^2 + exp(z^2)))/a",
		"sqrt(z) + z - a^2/(a + v^2) - (rt - t)*(z*(v - exp(a)/exp(z + z + z + z)/(rt - t))^2 + exp(z^2)/(a*sqrt(a)))",
		"log(a/sqrt(rt - t)) - (a - v*(rt - t))^2/(rt - t) - z",
	} {
		e := written(t, text, model(t, "expr2")).LogLik
		e = expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
			if n.Op == expr.Neg { // the search does not draw Neg
				zero := expr.New(expr.Sub, expr.Var("z"), expr.Var("z"))
				return expr.New(expr.Sub, zero, args[0])
			}
			return n.With(args)
		})
		x, err := tree.FromExpr(e, []string{"v", "a", "z", "t", "rt"})
		if err != nil {
			t.Fatal(err)
		}
		pool = append(pool, x)
	}
	for len(pool) < n {
		if rng.IntN(3) == 0 {
			var x tree.Tree
			set.Random(rng, &x, 3+rng.IntN(30))
			pool = append(pool, x)
			continue
		}
		a, b := pool[rng.IntN(min(len(pool), 40))], pool[rng.IntN(len(pool))]
		i, j := rng.IntN(a.Size()), rng.IntN(b.Size())
		codes := slices.Concat(a.Codes[:a.Starts(nil)[i]], b.Codes[b.Starts(nil)[j]:j+1], a.Codes[i+1:])
		if len(codes) <= 50 {
			pool = append(pool, tree.Tree{Codes: codes})
		}
	}
	return pool
}

// everySetting returns settings by name. Together they use each stage of scoring.
func everySetting(t testing.TB) map[string]func() (objective.Rows, objective.Settings) {
	both, err := teacherTrain()
	if err != nil {
		t.Fatal(err)
	}
	improved := func() (objective.Rows, objective.Settings) {
		r, s := rows(t), objective.Improved()
		r.Both = both
		s.JointGroups, s.JointTrials, s.Lambda = 20, 20, 0.2 // Lambda is small, so that the distance alone can end the scoring of a bad expression
		return r, s
	}
	return map[string]func() (objective.Rows, objective.Settings){
		"paper":    func() (objective.Rows, objective.Settings) { return rows(t), objective.Paper() },
		"improved": improved,
		"single": func() (objective.Rows, objective.Settings) {
			r, s := improved()
			s.Single = true
			return r, s
		},
		"reject": func() (objective.Rows, objective.Settings) {
			s := objective.Paper()
			s.NonFinite, s.Lambda = objective.Reject, 0
			return rows(t), s
		},
	}
}

// A limit does not change a loss that is not above it, nor the terms of that loss. A loss above the limit stays above it.
func TestStagesChangeNothing(t *testing.T) {
	trees := candidates(t, 400)
	for name, setting := range everySetting(t) {
		r, s := setting()
		l := loss(t, r, model(t, "expr2"), s)
		full, staged := l.NewScorer(), l.NewScorer()
		terms, again := make([]float64, len(l.Terms())), make([]float64, len(l.Terms()))
		rng, under := rand.New(rand.NewPCG(31, 32)), 0
		for _, x := range trees {
			want := full.Score(x, math.Inf(1), terms)
			beforeJoint := want
			if s.JointWeight > 0 && !math.IsInf(want, 1) {
				n := len(terms)
				beforeJoint -= s.Lambda*s.JointWeight*(1-jointRecovery(terms[n-10:n-2], s)) + 1e-6
			}
			for _, limit := range []float64{want, math.Nextafter(want, 0), beforeJoint, want - 0.1*rng.Float64(), want * (0.5 + rng.Float64()), 1.5} {
				got := staged.Score(x, limit, again)
				if want <= limit {
					under++
					if got != want || !slices.EqualFunc(terms, again, same) {
						t.Fatalf("%s: %v under limit %v: %v %v, in full %v %v", name, x.Codes, limit, got, again, want, terms)
					}
				} else if !(got > limit) {
					t.Fatalf("%s: %v under limit %v: %v, in full %v", name, x.Codes, limit, got, want)
				}
			}
		}
		c := staged.(objective.Counter).Counts()
		if under < 200 || c.StoppedEarly == 0 || c.StoppedData == 0 || s.Lambda > 0 && c.StoppedProxy == 0 ||
			s.JointWeight > 0 && (c.StoppedJoint == 0 || c.Joint == 0) || c.Rejected == 0 || c.RowsEvaluated >= c.RowsAsked || c.Columns.Shared == 0 {
			t.Errorf("%s: %d under their limit: a stage is not used: %+v", name, under, c)
		}
	}
}

func same(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// A score does not depend on what the scorer scored before. JointFrom is so low that each finite expression reaches the joint
// proxy, and JointPoints
// so small that its trials are condensed.
func TestScorersForget(t *testing.T) {
	for name, setting := range everySetting(t) {
		r, s := setting()
		if s.JointWeight > 0 {
			s.JointFrom, s.JointTrials, s.JointPoints = -10, 20, 8
		}
		l := loss(t, r, model(t, "expr2"), s)
		trees := candidates(t, 60)
		a, b := l.NewScorer(), l.NewScorer()
		losses, terms, again := make([]float64, len(trees)), make([][]float64, len(trees)), make([]float64, len(l.Terms()))
		for i, x := range trees {
			terms[i] = make([]float64, len(again))
			losses[i] = a.Score(x, math.Inf(1), terms[i])
			a.Fingerprint(trees[0])
		}
		for i := len(trees) - 1; i >= 0; i-- {
			if got := b.Score(trees[i], math.Inf(1), again); got != losses[i] || !slices.EqualFunc(terms[i], again, same) {
				t.Fatalf("%s: tree %d scores %v of %v, then %v of %v", name, i, losses[i], terms[i], got, again)
			}
		}
		c := a.(objective.Counter).Counts()
		if s.JointWeight > 0 && c.Joint < 10 {
			t.Errorf("%s: %d of %d trees got to the joint proxy", name, c.Joint, len(trees))
		}
		if s.NonFinite != objective.Reject && c.Rejected == 0 || c.RowsEvaluated > c.RowsAsked {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// With JointNeeded, an expression that does not reach the joint proxy is rejected, and all other scores stay the same.
func TestJointNeeded(t *testing.T) {
	r, s := everySetting(t)["improved"]()
	free := loss(t, r, model(t, "expr2"), s)
	s.JointNeeded = true
	needed := loss(t, r, model(t, "expr2"), s)
	a, b, rejected := free.NewScorer(), needed.NewScorer(), 0
	terms, again := make([]float64, len(free.Terms())), make([]float64, len(free.Terms()))
	trees := candidates(t, 300)
	for _, x := range trees {
		want, got := a.Score(x, math.Inf(1), terms), b.Score(x, math.Inf(1), again)
		profiles := 0.0
		for j := range 4 {
			profiles += (terms[2+j] - terms[6+j]) / 4
		}
		if profiles < s.JointFrom && !math.IsInf(want, 1) {
			rejected++
			want = math.Inf(1)
		}
		if got != want || !math.IsInf(want, 1) && !slices.Equal(terms, again) {
			t.Errorf("%v: %v %v, want %v %v: profiles %.3f", x.Codes, got, again, want, terms, profiles)
		}
	}
	before, after := a.(objective.Counter).Counts(), b.(objective.Counter).Counts()
	if rejected < 20 || after.Joint < 5 || after.Joint != before.Joint || after.Rejected != before.Rejected+int64(rejected) {
		t.Errorf("%d of %d rejected: %+v, before %+v", rejected, len(trees), after, before)
	}
	if !objective.Polish().JointNeeded {
		t.Error("a climb may begin at what the joint proxy does not look at")
	}
	if s.Lambda = 0; s.Check() == nil {
		t.Error("a joint proxy that is needed and never looked at")
	}
}

// Several scorers of one loss can work at the same time.
func TestScorersAtOnce(t *testing.T) {
	r, s := everySetting(t)["improved"]()
	l := loss(t, r, model(t, "expr2"), s)
	trees := candidates(t, 30)
	var results [3][]float64
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			scorer, terms := l.NewScorer(), make([]float64, len(l.Terms()))
			for _, x := range trees {
				results[i] = append(results[i], scorer.Score(x, math.Inf(1), terms))
			}
		})
	}
	wait.Wait()
	if !slices.Equal(results[0], results[1]) || !slices.Equal(results[0], results[2]) {
		t.Error("scorers differ")
	}
}

func TestNoMemory(t *testing.T) {
	trees := candidates(t, 20)
	for name, setting := range everySetting(t) {
		r, s := setting()
		l := loss(t, r, model(t, "expr2"), s)
		scorer, terms := l.NewScorer(), make([]float64, len(l.Terms()))
		n := testing.AllocsPerRun(2, func() {
			for _, x := range trees {
				scorer.Score(x, math.Inf(1), terms)
				scorer.Fingerprint(x)
				l.Niche(terms)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// B counts the model's symbols that are missing from the simplified expression, and the constant leaves of the expression as it is written.
// Constants that simplification makes do not count.
func TestViolations(t *testing.T) {
	l := loss(t, rows(t), model(t, "expr2"), objective.Paper())
	for text, want := range map[string]int{
		"v + a + z + t + rt":                   0,
		"v + v + a + z + t + rt":               0,
		"v + a + z + t":                        1,
		"v - v + a + z + t + rt":               1,
		"(rt - t)/(rt - t) + v*a*z":            2,
		"v + a + z + t + sqrt((rt - t)^2)":     1, // rt is above t
		"v + a + z + t + rt + 0.5":             1,
		"2*v + 3*a + z/z + t + rt":             3,
		"exp(log(rt - t)) - (rt - t) + v*a/z":  2,
		"sqrt(z^2) - z + v + a + t*rt + (a-a)": 0, // z may be negative, for all that is known
	} {
		x := treeOf(t, written(t, text, model(t, "expr2")))
		if got := l.Violations(x); got != want {
			t.Errorf("%s: %d violations, want %d", text, got, want)
		}
		value, terms := l.Exact(x)
		if b := terms[len(terms)-1]; b != float64(want) || !(math.Abs(value-terms[0]-(1-terms[len(terms)-2])-1000*b) <= 1e-9) {
			t.Errorf("%s: loss %v of %v", text, value, terms)
		}
	}
}

// In float32, the terms differ by rounding: the distance in the seventh digit, and sometimes the estimate in a group.
func TestSingle(t *testing.T) {
	r := rows(t)
	s := objective.Paper()
	double := loss(t, r, model(t, "expr2"), s)
	s.Single = true
	single := loss(t, r, model(t, "expr2"), s)
	a, b := double.NewScorer(), single.NewScorer()
	x, y := make([]float64, len(double.Terms())), make([]float64, len(double.Terms()))
	compared, moved := 0, 0
	worst := 0.0
	for _, c := range candidates(t, 600) {
		f, g := a.Score(c, math.Inf(1), x), b.Score(c, math.Inf(1), y)
		if math.IsInf(f, 1) || math.IsInf(g, 1) || x[0] > 100 {
			continue
		}
		compared++
		worst = max(worst, math.Abs(x[0]-y[0])/x[0])
		if math.Abs(x[9]-y[9]) > 1e-6 {
			moved++
		}
	}
	t.Logf("of %d: R differs in %d, MSE by at most %.2g of itself", compared, moved, worst)
	if compared < 100 || moved > compared/20 || worst > 1e-3 {
		t.Errorf("of %d: R differs in %d, MSE by at most %.2g of itself", compared, moved, worst)
	}
}

// Equal fingerprints mean equal values: candidates that share one have the same loss. A few differ only on rows that are not among the probe rows,
// from which fingerprints are made.
func TestFingerprint(t *testing.T) {
	l := loss(t, rows(t), model(t, "expr2"), objective.Paper())
	scorer, terms := l.NewScorer(), make([]float64, len(l.Terms()))
	seen := map[uint64]float64{}
	matches, wrong := 0, 0
	for _, x := range candidates(t, 4000) {
		h, ok := scorer.Fingerprint(x)
		if !ok {
			continue
		}
		value := scorer.Score(x, math.Inf(1), terms) - 1000*terms[len(terms)-1]
		if before, known := seen[h]; known && !math.IsInf(before, 1) {
			matches++
			if math.Abs(value-before) > 1e-3*(1+math.Abs(before)) {
				wrong++
			}
		}
		seen[h] = value
	}
	t.Logf("%d expressions, %d matches, %d of them with another loss", len(seen), matches, wrong)
	if matches < 200 || wrong*100 > matches {
		t.Errorf("%d expressions, %d matches, %d of them with another loss", len(seen), matches, wrong)
	}
}

// Expressions that are written differently have one fingerprint.
func TestFingerprintSeesThroughForm(t *testing.T) {
	l := loss(t, rows(t), model(t, "expr2"), objective.Paper())
	scorer := l.NewScorer()
	print := func(text string) uint64 {
		h, finite := scorer.Fingerprint(treeOf(t, written(t, text, model(t, "expr2"))))
		if !finite {
			t.Fatalf("%s is not finite", text)
		}
		return h
	}
	if print("(v + a)^2") != print("v^2 + (v*a + v*a) + a*a") || print("exp(z)*exp(t)") != print("exp(t + z)") {
		t.Error("equal expressions have two fingerprints")
	}
	if print("v + a") == print("v - a") || print("z") == print("t") {
		t.Error("different expressions have one fingerprint")
	}
	if _, finite := scorer.Fingerprint(treeOf(t, written(t, "log(v)", model(t, "expr2")))); finite {
		t.Error("log(v) is called finite")
	}
}

// The loss accepts headers of other models than the diffusion model: angle has a fifth parameter, and the second model has no choice and two
// trial columns.
func TestOtherHeaders(t *testing.T) {
	angle := header(t, `model angle {
  trial rt
  choice c
  param v in [-3, 3]
  param a in [0.3, 3]
  param z in [0.1, 0.9]
  param t in [0, 2]
  param theta in [-0.1, 1.3]
  support t < rt
  lower { v = -v  z = 1 - z }
  loglik = -(rt - t)*(v - a/(rt - t))^2 - z*theta + theta^2*rt
}`)
	two := header(t, `model two {
  trial x
  trial y
  param p in [-1, 1]
  param q in [1, 4]
  support p < y + 2
  loglik = -(x - p)^2 - q*y^2 + log(q)
}`)
	rng := rand.New(rand.NewPCG(41, 42))
	for _, m := range []*expr.Model{angle, two} {
		r := objective.Rows{Params: m.ParamNames()}
		for range m.Trials[1:] {
			r.More = append(r.More, nil)
		}
		for range 70 {
			var theta, rt, target, other []float64
			for _, p := range m.Params {
				theta = append(theta, p.Lower+(p.Upper-p.Lower)*rng.Float64())
			}
			for range 20 {
				rt, target, other = append(rt, 2.1+rng.ExpFloat64()), append(target, rng.NormFloat64()), append(other, rng.NormFloat64())
			}
			r.Theta, r.RT, r.Target = append(r.Theta, theta), append(r.RT, rt), append(r.Target, target)
			if len(r.More) > 0 {
				r.More[0] = append(r.More[0], other)
			}
		}
		s := objective.Paper()
		s.JointGroups, s.JointTrials, s.JointWeight = 30, 20, 0.5
		l := loss(t, r, m, s)
		if want := append(m.ParamNames(), m.Trials...); !slices.Equal(l.Symbols(), want) {
			t.Errorf("symbols %v, want %v", l.Symbols(), want)
		}
		value, terms := l.Exact(treeOf(t, m))
		if math.IsNaN(value) || math.IsInf(value, 0) || slices.ContainsFunc(terms, math.IsNaN) {
			t.Errorf("%s: loss %v of %v", m.Name, value, terms)
		}
		if m == angle {
			s.JointWeight = 0
			compare(t, "angle", m, r, s, 1e-10)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	m, good := model(t, "expr2"), rows(t)
	for name, spoil := range map[string]func(r *objective.Rows, s *objective.Settings){
		"lambda":        func(r *objective.Rows, s *objective.Settings) { s.Lambda = -1 },
		"grid":          func(r *objective.Rows, s *objective.Settings) { s.GridPoints = 1 },
		"rule":          func(r *objective.Rows, s *objective.Settings) { s.NonFinite = "ignore" },
		"groups":        func(r *objective.Rows, s *objective.Settings) { s.ProxyGroups = 801 },
		"trials":        func(r *objective.Rows, s *objective.Settings) { s.ProxyTrials = 21 },
		"names":         func(r *objective.Rows, s *objective.Settings) { r.Params = []string{"a", "v", "z", "t"} },
		"shape":         func(r *objective.Rows, s *objective.Settings) { r.Target = r.Target[1:] },
		"no rows":       func(r *objective.Rows, s *objective.Settings) { *r = objective.Rows{Params: r.Params} },
		"columns":       func(r *objective.Rows, s *objective.Settings) { r.More = [][][]float64{r.RT} },
		"NaN":           func(r *objective.Rows, s *objective.Settings) { r.RT = spoilt(r.RT, math.NaN()) },
		"infinity":      func(r *objective.Rows, s *objective.Settings) { r.Target = spoilt(r.Target, math.Inf(-1)) },
		"short group":   func(r *objective.Rows, s *objective.Settings) { r.RT = shortened(r.RT) },
		"joint weight":  func(r *objective.Rows, s *objective.Settings) { s.JointWeight = 0.5 },
		"joint points":  func(r *objective.Rows, s *objective.Settings) { s.JointPoints = -1 },
		"joint from":    func(r *objective.Rows, s *objective.Settings) { s.JointFrom = math.Inf(-1) },
		"joint least":   func(r *objective.Rows, s *objective.Settings) { s.JointLeast = math.NaN() },
		"joint least 1": func(r *objective.Rows, s *objective.Settings) { s.JointLeast = 1 },
		"weakest":       func(r *objective.Rows, s *objective.Settings) { s.JointWeakest = 1.5 },
		"joint choices": func(r *objective.Rows, s *objective.Settings) { s.JointGroups, s.JointTrials = 5, 100 },
	} {
		r, s := good, objective.Paper()
		spoil(&r, &s)
		if _, err := objective.New(r, m, s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// spoilt returns m with x as the last value of its second row; shortened returns m without that value.
func spoilt(m [][]float64, x float64) [][]float64 {
	m = slices.Clone(m)
	m[1] = append(slices.Clone(m[1][:len(m[1])-1]), x)
	return m
}

func shortened(m [][]float64) [][]float64 {
	m = slices.Clone(m)
	m[1] = m[1][:len(m[1])-1]
	return m
}

// TestNewRefusesSubjects: subjects with fields that do not fit together are refused, with their number in the error.
func TestNewRefusesSubjects(t *testing.T) {
	for name, spoil := range map[string]func(s *objective.Subjects){
		"subject 2: 3 times, but 2":    func(s *objective.Subjects) { s.Choice[1] = s.Choice[1][:2] },
		"subject 1: trial 3: choice 0": func(s *objective.Subjects) { s.Choice[0][2] = 0 },
		"subject 2: 3 parameters":      func(s *objective.Subjects) { s.Theta[1] = s.Theta[1][:3] },
		"subject 2 has the value":      func(s *objective.Subjects) { s.RT[1][0] = math.NaN() },
		"1 of choices":                 func(s *objective.Subjects) { s.Choice = s.Choice[:1] },
		"1 further trial columns":      func(s *objective.Subjects) { s.More = [][][]float64{s.RT} },
	} {
		both := &objective.Subjects{Theta: [][]float64{{1, 1, 0.5, 0.1}, {0, 1, 0.5, 0.1}},
			RT: [][]float64{{0.5, 0.6, 0.7}, {0.8, 0.9, 1}}, Choice: [][]float64{{1, -1, 1}, {1, 1, -1}}}
		r, s := rows(t), objective.Paper()
		r.Both, s.ProxyGroups, s.ProxyTrials = both, 2, 2
		if _, err := objective.New(r, model(t, "expr2"), s); err != nil {
			t.Fatal(err)
		}
		spoil(both)
		if _, err := objective.New(r, model(t, "expr2"), s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

// A full score counts the rows of the data, of the profiles, and the 128 rows from which the median distance is taken.
func TestRowsAreCounted(t *testing.T) {
	r, s := everySetting(t)["improved"]()
	l := loss(t, r, model(t, "expr2"), s)
	scorer := l.NewScorer()
	scorer.Score(treeOf(t, model(t, "expr2")), math.Inf(1), make([]float64, len(l.Terms())))
	want := int64(len(r.RT)*len(r.RT[0]) + 128 + 4*s.ProxyGroups*s.ProxyTrials*s.GridPoints)
	if c := scorer.(objective.Counter).Counts(); c.RowsAsked != want || c.RowsEvaluated != want {
		t.Errorf("%d rows asked and %d evaluated, want %d", c.RowsAsked, c.RowsEvaluated, want)
	}
}
