// Package compiler turns a model into a program that evaluates its log-likelihood and gradient, and the program into source
// files. It calls the phases, each a package, in order:
//
//	.lik text ─parse─▶ model ─simplify─▶ model ─separate─▶ Σ ─differentiate─▶ value + gradient
//	    ─lower─▶ program {Data, Prologue, Body, Epilogue} ─passes─▶ program ─emit─▶ files
package compiler

import (
	"fmt"
	"math/rand/v2"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/lower"
	"likc/compiler/separate"
)

// Options are the choices of a compilation.
type Options struct {
	NoSeparate    bool // do not multiply out the sum over trials
	Check         bool // verify and interpret the program after every pass
	SplitGradient bool // if the sum over trials is multiplied out, the sums in its derivatives are multiplied out too
	Loops         bool // integrals become loops over tables of nodes, instead of one long sum
	Ranged        bool // the likelihood is never evaluated outside the parameters' declared ranges, so rules may rely on them

	shuffle *rand.Rand // for tests: shuffles the order of values before every pass; nil keeps the order
}

// Unit is a compiled model with the result of every phase.
type Unit struct {
	Model      *expr.Model   // as resolved
	Simplified *expr.Model   // in canonical form
	Fired      []string      // the names of the rules by which the model was simplified
	Dropped    []string      // conditions on the parameters that the model needs as written, but not when simplified
	AsWritten  bool          // whether it was compiled without simplification, because that would have hidden a NaN at some trial
	Groups     []lower.Group // for each group of trials: log-likelihood and gradient, as expressions of sums over trials
	Program    *ir.Program   // after all passes
	Separation Separation    // whether the sum was multiplied out

	splitGradient bool          // as in [Options]
	ranged        bool          // as in [Options]
	binding       *emit.Binding // the binding function at which the model is evaluated, else nil
	looped        *expr.Model   // the model with its integrals as loops; nil where they are sums
	written       *expr.Model   // the model with its integrals as sums, if looped is set
	densities     []density     // one for each group of trials
	rewrites      int           // calls of the simplifier, which tests count
}

// Separation says whether the sum over trials was multiplied out, and how much that changed results on generated data.
type Separation struct {
	Accepted bool
	Reason   string  // why the sum was not multiplied out
	Error    float64 // the largest |separated - whole| / Σ|terms|
}

// Compile runs the phases on a resolved model.
func Compile(m *expr.Model, o Options) (*Unit, error) {
	if m.Normalise {
		return nil, fmt.Errorf("compile %s: the model is normalised, and expected is one that is not: its expression and its integral are two programs", m.Name)
	}
	u := &Unit{Model: m, splitGradient: o.SplitGradient, ranged: o.Ranged}
	if looped, ok := m.WithLoops(); ok && o.Loops {
		u.keepLoops(looped)
	} else {
		u.simplify(m.Groups())
	}
	whole, err := u.program(false, o)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", m.Name, err)
	}
	u.Groups, u.Program = whole.groups, whole.program
	if o.NoSeparate {
		u.Separation.Reason = "switched off"
		return u, nil
	}
	if u.looped != nil {
		u.Separation.Reason = "integrals are loops over nodes"
		return u, nil
	}
	if u.AsWritten {
		u.Separation.Reason = "simplification would hide an undefined trial, so the model is compiled as written"
		return u, nil
	}
	separated, err := u.program(true, o)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", m.Name, err)
	}
	u.choose(whole, separated)
	return u, nil
}

// form is the program of the model's log-likelihood in one of two forms: the sum over trials is multiplied out (separated), or not (whole).
type form struct {
	groups  []lower.Group
	program *ir.Program
	missing bool // whether this form could not be built
}

// program differentiates and lowers the log-likelihoods of all groups, whole or separated, and runs the passes.
func (u *Unit) program(separated bool, o Options) (form, error) {
	var f form
	for _, d := range u.densities {
		group, ok := u.total(d, separated)
		if !ok {
			return form{missing: true}, nil
		}
		f.groups = append(f.groups, group)
	}
	p, err := lower.Program(u.Model, f.groups)
	if err != nil {
		return f, err
	}
	f.program, err = run(p, o.Check, o.shuffle)
	return f, err
}

// total returns one group's log-likelihood and gradient as expressions of sums over trials. It returns false if the sum cannot
// be separated.
func (u *Unit) total(d density, separated bool) (lower.Group, bool) {
	g := d.group
	out := lower.Group{Name: g.Name, Choice: g.Choice, Support: g.Support}
	names := u.Model.ParamNames()
	if u.AsWritten {
		known := separate.Know(u.Model, g)
		out.Total, out.Lets = separate.Plain(g.Name, g.LogLik, known), g.Lets
		out.Grad = gradient(out.Total, names, known)
		return out, !separated
	}
	known, f := separate.Know(u.Model, g), halved(u.Model, d.model.LogLik)
	total := separate.Whole(g.Name, f, known)
	if separated {
		var ok bool
		if total, ok = separate.Split(g.Name, f, known); !ok {
			return out, false
		}
	}
	out.Grad = gradient(total, names, known)
	if separated && u.splitGradient {
		for i := range out.Grad {
			out.Grad[i] = separate.SplitSums(out.Grad[i], known)
		}
	}
	out.Total, out.Lets = guarded(total, d.Dropped), d.model.Lets
	return out, true
}

// gradient differentiates a total with respect to the named parameters and moves factors that do not depend on the trials out of the
// sums.
func gradient(total *expr.Expr, names []string, known separate.Known) []*expr.Expr {
	grad := diff.Gradient(total, names)
	for i := range grad {
		grad[i] = separate.Hoist(grad[i], known)
	}
	return grad
}
