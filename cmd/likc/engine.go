package main

import (
	"likc/compiler"
	"likc/compiler/ir"
)

// bound is a likelihood of one set of trials. Err says whether evaluations failed; Close releases what it holds.
type bound interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
	Err() error
	Close() error
}

// inProcess is a likelihood that holds nothing and cannot fail.
type inProcess struct {
	likelihood
}

type likelihood interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
}

func (inProcess) Err() error   { return nil }
func (inProcess) Close() error { return nil }

// bind gives the likelihood of the trials by the engine of that name; "" is the fastest that is ready.
func bind(engine string, src source, columns [][]float64, choice []float64) (bound, error) {
	switch engine {
	case "tree":
		return wrap(compiler.BindTree(src.Model, columns, choice))
	case "ir", "bound":
		u, err := compiler.Compile(src.Model, compiler.Options{})
		if err != nil {
			return nil, err
		}
		return wrap(ir.Bind(u.Program, columns, choice))
	case "go":
		return bindGo(src, columns, choice)
	case "":
		if linked(src) != nil {
			return bindGo(src, columns, choice)
		}
		return bind("bound", src, columns, choice)
	}
	return nil, usagef("--engine %s: want tree, ir, bound or go", engine)
}

func wrap[L likelihood](lik L, err error) (bound, error) {
	if err != nil {
		return nil, err
	}
	return inProcess{lik}, nil
}
