package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/testdata"
)

// learning returns a subject of several participants whose rows alternate. persons holds their numbers of trials. The states of
// each participant restart after half of the trials.
func learning(persons ...int) Subject {
	s := Subject{Columns: [][]float64{{}, {}, {}}, Supplied: []trials.Supplied{{Name: "ra"}, {Name: "rb"}}}
	rng := rand.New(rand.NewPCG(5, 6))
	for k := range persons[0] {
		for who, n := range persons {
			if k >= n {
				continue
			}
			s.Person = append(s.Person, int32(who))
			for j, x := range []float64{1, 0, float64(2 * k / n)} {
				s.Columns[j] = append(s.Columns[j], x)
			}
			s.Choice = append(s.Choice, 1)
			for j, p := range []float64{0.8, 0.3} {
				s.Supplied[j].Values = append(s.Supplied[j].Values, math.Floor(rng.Float64()+p))
			}
		}
	}
	return s
}

// learners returns draws of a learning model, with learning rates from .1 to .5 and other parameters constant, and a predictor of
// a subject's trials.
func learners(t *testing.T, model string, of Subject, others ...float64) (*Predictor, *chains.Draws) {
	t.Helper()
	m, err := catalog.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, Wishes{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Subject: of}
	if r.Study, err = spec.BeforeData(&of); err != nil {
		t.Fatal(err)
	}
	simulator, err := SimulatorOf(m, nil)
	if err != nil || !simulator.InOrder() {
		t.Fatal(err, simulator)
	}
	d := &chains.Draws{Names: r.Study.Names(), Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(len(m.Params), draws)}}}
	for k := range draws {
		for j, x := range append([]float64{0.1 + 0.4*float64(k)/draws}, others...) {
			d.Chains[0].Params[j] = append(d.Chains[0].Params[j], x)
		}
	}
	return r.Predictor(simulator, 1), d
}

const draws = 1000

// positions returns, for each trial, the number of earlier trials since the states were restarted.
func positions(s *Subject) []int {
	next, block, at := map[int32]int{}, map[int32]float64{}, make([]int, s.Trials())
	restart := s.Columns[len(s.Columns)-1]
	for i, who := range s.Person {
		if restart[i] != block[who] {
			next[who], block[who] = 0, restart[i]
		}
		at[i] = next[who]
		next[who]++
	}
	return at
}

