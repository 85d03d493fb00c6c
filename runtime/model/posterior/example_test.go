package posterior_test

import (
	"context"
	"fmt"
	"math"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
)

// rates is the likelihood of waiting times under an exponential law, by its sufficient statistics.
type rates struct{ n, total float64 }

func (rates) Dim() int { return 1 }

func (r rates) LogLik(theta []float64) float64 { return r.LogLikGrad(theta, make([]float64, 1)) }

func (r rates) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = r.n/theta[0] - r.total
	return r.n*math.Log(theta[0]) - r.total*theta[0]
}

// Twenty waiting times that add up to ten seconds, and a gamma prior: the posterior is gamma(22, 11).
func Example() {
	prior, err := posterior.ParsePrior("gamma(2,1)")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := posterior.New(rates{20, 10}, []posterior.Parameter{{Name: "rate", Lower: 0, Upper: math.Inf(1), Prior: prior}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := nuts.DefaultSettings()
	s.Seed = 1
	r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return p.Target() }, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	p.ConstrainDraws(r.Draws)
	for _, s := range r.Draws.Summarise() {
		fmt.Printf("%s: mean %.1f, sd %.1f, converged %v\n", s.Name, s.Mean, s.SD, s.Rhat < 1.01)
	}
	// Output: rate: mean 2.0, sd 0.4, converged true
}
