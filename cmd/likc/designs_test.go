package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"likc/runtime/fit/designs"
	"likc/runtime/model/ssm"
	"likc/runtime/num/stream"
)

var updateDesigns = flag.Bool("update-designs", false, "with LIKC_LONG: find the coverage of the designs in more studies, and write it to testdata/designs")

// coverageFile has the coverage that TestDesignsCover found. The variable LIKC_DESIGN limits that test to designs whose names contain it.
const coverageFile = "../../testdata/designs/coverage.json"

// lengths are the numbers of warm-up steps and draws of the two chains of a fit. Intervals of short chains contain the truth too seldom, so
// the coverage that is written comes from longer chains.
type lengths struct{ warmup, draws string }

var (
	short = lengths{"200", "200"}
	long  = lengths{"500", "750"}
)

// estimate is the posterior that likc prints of a quantity, with its true value, on the scale of the parameter.
type estimate struct {
	Name         string
	Truth        float64
	Mean, SD     float64
	Q5, Q95      float64
	OfPopulation bool // whether the quantity belongs to the population, and not to a participant or an item
}

func (e estimate) covered() bool { return e.Q5 <= e.Truth && e.Truth <= e.Q95 }

// z returns the difference of the mean from the truth, in posterior standard deviations.
func (e estimate) z() float64 { return (e.Mean - e.Truth) / e.SD }

// TestDesigns fits one simulated study of each design, as its user would, and compares all cells and contrasts with the truth. The test
// fails at a difference of five posterior standard deviations, which chance would give for none of the 600 quantities.
func TestDesigns(t *testing.T) {
	cache := t.TempDir()
	for _, d := range designs.All() {
		if d.Long && os.Getenv("LIKC_LONG") == "" {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for _, e := range mustEstimate(t, cache, &d, 0) {
				if !(math.Abs(e.z()) < 5) {
					t.Errorf("%s: %.4g ± %.2g, the truth is %.4g", e.Name, e.Mean, e.SD, e.Truth)
				}
			}
		})
	}
}

// coverage summarises the fits of a design's studies for one quantity.
type coverage struct {
	Studies int     `json:"studies"`
	Covered int     `json:"covered_90"` // studies whose 90 % interval contains the truth
	Bias    float64 `json:"bias"`       // mean difference from the truth, in posterior standard deviations
	Spread  float64 `json:"spread"`     // standard deviation of that difference; 1 if posteriors are as wide as they should be
}

// designCoverage summarises the fits of a design's studies for all quantities.
type designCoverage struct {
	Design     string              `json:"design"`
	Command    string              `json:"command"`
	Population map[string]coverage `json:"population"`
	Levels     coverage            `json:"levels"` // coverage of all cells of participants and items together; Studies counts cells
}

// TestDesignsCover fits many studies of each design: the truth must lie in each posterior as a draw from it would. Where coverage is written, it
// asks whether 90 % intervals contain the truth in about 90 % of 40 studies; otherwise it looks at the differences from the truth, of which 20
// studies tell as much (see mayBe). If all posteriors were right, any quantity at all would be refused in one of a thousand runs of the test.
func TestDesignsCover(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	studies, chains := 20, short
	if *updateDesigns {
		studies, chains = 40, long
	}
	cache, only := t.TempDir(), os.Getenv("LIKC_DESIGN")
	var all []designCoverage
	for _, d := range designs.All() {
		if only == "" || strings.Contains(d.Name, only) {
			all = append(all, coverDesign(t, cache, &d, studies, chains))
			t.Logf("%s: %v", d.Name, all[len(all)-1])
		}
	}
	quantities := 0
	for _, d := range all {
		quantities += len(d.Population)
	}
	alpha := 0.001 / float64(quantities)
	for _, d := range all {
		for _, name := range slices.Sorted(maps.Keys(d.Population)) {
			c := d.Population[name]
			if low, high := coverageBand(c.Studies, alpha); *updateDesigns && (c.Covered < low || c.Covered > high) {
				t.Errorf("%s: %s is covered in %d of %d studies, want %d to %d; bias %.2f", d.Design, name, c.Covered, c.Studies, low, high, c.Bias)
			}
			if !*updateDesigns && !c.mayBe(alpha) {
				t.Errorf("%s: %s differs from the truth by %.2f ± %.2f posterior standard deviations in %d studies", d.Design, name, c.Bias, c.Spread, c.Studies)
			}
		}
	}
	if *updateDesigns {
		writeCoverage(t, all)
	}
}

// mayBe reports whether the differences from the truth can be those of right posteriors: independent, with mean 0 and variance 1. It is false
// of right ones with a probability of alpha, half of it for the mean, half for the mean square. In 20 studies a bias of 1.1 is refused, or a
// spread outside 0.35 to 1.8; the number of 40 intervals that contain the truth is refused at 1.4 and 1.9, and never for intervals too wide.
func (c coverage) mayBe(alpha float64) bool {
	n := float64(c.Studies)
	squares := distuv.ChiSquared{K: n}
	sum := n * (c.Bias*c.Bias + c.Spread*c.Spread)
	return math.Abs(c.Bias)*math.Sqrt(n) < distuv.UnitNormal.Quantile(1-alpha/4) && sum > squares.Quantile(alpha/4) && sum < squares.Quantile(1-alpha/4)
}

