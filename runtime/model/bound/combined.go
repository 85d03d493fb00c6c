package bound

import (
	"fmt"

	"likc/runtime/model/kernel"
)

// combined returns the parameter at each of some trials as a linear combination of inputs. With the identity link, the inputs are
// coefficients. With another link they are the distinct linear predictors behind the link, and the coefficients added outside it.
func (p *Predictor) combined(to *Predictors, trials []int) (inputs []int, values *kernel.Combinations) {
	w := &inputWriter{to: to, known: map[string]int{}}
	values = &kernel.Combinations{}
	for _, trial := range trials {
		w.entry = Combination{}
		offset, inverse := p.offset(trial), p.Inverse(trial)
		if inverse.Link == Identity {
			w.addCoefficients(combine(p.Inside, trial))
			if offset != 0 {
				w.add("offset", offset, func() int { return to.Add(Combination{}, Combination{}, 1, inverse) })
			}
		} else {
			w.add(string(p.key(nil, trial, false)), 1, func() int {
				return to.Add(combine(p.Inside, trial), Combination{}, offset, inverse)
			})
		}
		w.addCoefficients(combine(p.Outside, trial))
		values.Append(w.entry.Columns, w.entry.Values)
	}
	values.Columns = len(w.inputs)
	return w.inputs, values
}

// inputWriter expresses a parameter, trial by trial, as linear combinations of inputs, each of which is a predictor.
type inputWriter struct {
	to     *Predictors
	inputs []int          // indices of the predictors
	known  map[string]int // index in inputs, by "offset", the number of a coefficient, or the key of a linear predictor
	entry  Combination    // the combination for the current trial
}

// add adds a value times an input. If the key is new, predictor makes the input.
func (w *inputWriter) add(key string, value float64, predictor func() int) {
	at, ok := w.known[key]
	if !ok {
		at = len(w.inputs)
		w.known[key] = at
		w.inputs = append(w.inputs, predictor())
	}
	w.entry.Columns, w.entry.Values = append(w.entry.Columns, at), append(w.entry.Values, value)
}

// addCoefficients adds a combination of coefficients, each of which is an input.
func (w *inputWriter) addCoefficients(c Combination) {
	for k, column := range c.Columns {
		w.add(fmt.Sprint(column), c.Values[k], func() int {
			return w.to.Add(Only(column), Combination{}, 0, Inverse{Link: Identity})
		})
	}
}
