package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/model/posterior"
)

// linear describes one parameter of the model as a function of the rows, by a linear predictor and a link.
type linear struct {
	posterior.Parameter
	index    int             // index of the parameter in the model
	link     Link            // Identity for a parameter without a formula
	varies   bool            // whether it has a formula
	inverses []bound.Inverse // inverse of the link: one for all trials, or one for each level of the field by
	by       *group          // the grouping whose levels have their own ends of the range; nil if all trials have the same
	fastest  bool            // see [Regression.Fastest]
	highest  float64         // upper end of the range in which the parameter is possible in every trial, such as the fastest response time
	offset   []float64       // known part of the linear predictor: a number for each row, or one number for all; nil for none
	inside   []bound.Term    // terms of the linear predictor
	outside  []bound.Term    // terms that are added after the link, on the parameter's own scale
	designs  [2]design       // the common terms of inside and of outside: those that do not vary by group

	set       PriorSet         // source of the priors of coefficients
	intercept *posterior.Prior // prior of intercepts that replaces the set's; nil for none
}

// design is the common part of a formula, that is without group terms, after its columns were computed from the data.
type design struct {
	formula *formula.Formula // nil for none
	coding  formula.Coding   // how labels and other columns become numbers
	common  []int            // indices of the coordinates that are its common coefficients
	widened map[int]float64  // factors by which priors are widened, by coordinate; see [DesignRecord.Widened]
}

// constant returns a parameter that is one number.
func (s *Study) constant(p posterior.Parameter) *linear {
	at := s.addCoordinate(p)
	l := &linear{Parameter: p, index: len(s.params), link: Identity, inside: []bound.Term{{First: at}}}
	l.designs[0].common = []int{at}
	return l
}

// fixed returns a parameter with a given value. It returns an error if the trials exclude that value.
func (s *Study) fixed(p posterior.Parameter, value float64) (*linear, error) {
	if declared := s.model.Params[len(s.params)].Upper; value >= p.Upper && p.Upper < declared {
		return nil, fmt.Errorf("%s is fixed at %.6g: the data want it below %.6g", p.Name, value, p.Upper)
	}
	return &linear{Parameter: p, index: len(s.params), link: Identity, offset: []float64{value}}, nil
}

// regress returns a parameter with a formula. highest is the upper end of the range in which the parameter is possible in every trial.
func (s *Study) regress(index int, highest float64, spec *Spec) (*linear, error) {
	declared := s.model.Params[index]
	p := posterior.Parameter{Name: declared.Name, Lower: declared.Lower, Upper: declared.Upper}
	r := spec.Params[p.Name]
	l := &linear{Parameter: p, index: index, link: r.Link, varies: true, highest: highest, set: spec.set}
	if l.link == "" {
		l.link = DefaultLink(s.model, index)
	}
	l.inverses = []bound.Inverse{bound.NewInverse(l.link, p.Lower, p.Upper)}
	if prior, has := spec.intercepts[p.Name]; has && l.link == Identity {
		l.intercept = &prior
	}
	if l.link == Log && p.Upper <= 0 {
		return nil, fmt.Errorf("formula of %s: link log for a parameter that is never positive, in [%v, %v]", p.Name, p.Lower, p.Upper)
	}
	design, err := formula.Build(r.Formula, s.data.Table)
	if err != nil {
		return nil, inFormula(r.Formula, err)
	}
	l.offset, l.designs[0].formula, l.designs[0].coding = design.Offset, r.Formula, design.Coding
	common := map[string]int{}
	wide := multiples(design.Coding, design.Common, s.data.Table)
	for _, t := range design.Common {
		s.addCommon(l, &l.designs[0], t, wide, common, &l.inside)
	}
	for _, g := range design.Groups {
		s.addGroup(l, g, multiples(design.Coding, g.Terms, s.data.Table), common, &l.inside)
	}
	if r.Fastest && s.model.IsOnset(p.Name) {
		s.endAtFastest(l)
	}
	if r.Outside == nil {
		return l, nil
	}
	return l, s.addOutside(l, r.Outside)
}

// endAtFastest changes the upper end of a logit's range. Each level of the parameter's first grouping gets the end at which its
// trials are still possible. Without a grouping, all trials determine one end.
func (s *Study) endAtFastest(l *linear) {
	l.fastest = true
	at := slices.IndexFunc(s.groups, func(g *group) bool { return g.param == l.index })
	if at < 0 {
		l.inverses[0] = bound.NewInverse(l.link, l.Lower, l.highest)
		return
	}
	l.by, l.inverses = s.groups[at], nil
	for _, rows := range membersOf(l.by) {
		high := l.highest
		own := s.data.trials()
		own = own.At(rows)
		if params, err := s.model.Parameters(nil, own.Columns, own.Choice); err == nil {
			high = params[l.index].Upper
		}
		l.inverses = append(l.inverses, bound.NewInverse(l.link, l.Lower, high))
	}
}

