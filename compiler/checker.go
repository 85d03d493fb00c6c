package compiler

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/compiler/ir"
)

// checker tests passes. It interprets a program on fixed generated data before the first pass, and compares the results after
// each pass.
type checker struct {
	inputs []sample
	want   [][]float64 // value and gradient at each input
}

// checkTolerance bounds the change of a result by a pass, relative to the sum of the absolute values of the intermediate
// results.
const checkTolerance = 1e-9

// newChecker draws three inputs at which the program's results are finite. A program without such inputs is only checked for
// its form.
func newChecker(p *ir.Program) (*checker, error) {
	c := &checker{}
	rng := rand.New(rand.NewPCG(2, 3))
	for try := 0; try < 60 && len(c.inputs) < 3; try++ {
		s := drawInput(p, rng)
		v, _, err := interpret(p, s)
		if err != nil {
			return nil, err
		}
		if !math.IsInf(v[0], 0) && !math.IsNaN(v[0]) {
			c.inputs = append(c.inputs, s)
			c.want = append(c.want, v)
		}
	}
	return c, nil
}

// drawInput draws 19 trials, late enough that a support such as t < rt often holds.
func drawInput(p *ir.Program, rng *rand.Rand) sample {
	s := sample{columns: make([][]float64, len(p.Trials))}
	shift := 3 * rng.Float64()
	for _, q := range p.Params {
		s.theta = append(s.theta, q.Lower+(q.Upper-q.Lower)*rng.Float64())
	}
	codes := p.Codes()
	for i := 0; i < 19; i++ {
		for j, x := range drawTrial(p.Trials, p.IsPositive, rng) {
			if p.IsPositive(p.Trials[j]) || len(p.Trials) == 1 {
				x += shift
			}
			s.columns[j] = append(s.columns[j], x)
		}
		if p.Choice != "" {
			s.choice = append(s.choice, codes[i%len(codes)])
		}
	}
	return s
}

// interpret returns the log-likelihood and its gradient, and the scale of their rounding errors.
func interpret(p *ir.Program, s sample) ([]float64, float64, error) {
	if err := ir.Verify(p); err != nil {
		return nil, 0, err
	}
	b, err := ir.Bind(p, s.columns, s.choice)
	if err != nil {
		return nil, 0, err
	}
	v := make([]float64, 1+b.Dim())
	v[0] = b.LogLikGrad(s.theta, v[1:])
	return v, b.Scale(s.theta), nil
}

// compare returns an error if p gives other results than the program did before the first pass.
func (c *checker) compare(p *ir.Program) error {
	if err := ir.Verify(p); err != nil {
		return err
	}
	for i, s := range c.inputs {
		got, scale, err := interpret(p, s)
		if err != nil {
			return err
		}
		for j, want := range c.want[i] {
			if math.IsInf(want, 0) || math.IsNaN(want) || math.IsInf(scale, 0) || math.IsNaN(scale) {
				continue // after an overflow, rounding decides the result
			}
			if !(math.Abs(got[j]-want) <= checkTolerance*(scale+1)) {
				return fmt.Errorf("input %d, output %d: %v, was %v", i, j, got[j], want)
			}
		}
	}
	return nil
}
