package study

import (
	"math"
	"math/rand/v2"
	"testing"

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
	sampled := &Fitted{Problem: Problem{Sum: bump{}}, Draws: draws}
	for height, want := range map[float64]bool{1e-4: true, 0.03: false} {
		other := Reweighed{Every: 1}.reweigh(sampled, func(*Case) (Problem, error) { return Problem{Sum: bump{height}}, nil }, nil)
		if got := other != nil; got != want {
			t.Errorf("height %v: weights are accepted: %v, want %v", height, got, want)
		}
		if other != nil && other.Draws.Len() != 1000 {
			t.Errorf("%d draws, want 1,000", other.Draws.Len())
		}
	}
}
