package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// learner is a map written by hand: alpha, k, a and t of a learner of two values become the drift, boundary, start and onset of ddm. The drift
// is k times the difference of the values, each of which moves towards the reward of its choice at the rate alpha.
type learner struct{}

func (learner) Out() int                     { return 4 }
func (learner) Depends(k int) (uint64, bool) { return [...]uint64{3, 4, 0, 8}[k], k == 0 }
func (learner) Stateful() bool               { return true }
func (learner) Bind(t kernel.Trials) (func() kernel.Mapping, error) {
	n := t.N()
	return func() kernel.Mapping {
		return &learning{t: t, upper: make([]float64, n), lower: make([]float64, n), drift: make([]float64, n), start: []float64{0.5}}
	}, nil
}

type learning struct {
	t                   kernel.Trials
	upper, lower, drift []float64
	start               []float64
	theta               [][]float64
	out                 [4][]float64
}

func (l *learning) Forward(theta [][]float64) [][]float64 {
	l.theta = theta
	upper, lower := 0.5, 0.5
	for i, c := range l.t.Choice {
		if i > 0 && l.t.Person[i] != l.t.Person[i-1] {
			upper, lower = 0.5, 0.5
		}
		l.upper[i], l.lower[i] = upper, lower
		l.drift[i] = kernel.At(theta[1], i) * (upper - lower)
		if alpha, reward := kernel.At(theta[0], i), l.t.Columns[1][i]; c > 0 {
			upper += alpha * (reward - upper)
		} else {
			lower += alpha * (reward - lower)
		}
	}
	l.out = [4][]float64{l.drift, theta[2], l.start, theta[3]}
	return l.out[:]
}

func (l *learning) Back(bars, grad [][]float64) {
	add := func(j, i int, x float64) { grad[j][min(i, len(grad[j])-1)] += x }
	upper, lower := 0.0, 0.0
	for i := len(l.drift) - 1; i >= 0; i-- {
		if i+1 < len(l.drift) && l.t.Person[i+1] != l.t.Person[i] {
			upper, lower = 0, 0
		}
		alpha, reward := kernel.At(l.theta[0], i), l.t.Columns[1][i]
		if l.t.Choice[i] > 0 {
			add(0, i, upper*(reward-l.upper[i]))
			upper *= 1 - alpha
		} else {
			add(0, i, lower*(reward-l.lower[i]))
			lower *= 1 - alpha
		}
		k := kernel.At(l.theta[1], i)
		add(1, i, bars[0][i]*(l.upper[i]-l.lower[i]))
		upper += bars[0][i] * k
		lower -= bars[0][i] * k
		add(2, i, bars[1][i])
		add(3, i, bars[3][i])
	}
}

// A map with states and an exact density together are a likelihood. Its log densities of single trials add up to the log-likelihood, with
// one learning rate and with one for each condition.
func TestLearnerByHand(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(1, 2))
	trials := kernel.Trials{Columns: [][]float64{make([]float64, n), make([]float64, n)}, Choice: make([]float64, n), Person: make([]int32, n)}
	condition := make([]int32, n)
	for i := range n {
		trials.Columns[0][i], trials.Columns[1][i] = 0.35+r.ExpFloat64()*0.5, float64(r.IntN(2))
		trials.Choice[i], trials.Person[i] = float64(2*r.IntN(2)-1), int32(i/100)
		condition[i] = int32(i % 7 / 3)
	}
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	density, _ := m.Density()
	p := &Prepared{Model: m, kernel: density, inner: learner{}}
	byCondition := Design{Coefficients: 6, Params: []Predictor{{Inside: []Term{{First: 0, Level: condition}}}, {Inside: []Term{{First: 3}}}, {Inside: []Term{{First: 4}}}, {Inside: []Term{{First: 5}}}}}
	for _, c := range []struct {
		of     Design
		points [][]float64
	}{
		{Design{}, [][]float64{{0.3, 2, 1.1, 0.2}, {0.7, 4, 0.8, 0.1}, {0.7, 4, 0.8, 0.9}}},
		{byCondition, [][]float64{{0.3, 0.5, 0.1, 2, 1.1, 0.2}, {0.7, 0.1, 0.9, 4, 0.8, 0.1}}},
	} {
		b, err := p.Bind(trials, c.of)
		if err != nil {
			t.Fatal(err)
		}
		kernel.Check(t, b, c.points, 0)
		each := make([][]float64, n)
		for i := range each {
			each[i] = make([]float64, 1)
		}
		b.LogDensity(each[:150], c.points[:1], 0)
		b.LogDensity(each[150:], c.points[:1], 150) // the states are those after all earlier trials
		sum := 0.0
		for _, x := range each {
			sum += x[0]
		}
		if want := b.LogLik(c.points[0]); !(math.Abs(sum-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("trials add up to %v, the log-likelihood is %v", sum, want)
		}
	}
}
