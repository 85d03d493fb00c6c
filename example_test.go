package likc_test

import (
	"context"
	"fmt"
	"log"

	"likc"
)

// Twenty decisions of one participant: seconds, and +1 or -1.
var (
	rt = []float64{0.69, 0.95, 0.58, 1.41, 0.77, 0.64, 1.12, 0.55, 0.83, 2.05, 0.61, 0.72, 1.63, 0.90, 0.66, 0.53, 1.25, 0.80, 0.59, 1.02}

	choice = []float64{1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1, 1, -1, 1, 1, 1, 1, 1, 1, -1}
)

// Fit the diffusion model, whose density is exact, and print the posterior of its parameters.
func Example() {
	model, err := likc.Open("ddm")
	if err != nil {
		log.Fatal(err)
	}
	data, err := model.Bind(map[string][]float64{"rt": rt, "choice": choice})
	if err != nil {
		log.Fatal(err)
	}
	fit, err := data.Fit(context.Background(), likc.Settings{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range fit.Summary() {
		fmt.Printf("%s %.1f (%.1f)\n", p.Name, p.Mean, p.SD)
	}
	// Output:
	// v 0.3 (0.4)
	// a 0.8 (0.1)
	// z 0.7 (0.1)
	// t 0.5 (0.0)
}

// A model of one's own: response times that begin at a shift t and decay at a rate.
func ExampleParse() {
	model, err := likc.Parse(`
		model shifted {
		  trial rt
		  param rate in [0.1, 20]
		  param t in [0, 2]
		  support t < rt
		  loglik = log(rate) - rate*(rt - t)
		}`)
	if err != nil {
		log.Fatal(err)
	}
	data, err := model.Bind(map[string][]float64{"rt": {0.5, 0.75, 1}})
	if err != nil {
		log.Fatal(err)
	}
	grad := make([]float64, 2)
	fmt.Println(model.Params(), data.LogLikGrad([]float64{1, 0.25}, grad), grad)
	// Output: [rate t] -1.5 [1.5 3]
}