// predictor returns the parameter as a function of the trials.
func (l *linear) predictor() bound.Predictor {
	p := bound.Predictor{Link: l.link, Offset: l.offset, Inside: l.inside, Outside: l.outside}
	switch {
	case l.inverses == nil || l.link != Logit:
	case l.by == nil:
		p.Low, p.Width = []float64{l.inverses[0].Low}, []float64{l.inverses[0].Width}
	default:
		for _, level := range l.by.index {
			p.Low, p.Width = append(p.Low, l.inverses[level].Low), append(p.Width, l.inverses[level].Width)
		}
	}
	return p
}

// design describes how the parameters of the model depend on the study's coefficients.
func (s *Study) design() bound.Design {
	d := bound.Design{Coefficients: len(s.coords)}
	for _, l := range s.params {
		d.Params = append(d.Params, l.predictor())
	}
	return d
}

// inFormula adds the formula's text to an error.
func inFormula(f *formula.Formula, err error) error {
	return fmt.Errorf("formula of %s: %w", f.Param, err)
}

// addCommon adds the coefficients of a common term. wide is the result of [multiples]. common receives the index of each
// coefficient, by [columnKey].
func (s *Study) addCommon(l *linear, to *design, t formula.DesignTerm, wide map[string]multiple, common map[string]int, terms *[]bound.Term) {
	role := roleOf(t)
	for _, c := range t.Columns {
		multiple := wide[c.Name.String()]
		prior := s.prior(l, multiple.all, role)
		at := s.addCoordinate(posterior.Parameter{Name: c.Name.String(), Lower: math.Inf(-1), Upper: math.Inf(1), Prior: prior})
		if multiple.shift > mostShift && sets[l.set] == (priorSet{}) {
			to.widen(at, multiple.shift)
		}
		if to.common = append(to.common, at); role != slope && l.link != Identity {
			s.linked = append(s.linked, at)
		}
		common[columnKey(t, c)] = at
		*terms = append(*terms, bound.Term{Values: c.Values, First: at})
	}
}

// mostShift bounds how far columns with a mean other than 0 may widen the prior of a coefficient to which they are added, such as
// an intercept. Larger factors are recorded, so that the summary shows them. At the bound, 0 lies 2.2 standard deviations of a
// column from its mean.
const mostShift = 1.5

// widen records that shifted columns widen the prior of a coefficient by a factor.
func (d *design) widen(at int, times float64) {
	if d.widened == nil {
		d.widened = map[int]float64{}
	}
	d.widened[at] = times
}

// columnKey returns a text that is the same for a common column and for the group term's column that varies around it.
func columnKey(t formula.DesignTerm, c formula.DesignColumn) string {
	return fmt.Sprintf("%s%q", t.Term, c.Name.Levels)
}

// addGroup adds the spreads, correlations and offsets of a group term. wide is the result of [multiples].
func (s *Study) addGroup(l *linear, d formula.DesignGroup, wide map[string]multiple, common map[string]int, terms *[]bound.Term) {
	g := &group{param: l.index, by: d.By, levels: d.Levels, index: d.Index, partial: -1}
	var names []formula.Name
	var values [][]float64
	for _, t := range d.Terms {
		for _, c := range t.Columns {
			mean, ok := common[columnKey(t, c)]
			if !ok {
				mean = -1
			}
			multiple := wide[c.Name.String()].all
			spread := posterior.Parameter{Name: c.Name.Sigma().String(), Lower: 0, Upper: math.Inf(1), Prior: s.spreadPrior(l, multiple, ok)}
			_, sd := s.scale(l)
			g.effects = append(g.effects, effect{mean, s.addCoordinate(spread), 4 * sd * multiple})
			names, values = append(names, c.Name), append(values, c.Values)
			g.names = append(g.names, c.Name.String())
		}
	}
	if d.Correlated && len(names) > 1 {
		g.partial = len(s.coords)
		for i := range names {
			for j := range i {
				s.addCoordinate(posterior.Parameter{Name: correlationName(names[j], names[i]), Lower: -1, Upper: 1})
			}
		}
	}
	g.first = len(s.coords)
	for _, level := range d.Levels {
		for _, n := range names {
			s.addCoordinate(posterior.Parameter{Name: n.At(level).String(), Lower: math.Inf(-1), Upper: math.Inf(1)})
		}
	}
	g.shares = make([]float64, len(d.Levels)*len(names))
	shift := make([]int32, len(d.Index))
	for row, level := range d.Index {
		shift[row] = int32(level * len(names))
	}
	for k := range names {
		*terms = append(*terms, bound.Term{Values: values[k], First: g.offset(0, k), Level: shift})
	}
	s.groups = append(s.groups, g)
}

// correlationName returns a name such as v_1|subj_idx:v_theta|subj_idx_cor.
func correlationName(a, b formula.Name) string { return a.String() + ":" + b.String() + "_cor" }

// addOutside adds the terms that are added after the link.
func (s *Study) addOutside(l *linear, f *formula.Formula) error {
	design, err := formula.Build(f, s.data.Table)
	if err != nil {
		return inFormula(f, err)
	}
	plain := *l
	plain.link = Identity
	wide := multiples(design.Coding, design.Common, s.data.Table)
	for _, t := range design.Common {
		s.addCommon(&plain, &l.designs[1], t, wide, map[string]int{}, &l.outside)
	}
	l.designs[1].formula, l.designs[1].coding = f, design.Coding
	return nil
}
