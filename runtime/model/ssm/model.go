package ssm

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"likc/runtime/model/kernel"
)

// Model is a process model: one value that says all that likc knows of a sequential sampling model. Its last fields are functions
// for simulation and for the density; a nil one means that the model lacks that capability. Models are defined once, with
// [Register].
type Model struct {
	Name    string
	Process string    // the process, in a line of mathematics
	Cites   string    // who proposed it, and when
	Notes   string    // remarks on the parameters for readers who know other programs
	Params  []Param   // the parameters, in the order of every parameter vector
	Choices []float64 // the codes of choices: +1 and -1 for the upper and the lower boundary, or 0, 1, …; only 1 for a response without choice
	Each    []string  // in a race of similar accumulators, the names of the parameters that each accumulator has for itself, such as v for v0, v1, …
	Onset   string    // the parameter at which decisions begin, so that rt > onset; "" for none
	Onsets  Uniform   // the parameters of a uniform onset that differs between trials; Onset is "" then
	Example []float64 // parameters of an ordinary subject
	Weak    []string  // parameters that a few hundred trials hardly determine, so that recovering them is no test of a likelihood
	// Lopsided is true if no reflection of the parameters swaps the two boundaries.
	Lopsided bool
	Modes    bool     // whether posteriors of some hundred trials can have several modes, between which chains do not move
	Priors   []Preset // sets of priors that other programs have

	Inside func(theta []float64) error // returns an error if parameters, each in its domain, are not allowed together; nil if there is no such restriction

	Text     string // the source text of a model that is defined in a model file; "" for a model that comes with likc
	Evidence string // the process in the words of an evidence block of the language, without the onset; "" if there is no such text
	DriftSD  string // the parameter that is the standard deviation, between trials, of the drift of the process in Evidence; "" for a drift that does not vary

	Diffusion    func(theta []float64) Diffusion    // diffusion that the bridge and euler schemes simulate
	Flight       func(theta []float64) Flight       // process with jumps that both schemes simulate
	Accumulators func(theta []float64) Accumulators // accumulators of a race that the bridge scheme simulates
	Sampler      func(theta []float64) Sampler      // draws trials without a time step

	// Steps draws trials of a process that a model file declares, by the bridge scheme. It fails if theta is outside the process's
	// domain.
	Steps   func(theta []float64, scheme Scheme) (Sampler, error)
	Outside bool     // whether a program outside likc draws the trials: see [WithProgram]
	program Program  // the program that draws trials, if [Model.From] has set it
	Density *Density // the exact log density
}

// Uniform names the parameters that are the middle and the full width of a uniform distribution. It is empty if there is no
// such distribution.
type Uniform struct{ Middle, Width string }

// Preset is a named set of priors. Priors holds one prior for each parameter, in order, as texts for
// [likc/runtime/model/posterior.ParsePrior].
type Preset struct {
	Name       string
	Priors     []string // priors of parameters that are one number
	Intercepts []string // priors of the intercepts of parameters for which there is a linear predictor without a link function; nil if they are those in Priors

	// Program names a program with its version. Lapse and Window are the fixed lapse probability, and the range of lapses, that the
	// program adds by default, as texts for the flags --lapse and --lapse-window of likc fit; "" for none.
	Program, Lapse, Window string
}

// The names of the columns of a process's trials.
const (
	ResponseTime = "rt"
	Choice       = "choice"
)

// Density is an exact log density.
type Density struct {
	// Log returns log p(rt, choice | theta), rt in seconds; -Inf outside the support, NaN if an argument is NaN. If grad is not
	// nil, Log overwrites it with the gradient, which is zero outside the support.
	Log func(rt, choice float64, theta, grad []float64) float64
	// CDF returns P(RT ≤ rt, choice | theta); rt may be +Inf. It is nil if likc has no distribution function.
	CDF func(rt, choice float64, theta []float64) float64
	// Rows binds trials to the log density, for evaluation row by row. An error names the first invalid trial, counted from 1.
	Rows func(rt, choice []float64) (kernel.Rows, error)
	// Bind binds trials to the summed log-likelihood, if that is faster than rows; else it is nil. It has the same errors as Rows.
	Bind func(rt, choice []float64) (kernel.Sum, error)
	// Linear is the parameter that BindLinear replaces by a linear combination of coefficients, which may differ from trial to
	// trial. The coefficients then take the parameter's place in the parameter vector. BindLinear is nil if there is no such
	// parameter.
	Linear     string
	BindLinear func(rt, choice []float64, values *kernel.Combinations) (kernel.Sum, error)
}

// Sampler draws one trial: rt in seconds, and the choice.
type Sampler func(r *rand.Rand) (rt, choice float64)

// Dim returns the number of parameters.
func (m *Model) Dim() int { return len(m.Params) }

// Numbered reports whether the choices are 0, 1, … rather than the two boundaries.
func (m *Model) Numbered() bool { return m.Choices[0] == 0 }

// HasChoice reports whether trials can end in more than one way.
func (m *Model) HasChoice() bool { return len(m.Choices) > 1 }

// CheckBoundaries returns an error if the model does not have two boundaries.
func (m *Model) CheckBoundaries() error {
	if !m.HasChoice() {
		return fmt.Errorf("model %s: it has one response; want a model of two boundaries", m.Name)
	}
	if m.Numbered() {
		return fmt.Errorf("model %s: it has the choices 0 to %d; want a model of two boundaries", m.Name, len(m.Choices)-1)
	}
	if m.Lopsided {
		return fmt.Errorf("model %s: no change of signs, or of x to 1 - x, in its parameters swaps its boundaries; want a process that has such a reflection", m.Name)
	}
	return nil
}

