//go:build ignore

// This program simulates trials of an ordinary subject of the drift-diffusion model, draws from their posterior, and writes
// ddm.csv and ddm_draws.csv. Run it in this folder: go run draws.go
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
)

func main() {
	log.SetFlags(0)
	m, err := catalog.Open("ddm")
	check(err)
	rt, choice := make([]float64, 200), make([]float64, 200)
	check(ssm.DDM.Simulate(ssm.NewRand(7, 0), ssm.DDM.Example, ssm.ExactScheme(), rt, choice))
	d, _ := m.Density()
	lik, err := d.Bind(rt, choice)
	check(err)
	params, err := m.Parameters(nil, [][]float64{rt}, choice)
	check(err)
	p, err := posterior.New(lik, params)
	check(err)
	s := nuts.DefaultSettings()
	s.Seed, s.NumSamples = 7, 500
	r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return p.Target() }, s)
	check(err)
	p.ConstrainDraws(r.Draws)

	trials := &strings.Builder{}
	fmt.Fprintln(trials, "rt,choice")
	for i := range rt {
		fmt.Fprintf(trials, "%v,%v\n", rt[i], choice[i])
	}
	check(os.WriteFile("ddm.csv", []byte(trials.String()), 0o644))
	draws := &strings.Builder{}
	fmt.Fprintln(draws, "chain,"+strings.Join(r.Draws.Names, ","))
	for _, c := range r.Draws.Chains {
		for k := range c.Params[0] {
			fmt.Fprint(draws, c.ID)
			for _, column := range c.Params {
				fmt.Fprintf(draws, ",%.9g", column[k])
			}
			fmt.Fprintln(draws)
		}
	}
	check(os.WriteFile("ddm_draws.csv", []byte(draws.String()), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
