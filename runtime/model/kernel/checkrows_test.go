package kernel

import (
	"math"
	"strings"
	"testing"
)

// lines are rows of a normal density with the mean θ₀ + θ₁x. They have the fault that is named, if any.
type lines struct {
	x, y  []float64
	fault string
	kept  []float64
}

func (l *lines) N() int   { return len(l.x) }
func (l *lines) Dim() int { return 2 }

func (l *lines) Each(theta [][]float64, logp []float64, grad [][]float64) {
	if l.fault == "allocation" {
		l.kept = make([]float64, 2)
	}
	for i, x := range l.x {
		slope := At(theta[1], i)
		if l.fault == "neighbour" {
			slope = At(theta[1], max(i-1, 0))
		}
		d := l.y[i] - At(theta[0], i) - slope*x
		logp[i] = -d * d / 2
		if l.y[i] > 100 {
			logp[i] = math.Inf(-1)
		}
		slopes := [2]float64{d, d * x}
		switch {
		case l.fault == "value" && grad == nil:
			logp[i]++
		case l.fault == "gradient":
			slopes[1] += 1e-3
		case l.y[i] > 100 && l.fault != "edge":
			clear(slopes[:])
		}
		for j, g := range grad {
			if g != nil {
				g[i] = slopes[j]
			}
		}
	}
}

func TestCheckRowsAccepts(t *testing.T) {
	CheckRows(t, &lines{x: []float64{1, 2, 3, 4, 5}, y: []float64{2, 3, 3, 5, 2}}, [][]float64{{1, 0.5}, {0, 1}, {-1, 2}})
	CheckRows(t, &lines{x: []float64{1, 2, 3}, y: []float64{2, 200, 3}}, [][]float64{{1, 0.5}, {0, 1}})
	CheckRows(t, EachAlone(2, 3, func(i int, theta, grad []float64) float64 {
		if grad != nil {
			grad[0], grad[1] = float64(i), 2*theta[1]
		}
		return float64(i)*theta[0] + theta[1]*theta[1]
	}), [][]float64{{1, 0.5}, {0, 1}})
}

// TestCheckRowsFinds checks that CheckRows finds every fault and reports it.
func TestCheckRowsFinds(t *testing.T) {
	if raced {
		t.Skip("one of the faults is a race, and allocations are not counted")
	}
	for fault, want := range map[string]string{
		"neighbour":  "among rows with other parameters",
		"value":      "alone",
		"gradient":   "∂1 is",
		"edge":       "want 0",
		"allocation": "Each allocates",
	} {
		var r recorder
		CheckRows(&r, &lines{x: []float64{1, 2, 3, 4, 5}, y: []float64{2, 300, 3, 5, 2}, fault: fault}, [][]float64{{1, 0.5}, {0, 1}, {-1, 2}})
		if fault == "gradient" {
			CheckRows(&r, &lines{x: []float64{1, 2, 3}, y: []float64{2, 3, 5}, fault: fault}, [][]float64{{1, 0.5}, {0, 1}, {-1, 2}})
		}
		if all := strings.Join(r.said, "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: not found; said %q", fault, all)
		}
	}
}
