package objective

import (
	"fmt"

	"likc/compiler/expr"
)

// valuer computes the values of a model's symbols from parameters and a trial. For a trial at the lower boundary, the parameters
// are reflected.
type valuer struct {
	symbols []string // parameters, then trial columns
	params  []expr.Param
	lower   *expr.Tape // computes the reflected parameters; nil without reflection
	inside  *expr.Tape // computes both sides of each condition of the support
	sides   int        // number of values that inside computes
}

// newValuer returns the valuer of a model.
func newValuer(header *expr.Model) valuer {
	p := valuer{symbols: append(header.ParamNames(), header.Trials...), params: header.Params}
	upper := header.Groups()[0]
	var sides []*expr.Expr
	for _, s := range upper.Support {
		sides = append(sides, s.Left, s.Right)
	}
	p.inside, p.sides = expr.NewTape(p.symbols, sides...), len(sides)
	if header.Choice == "" {
		return p
	}
	p.lower = expr.NewTape(p.symbols, header.Reflected()...)
	return p
}

// at writes the symbols' values for a trial to dst.
func (p *valuer) at(dst, theta, trial []float64, choice float64) {
	copy(dst, theta)
	copy(dst[len(theta):], trial)
	if choice < 0 && p.lower != nil {
		reflected, _ := p.lower.Eval(nil, dst)
		copy(dst, reflected)
	}
}

// supported reports whether the model has a density at the symbols' values.
func (p *valuer) supported(values []float64) bool {
	sides, _ := p.inside.Eval(nil, values)
	for i := 0; i < p.sides; i += 2 {
		if !(sides[i] < sides[i+1]) {
			return false
		}
	}
	return true
}

// reach returns, for each parameter, the share of its range, from the lower end, that is in the support of all trials if the
// other parameters are in the middle of their ranges.
func (p *valuer) reach(trials [][]float64, choice []float64) []float64 {
	theta, values := make([]float64, len(p.params)), make([]float64, len(p.symbols))
	inside := func() bool {
		for k, trial := range trials {
			if p.at(values, theta, trial, choice[k]); !p.supported(values) {
				return false
			}
		}
		return true
	}
	reach := make([]float64, len(theta))
	for j := range reach {
		for i, q := range p.params {
			theta[i] = (q.Lower + q.Upper) / 2
		}
		lower, upper := 0.0, 1.0
		for range 20 { // 20 halvings locate the end to a millionth of the range
			at := (lower + upper) / 2
			if theta[j] = p.params[j].Lower + at*(p.params[j].Upper-p.params[j].Lower); inside() {
				lower = at
			} else {
				upper = at
			}
		}
		if reach[j] = lower; lower < 1e-5 { // nowhere in the support, because of another parameter
			reach[j] = 1
		}
	}
	return reach
}

// grid returns n equally spaced points over parameter j's range, ends included.
func (p *valuer) grid(j, n int) []float64 {
	q, g := p.params[j], make([]float64, n)
	for m := range g {
		f := float64(m) / float64(n-1)
		g[m] = q.Lower*(1-f) + q.Upper*f
	}
	return g
}

// sample holds the trials of a recovery proxy: G groups of K trials each, from a model with P parameters.
type sample struct {
	theta  [][]float64   // G×P: the true parameters
	trials [][][]float64 // G×K×columns: the trial columns
	choice [][]float64   // G×K: +1 or -1
	weight [][]float64   // G×K: number of trials that each one represents; nil for 1 each
}

// sampled returns the first groups that have at least the given number of trials, with that many first trials each.
func sampled(s Subjects, groups, trials int) (sample, error) {
	var out sample
	for g, rt := range s.RT {
		if len(rt) < trials || len(out.theta) == groups {
			continue
		}
		rows := make([][]float64, trials)
		for k := range rows {
			rows[k] = []float64{rt[k]}
			for _, c := range s.More {
				rows[k] = append(rows[k], c[g][k])
			}
		}
		out.theta = append(out.theta, s.Theta[g])
		out.trials = append(out.trials, rows)
		out.choice = append(out.choice, s.Choice[g][:trials])
	}
	if len(out.theta) < groups {
		return out, fmt.Errorf("proxy: %d groups have %d trials: want %d", len(out.theta), trials, groups)
	}
	return out, nil
}

// upper returns the rows' groups as subjects whose trials are all at the upper boundary.
func (r *Rows) upper() Subjects {
	s := Subjects{Theta: r.Theta, RT: r.RT, More: r.More, Choice: make([][]float64, len(r.RT))}
	for g := range s.Choice {
		s.Choice[g] = make([]float64, len(r.RT[g]))
		for k := range s.Choice[g] {
			s.Choice[g][k] = 1
		}
	}
	return s
}

// first returns the rows' groups with only their first trial.
func (r *Rows) first() *Rows {
	f := &Rows{Params: r.Params, Theta: r.Theta, More: make([][][]float64, len(r.More))}
	for g := range r.RT {
		f.RT, f.Target = append(f.RT, r.RT[g][:1]), append(f.Target, r.Target[g][:1])
		for i, c := range r.More {
			f.More[i] = append(f.More[i], c[g][:1])
		}
	}
	return f
}
