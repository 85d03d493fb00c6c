package main

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/designs"
	"likc/runtime/model/ssm"
)

// TestInvariance: a change of data or formulas that does not change a study's meaning does not change its cells. They may differ by Monte Carlo
// error. Where the priors of the two codings differ a little, they may also differ by a seventh of a posterior standard deviation.
func TestInvariance(t *testing.T) {
	cache := t.TempDir()
	for _, c := range []struct {
		name, design string
		change       func(header []string, row []string) []string // changes a row of the data; nil for none
		args, other  []string                                     // arguments of likc fit for the two fits that are compared
		params       string                                       // the parameters that are compared
		slack        float64                                      // further allowed difference, in posterior standard deviations
	}{
		{name: "codings, flat", design: "drift by condition", args: f("v ~ condition", "--prior-preset", "flat"), other: f("v ~ 0 + condition", "--prior-preset", "flat"), params: "v a z t"},
		{name: "codings", design: "drift by condition", args: f("v ~ condition"), other: f("v ~ 0 + condition"), params: "v a z t", slack: 0.15},
		{name: "codings behind a link", design: "boundary by condition", args: f("a ~ condition"), other: f("a ~ 0 + condition"), params: "v a z t", slack: 0.15},
		{name: "codings of times", design: "time by condition", args: f("t ~ condition"), other: f("t ~ 0 + condition"), params: "v a z t", slack: 0.15},
		{name: "sum to zero", design: "drift by condition", args: f("v ~ condition"), other: f("v ~ side"), params: "a z t", slack: 0.15,
			change: func(header, row []string) []string {
				if row[slices.Index(header, "condition")] == "easy" {
					return append(row, "0.5")
				}
				return append(row, "-0.5")
			}},
		{name: "a column shifted and scaled", design: "drift along x", args: f("v ~ x"), other: f("v ~ far"), params: "a z t", slack: 0.15,
			change: func(header, row []string) []string {
				x, _ := strconv.ParseFloat(row[slices.Index(header, "x")], 64)
				return append(row, strconv.FormatFloat(5000+200*x, 'g', -1, 64))
			}},
		{name: "an intercept is no formula", design: "one", args: f("v ~ 1", "--prior", "v=uniform(-3,3)"), other: f("v ~ 1", "--prior", "v=uniform(-3,3)", "--formula", "a ~ 1", "--link", "a=identity", "--prior", "a=uniform(0.3,2.5)"), params: "v a z t"},
		{name: "centred or not", design: "drifts of people", args: f("v ~ 1 + (1 | id)", "--effects", "centred"), other: f("v ~ 1 + (1 | id)", "--effects", "non-centred"), params: "v a z t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := designNamed(t, c.design)
			s, err := d.Draw(context.Background(), ssm.NewRand(7, 0))
			if err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				for i, row := range s.Rows {
					s.Rows[i] = c.change(s.Header, row)
				}
				s.Header = append(s.Header, map[string]string{"sum to zero": "side", "a column shifted and scaled": "far"}[c.name])
			}
			one, other := cellsOf(t, dir, cache, s, d.Model, "one", c.args), cellsOf(t, dir, cache, s, d.Model, "other", c.other)
			compareCells(t, one, other, strings.Fields(c.params), c.slack)
			rand.New(rand.NewPCG(1, 1)).Shuffle(len(s.Rows), func(i, j int) { s.Rows[i], s.Rows[j] = s.Rows[j], s.Rows[i] })
			compareCells(t, one, cellsOf(t, dir, cache, s, d.Model, "shuffled", c.args), strings.Fields(c.params), 0)
		})
	}
}

// f returns the arguments of likc fit for a formula, then further arguments.
func f(formula string, more ...string) []string {
	return append([]string{"--formula", formula}, more...)
}

func designNamed(t *testing.T, name string) *designs.Design {
	t.Helper()
	for _, d := range designs.All() {
		if d.Name == name {
			return &d
		}
	}
	t.Fatalf("no design %s", name)
	return nil
}