// CheckTeachable returns an error if no neural likelihood can be trained for the model, because it has only one response.
func (m *Model) CheckTeachable() error {
	if !m.HasChoice() {
		return fmt.Errorf("model %s: it has one response; want several choices", m.Name)
	}
	return nil
}

// Alike reports whether every choice is equivalent to the first one at other parameters: reflected ones, or those of renumbered
// accumulators. Then a network that describes one choice describes all.
func (m *Model) Alike() bool {
	if m.Numbered() {
		return len(m.Each) > 0
	}
	return !m.Lopsided
}

// Rotation returns, for each parameter, the index of the parameter that takes its place if the accumulators are renumbered,
// beginning with number k. The first choice is then as likely at every rt as choice k was. Parameters that belong to no
// accumulator keep their places.
func (m *Model) Rotation(k int) []int {
	place := make([]int, m.Dim())
	for i := range place {
		place[i] = i
	}
	n := len(m.Choices)
	for _, name := range m.Each {
		for j := range n {
			place[m.Index(fmt.Sprint(name, j))] = m.Index(fmt.Sprint(name, (j+k)%n))
		}
	}
	return place
}

// Index returns the position of the named parameter, or -1.
func (m *Model) Index(param string) int {
	for i, p := range m.Params {
		if p.Name == param {
			return i
		}
	}
	return -1
}

// OnsetIndex returns the index of the parameter that is the onset of decisions, or -1 if there is none.
func (m *Model) OnsetIndex() int { return m.Index(m.Onset) }

// ShiftIndex returns the index of the parameter whose changes move all response times by the same amount, or -1 if there is
// none.
func (m *Model) ShiftIndex() int {
	if m.Onsets != (Uniform{}) {
		return m.Index(m.Onsets.Middle)
	}
	return m.OnsetIndex()
}

// Earliest returns the earliest possible response time at theta, in seconds; 0 if the process has no onset.
func (m *Model) Earliest(theta []float64) float64 {
	switch {
	case m.Onset != "":
		return theta[m.OnsetIndex()]
	case m.Onsets != (Uniform{}):
		return theta[m.Index(m.Onsets.Middle)] - theta[m.Index(m.Onsets.Width)]/2
	}
	return 0
}

// Reflect writes to dst the parameters under which the other choice is as
// likely at every rt as the given choice under theta (ς in the paper). dst may be theta.
func (m *Model) Reflect(dst, theta []float64) {
	for i, p := range m.Params {
		dst[i] = p.Mirror.of(theta[i])
	}
}

// Check returns an error if theta is not in the model's domain: it has a wrong length, or a number for which the process is not
// defined. Values outside the ranges can be in the domain.
func (m *Model) Check(theta []float64) error {
	if len(theta) != m.Dim() {
		return fmt.Errorf("model %s: %d parameters, want %d", m.Name, len(theta), m.Dim())
	}
	for i, p := range m.Params {
		switch x := theta[i]; {
		case !Finite.Has(x):
			return fmt.Errorf("model %s: %s = %v is not finite", m.Name, p.Name, x)
		case !p.Domain.Has(x):
			return fmt.Errorf("model %s: %s = %v is not %s", m.Name, p.Name, x, p.Domain)
		}
	}
	if m.Inside != nil {
		if err := m.Inside(theta); err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
	}
	return nil
}

// LogDensity returns the exact log density of one trial. It panics for a model
// without one, and if theta does not have length Dim.
func (m *Model) LogDensity(rt, choice float64, theta []float64) float64 {
	return m.LogDensityGrad(rt, choice, theta, nil)
}

// LogDensityGrad returns LogDensity, and overwrites grad, of length Dim, with the gradient.
func (m *Model) LogDensityGrad(rt, choice float64, theta, grad []float64) float64 {
	m.mustHave(theta)
	if grad != nil && len(grad) != m.Dim() {
		panic(fmt.Sprintf("ssm: %s: a gradient of length %d, want %d", m.Name, len(grad), m.Dim()))
	}
	return m.Density.Log(rt, choice, theta, grad)
}

// CDF returns P(RT ≤ rt, choice | theta), which tends to the probability of
// the choice as rt grows. It panics for a model without a distribution function.
func (m *Model) CDF(rt, choice float64, theta []float64) float64 {
	m.mustHave(theta)
	return m.Density.CDF(rt, choice, theta)
}

// Bind binds trials to the exact log-likelihood.
func (m *Model) Bind(rt, choice []float64) (kernel.Sum, error) {
	if m.Density == nil || m.Density.Bind == nil {
		return nil, fmt.Errorf("model %s: no exact sum of log densities", m.Name)
	}
	return m.Density.Bind(rt, choice)
}

// Rows binds trials to the exact log density, for evaluation row by row.
func (m *Model) Rows(rt, choice []float64) (kernel.Rows, error) {
	if m.Density == nil {
		return nil, fmt.Errorf("model %s: no exact density", m.Name)
	}
	return m.Density.Rows(rt, choice)
}

func (m *Model) mustHave(theta []float64) {
	if m.Density == nil {
		panic("ssm: " + m.Name + " has no exact density")
	}
	if len(theta) != m.Dim() {
		panic(fmt.Sprintf("ssm: %s: %d parameters, want %d", m.Name, len(theta), m.Dim()))
	}
}

// describe writes theta as v=1,a=1.2,...
func (m *Model) describe(theta []float64) string {
	pairs := make([]string, len(theta))
	for i, p := range m.Params {
		pairs[i] = fmt.Sprintf("%s=%v", p.Name, theta[i])
	}
	return strings.Join(pairs, ",")
}
