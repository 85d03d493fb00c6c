package catalog

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
)

// Names of sets of priors. Flat priors are uniform over the model's ranges. Paper priors are uniform over the
// ranges of the paper that likc builds on, which are those of the process.
const (
	FlatPriors  = "flat"
	PaperPriors = "paper"
)

// Preset is a named set of priors by parameter. A parameter that is in neither map is uniform over its range.
type Preset struct {
	Priors     map[string]posterior.Prior // priors of parameters that are one number
	Intercepts map[string]posterior.Prior // priors of intercepts of parameters with a formula
	Program    string                     // this field and the following ones are as in [likc/runtime/model/ssm.Preset]
	Lapse      string
	Window     string
}

// Preset returns a named set: flat, paper, or one of the model's process, such as hssm. "" means flat.
func (m *Model) Preset(name string) (Preset, error) {
	p := Preset{Priors: map[string]posterior.Prior{}, Intercepts: map[string]posterior.Prior{}}
	if name == FlatPriors || name == "" {
		return p, nil
	}
	of, known := m.presets()[name]
	if !known {
		return p, fmt.Errorf("%s: no such priors of %s; it has %s", name, m.Name, strings.Join(m.presetNames(), ", "))
	}
	if of.Intercepts == nil {
		of.Intercepts = of.Priors
	}
	p.Program, p.Lapse, p.Window = of.Program, of.Lapse, of.Window
	for i := range of.Priors { // the probability of a lapse has its own prior
		var err error
		if p.Priors[m.Params[i].Name], err = posterior.ParsePrior(of.Priors[i]); err != nil {
			return p, err
		}
		if p.Intercepts[m.Params[i].Name], err = posterior.ParsePrior(of.Intercepts[i]); err != nil {
			return p, err
		}
	}
	return p, nil
}

// presets returns the sets of priors of the model's process, by name; none if the model's parameters are not those of the process.
func (m *Model) presets() map[string]ssm.Preset {
	all := map[string]ssm.Preset{}
	if m.simulator == nil || m.simulator.values != nil || !slices.Equal(m.ownNames(), processNames(m)) {
		return all
	}
	paper := ssm.Preset{Name: PaperPriors}
	for _, p := range m.simulator.Process.Params {
		paper.Priors = append(paper.Priors, fmt.Sprintf("uniform(%v,%v)", p.Lower, p.Upper))
	}
	all[PaperPriors] = paper
	for _, preset := range m.simulator.Process.Priors {
		all[preset.Name] = preset
	}
	return all
}

// ownNames returns the parameters without those of wrappers.
func (m *Model) ownNames() []string {
	if m.wrapped != nil {
		return m.wrapped.ownNames()
	}
	return m.ParamNames()
}

// processNames returns the parameters of the model's process.
func processNames(m *Model) (names []string) {
	for _, p := range m.simulator.Process.Params {
		names = append(names, p.Name)
	}
	return names
}

// presetNames returns the names of the sets of priors that Preset knows.
func (m *Model) presetNames() []string {
	names := []string{FlatPriors}
	for name := range m.presets() {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	return names
}
