// Package load opens compiled likelihoods. They come from one of three places: plugins, harnesses, or packages linked into the
// program. Package compiler/build makes the first two.
//
// A plugin is a shared library. It is fastest, because its functions are called like any others. But it must be built by the same Go with
// the same flags as the program, it can never be unloaded, and some systems do not support plugins. Only a program that imports package
// runtime/model/plugins can open them. A harness is a separate program that evaluates likelihoods for questions that come over a pipe. It
// works everywhere, and adds some tens of microseconds per call. So callers try a plugin first and then a harness.
package load

import (
	"errors"
	"fmt"

	"likc/runtime/model/kernel"
	"likc/runtime/num/isa"
)

// Set is a set of compiled likelihoods, by name, to which data can be bound.
type Set interface {
	// Names returns the names of the likelihoods, sorted.
	Names() []string

	// Bind binds data to a likelihood. There is one slice for each trial column, in the model's order, all of one length. A
	// choice is +1 or -1, or 0 to n-1 for a model of n choices; choice is nil for a model without choice. The caller may reuse the data.
	Bind(name string, columns [][]float64, choice []float64) (kernel.Sum, error)

	// Err returns nil as long as the set works. Otherwise it returns the reason why the values of its likelihoods are NaN.
	Err() error

	// Close releases the set; its likelihoods must not be used any more. A second Close does nothing.
	Close() error
}

// Candidate binds data to one likelihood, a kernel.Sum. Its type only contains builtin types, so that a plugin and the program that
// opens it have the same type.
type Candidate = func(columns [][]float64, choice []float64) (any, error)

// OpenPlugin opens a plugin. Package likc/runtime/model/plugins sets it to its function Open; without that package it is nil.
var OpenPlugin func(path string) (Set, error)

// linked is a set whose code is in this process.
type linked struct {
	names      []string // sorted
	candidates map[string]Candidate
}

func (s *linked) Names() []string { return append([]string(nil), s.names...) }

func (s *linked) Err() error { return nil }

func (s *linked) Close() error { return nil }

func (s *linked) Bind(name string, columns [][]float64, choice []float64) (lik kernel.Sum, err error) {
	bind, known := s.candidates[name]
	if !known {
		return nil, fmt.Errorf("bind: no likelihood %q", name)
	}
	if err := checkLengths(columns, choice); err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			lik, err = nil, fmt.Errorf("bind %s: its constructor panics: %v", name, panicked)
		}
	}()
	made, err := bind(columns, choice)
	if err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	lik, ok := made.(kernel.Sum)
	if !ok {
		return nil, fmt.Errorf("bind %s: its constructor gives %T, which is not a likelihood", name, made)
	}
	Use(lik, isa.Best())
	return lik, nil
}

// checkLengths returns an error if the columns differ in length, or if there is no trial.
func checkLengths(columns [][]float64, choice []float64) error {
	all := columns
	if choice != nil {
		all = append(append([][]float64(nil), columns...), choice)
	}
	if len(all) == 0 || len(all[0]) == 0 {
		return errors.New("no trial")
	}
	for _, c := range all {
		if len(c) != len(all[0]) {
			return fmt.Errorf("columns of %d and %d trials", len(all[0]), len(c))
		}
	}
	return nil
}
