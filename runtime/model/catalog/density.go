package catalog

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/neural"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/ssm"
	"likc/testdata"
)

// processNamed returns the process of that name whose density is no built-in expression, or nil.
func processNamed(name string) *ssm.Model {
	p, err := ssm.Lookup(name)
	if _, closed := testdata.Model(name); err != nil || closed {
		return nil
	}
	return p
}

// ofProcess is a process, with its exact density if it has one, else with the teacher that comes with the program.
func ofProcess(p *ssm.Model) (*Model, error) {
	m := &Model{Model: HeaderOf(p), Origin: Origin{Kind: Process, Builtin: true}, simulator: &Simulator{Process: p}}
	if p.Density != nil {
		m.Origin.Kind, m.density = Exact, exactOf(p)
		return m, nil
	}
	files, ok := testdata.Teacher(p.Name)
	if !ok {
		return m, nil
	}
	t, err := neural.OpenFS(p.Name, files)
	if err != nil {
		return nil, err
	}
	m = OfTeacher(p.Name, p, t.Density, t.Sum)
	m.teacher, m.Origin.Builtin = t, true
	return m, nil
}

// exactOf is the kernel of a process.
func exactOf(p *ssm.Model) kernel.Kernel {
	if p.Density.Bind == nil {
		return exact{p}
	}
	return summed{exact{p}}
}

// exact is the density of a process, row by row.
type exact struct{ *ssm.Model }

// LogDensity evaluates trials one by one.
func (e exact) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i, at := range theta {
		dst[i] = e.Model.LogDensity(rt[i], choice[i], at)
	}
}

// Rows gives trials to the log density row by row.
func (e exact) Rows(t kernel.Trials) (kernel.Rows, error) {
	return e.Model.Rows(t.Columns[0], t.Choice)
}

// summed is the density of a process whose sums are quicker than its rows.
type summed struct{ exact }

// Sum gives trials to the log-likelihood.
func (s summed) Sum(t kernel.Trials) (kernel.Sum, error) { return s.Model.Bind(t.Columns[0], t.Choice) }

// Combined returns the index of the parameter that SumCombined takes as a linear combination of coefficients, -1 for none.
func (s summed) Combined() int { return s.Index(s.Density.Linear) }

// SumCombined gives trials to the log-likelihood of the coefficients and the other parameters.
func (s summed) SumCombined(t kernel.Trials, values *kernel.Combinations) (kernel.Sum, error) {
	return s.Density.BindLinear(t.Columns[0], t.Choice, values)
}

// isTeacher reports whether a path is the folder of a teacher.
func isTeacher(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, neural.RecordFile))
	return err == nil
}

// fromTeacher opens the folder of a teacher; the model is called by the folder.
func fromTeacher(dir string) (*Model, error) {
	t, err := neural.Open(dir)
	if err != nil {
		return nil, err
	}
	m := OfTeacher(filepath.Base(filepath.Clean(dir)), t.Simulator, t.Density, t.Sum)
	m.teacher = t
	if n, ok := t.Density.(*lan.Teacher); ok { // another program may have trained it, on other ranges than the process has here
		ranges := make([]Range, len(n.Lower))
		for i := range ranges {
			ranges[i] = Range{n.Lower[i], n.Upper[i]}
		}
		m = m.WithRanges(ranges)
	}
	return m, nil
}

// OfTeacher is a neural likelihood of a process under a name; sum is the SHA-256 of its weights.
func OfTeacher(name string, p *ssm.Model, d kernel.Kernel, sum string) *Model {
	header := HeaderOf(p)
	header.Name = name
	return &Model{Model: header, Origin: Origin{Kind: Teacher, Sum: sum}, simulator: &Simulator{Process: p}, density: d}
}

// Mixed returns the model mixed with lapses. It has the density d, p as its last parameter, which is the probability of a lapse, and no
// support conditions, because a lapse may come before the onset. [Model.Parameters] still uses the conditions of the model without
// lapses. replace makes each of some trials a lapse with probability p.
func (m *Model) Mixed(d kernel.Kernel, p expr.Param, replace func(r *rand.Rand, p float64, rt, choice []float64)) *Model {
	header, out := *m.Model, *m
	header.Params = append(slices.Clone(m.Params), p)
	header.Support, header.Lets, header.LogLik, header.Simulator = nil, nil, nil, nil
	out.Model, out.density, out.lapses, out.relaxed = &header, d, true, m.Model
	out.inner, _ = m.Written()
	if m.simulator != nil {
		s := *m.simulator
		s.lapses = replace
		out.simulator = &s
	}
	return &out
}

// IsLapse reports whether parameter i is the probability of a lapse, which [Model.Mixed] added.
func (m *Model) IsLapse(i int) bool { return m.lapses && i == len(m.Params)-1 }

// WithDensity is the model with another density of the same parameters.
func (m *Model) WithDensity(d kernel.Kernel) *Model {
	header, out := *m.Model, *m
	header.Lets, header.LogLik, header.Simulator = nil, nil, nil
	out.Model, out.density = &header, d
	out.inner, _ = m.Written()
	return &out
}
