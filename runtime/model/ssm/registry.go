package ssm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// models lists the registered models by name; the default one stays first.
var models = []*Model{DDM}

// Register adds a model, so that every command knows it by its name. Each model calls it once from an init function. It panics if
// the definition is invalid.
func Register(m *Model) {
	if err := m.broken(); err != nil {
		panic(err.Error())
	}
	at, known := slices.BinarySearchFunc(models[1:], m.Name, func(m *Model, name string) int { return strings.Compare(m.Name, name) })
	if known || m.Name == DDM.Name {
		panic("ssm: model " + m.Name + " is defined twice")
	}
	models = slices.Insert(models, at+1, m)
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// broken returns an error for an invalid definition.
func (m *Model) broken() error {
	switch {
	case !identifier.MatchString(m.Name):
		return fmt.Errorf("ssm: model %q: the name is no identifier", m.Name)
	case len(m.Params) == 0 || len(m.Choices) == 0:
		return fmt.Errorf("ssm: model %s: no parameters, or no choices", m.Name)
	case m.Process == "" || m.Cites == "":
		return fmt.Errorf("ssm: model %s: Process or Cites is empty", m.Name)
	case len(m.Example) != m.Dim() || m.Check(m.Example) != nil:
		return fmt.Errorf("ssm: model %s: the example %v is no valid parameter vector", m.Name, m.Example)
	case m.Onset != "" && m.Index(m.Onset) < 0:
		return fmt.Errorf("ssm: model %s: the onset %s is none of its parameters", m.Name, m.Onset)
	case m.Onsets != (Uniform{}) && (m.Onset != "" || m.Index(m.Onsets.Middle) < 0 || m.Index(m.Onsets.Width) < 0):
		return fmt.Errorf("ssm: model %s: the onsets %v are not two of its parameters, or it has an onset too", m.Name, m.Onsets)
	case slices.ContainsFunc(m.Weak, func(p string) bool { return m.Index(p) < 0 }):
		return fmt.Errorf("ssm: model %s: one of its weak parameters %s is no parameter", m.Name, m.Weak)
	case slices.ContainsFunc(m.Each, m.lacksOne):
		return fmt.Errorf("ssm: model %s: its parameters %s are not numbered 0 to %d, one for each accumulator", m.Name, m.Each, len(m.Choices)-1)
	case m.Sampler == nil && m.Diffusion == nil && m.Accumulators == nil && m.Flight == nil:
		return fmt.Errorf("ssm: model %s: nothing simulates it", m.Name)
	}
	for i, p := range m.Params {
		if !identifier.MatchString(p.Name) || m.Index(p.Name) != i || !(p.Lower < p.Upper) {
			return fmt.Errorf("ssm: model %s: parameter %d, %q in [%v, %v], has no name of its own or no range", m.Name, i+1, p.Name, p.Lower, p.Upper)
		}
	}
	return nil
}

// lacksOne reports whether one of the parameters name0, name1, … for each choice is missing, or choices are not 0, 1, ….
func (m *Model) lacksOne(name string) bool {
	for k := range m.Choices {
		if m.Index(fmt.Sprint(name, k)) < 0 {
			return true
		}
	}
	return !m.Numbered()
}

// Models returns the registered models: the default one first, then by name.
func Models() []*Model { return slices.Clone(models) }

// Lookup returns the model with the given name.
func Lookup(name string) (*Model, error) {
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("model %q: unknown; there are %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of the registered models, in the order of [Models].
func Names() []string { return NamesOf(func(*Model) bool { return true }) }

// NamesOf returns the names of those registered models for which wanted is true, in the order of [Models].
func NamesOf(wanted func(*Model) bool) []string {
	var names []string
	for _, m := range models {
		if wanted(m) {
			names = append(names, m.Name)
		}
	}
	return names
}
