package ssm

import "math"

// Param is one parameter of a model.
type Param struct {
	Name         string
	Lower, Upper float64 // the range in which parameters are drawn
	Meaning      string
	Mirror       Mirror
	Domain       Domain // the numbers for which the process is defined; may be wider than the range
}

// Mirror is the effect of the reflection between two boundaries on a parameter.
type Mirror int

// These are the reflections: x, -x and 1 - x.
const (
	Same Mirror = iota
	Negate
	Complement
)

func (m Mirror) of(x float64) float64 {
	switch m {
	case Negate:
		return -x
	case Complement:
		return 1 - x
	}
	return x
}

// Domain is the set of numbers that a parameter may have.
type Domain int

// The domains, in this order: every finite number; x > 0; 0 < x < 1; x ≥ 0; 0 ≤ x ≤ 1; and angles in radians,
// -π/2 < x < π/2: at ±π/2 the slope tan(x) of a boundary is infinite, and beyond it equals that of another
// angle.
const (
	Finite Domain = iota
	Positive
	Unit
	NonNegative
	Share
	Acute
)

// Interval is the numbers from Low to High, with both ends if it is closed.
type Interval struct {
	Low, High float64
	Closed    bool
}

// intervals holds the interval of each domain.
var intervals = [...]Interval{
	Finite:      {Low: math.Inf(-1), High: math.Inf(1)},
	Positive:    {Low: 0, High: math.Inf(1)},
	Unit:        {Low: 0, High: 1},
	NonNegative: {Low: 0, High: math.MaxFloat64, Closed: true},
	Share:       {Low: 0, High: 1, Closed: true},
	Acute:       {Low: -math.Pi / 2, High: math.Pi / 2},
}

// Interval returns the domain as an interval.
func (d Domain) Interval() Interval { return intervals[d] }

// Has reports whether x is in the domain.
func (d Domain) Has(x float64) bool {
	i := &intervals[d]
	return x > i.Low && x < i.High || i.Closed && (x == i.Low || x == i.High)
}

func (d Domain) String() string {
	return [...]string{"finite", "positive", "between 0 and 1", "0 or more", "from 0 to 1", "between -π/2 and π/2"}[d]
}
