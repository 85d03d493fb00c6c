package hierarchy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/num/chains"
	"likc/runtime/num/notation"
)

// linearForm is a weighted sum of coefficients plus a constant.
type linearForm struct {
	names    []string  // names of the coefficients
	weights  []float64 // one weight for each coefficient
	constant float64
}

// add adds a multiple of another form.
func (f *linearForm) add(times float64, other linearForm) {
	f.constant += times * other.constant
	for i, name := range other.names {
		at := slices.Index(f.names, name)
		if at < 0 {
			at = len(f.names)
			f.names, f.weights = append(f.names, name), append(f.weights, 0)
		}
		f.weights[at] += times * other.weights[i]
	}
}

// minus returns the difference of two forms. Coefficients that cancel are omitted.
func (f linearForm) minus(other linearForm) (out linearForm) {
	out.add(1, f)
	out.add(-1, other)
	return out.reduced()
}

// reduced returns the form without coefficients that cancel, whose weights are only rounding errors.
func (f linearForm) reduced() linearForm {
	out, largest := linearForm{constant: f.constant}, 1.0
	for _, w := range f.weights {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range f.weights {
		if math.Abs(w) > 1e-12*largest {
			out.names, out.weights = append(out.names, f.names[i]), append(out.weights, w)
		}
	}
	if math.Abs(out.constant) <= 1e-12*largest {
		out.constant = 0
	}
	return out
}

// isZero reports whether a reduced form is 0.
func (f linearForm) isZero() bool { return len(f.names) == 0 && f.constant == 0 }

// isPositiveMultipleOf reports whether a reduced form is a positive multiple of another.
func (f linearForm) isPositiveMultipleOf(other linearForm) bool {
	if len(f.names) != len(other.names) || len(f.names) == 0 {
		return false
	}
	var rest linearForm
	at := slices.Index(other.names, f.names[0])
	if at < 0 {
		return false
	}
	times := f.weights[0] / other.weights[at]
	rest.add(1, f)
	rest.add(-times, other)
	return times > 0 && rest.reduced().isZero()
}

// evaluator returns a function that evaluates the form at draw k of chain c.
func (f linearForm) evaluator(d *chains.Draws) (func(c, k int) float64, error) {
	at := make([]int, len(f.names))
	for i, name := range f.names {
		if at[i] = d.Index(name); at[i] < 0 {
			return nil, fmt.Errorf("the draws have no %s", name)
		}
	}
	return func(c, k int) float64 {
		sum := f.constant
		for i, j := range at {
			sum += f.weights[i] * d.Chains[c].Params[j][k]
		}
		return sum
	}, nil
}

// String writes the form without its constant, positive terms first: v_cond[b] - 0.5 v_cond[c].
func (f linearForm) String() string {
	var added, subtracted []string
	for i, w := range f.weights {
		text := f.names[i]
		if size := math.Abs(w); size != 1 {
			text = notation.Figure("%.4g", size) + " " + text
		}
		if w > 0 {
			added = append(added, text)
		} else {
			subtracted = append(subtracted, "- "+text)
		}
	}
	text := strings.Join(append([]string{strings.Join(added, " + ")}, subtracted...), " ")
	return strings.TrimSpace(text)
}
