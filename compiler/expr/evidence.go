package expr

import "slices"

// Tau is the symbol of the time since the onset, in seconds, in the expressions of [Evidence].
const Tau = "tau"

// Evidence is a process that a model file declares: evidence x moves as dx = Drift dτ + Noise dW until it reaches a boundary,
// and the response time is the onset plus τ. Either one accumulator moves between two boundaries, or each choice has an
// accumulator that moves below a boundary. Expressions contain the model's parameters and its trial columns except the
// response. Drifts may also contain [Tau] and the names of evidence; noise and boundaries may contain Tau.
type Evidence struct {
	Name         string        // the name of the evidence; in a race, the evidence of accumulator k has this name followed by k
	Time         string        // the trial column that has response times
	Onset        Law           // when the process begins: a point, uniform or normal
	Accumulators []Accumulator // one, or one for each numbered choice
}

// Accumulator is one stream of evidence.
type Accumulator struct {
	Evidence string // the symbol of the accumulator's evidence in expressions
	Start    Law    // the law of the point where evidence begins: a point, uniform or beta
	Drift    *Expr  // mean change of the evidence per second
	Noise    *Expr  // standard deviation of the change of the evidence in one second
	Upper    *Expr
	Lower    *Expr // nil in a race, and in a model without choice
	Reflect  *Expr // the barrier at which evidence is pushed back up; nil for none
}

// LawKind says which distribution a [Law] is.
type LawKind string

// The distributions, by their words in a model file.
const (
	PointLaw   LawKind = ""        // always the value A
	UniformLaw LawKind = "uniform" // the uniform law from A to B
	NormalLaw  LawKind = "normal"  // the normal law with mean A and standard deviation B
	BetaLaw    LawKind = "beta"    // the beta law with shapes A and B, from C to D
)

// Law is the distribution of a start or of an onset. Expressions that its kind does not have are nil.
type Law struct {
	Kind       LawKind
	A, B, C, D *Expr
}

// Values returns the expressions of a law in the order in which they are written.
func (l Law) Values() []*Expr {
	return slices.DeleteFunc([]*Expr{l.A, l.B, l.C, l.D}, func(e *Expr) bool { return e == nil })
}

// Interacts reports whether the law of an accumulator depends on another's evidence, so that the process can only be simulated.
func (e *Evidence) Interacts() bool {
	for _, a := range e.Accumulators {
		for _, b := range e.Accumulators {
			if a.Evidence != b.Evidence && slices.Contains(Symbols(a.Drift), b.Evidence) {
				return true
			}
		}
	}
	return false
}

// Roots returns the expressions of a process, in a fixed order. It returns none if e is nil.
func (e *Evidence) Roots() []*Expr {
	if e == nil {
		return nil
	}
	roots := e.Onset.Values()
	for _, a := range e.Accumulators {
		roots = append(append(roots, a.Start.Values()...), a.Drift, a.Noise, a.Upper, a.Lower, a.Reflect)
	}
	return slices.DeleteFunc(roots, func(e *Expr) bool { return e == nil })
}

func (e *Evidence) equal(o *Evidence) bool {
	if e == nil || o == nil {
		return e == o
	}
	return e.Name == o.Name && e.Time == o.Time && e.Onset.equal(o.Onset) && slices.EqualFunc(e.Accumulators, o.Accumulators, Accumulator.equal)
}

func (a Accumulator) equal(b Accumulator) bool {
	return a.Evidence == b.Evidence && a.Start.equal(b.Start) && same(a.Drift, b.Drift) && same(a.Noise, b.Noise) && same(a.Upper, b.Upper) &&
		same(a.Lower, b.Lower) && same(a.Reflect, b.Reflect)
}

func (l Law) equal(o Law) bool {
	return l.Kind == o.Kind && slices.EqualFunc(l.Values(), o.Values(), (*Expr).Equal)
}

// same does what Equal does, where either may be nil.
func same(a, b *Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b)
}

// Has reports whether a name stands for the time since the onset or for evidence. It returns false if e is nil.
func (e *Evidence) Has(name string) bool {
	return e != nil && (name == Tau || slices.ContainsFunc(e.Accumulators, func(a Accumulator) bool { return a.Evidence == name }))
}
