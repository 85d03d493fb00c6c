package loo

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// table reads a file of testdata as columns of numbers, by their names. NA and names of models become NaN.
func table(t testing.TB, name string) map[string][]float64 {
	t.Helper()
	columns := map[string][]float64{}
	rows := records(t, name)
	for j, column := range rows[0] {
		columns[column] = []float64{}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil {
				v = math.NaN()
			}
			columns[column] = append(columns[column], v)
		}
	}
	return columns
}

func records(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// draws reads a file of draws: a row for each draw, without its chain.
func draws(t testing.TB, name string) [][]float64 {
	t.Helper()
	var theta [][]float64
	for _, row := range records(t, name)[1:] {
		var at []float64
		for _, text := range row[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, v)
		}
		theta = append(theta, at)
	}
	return theta
}

// likelihood is a log density, given a trial and parameters, that implements [Pointwise].
type likelihood struct {
	n       int
	density func(trial int, theta []float64) float64
}

func (l likelihood) N() int { return l.n }

func (l likelihood) LogDensity(dst, theta [][]float64, first int) {
	for i := range dst {
		for s, at := range theta {
			dst[i][s] = l.density(first+i, at)
		}
	}
}

func normal(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2
}
