package catalog

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/posterior"
)

// Names of sets of priors: uniform over the ranges, and over those of the paper, which are the process's own.
const (
	FlatPriors  = "flat"
	PaperPriors = "paper"
)

// Preset returns the priors of a named set by parameter: flat, paper, or one that the model's process has, such as hssm. A
// parameter that is not in the map is uniform over its range.
func (m *Model) Preset(name string) (map[string]posterior.Prior, error) {
	priors := map[string]posterior.Prior{}
	if name == FlatPriors || name == "" {
		return priors, nil
	}
	texts := m.presets()[name]
	if texts == nil {
		return nil, fmt.Errorf("%s: no such priors of %s; it has %s", name, m.Name, strings.Join(m.presetNames(), ", "))
	}
	for i, text := range texts { // the probability of a lapse has a prior of its own
		prior, err := posterior.ParsePrior(text)
		if err != nil {
			return nil, err
		}
		priors[m.Params[i].Name] = prior
	}
	return priors, nil
}

// presets are the priors of the process, one a parameter, by the set's name.
func (m *Model) presets() map[string][]string {
	all := map[string][]string{}
	if m.simulator == nil || m.simulator.values != nil || !slices.Equal(m.namesWithoutLapse(), processNames(m)) {
		return all
	}
	for _, p := range m.simulator.Process.Params {
		all[PaperPriors] = append(all[PaperPriors], fmt.Sprintf("uniform(%v,%v)", p.Lower, p.Upper))
	}
	for _, preset := range m.simulator.Process.Priors {
		all[preset.Name] = preset.Priors
	}
	return all
}

// namesWithoutLapse are the parameters but for the probability of a lapse.
func (m *Model) namesWithoutLapse() []string {
	names := m.ParamNames()
	if m.lapses {
		names = names[:len(names)-1]
	}
	return names
}

func processNames(m *Model) (names []string) {
	for _, p := range m.simulator.Process.Params {
		names = append(names, p.Name)
	}
	return names
}

func (m *Model) presetNames() []string {
	names := []string{FlatPriors}
	for name := range m.presets() {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	return names
}
