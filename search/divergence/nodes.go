package divergence

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/search/columns"
)

// lane is one choice of a group: its parameters as the expression sees them, and its nodes, after which come the far times.
type lane struct {
	theta     []float64
	rt        []float64
	share     []float64 // by node: weight times the teacher's density; over both lanes of a group they sum to 1
	logWeight []float64 // log of the weight in an integral over time
}

// far are logs of times since the onset where an expression must have no mass: so short or long that no teacher has any there. Without them a
// search would find expressions whose integral is infinite. Shorter times than the first would be lost in the rounding of rt.
var far = []float64{-25, 15, 25, 42}

// group is a parameter vector. Without a choice the second lane is empty.
type group struct {
	lanes   [2]lane
	entropy float64 // Σ share·log density: the first term of KL
}

// seedOfNodes is of the shifts of nodes.
const seedOfNodes = 20_240_229

// newGroups places the nodes of all groups.
func newGroups(theta [][]float64, header *expr.Model, teacher Density, nodes int) ([]group, error) {
	random := rand.New(rand.NewPCG(seedOfNodes, 0))
	model := newSides(header)
	groups := make([]group, len(theta))
	for i, at := range theta {
		g := &groups[i]
		density := make([][]float64, len(model.choices))
		for k, choice := range model.choices {
			l := &g.lanes[k]
			l.theta = model.reflected(at, choice)
			onset := model.onset(at, choice)
			l.place(at, onset, choice, teacher, nodes, random.Float64())
			density[k] = logDensity(teacher, at, l.rt, choice)
			for _, s := range far {
				l.rt, l.logWeight = append(l.rt, onset+math.Exp(s)), append(l.logWeight, s)
			}
		}
		if err := g.weigh(density); err != nil {
			return nil, fmt.Errorf("the teacher at %v: %w", at, err)
		}
	}
	return groups, nil
}

// The scan that finds at which times a teacher's density is not negligible, in log seconds since the onset.
const (
	scanFrom, scanTo, scanStep = -12.0, 8.0, 0.1
	negligible                 = -14.0 // log of the density of log time over its largest value
)

// Where the nodes are: at half·reachBeyond·sinh(curving·x)/sinh(curving) from the middle, for x from -1 to 1.
const reachBeyond, curving = 2.5, 3.0

// place puts nodes where the teacher has density for a choice. shift, from 0 to 1, moves them by a part of a step.
func (l *lane) place(theta []float64, onset, choice float64, teacher Density, nodes int, shift float64) {
	n := int((scanTo-scanFrom)/scanStep) + 1
	rt := make([]float64, n)
	for i := range rt {
		rt[i] = onset + math.Exp(scanFrom+scanStep*float64(i))
	}
	height := logDensity(teacher, theta, rt, choice)
	most := math.Inf(-1)
	for i := range height {
		height[i] += scanFrom + scanStep*float64(i)
		most = max(most, height[i])
	}
	first, last := 0, n-1
	for first < n-1 && !(height[first] > most+negligible) {
		first++
	}
	for last > first && !(height[last] > most+negligible) {
		last--
	}
	middle := scanFrom + scanStep*float64(first+last)/2
	half := max(1, scanStep*float64(last-first)/2)
	step := 2 / float64(nodes)
	for i := range nodes {
		x := -1 + step*(float64(i)+shift)
		s := middle + half*reachBeyond*math.Sinh(curving*x)/math.Sinh(curving)
		slope := half * reachBeyond * curving * math.Cosh(curving*x) / math.Sinh(curving)
		l.rt = append(l.rt, onset+math.Exp(s))
		l.logWeight = append(l.logWeight, math.Log(step*slope)+s) // d rt = e^s ds
	}
}

// weigh computes the shares of nodes.
func (g *group) weigh(density [][]float64) error {
	total := 0.0
	for k, d := range density {
		l := &g.lanes[k]
		for i, x := range d {
			l.share = append(l.share, math.Exp(x+l.logWeight[i]))
			total += l.share[i]
		}
	}
	if !(math.Abs(total-1) < 0.05) {
		return fmt.Errorf("its total probability is %.3g", total)
	}
	for k := range density {
		l := &g.lanes[k]
		for i := range l.share { // not at far times
			if l.share[i] /= total; l.share[i] > 0 {
				g.entropy += l.share[i] * (math.Log(l.share[i]) - l.logWeight[i])
			}
		}
	}
	return nil
}

