package likc_test

import (
	"context"
	"fmt"
	"log"
	"math"

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

// Log densities of single trials; races number their choices from 0.
func ExampleData_LogDensities() {
	model, err := likc.Open("lba2")
	if err != nil {
		log.Fatal(err)
	}
	data, err := model.Bind(map[string][]float64{"rt": {0.5, 0.8}, "c": {0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	each, err := data.LogDensities([]float64{3, 1.5, 0.5, 0.6, 0.2}) // v0, v1, A, B, t
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %.4f\n", each[0], each[1])
	// Output: 1.0866 -2.8227
}

// A study in which the drift depends on the condition: simulated, fitted, and printed on the scale of the drift.
func ExampleRegression() {
	ctx := context.Background()
	model, err := likc.Open("ddm")
	if err != nil {
		log.Fatal(err)
	}
	columns, conditions := map[string][]float64{}, []string(nil)
	for i, drift := range []float64{0.5, 2} {
		trials, err := model.Simulate(ctx, []float64{drift, 1, 0.5, 0.3}, 1000, uint64(i)) // v, a, z, t
		if err != nil {
			log.Fatal(err)
		}
		for name, values := range trials {
			columns[name] = append(columns[name], values...)
		}
		for range 1000 {
			conditions = append(conditions, []string{"hard", "easy"}[i])
		}
	}
	data, err := model.Bind(columns)
	if err != nil {
		log.Fatal(err)
	}
	fit, err := data.Fit(ctx, likc.Settings{Seed: 1, LOO: true, Regress: &likc.Regression{
		Formulas: []string{"v ~ 0 + condition"},
		Labels:   map[string][]string{"condition": conditions},
	}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range fit.Cells() {
		fmt.Printf("%s %.1f\n", c.Name, c.Mean)
	}
	loo, err := fit.LOO()
	if err != nil {
		log.Fatal(err)
	}
	again, err := fit.Predict(ctx, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f effective parameters; %d predicted studies of %d trials\n", loo.P, len(again), len(again[0]["rt"]))
	// Output:
	// v[condition=easy] 2.0
	// v[condition=hard] 0.6
	// a 1.0
	// z 0.5
	// t 0.3
	// 5 effective parameters; 10 predicted studies of 2000 trials
}

// A trial without response by its deadline, and trials that may be lapses.
func ExampleModel_WithDeadlines() {
	model, err := likc.Open("ddm")
	if err == nil {
		model, err = model.WithDeadlines()
	}
	if err == nil {
		model, err = model.WithLapses(0, 2)
	}
	if err != nil {
		log.Fatal(err)
	}
	data, err := model.Bind(map[string][]float64{"rt": {0.6, 1.1, math.NaN()}, "choice": {1, -1, 0}, likc.Deadline: {2, 2, 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %.3f\n", model.Params(), data.LogLik([]float64{1, 1, 0.5, 0.3, 0.05}))
	// Output: [v a z t lapse] -5.146
}

// Which trials were lapses? One response came long before all others.
func ExampleModel_WithLapses() {
	ctx := context.Background()
	model, err := likc.Open("shifted_wald")
	if err == nil {
		model, err = model.WithLapses(0, 3)
	}
	if err != nil {
		log.Fatal(err)
	}
	trials, err := model.Simulate(ctx, []float64{3, 1, 0.3, 0}, 200, 1) // v, b, t, lapse
	if err != nil {
		log.Fatal(err)
	}
	trials["rt"][7] = 0.05
	data, err := model.Bind(trials)
	if err != nil {
		log.Fatal(err)
	}
	fit, err := data.Fit(ctx, likc.Settings{Seed: 1, Priors: map[string]string{"lapse": "beta(1, 20)"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range fit.Summary() {
		fmt.Printf("%s %.1f\n", p.Name, p.Mean)
	}
	fmt.Printf("the early response is a lapse with probability %.2f\n", fit.Lapses()[7])
	// Output:
	// v 3.0
	// b 1.2
	// t 0.3
	// lapse 0.0
	// the early response is a lapse with probability 1.00
}

// Do fits find the true parameters of simulated trials? The study is very short, so that the example runs fast.
func ExampleModel_Recover() {
	model, err := likc.Open("shifted_wald")
	if err != nil {
		log.Fatal(err)
	}
	found, err := model.Recover(context.Background(), likc.Design{Subjects: 40, Trials: 200}, likc.Settings{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range found {
		fmt.Printf("%s: correlation above .9: %t, between 80 and 100 %% of 90 %% intervals contain the truth: %t\n", p.Name, p.R > 0.9, p.Covered90 >= 0.8)
	}
	// Output:
	// v: correlation above .9: true, between 80 and 100 % of 90 % intervals contain the truth: true
	// b: correlation above .9: true, between 80 and 100 % of 90 % intervals contain the truth: true
	// t: correlation above .9: true, between 80 and 100 % of 90 % intervals contain the truth: true
}

// Would a study find that two conditions differ? Each study has four participants of thirty trials, with a
// deadline, and some trials are lapses. The chains are far too short, so that the example runs fast.
func ExampleDesign() {
	model, err := likc.Open("shifted_wald")
	if err == nil {
		model, err = model.WithDeadlines()
	}
	if err == nil {
		model, err = model.WithLapses(0, 3)
	}
	if err != nil {
		log.Fatal(err)
	}
	design := likc.Design{Subjects: 4, Trials: 30, Studies: 3, Deadline: 3}
	conditions := make([]string, design.Subjects*design.Trials)
	for i := range conditions {
		conditions[i] = []string{"easy", "hard"}[i%2]
	}
	found, err := model.Recover(context.Background(), design, likc.Settings{Seed: 1, Chains: 1, Warmup: 100, Draws: 100, Fixed: map[string]float64{"lapse": 0.05},
		Regress: &likc.Regression{Formulas: []string{"v ~ 1 + condition + (1 | id)"}, Labels: map[string][]string{"condition": conditions}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range found {
		fmt.Printf("%s of %d studies\n", p.Name, p.Fits)
	}
	// Output:
	// v_Intercept of 3 studies
	// v_condition[hard] of 3 studies
	// v_1|id_sigma of 3 studies
	// b of 3 studies
	// t of 3 studies
}