// coverageBand returns limits of the number of n independent intervals that contain the truth, if each does with probability 0.9. The
// number is below low or above high with a probability of less than alpha, half of it on each side.
func coverageBand(n int, alpha float64) (low, high int) {
	b := distuv.Binomial{N: float64(n), P: 0.9}
	for low < n && b.CDF(float64(low)) < alpha/2 {
		low++
	}
	for high = n; high > 0 && 1-b.CDF(float64(high-1)) < alpha/2; {
		high--
	}
	return low, high
}

// writeCoverage writes the coverage that was found, in the order of the designs. The file keeps the coverage of designs that were not tested.
func writeCoverage(t *testing.T, found []designCoverage) {
	var old, all []designCoverage
	if text, err := os.ReadFile(coverageFile); err == nil {
		if err := json.Unmarshal(text, &old); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range designs.All() {
		for _, from := range [][]designCoverage{found, old} {
			if i := slices.IndexFunc(from, func(c designCoverage) bool { return c.Design == d.Name }); i >= 0 {
				all = append(all, from[i])
				break
			}
		}
	}
	text, err := json.MarshalIndent(all, "", "\t")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(coverageFile), 0o755)
	}
	if err == nil {
		err = os.WriteFile(coverageFile, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// coverDesign fits n studies of a design, one on each processor at a time.
func coverDesign(t *testing.T, cache string, d *designs.Design, n int, chains lengths) designCoverage {
	t.Helper()
	studies := make([][]estimate, n)
	var wait sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range studies {
		wait.Add(1)
		go func() {
			defer wait.Done()
			room <- struct{}{}
			defer func() { <-room }()
			var err error
			if studies[i], err = estimates(t.TempDir(), cache, d, i+1, chains); err != nil {
				t.Error(err)
			}
		}()
	}
	wait.Wait()
	out := designCoverage{Design: d.Name, Command: "likc fit " + d.Model + " " + strings.Join(d.Args, " "), Population: map[string]coverage{}}
	zs := map[string][]float64{}
	for _, study := range studies {
		for _, e := range study {
			if e.OfPopulation {
				out.Population[e.Name] = out.Population[e.Name].withEstimate(e)
				zs[e.Name] = append(zs[e.Name], e.z())
			} else {
				out.Levels = out.Levels.withEstimate(e)
				zs[""] = append(zs[""], e.z())
			}
		}
	}
	for name, c := range out.Population {
		out.Population[name] = c.withSpread(zs[name])
	}
	out.Levels = out.Levels.withSpread(zs[""])
	return out
}

// withEstimate returns c with one more study.
func (c coverage) withEstimate(e estimate) coverage {
	c.Studies++
	if e.covered() {
		c.Covered++
	}
	return c
}

// withSpread returns c with Bias and Spread computed from the z of its studies.
func (c coverage) withSpread(z []float64) coverage {
	sum, squares := 0.0, 0.0
	for _, x := range z {
		sum, squares = sum+x, squares+x*x
	}
	if n := float64(len(z)); n > 0 {
		c.Bias = math.Round(1000*sum/n) / 1000
		c.Spread = math.Round(1000*math.Sqrt(max(0, squares/n-(sum/n)*(sum/n)))) / 1000
	}
	return c
}

func mustEstimate(t *testing.T, cache string, d *designs.Design, study int) []estimate {
	t.Helper()
	all, err := estimates(t.TempDir(), cache, d, study, short)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("nothing is estimated")
	}
	return all
}

// estimates simulates a study of a design, fits it with likc fit in the folder dir, and returns the estimates of cells and contrasts that
// likc prints.
func estimates(dir, cache string, d *designs.Design, study int, chains lengths) ([]estimate, error) {
	s, err := d.Draw(context.Background(), ssm.NewRand(uint64(study), stream.Of("design "+d.Name)))
	if err != nil {
		return nil, err
	}
	if err := writeRows(filepath.Join(dir, "study.csv"), s); err != nil {
		return nil, err
	}
	args := append([]string{"fit", d.Model, "--data", "study.csv", "-o", "fit", "--no-figures", "--no-loo", "--chains", "2", "--warmup", chains.warmup, "--draws", chains.draws, "--threads", "1"}, d.Args...)
	if _, err := likcOutput(dir, cache, args...); err != nil {
		return nil, err
	}
	all, err := cellEstimates(dir, d, s)
	if os.IsNotExist(err) {
		return summaryEstimates(dir, s)
	}
	if err != nil {
		return nil, err
	}
	asked, err := contrastEstimates(dir, cache, d, s)
	return append(all, asked...), err
}

func likcOutput(dir, cache string, args ...string) ([]byte, error) {
	cmd := likcCommand(dir, args...)
	cmd.Env = append(os.Environ(), "LIKC_CACHE="+cache, "GOMAXPROCS=1")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("likc %s: %w\n%s", strings.Join(args, " "), err, errors.Bytes())
	}
	return out, nil
}