// logDensity returns a teacher's log density at times.
func logDensity(teacher Density, theta, rt []float64, choice float64) []float64 {
	all, side, dst := make([][]float64, len(rt)), make([]float64, len(rt)), make([]float64, len(rt))
	for i := range rt {
		all[i], side[i] = theta, choice
	}
	teacher.LogDensity(dst, all, rt, side)
	return dst
}

// sides are a model's choices: what each makes of the parameters, and when its density begins.
type sides struct {
	choices []float64
	tapes   []*expr.Tape // by choice: the reflected parameters, then the onset
}

func newSides(header *expr.Model) *sides {
	s := &sides{}
	names := header.ParamNames()
	for _, choice := range []float64{1, -1} {
		if choice < 0 && header.Choice == "" {
			break
		}
		var roots []*expr.Expr
		for _, name := range names {
			e := expr.Var(name)
			for _, a := range header.Lower {
				if a.Param == name && choice < 0 {
					e = expr.Substitution(map[string]*expr.Expr{header.Choice: expr.Num(choice)}).Map(a.Value)
				}
			}
			roots = append(roots, e)
		}
		s.choices, s.tapes = append(s.choices, choice), append(s.tapes, expr.NewTape(names, append(roots, onset(header))...))
	}
	return s
}

// onset is the latest time that a condition of the support names; 0 without one.
func onset(header *expr.Model) *expr.Expr {
	latest := expr.Num(0)
	for _, c := range header.Groups()[0].Support {
		if c.Right.Op == expr.Sym && c.Right.Name == header.Trials[0] {
			latest = expr.New(expr.Max, latest, c.Left)
		}
	}
	return latest
}

func (s *sides) eval(theta []float64, choice float64) []float64 {
	k := 0
	if choice < 0 {
		k = 1
	}
	values, _ := s.tapes[k].Eval(nil, theta)
	return values
}

// reflected returns the parameters that the expression of the upper boundary takes for a choice.
func (s *sides) reflected(theta []float64, choice float64) []float64 {
	return s.eval(theta, choice)[:len(theta)]
}

func (s *sides) onset(theta []float64, choice float64) float64 {
	return s.eval(theta, choice)[len(theta)]
}

// Sections of the groups. The first is small, because a score ends there for what is hopeless.
const (
	firstGroups   = 64
	sectionGroups = 128
)

// section is some groups as a panel: block i has the i-th node of every lane, the first lanes of all groups before the second ones. The last
// blocks are the far times.
type section struct {
	panel     *columns.Panel[float64]
	share     []float64 // row by row, without far times
	logWeight []float64 // row by row
	nodes     int       // blocks before those of far times
	entropy   []float64 // by group
	groups    int
	lanes     int // of a group
}

func newSection(groups []group, symbols int) section {
	s := section{groups: len(groups), lanes: 1}
	if len(groups[0].lanes[1].rt) > 0 {
		s.lanes = 2
	}
	width, times := s.groups*s.lanes, len(groups[0].lanes[0].rt)
	s.nodes = times - len(far)
	s.panel = &columns.Panel[float64]{Rows: width * times, Width: width, Columns: make([][]float64, symbols)}
	for k := range s.lanes {
		for _, g := range groups {
			for j, x := range g.lanes[k].theta {
				s.panel.Columns[j] = append(s.panel.Columns[j], x)
			}
		}
	}
	for _, g := range groups {
		s.entropy = append(s.entropy, g.entropy)
	}
	for i := range times {
		for k := range s.lanes {
			for _, g := range groups {
				l := &g.lanes[k]
				s.panel.Columns[symbols-1] = append(s.panel.Columns[symbols-1], l.rt[i])
				s.logWeight = append(s.logWeight, l.logWeight[i])
				if i < s.nodes {
					s.share = append(s.share, l.share[i])
				}
			}
		}
	}
	return s
}

// The probe of fingerprints: some nodes of some groups.
const (
	probeGroups = 32
	probeNodes  = 2 // a lane
)

// newProbe takes nodes from the middle of each lane. The groups' first values are the first block's.
func newProbe(groups []group, symbols int) *columns.Panel[float64] {
	width := len(groups)
	p := &columns.Panel[float64]{Width: width, Columns: make([][]float64, symbols)}
	for k := range groups[0].lanes {
		for i := range probeNodes {
			for _, g := range groups {
				l := &g.lanes[k]
				if len(l.rt) == 0 {
					continue
				}
				node := (2*i + 3) * len(l.share) / (2 * (probeNodes + 2))
				for j, x := range append(l.theta[:len(l.theta):len(l.theta)], l.rt[node]) {
					p.Columns[j] = append(p.Columns[j], x)
				}
			}
		}
	}
	p.Rows = len(p.Columns[0])
	return p
}