// TestPredictsLearners: predicted choices and mean response times over the course of learning equal those of a simulation by the
// test. It uses closed forms given the learned values: P(upper) = 1/(1 + exp(-2 a v)), and the mean decision time is a/v tanh(a
// v).
func TestPredictsLearners(t *testing.T) {
	const k, a, onset, beta = 3, 1.1, 0.25, 4
	for _, c := range []struct {
		name    string
		subject Subject
		others  []float64
		respond func(dq float64) (upper, rt float64)
	}{
		{"rl_ddm", learning(40, 30, 20), []float64{k, a, onset}, func(dq float64) (float64, float64) {
			v := k*dq + 1e-9
			return 1 / (1 + math.Exp(-2*a*v)), onset + a/v*math.Tanh(a*v)
		}},
		{"rl_softmax", learning(40, 30, 20), []float64{beta}, func(dq float64) (float64, float64) { return 1 / (1 + math.Exp(-beta*dq)), 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.subject
			if c.name == "rl_softmax" {
				s.Columns = s.Columns[1:]
			}
			p, d := learners(t, c.name, s, c.others...)
			at := positions(&s)
			var upper, rt, wantUpper, wantRT, n [20]float64
			err := p.Each(t.Context(), d, draws, func(_ int, times, choice []float64) error {
				for i, position := range at {
					upper[position] += (choice[i] + 1) / 2
					rt[position] += times[i]
					n[position]++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for draw := range draws {
				alpha := 0.1 + 0.4*float64(draw)/draws
				q := map[int32]*[2]float64{}
				for i, who := range s.Person {
					if at[i] == 0 {
						q[who] = &[2]float64{0.5, 0.5}
					}
					share, time := c.respond(q[who][0] - q[who][1])
					wantUpper[at[i]] += share
					wantRT[at[i]] += time
					option := 1
					if rng.Float64() < share {
						option = 0
					}
					q[who][option] += alpha * (s.Supplied[option].Values[i] - q[who][option])
				}
			}
			learnt := 0.0
			for position := range upper {
				got, want, se := upper[position]/n[position], wantUpper[position]/n[position], 0.5/math.Sqrt(n[position])
				if math.Abs(got-want) > 5*se {
					t.Errorf("trial %d: %.4f choose the upper option, want %.4f", position+1, got, want)
				}
				if got, want := rt[position]/n[position], wantRT[position]/n[position]; math.Abs(got-want) > 6*se {
					t.Errorf("trial %d: the mean response time is %.4f, want %.4f", position+1, got, want)
				}
				learnt = max(learnt, got)
			}
			if first := upper[0] / n[0]; math.Abs(first-0.5) > 0.03 || learnt < 0.7 {
				t.Errorf("%.3f choose the upper option at first and %.3f later: nothing is learnt", first, learnt)
			}
		})
	}
}

// TestPredictsOmissions: after a response that comes too late, nothing is learned. Predicted omissions and choices over the
// course of learning equal those of a simulation by the test, which draws single trials of ddm.
func TestPredictsOmissions(t *testing.T) {
	const k, a, onset, deadline = 3, 1.1, 0.25, 0.9
	s := learning(40, 30, 20)
	s.Deadlines = slices.Repeat([]float64{deadline}, s.Trials())
	p, d := learners(t, "rl_ddm", s, k, a, onset)
	at := positions(&s)
	count := func(position int, rt, choice float64, late, upper, n *[20]float64) bool {
		n[position]++
		if rt > deadline {
			late[position]++
			return false
		}
		upper[position] += (choice + 1) / 2
		return true
	}
	var late, upper, n, wantLate, wantUpper, m [20]float64
	err := p.Each(t.Context(), d, draws, func(_ int, rt, choice []float64) error {
		for i, position := range at {
			if answered := count(position, rt[i], choice[i], &late, &upper, &n); answered == (choice[i] == trials.Omitted) {
				t.Fatalf("a response after %v s is the choice %v", rt[i], choice[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ddm, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	rng, rt, choice := rand.New(rand.NewPCG(1, 2)), []float64{0}, []float64{0}
	for draw := range draws {
		alpha := 0.1 + 0.4*float64(draw)/draws
		q := map[int32]*[2]float64{}
		for i, who := range s.Person {
			if at[i] == 0 {
				q[who] = &[2]float64{0.5, 0.5}
			}
			if err := ddm.Simulate(rng, []float64{k * (q[who][0] - q[who][1]), a, 0.5, onset}, ssm.ExactScheme(), rt, choice); err != nil {
				t.Fatal(err)
			}
			if !count(at[i], rt[0], choice[0], &wantLate, &wantUpper, &m) {
				continue
			}
			option := int(1-choice[0]) / 2
			q[who][option] += alpha * (s.Supplied[option].Values[i] - q[who][option])
		}
	}
	for position := range n {
		se := 0.5 * math.Sqrt(1/n[position]+1/m[position])
		for name, c := range map[string][2]float64{"omitted": {late[position], wantLate[position]}, "upper": {upper[position], wantUpper[position]}} {
			if got, want := c[0]/n[position], c[1]/m[position]; math.Abs(got-want) > 5*se {
				t.Errorf("trial %d: share %s %.4f, want %.4f", position+1, name, got, want)
			}
		}
	}
	if first := late[0] / n[0]; first < 0.2 || first > 0.9 {
		t.Errorf("a share of %.3f is omitted at first: the deadline tests nothing", first)
	}
}

// TestEveryLearnerPredicts: each model with states that comes with likc predicts trials with its choices and with positive times.
func TestEveryLearnerPredicts(t *testing.T) {
	for _, name := range testdata.LearnerNames() {
		t.Run(name, func(t *testing.T) {
			m, err := catalog.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			const n = 60
			rng := rand.New(rand.NewPCG(3, 4))
			column := func() (x []float64) {
				for range n {
					x = append(x, float64(rng.IntN(2)))
				}
				return x
			}
			s := Subject{Choice: slices.Repeat(m.Codes()[:1], n)}
			for range m.DataColumns() {
				s.Columns = append(s.Columns, column())
			}
			of, _ := m.Sequence()
			for _, supplied := range of.Supplied() {
				s.Supplied = append(s.Supplied, trials.Supplied{Name: supplied, Values: column()})
			}
			p, d := learners(t, name, s, m.PointAt(func(int) float64 { return 0.4 })[1:]...)
			seen := map[float64]int{}
			err = p.Each(t.Context(), d, 20, func(_ int, rt, choice []float64) error {
				for i, c := range choice {
					if seen[c]++; !slices.Contains(m.Codes(), c) || !(rt[i] > 0) {
						t.Fatalf("trial %d: choice %v after %v s", i+1, c, rt[i])
					}
				}
				return nil
			})
			if err != nil || len(seen) != len(m.Codes()) {
				t.Errorf("choices %v, %v", seen, err)
			}
		})
	}
}

// TestRowsOfLearners: responses are predicted for some rows, one of which is asked for twice. Its two responses come from two
// simulations.
func TestRowsOfLearners(t *testing.T) {
	s := learning(6, 4)
	p, d := learners(t, "rl_ddm", s, 3, 1.1, 0.25)
	rows := []int{3, 9, 3, 0}
	of := func(int, *rand.Rand) []int { return rows }
	err := p.EachOf(t.Context(), d, 5, of, func(_ int, of []int, rt, choice []float64) error {
		if len(rt) != 4 || rt[0] == rt[2] || !(rt[1] > 0.25) || math.Abs(choice[3]) != 1 || of[1] != 9 {
			t.Errorf("rows %v: times %v, choices %v", of, rt, choice)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOutcomesUnknown: trials are not simulated if the outcome of a simulated choice is not known.
func TestOutcomesUnknown(t *testing.T) {
	without, gap := learning(6, 4), learning(6, 4)
	without.Supplied = without.Supplied[:1]
	gap.Supplied[1].Values[7] = math.NaN()
	gap.Rows = []int{1, 2, 3, 4, 5, 6, 7, 18, 19, 20}
	gap.Label = "anna"
	for want, s := range map[string]Subject{"rl_ddm: the data have no column rb": without, "subject anna: rl_ddm: column rb": gap, "trial 8 (row 18 of the file)": gap} {
		m, err := catalog.Open("rl_ddm")
		if err != nil {
			t.Fatal(err)
		}
		simulator, err := SimulatorOf(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := simulator.Check([]Subject{s}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for text, refused := range map[string]bool{"reward": true, "reward = reward": false, "reward = if(0 < c, 1, 0)": false} {
		m, err := catalog.Parse(`model m { trial rt positive trial ` + text + ` choice c param k in [0, 5] param b in [0, 1]
			state q = 0 next { q = q + b*(reward - q) } loglik = ddm(v = k*q, a = 1, z = 0.5, t = 0.1) }`)
		if err != nil {
			t.Fatal(text, err)
		}
		simulator, err := SimulatorOf(m, nil)
		if err != nil {
			t.Fatal(text, err)
		}
		err = simulator.Check([]Subject{{Columns: [][]float64{{1, 1}, {0, 1}}, Choice: []float64{1, 1}}})
		if refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "what reward is after another choice") {
			t.Errorf("trial %s: %v", text, err)
		}
	}
}
