package bound

import (
	"math"
	"slices"
	"sync"

	"likc/compiler/normal"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
)

// logZ computes the log of a density's integral Z over time and all choices, and its gradient. It is safe for concurrent use.
type logZ struct {
	integral kernel.Sum  // its value is Z divided by exp(typical + shift); the shift is its last parameter
	logs     kernel.Rows // logs of the integral's terms
	typical  float64     // a constant: the log of a typical size of Z
	dim      int         // number of parameters
	spaces   sync.Pool   // memory of evaluations: *zSpace
}

// zSpace is the working memory of an evaluation: parameters and a gradient.
type zSpace struct{ theta, grad []float64 }

func newLogZ(p *normal.Parts, integral *expression, logs kernel.Rows) (*logZ, error) {
	z := &logZ{dim: len(p.Bare.Params), typical: p.Typical, logs: logs}
	z.spaces.New = func() any { return &zSpace{make([]float64, z.dim+1), make([]float64, z.dim+1)} }
	var err error
	z.integral, err = integral.Sum(kernel.Trials{Columns: p.Columns, Choice: p.Choice})
	return z, err
}

// A sum within these bounds has all its digits: no term overflowed, and terms that became 0 do not matter.
const leastSum, mostSum = 1e-250, 1e250

// at returns log Z and, unless grad is nil, overwrites grad with its gradient. If exp of a term would overflow or underflow, all
// terms are shifted first.
func (z *logZ) at(theta, grad []float64) float64 {
	s := z.spaces.Get().(*zSpace)
	defer z.spaces.Put(s)
	copy(s.theta, theta)
	s.theta[z.dim] = 0
	sum := z.sum(s, grad)
	if !(sum > leastSum && sum < mostSum) {
		s.theta[z.dim] = z.largest(s.theta)
		sum = z.sum(s, grad)
	}
	for j := range grad {
		grad[j] = s.grad[j] / sum
	}
	return math.Log(sum) + z.typical + s.theta[z.dim]
}

// sum returns the integral itself, divided as [logZ] says, and not its log: LogLik is the name of the value of any [kernel.Sum].
func (z *logZ) sum(s *zSpace, grad []float64) float64 {
	if grad == nil {
		return z.integral.LogLik(s.theta)
	}
	return z.integral.LogLikGrad(s.theta, s.grad)
}

// largest returns the log of the integral's largest term; 0 if none is finite.
func (z *logZ) largest(theta []float64) float64 {
	terms := make([]float64, z.logs.N())
	z.logs.Each(kernel.Fixed(theta), terms, nil)
	if most := slices.Max(terms); !math.IsInf(most, 0) && !math.IsNaN(most) {
		return most
	}
	return 0
}

// use makes the integral use an instruction set.
func (z *logZ) use(level isa.Level) { load.Use(z.integral, level) }