// cellsOf fits a study and returns the cells of the population and of each participant.
func cellsOf(t *testing.T, dir, cache string, s *designs.Study, model, folder string, args []string) map[string]estimate {
	t.Helper()
	if err := writeRows(filepath.Join(dir, folder+".csv"), s); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"fit", model, "--data", folder + ".csv", "-o", folder, "--no-figures", "--no-loo", "--chains", "4", "--warmup", "500", "--draws", "1000", "--threads", "1"}, args...)
	if _, err := likcOutput(dir, cache, args...); err != nil {
		t.Fatal(err)
	}
	return readCells(t, filepath.Join(dir, folder, "cells.csv"))
}

// compareCells fails the test where the estimates of two fits differ by more than their Monte Carlo error plus slack, in posterior
// standard deviations.
func compareCells(t *testing.T, one, other map[string]estimate, params []string, slack float64) {
	t.Helper()
	compared := 0
	for name, a := range one {
		if param, _, _ := strings.Cut(name, "["); !slices.Contains(params, param) {
			continue
		}
		b, ok := other[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		compared++
		// 4,000 draws of an effective size of some 1,000 and more: five Monte Carlo errors of a difference are 0.22 sd
		if !(math.Abs(a.Mean-b.Mean) < (0.22+slack)*max(a.SD, b.SD)) || !(math.Abs(math.Log(a.SD/b.SD)) < 0.16) {
			t.Errorf("%s: %.4g ± %.2g and %.4g ± %.2g", name, a.Mean, a.SD, b.Mean, b.SD)
		}
	}
	if compared == 0 {
		t.Error("nothing is compared")
	}
}

// TestDoubledTrials: if every trial occurs twice in the data, the log-likelihood is twice as large. It is also the sum of the log densities that
// likc prints for each trial. The test is needed because fits and some models evaluate equal trials only once.
func TestDoubledTrials(t *testing.T) {
	cache := t.TempDir()
	for _, c := range []struct{ design, theta string }{
		{"one", "v=1,a=1.2,z=0.5,t=0.15"},
		{"stop signals", "mu_go=0.45,sigma_go=0.06,tau_go=0.12,mu_stop=0.18,sigma_stop=0.04,tau_stop=0.05,tf=0.08,gf=0.02"},
		{"ballistic race, distance by condition", "v0=2,v1=1,A=0.5,B=0.6,t=0.1"},
		{"a normalised formula", "v=1,a=1.2,z=0.5,t=0.15"},
	} {
		dir := t.TempDir()
		d := designNamed(t, c.design)
		s, err := d.Draw(context.Background(), ssm.NewRand(8, 0))
		if err != nil {
			t.Fatal(err)
		}
		once, sum := evaluated(t, dir, cache, d.Model, c.theta, s)
		s.Rows = append(s.Rows, s.Rows...)
		twice, sumOfTwice := evaluated(t, dir, cache, d.Model, c.theta, s)
		for _, x := range []float64{2 * once, 2 * sum, sumOfTwice} {
			if !(math.Abs(twice-x) <= 1e-11*math.Abs(twice)) {
				t.Errorf("%s: %v for all trials twice, %v for them once and by trial", c.design, twice, []float64{once, sum, sumOfTwice})
			}
		}
	}
}

// evaluated returns the log-likelihood that likc eval prints, and the sum of the log densities that it writes for the trials.
func evaluated(t *testing.T, dir, cache, model, theta string, s *designs.Study) (total, sum float64) {
	t.Helper()
	data, per := filepath.Join(dir, strconv.Itoa(len(s.Rows))+".csv"), filepath.Join(dir, strconv.Itoa(len(s.Rows))+"-trials.csv")
	if err := writeRows(data, s); err != nil {
		t.Fatal(err)
	}
	out, err := likcOutput(dir, cache, "eval", model, "--data", data, "--theta", theta, "--json", "--per-trial", per)
	if err != nil {
		t.Fatal(err)
	}
	var printed struct{ Loglik float64 }
	if err := json.Unmarshal(out, &printed); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(per)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(text))[1:] {
		x, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ',')+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += x
	}
	return printed.Loglik, sum
}
