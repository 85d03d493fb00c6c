package formula

import (
	"cmp"
	"slices"
)

// effects is the result of expanding a sum.
type effects struct {
	terms     []effect
	intercept *intercept // nil if the text has neither 0 nor 1
	offsets   []*Arith
	groups    []GroupTerm
}

// effect is a term. written says whether the text contains the term itself. Otherwise it comes from multiplying out a product;
// only such terms may repeat.
type effect struct {
	Term
	written bool
}

// intercept is a 0 or a 1 in the text.
type intercept struct {
	pos  Pos
	with bool
}

// expand multiplies out a formula's syntax tree.
func expand(tree *formulaTree) (*Formula, error) {
	param, err := name(tree.Param)
	if err != nil {
		return nil, err
	}
	all, err := expandSum(tree.Sum)
	if err != nil {
		return nil, err
	}
	f := &Formula{Param: param, Common: all.ordered(at(tree.Sum.Pos)), Offsets: all.offsets, Groups: all.groups}
	if len(f.Common)+len(f.Groups) == 0 {
		return nil, errorf(at(tree.Sum.Pos), "nothing to estimate, expected a term or an intercept")
	}
	return f, checkGroups(f)
}

// ordered returns the terms, sorted by number of factors. The intercept comes first, unless a 0 says that there is none.
func (e *effects) ordered(pos Pos) []Term {
	var terms []Term
	if e.intercept == nil {
		terms = append(terms, Term{Pos: pos})
	} else if e.intercept.with {
		terms = append(terms, Term{Pos: e.intercept.pos})
	}
	for _, t := range e.terms {
		terms = append(terms, t.Term)
	}
	slices.SortStableFunc(terms, func(a, b Term) int { return cmp.Compare(len(a.Factors), len(b.Factors)) })
	return terms
}

// expandSum multiplies out a sum.
func expandSum(s *sumTree) (*effects, error) {
	all := &effects{}
	if s.Minus {
		if err := all.subtract(s.First, at(s.Pos)); err != nil {
			return nil, err
		}
	} else if err := all.addProduct(s.First); err != nil {
		return nil, err
	}
	for _, next := range s.Rest {
		add := all.addProduct
		if next.Sign == "-" {
			add = func(p *productTree) error { return all.subtract(p, at(next.Pos)) }
		}
		if err := add(next.Product); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// subtract allows only -1 after a minus sign.
func (e *effects) subtract(p *productTree, minus Pos) error {
	if a := onlyAtom(p); a == nil || a.Number != "1" {
		return errorf(minus, `unexpected "-", only -1 (no intercept) can be subtracted`)
	}
	return e.setIntercept(intercept{minus, false})
}

// onlyAtom returns the atom of a product that consists of one atom; nil for other products.
func onlyAtom(p *productTree) *atomTree {
	if len(p.Factors) == 1 && len(p.Factors[0].Atoms) == 1 {
		return p.Factors[0].Atoms[0]
	}
	return nil
}

func (e *effects) setIntercept(i intercept) error {
	if e.intercept != nil {
		return errorf(i.pos, "intercept is already decided at %s, expected one 0, 1 or -1", e.intercept.pos)
	}
	e.intercept = &i
	return nil
}

func (e *effects) addProduct(p *productTree) error {
	more, err := expandProduct(p)
	if err != nil {
		return err
	}
	if more.intercept != nil {
		if err := e.setIntercept(*more.intercept); err != nil {
			return err
		}
	}
	for _, o := range more.offsets {
		if err := e.addOffset(o); err != nil {
			return err
		}
	}
	e.groups = append(e.groups, more.groups...)
	for _, t := range more.terms {
		if err := e.addTerm(t); err != nil {
			return err
		}
	}
	if n := len(e.terms) + len(e.offsets) + countEffects(e.groups); n > MaxTerms {
		return errorf(p.pos(), "formula has more than %d terms", MaxTerms)
	}
	return nil
}

func (e *effects) addOffset(o *Arith) error {
	for _, old := range e.offsets {
		if old.String() == o.String() {
			return errorf(o.Pos, "offset(%s) is already at %s", o, old.Pos)
		}
	}
	e.offsets = append(e.offsets, o)
	return nil
}

func countEffects(groups []GroupTerm) int {
	n := 0
	for _, g := range groups {
		n += len(g.Effects)
	}
	return n
}

func (p *productTree) pos() Pos { return at(p.Factors[0].Atoms[0].Pos) }

func (e *effects) addTerm(t effect) error {
	for i := range e.terms {
		old := &e.terms[i]
		if old.key() != t.key() {
			continue
		}
		if old.written && t.written {
			return errorf(t.Pos, "term %s is already at %s", t, old.Pos)
		}
		old.written = old.written || t.written
		return nil
	}
	e.terms = append(e.terms, t)
	return nil
}

// expandProduct multiplies out a*b into a + b + a:b, from left to right.
func expandProduct(p *productTree) (*effects, error) {
	if a := onlyAtom(p); a != nil {
		return expandAtom(a)
	}
	terms, err := expandInteraction(p.Factors[0])
	if err != nil {
		return nil, err
	}
	for _, next := range p.Factors[1:] {
		right, err := expandInteraction(next)
		if err != nil {
			return nil, err
		}
		both, err := cross(terms, right)
		if err != nil {
			return nil, err
		}
		terms = slices.Concat(terms, right, both)
	}
	all := &effects{}
	for _, t := range terms {
		t.written = len(p.Factors) == 1
		if err := all.addTerm(t); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// expandInteraction multiplies out a:b, where a and b may be sums in parentheses.
func expandInteraction(i *interactionTree) ([]effect, error) {
	var terms []effect
	for n, atom := range i.Atoms {
		right, err := onlyTerms(atom)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			terms = right
		} else if terms, err = cross(terms, right); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// onlyTerms expands an atom of a product. It returns an error for an intercept, an offset or a group term, which cannot be
// factors.
func onlyTerms(a *atomTree) ([]effect, error) {
	e, err := expandAtom(a)
	switch {
	case err != nil:
		return nil, err
	case e.intercept != nil:
		return nil, errorf(e.intercept.pos, "a number is no factor of a product, expected a column")
	case len(e.offsets) > 0:
		return nil, errorf(e.offsets[0].Pos, "offset is no factor of a product, expected a column")
	case len(e.groups) > 0:
		return nil, errorf(e.groups[0].Pos, "a group term is no factor of a product, expected a column")
	}
	return e.terms, nil
}

// cross returns the interaction of every term on the left with every term on the right.
func cross(left, right []effect) ([]effect, error) {
	if len(left)*len(right) > MaxTerms {
		return nil, errorf(right[0].Pos, "formula has more than %d terms", MaxTerms)
	}
	var all []effect
	for _, l := range left {
		for _, r := range right {
			t := effect{Term{l.Pos, slices.Concat(l.Factors, r.Factors)}, l.written && r.written}
			if err := checkFactors(t.Term); err != nil {
				return nil, err
			}
			all = append(all, t)
		}
	}
	return all, nil
}

func checkFactors(t Term) error {
	if len(t.Factors) > MaxFactors {
		return errorf(t.Factors[MaxFactors].Pos, "term has more than %d factors", MaxFactors)
	}
	seen := map[string]bool{}
	for _, f := range t.Factors {
		if seen[f.String()] {
			return errorf(f.Pos, "%s is twice in one term, write I(x^2) for the square of a column x", f)
		}
		seen[f.String()] = true
	}
	return nil
}
