package catalog

import (
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

// processNamed returns the named process; nil if there is none, or if its density is a built-in expression.
func processNamed(name string) *ssm.Model {
	p, err := ssm.Lookup(name)
	if _, closed := testdata.Model(name); err != nil || closed {
		return nil
	}
	return p
}

// ofProcess returns a process as a model. Its likelihood is the exact density, or else the built-in teacher, a trained network that
// approximates the density, or else none.
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

// exactOf returns the kernel of a process's exact density.
func exactOf(p *ssm.Model) kernel.Kernel {
	if p.Density.Bind == nil {
		return exact{p}
	}
	return summed{exact{p}}
}

// exact evaluates the density of a process row by row.
type exact struct{ *ssm.Model }

// LogDensity evaluates trials one by one.
func (e exact) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i, at := range theta {
		dst[i] = e.Model.LogDensity(rt[i], choice[i], at)
	}
}

// Rows binds trials to the log density row by row.
func (e exact) Rows(t kernel.Trials) (kernel.Rows, error) {
	return e.Model.Rows(t.Columns[0], t.Choice)
}

// summed is the density of a process whose sums are faster than its rows.
type summed struct{ exact }

// Sum binds trials to the log-likelihood.
func (s summed) Sum(t kernel.Trials) (kernel.Sum, error) { return s.Model.Bind(t.Columns[0], t.Choice) }

// Combined returns the index of the parameter that SumCombined replaces by a linear combination of coefficients, -1 for none.
func (s summed) Combined() int { return s.Index(s.Density.Linear) }

// SumCombined binds trials to the log-likelihood as a function of the coefficients and the other parameters.
func (s summed) SumCombined(t kernel.Trials, values *kernel.Combinations) (kernel.Sum, error) {
	return s.Density.BindLinear(t.Columns[0], t.Choice, values)
}

// isTeacher reports whether a path is the folder of a teacher.
func isTeacher(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, neural.RecordFile))
	return err == nil
}

// fromTeacher opens the folder of a teacher; the name of the model is that of the folder.
func fromTeacher(dir string) (*Model, error) {
	t, err := neural.Open(dir)
	if err != nil {
		return nil, err
	}
	m := OfTeacher(filepath.Base(filepath.Clean(dir)), t.Simulator, t.Density, t.Sum)
	m.teacher = t
	if n, ok := t.Density.(*lan.Teacher); ok { // another program may have trained it, on other ranges than likc's process has
		ranges := make([]Range, len(n.Lower))
		for i := range ranges {
			ranges[i] = Range{n.Lower[i], n.Upper[i]}
		}
		m = m.WithRanges(ranges)
	}
	return m, nil
}

// OfTeacher returns a neural likelihood of a process as a model with a name. sum is the SHA-256 of its weights.
func OfTeacher(name string, p *ssm.Model, d kernel.Kernel, sum string) *Model {
	header := HeaderOf(p)
	header.Name = name
	return &Model{Model: header, Origin: Origin{Kind: Teacher, Sum: sum}, simulator: &Simulator{Process: p}, density: d}
}

// Wrapped returns the model with a wrapped density. It has no expression, and added parameters come after its own. early
// means that the wrapper lets trials come before the onset. Then the result has no conditions of support, but
// [Model.Parameters] still uses those of m.
func (m *Model) Wrapped(added []expr.Param, early bool) *Model {
	header, out := *m.Model, *m
	header.Params = slices.Concat(m.Params, added)
	header.Lets, header.LogLik, header.Simulator = nil, nil, nil
	if early {
		header.Support = nil
	}
	out.Model, out.density, out.wrapped, out.early = &header, nil, m, early
	return &out
}

// IsAdded reports whether parameter i belongs to a wrapper, such as the probability of a lapse.
func (m *Model) IsAdded(i int) bool {
	return m.wrapped != nil && (i >= len(m.wrapped.Params) || m.wrapped.IsAdded(i))
}