func writeRows(path string, s *designs.Study) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.Write(s.Header)
	if err := w.WriteAll(s.Rows); err != nil {
		return err
	}
	return f.Close()
}

// cellEstimates returns the estimates of cells.csv with their true values.
func cellEstimates(dir string, d *designs.Design, s *designs.Study) (all []estimate, err error) {
	f, err := os.Open(filepath.Join(dir, "fit", "cells.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	header := rows[0]
	paramColumn := slices.Index(header, "param")
	for _, row := range rows[1:] {
		cell, grouped := designs.Cell{Labels: map[string]string{}, Numbers: map[string]float64{}}, false
		name := row[paramColumn] + "["
		for i, column := range header[:paramColumn] {
			if row[i] == "" {
				continue
			}
			if slices.ContainsFunc(d.Numbers, func(n designs.Number) bool { return n.Name == column }) {
				if cell.Numbers[column], err = strconv.ParseFloat(row[i], 64); err != nil {
					return nil, err
				}
				name += column + levelName(d, column, cell.Numbers[column]) + ","
				continue
			}
			cell.Labels[column] = row[i]
			grouped = grouped || column == "id" || slices.ContainsFunc(d.Groups, func(g designs.Grouping) bool { return g.Name == column })
			name += column + "=" + row[i] + ","
		}
		e := estimate{Name: strings.TrimSuffix(name, ",") + "]", OfPopulation: !grouped}
		if e.Truth, err = s.At(row[paramColumn], cell); err != nil {
			return nil, err
		}
		if err := e.read(row, header); err != nil {
			return nil, err
		}
		if e.SD > 0 { // a parameter that is held at a value has no spread
			all = append(all, e)
		}
	}
	return all, nil
}

// levelName names the number of a cell in a column by its place in the column's design, because the number itself differs a little between
// studies.
func levelName(d *designs.Design, column string, x float64) string {
	for _, n := range d.Numbers {
		if n.Name == column {
			return map[float64]string{-1: " - 1 sd", 0: "", 1: " + 1 sd"}[math.Round((x-n.Mean)/n.SD)]
		}
	}
	return ""
}

// read reads the numbers of a row of cells.csv.
func (e *estimate) read(row, header []string) (err error) {
	for name, x := range map[string]*float64{"mean": &e.Mean, "sd": &e.SD, "q5": &e.Q5, "q95": &e.Q95} {
		if *x, err = strconv.ParseFloat(row[slices.Index(header, name)], 64); err != nil {
			return err
		}
	}
	return nil
}

// readCells reads cells.csv without true values. The name of a row is made of the parameter and the labels.
func readCells(t *testing.T, path string) map[string]estimate {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header, all := rows[0], map[string]estimate{}
	paramColumn := slices.Index(header, "param")
	for _, row := range rows[1:] {
		var e estimate
		if err := e.read(row, header); err != nil {
			t.Fatal(err)
		}
		all[row[paramColumn]+"["+strings.Join(row[:paramColumn], ",")+"]"] = e
	}
	return all
}

// contrastEstimates returns the estimates that likc contrast prints, with their true values.
func contrastEstimates(dir, cache string, d *designs.Design, s *designs.Study) (all []estimate, err error) {
	if len(d.Asked) == 0 {
		return nil, nil
	}
	args := []string{"contrast", "fit", "--json"}
	for _, c := range d.Asked {
		args = append(args, c.String())
	}
	out, err := likcOutput(dir, cache, args...)
	if err != nil {
		return nil, err
	}
	var printed []struct {
		Contrast          string
		Mean, SD, Q5, Q95 float64
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		return nil, err
	}
	for i, c := range d.Asked {
		p := printed[i]
		e := estimate{Name: c.String(), Mean: p.Mean, SD: p.SD, Q5: p.Q5, Q95: p.Q95, OfPopulation: true}
		if e.Truth, err = s.Contrast(c); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// summaryEstimates returns the estimates of the parameters of a fit without formulas, with their true values.
func summaryEstimates(dir string, s *designs.Study) (all []estimate, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "fit", "summary.json"))
	if err != nil {
		return nil, err
	}
	var fit struct {
		Params map[string]struct{ Mean, SD, Q5, Q95 float64 }
	}
	if err := json.Unmarshal(text, &fit); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fit.Params)) {
		p := fit.Params[name]
		e := estimate{Name: name, Mean: p.Mean, SD: p.SD, Q5: p.Q5, Q95: p.Q95, OfPopulation: true}
		if e.Truth, err = s.At(name, designs.Cell{}); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}
