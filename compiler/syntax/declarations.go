package syntax

import (
	"slices"
	"strconv"

	"likc/compiler/expr"
)

// normalised resolves the word normalise.
func (r *resolver) normalised(d *Decl) error {
	if r.normalise != nil {
		return errorf(d.Pos, "normalise after normalise at %d:%d, expected at most one", r.normalise.Line, r.normalise.Column)
	}
	r.normalise, r.model.Normalise = &d.Pos, true
	return nil
}

// declare declares name as a symbol for value.
func (r *resolver) declare(n *Name, value *expr.Expr) error {
	if first, ok := r.declared[n.Text]; ok {
		return errorf(n.Pos, "%s is already declared at %d:%d", quote(n.Text), first.Line, first.Column)
	}
	if _, ok := expr.ByName(n.Text); ok {
		return errorf(n.Pos, "%s is a function, expected another name", quote(n.Text))
	}
	r.declared[n.Text] = n.Pos
	r.symbols[n.Text] = value
	return nil
}

// impliesPositive reports whether a trial column of that name is positive without the word "positive". Older files, from before
// the word existed, rely on this.
func impliesPositive(name string) bool { return name == "rt" }

func (r *resolver) trial(t *Trial) error {
	n := t.Name
	if len(r.model.Trials) == MaxTrials {
		return errorf(n.Pos, "trial %s is one too many, expected at most %d", quote(n.Text), MaxTrials)
	}
	r.model.Trials = append(r.model.Trials, n.Text)
	if t.Positive || t.Zero || impliesPositive(n.Text) {
		r.model.Positive = append(r.model.Positive, n.Text)
	}
	if t.Zero {
		r.model.Zero = append(r.model.Zero, n.Text)
	}
	if t.Missing != nil {
		x, err := bound(t.Missing)
		if err != nil {
			return err
		}
		switch {
		case t.Zero && x < 0:
			return errorf(t.Missing.Number.Pos, "missing %s of a nonnegative trial, expected 0 or a number above 0", expr.Literal(x))
		case !t.Zero && x <= 0 && r.model.IsPositive(n.Text):
			return errorf(t.Missing.Number.Pos, "missing %s of a positive trial, expected a number above 0", expr.Literal(x))
		}
		r.missing(n, x)
	}
	if t.Value != nil {
		r.computed = append(r.computed, t)
	}
	return r.declare(n, expr.Var(n.Text))
}

// missing records the value that an empty cell of a column stands for.
func (r *resolver) missing(n *Name, x float64) {
	if r.model.Missing == nil {
		r.model.Missing = map[string]float64{}
	}
	r.model.Missing[n.Text] = x
}

func (r *resolver) choice(c *Choice) error {
	n := c.Name
	if r.model.Choice != "" {
		return errorf(n.Pos, "choice %s after choice %s, expected at most one", quote(n.Text), quote(r.model.Choice))
	}
	if err := numbered(c); err != nil {
		return err
	}
	r.model.Choice, r.model.Choices = n.Text, len(c.Codes)
	if c.Missing != nil {
		x, err := number(c.Missing)
		if err != nil || !slices.Contains(r.model.Codes(), x) {
			return errorf(c.Missing.Pos, "missing %s, expected one of the choices %s", quote(c.Missing.Text), codes(r.model))
		}
		r.missing(n, x)
	}
	return r.declare(n, expr.Var(n.Text))
}

func (r *resolver) param(p *Param) error {
	lower, err := bound(p.Lower)
	if err != nil {
		return err
	}
	upper, err := bound(p.Upper)
	if err != nil {
		return err
	}
	if lower >= upper {
		return errorf(p.Upper.Number.Pos, "range [%s, %s] of param %s is empty, expected lower < upper",
			expr.Literal(lower), expr.Literal(upper), quote(p.Name.Text))
	}
	declare := func(n *Name) error {
		if len(r.model.Params) == MaxParams {
			return errorf(n.Pos, "param %s is one too many, expected at most %d", quote(n.Text), MaxParams)
		}
		r.model.Params = append(r.model.Params, expr.Param{Name: n.Text, Lower: lower, Upper: upper})
		if p.Weak {
			r.model.Weak = append(r.model.Weak, n.Text)
		}
		return r.declare(n, expr.Var(n.Text))
	}
	if p.Index == nil {
		return declare(p.Name)
	}
	return r.perChoice(p, declare)
}

