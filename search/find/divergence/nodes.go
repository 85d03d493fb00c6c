package divergence

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
)

// lane is one choice of a group: its parameters as the expression sees them, and its nodes, after which come the far times.
type lane struct {
	theta     []float64
	onset     float64 // seconds
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
		scans, most := scanAll(teacher, model, at)
		for k, choice := range model.choices {
			l := &g.lanes[k]
			l.theta = model.reflected(at, choice)
			l.onset = model.onset(at, choice)
			l.place(scans[k], most, nodes, random.Float64())
			density[k] = logDensity(teacher, at, l.rt, choice)
			for _, s := range far {
				l.rt, l.logWeight = append(l.rt, l.onset+math.Exp(s)), append(l.logWeight, s)
			}
		}
		if err := g.weigh(density, most); err != nil {
			return nil, fmt.Errorf("the teacher at %v: %w", at, err)
		}
	}
	return groups, nil
}

// The scan that finds at which times a teacher's density is not negligible, in log seconds since the onset.
const (
	scanFrom, scanTo, scanStep = -12.0, 8.0, 0.1
	scanned                    = int((scanTo-scanFrom)/scanStep) + 1
)

// Negligible is the log of the density of log time, over the largest one of all choices, below which a teacher is not asked. It learnt
// from simulated trials, and of times so rare it has seen next to none: the tails that a network draws there may be hundreds of nats above
// those of the process, and a candidate would have to follow them. With -14, the exact density of ddm is .0022 nats a trial from the
// committed spline, in the median of 60 parameter vectors; with -9 .00017. What is cut puts every density 3e-5 from itself.
const Negligible = -9.0

// Where the nodes are: at half·reachBeyond·sinh(curving·x)/sinh(curving) from the middle, for x from -1 to 1.
const reachBeyond, curving = 2.5, 3.0

// scanAll returns the log density of log time at each time of the scan, by choice, and the largest of all.
func scanAll(teacher Density, model *sides, theta []float64) (heights [][]float64, most float64) {
	most = math.Inf(-1)
	rt := make([]float64, scanned)
	for _, choice := range model.choices {
		onset := model.onset(theta, choice)
		for i := range rt {
			rt[i] = onset + math.Exp(scanFrom+scanStep*float64(i))
		}
		height := logDensity(teacher, theta, rt, choice)
		for i := range height {
			height[i] += scanFrom + scanStep*float64(i)
			most = max(most, height[i])
		}
		heights = append(heights, height)
	}
	return heights, most
}

// place puts nodes where the teacher's density for a choice is not negligible, or around its maximum if all of it is negligible compared
// with the other choice. shift, from 0 to 1, moves them by a part of a step.
func (l *lane) place(height []float64, most float64, nodes int, shift float64) {
	floor := min(most+Negligible, slices.Max(height)-1)
	first, last := 0, len(height)-1
	for first < last && !(height[first] > floor) {
		first++
	}
	for last > first && !(height[last] > floor) {
		last--
	}
	middle := scanFrom + scanStep*float64(first+last)/2
	half := max(1, scanStep*float64(last-first)/2)
	step := 2 / float64(nodes)
	for i := range nodes {
		x := -1 + step*(float64(i)+shift)
		s := middle + half*reachBeyond*math.Sinh(curving*x)/math.Sinh(curving)
		slope := half * reachBeyond * curving * math.Cosh(curving*x) / math.Sinh(curving)
		l.rt = append(l.rt, l.onset+math.Exp(s))
		l.logWeight = append(l.logWeight, math.Log(step*slope)+s) // d rt = e^s ds
	}
}

var errMass = errors.New("its total probability")

// weigh computes the shares of nodes: 0 where the teacher's density of log time is negligible beside its largest, most.
func (g *group) weigh(density [][]float64, most float64) error {
	total := 0.0
	for k, d := range density {
		l := &g.lanes[k]
		for i, x := range d {
			share := 0.0
			if x+math.Log(l.rt[i]-l.onset) > most+Negligible {
				share = math.Exp(x + l.logWeight[i])
			}
			l.share = append(l.share, share)
			total += share
		}
	}
	if !(math.Abs(total-1) < 0.05) {
		return fmt.Errorf("%w is %.3g", errMass, total)
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
