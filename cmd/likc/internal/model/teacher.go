package model

import (
	"fmt"

	"likc/compiler/emit/rowwise"
	"likc/runtime/model/catalog"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/neural/spline"
	"likc/runtime/model/ssm"
)

// printable returns a model with its networks, if it is a teacher, or its process, if it has a numerical density. It fails for teachers of a kind that cannot be written.
func printable(src *catalog.Model) (rowwise.Source, error) {
	out := rowwise.Source{Model: src.Model}
	if d, ok := src.Evidence(); ok {
		var err error
		out.Process, err = d.Printable()
		return out, err
	}
	t, ok := src.Teacher()
	if !ok {
		return out, nil
	}
	s, ok := t.Density.(*spline.Spline)
	if !ok {
		return out, fmt.Errorf("%s: is a teacher of kind %s, and only those of kind spline can be compiled", src.Name, t.Kind)
	}
	f := s.Frame()
	shape, class := s.Networks()
	out.Teacher = &rowwise.Teacher{Choices: f.Model.Choices, Inputs: f.Inputs(), Bins: s.Bins(), Onset: f.OnsetIndex(), Width: f.Model.Index(f.Model.Onsets.Width),
		Domains: domainsOf(f.Model), Views: viewsOf(f), Shape: networkOf(shape), Class: networkOf(class)}
	if shape.Output != network.Linear || class.Output != network.Linear {
		return out, fmt.Errorf("%s: the last layer of its networks is not linear", src.Name)
	}
	return out, nil
}

// networkOf returns a network as it is printed.
func networkOf(n *network.Network) rowwise.Network {
	return rowwise.Network{Sizes: n.Sizes, Hidden: n.Hidden.String(), Weights: n.Weights}
}

// domainsOf returns the domain of each parameter.
func domainsOf(m *ssm.Model) (all []rowwise.Domain) {
	for _, p := range m.Params {
		all = append(all, rowwise.Domain(p.Domain.Interval()))
	}
	return all
}

// viewsOf returns, for each choice, the inputs that are parameters.
func viewsOf(f *frame.Frame) [][]rowwise.Input {
	views := make([][]rowwise.Input, len(f.Model.Choices))
	for k := range views {
		for _, in := range f.Affine(k) {
			views[k] = append(views[k], rowwise.Input(in))
		}
	}
	return views
}