// bound returns the value of a number with its sign.
func bound(b *Bound) (float64, error) {
	v, err := number(b.Number)
	if b.Negative {
		v = -v
	}
	return v, err
}

func number(n *Number) (float64, error) {
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil { // the scanner has checked the form, so the number is too large
		return 0, errorf(n.Pos, "number %s is too large for a float64", quote(n.Text))
	}
	return v, nil
}

func (r *resolver) support(s *Support) error {
	left, err := r.expr(s.Left)
	if err != nil {
		return err
	}
	right, err := r.expr(s.Right)
	if err != nil {
		return err
	}
	if i := r.integralIn(left, right); i != nil {
		return errorf(i.pos, "an integral in a support, expected it in a let or in loglik")
	}
	r.model.Support = append(r.model.Support, expr.Support{Left: left, Right: right})
	return nil
}

// reflection reads the block `lower`: the parameters that change at the lower boundary.
func (r *resolver) reflection(d *Decl) error {
	if r.lower != nil {
		return errorf(d.Pos, "lower after lower at %d:%d, expected at most one", r.lower.Line, r.lower.Column)
	}
	r.lower = &d.Pos
	seen := map[string]bool{}
	for _, a := range d.Lower.Assigns {
		switch {
		case seen[a.Name.Text]:
			return errorf(a.Name.Pos, "lower assigns %s twice, expected once", quote(a.Name.Text))
		case !r.model.IsParam(a.Name.Text):
			return errorf(a.Name.Pos, "lower assigns %s, expected a declared parameter", quote(a.Name.Text))
		}
		seen[a.Name.Text] = true
		value, err := r.paramExpr("lower", a.Value)
		if err != nil {
			return err
		}
		r.model.Lower = append(r.model.Lower, expr.Assign{Param: a.Name.Text, Value: value})
	}
	return nil
}

// simulated resolves the declaration of a simulator. If it has no block of parameters, complete sets them later, when the
// model's parameters are known.
func (r *resolver) simulated(d *Decl) error {
	s := d.Simulator
	if r.simulator != nil {
		first := r.simulator.Name.Pos
		return errorf(d.Pos, "simulator %s after simulator %s at %d:%d, expected at most one",
			quote(s.Name.Text), quote(r.simulator.Name.Text), first.Line, first.Column)
	}
	r.simulator = s
	r.model.Simulator = &expr.SimulatorUse{Name: s.Name.Text}
	if s.Params == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, a := range s.Params.Assigns {
		if seen[a.Name.Text] {
			return errorf(a.Name.Pos, "simulator assigns %s twice, expected once", quote(a.Name.Text))
		}
		seen[a.Name.Text] = true
		value, err := r.paramExpr("simulator", a.Value)
		if err != nil {
			return err
		}
		r.model.Simulator.Params = append(r.model.Simulator.Params, expr.Assign{Param: a.Name.Text, Value: value})
	}
	return nil
}

// sameNames returns assignments that set each parameter of the process to the model's parameter of the same name.
func (r *resolver) sameNames() []expr.Assign {
	var same []expr.Assign
	for _, p := range r.model.Params {
		same = append(same, expr.Assign{Param: p.Name, Value: r.symbols[p.Name]})
	}
	return same
}

func (r *resolver) let(a *Let) error {
	if a.Index != nil {
		return r.letPerChoice(a)
	}
	value, err := r.expr(a.Value)
	if err != nil {
		return err
	}
	r.model.Lets = append(r.model.Lets, expr.Let{Name: a.Name.Text, Value: value})
	return r.declare(a.Name, value)
}

func (r *resolver) loglik(d *Decl) error {
	if r.logLik != nil {
		return errorf(d.Pos, "loglik after loglik at %d:%d, expected exactly one", r.logLik.Line, r.logLik.Column)
	}
	r.logLik = &d.Pos
	r.terms = map[*Ref]bool{}
	markTerms(d.LogLik, r.terms)
	if len(d.LogLik.Right) == 0 {
		if p := d.LogLik.Left.single(); p != nil {
			r.whole = p.Ref
		}
	}
	value, err := r.expr(d.LogLik)
	r.model.LogLik = value
	return err
}
