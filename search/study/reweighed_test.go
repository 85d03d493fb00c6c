package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// bump is a log-likelihood of one parameter: 0, but height·(x - 2)² above 2.
type bump struct{ height float64 }

func (b bump) Dim() int { return 1 }
func (b bump) LogLik(theta []float64) float64 {
	above := max(0, theta[0]-2)
	return b.height * above * above
}
func (b bump) LogLikGrad(theta, grad []float64) float64 { panic("weights need no gradient") }

// TestEvenWeights: weights that hardly differ are accepted whatever the shape of their tail, and uneven ones with such a tail are not.
func TestEvenWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := &chains.Draws{Names: []string{"x"}, Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(1, 1000)}}}
	for range 1000 {
		draws.Chains[0].Params[0] = append(draws.Chains[0].Params[0], math.Exp(rng.NormFloat64())) // the weights of some have no tail but these few
	}
	for height, want := range map[float64]bool{1e-4: true, 0.03: false} {
		s, err := newScatter(&valued{draws, inWideRange(bump{}), 1000, nil}, inWideRange(bump{height}), false, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if weights, got := s.weights(); got != want || len(weights) != 1000 {
			t.Errorf("height %v: %d weights are accepted: %v, want %v", height, len(weights), got, want)
		}
	}
}

// inWideRange returns a likelihood of one parameter with a range.
func inWideRange(s kernel.Sum) Problem {
	return Problem{Sum: s, Params: []posterior.Parameter{{Name: "x", Lower: -100, Upper: 100}}}
}

// normal is the log-likelihood of one parameter that is normal with standard deviation 1 around a mean.
type normal struct{ mean float64 }

func (n normal) Dim() int { return 1 }
func (n normal) LogLik(theta []float64) float64 {
	return -(theta[0] - n.mean) * (theta[0] - n.mean) / 2
}
func (n normal) LogLikGrad(theta, grad []float64) float64 { panic("weights need no gradient") }

// TestReweighedMoments: draws of a normal around 0, weighted for one around 0.5, have its mean and standard deviation.
func TestReweighedMoments(t *testing.T) {
	const n = 20000
	rng := rand.New(rand.NewPCG(3, 2))
	draws := &chains.Draws{Names: []string{"x"}, Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(1, n)}}}
	for range n {
		draws.Chains[0].Params[0] = append(draws.Chains[0].Params[0], rng.NormFloat64())
	}
	scatter, err := newScatter(&valued{draws, inWideRange(normal{0}), n, nil}, inWideRange(normal{0.5}), false, n)
	if err != nil {
		t.Fatal(err)
	}
	weights, trusted := scatter.weights()
	if !trusted {
		t.Fatal("the weights are refused")
	}
	mean, square := 0.0, 0.0
	for _, x := range resampled(draws, weights).Chains[0].Params[0] {
		mean, square = mean+x/n, square+x*x/n
	}
	if sd := math.Sqrt(square - mean*mean); !(math.Abs(mean-0.5) < 0.05) || !(math.Abs(sd-1) < 0.05) { // four standard errors of weighted draws
		t.Errorf("mean %v, standard deviation %v", mean, sd)
	}
}

// TestResampledAsWeightsSay: each draw comes as often as its weight says, up to one time, and chains stay equally long.
func TestResampledAsWeightsSay(t *testing.T) {
	const length = 50
	rng := rand.New(rand.NewPCG(5, 2))
	draws := &chains.Draws{Names: []string{"x"}}
	weights, total := make([]float64, 3*length), 0.0
	for k := range 3 {
		c := chains.Chain{ID: k + 1, Trace: chains.NewTrace(1, length)}
		for i := range length {
			c.Params[0] = append(c.Params[0], float64(k*length+i)) // a draw's value is its place
			weights[k*length+i] = math.Exp(2 * rng.NormFloat64())
			total += weights[k*length+i]
		}
		draws.Chains = append(draws.Chains, c)
	}
	logs := make([]float64, len(weights))
	for i, w := range weights {
		logs[i] = math.Log(w / total)
	}
	times := make([]float64, len(weights))
	for _, c := range resampled(draws, logs).Chains {
		if c.Len() != length {
			t.Errorf("chain %d has %d draws, want %d", c.ID, c.Len(), length)
		}
		for _, place := range c.Params[0] {
			times[int(place)]++
		}
	}
	for i, w := range weights {
		if want := w / total * float64(len(weights)); !(math.Abs(times[i]-want) < 1) {
			t.Errorf("draw %d comes %v times, its weight says %.2f", i, times[i], want)
		}
	}
}
