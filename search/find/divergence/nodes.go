package divergence

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
)

// Lane is one choice of a group: the parameters of the expression for that choice, the nodes, and after them the far times.
type Lane struct {
	Choice    float64
	Theta     []float64
	Onset     float64   // seconds
	RT        []float64 // seconds
	Share     []float64 // for each node, its weight times the teacher's density; 0 at far times and for negligible densities; these sum to 1 over all lanes of a group
	LogWeight []float64 // for each node and far time, the log of its weight in an integral over time
}

// far holds logs of times since the onset at which a useful expression must have no mass, because no teacher has trials at such
// short or long times. Without them, a search would find expressions whose integral is infinite. At times shorter than the first
// one, rt equals the onset up to rounding.
var far = []float64{-25, 15, 25, 42}

// Group is a parameter vector, with a lane for each choice.
type Group struct {
	Lanes   []Lane
	Entropy float64 // Σ share·log density, the first term of KL
}

// seedOfNodes is the seed of the random shifts of nodes.
const seedOfNodes = 20_240_229

// newGroups places the nodes of all groups with the package's random shifts and far times.
func newGroups(theta [][]float64, header *expr.Model, teacher Density, nodes int) ([]Group, error) {
	return Place(theta, header, teacher, nodes, rand.New(rand.NewPCG(seedOfNodes, 0)), func(first, last float64) []float64 { return far })
}

// Place computes nodes for parameter vectors as the package comment describes. random draws the shift of each lane's nodes by a
// part of a step. beyond returns the logs of a lane's far times since the onset, in seconds. Its arguments are the logs of the
// first and last time at which the teacher's density is not negligible. It must return the same number of times for all lanes.
//
// If the sum of a group's density over the nodes is far from 1, the error is [ErrMass]; more nodes may help.
func Place(theta [][]float64, header *expr.Model, teacher Density, nodes int, random *rand.Rand, beyond func(first, last float64) []float64) ([]Group, error) {
	model := newSides(header)
	groups := make([]Group, len(theta))
	for i, at := range theta {
		g := &groups[i]
		g.Lanes = make([]Lane, len(model.choices))
		density := make([][]float64, len(model.choices))
		scans, most := scanAll(teacher, model, at)
		for k, choice := range model.choices {
			l := &g.Lanes[k]
			l.Choice, l.Theta, l.Onset = choice, model.reflected(at, k), model.onset(at, k)
			first, last := l.place(scans[k], most, nodes, random.Float64())
			density[k] = logDensity(teacher, at, l.RT, choice)
			for _, s := range beyond(first, last) {
				l.RT, l.LogWeight = append(l.RT, l.Onset+math.Exp(s)), append(l.LogWeight, s)
			}
		}
		if err := g.weigh(density, most); err != nil {
			return nil, fmt.Errorf("the teacher at %v: %w", at, err)
		}
	}
	return groups, nil
}

// These constants define the scan that finds the times at which a teacher's density is not negligible, in log seconds since the
// onset.
const (
	scanFrom, scanTo, scanStep = -12.0, 8.0, 0.1
	scanned                    = int((scanTo-scanFrom)/scanStep) + 1
)

// Negligible is the log of a ratio: that of the density of log time to its largest value over all choices. At times with a
// smaller ratio, the teacher is not used, because it was trained on simulated trials and has seen almost none at such times. A
// network's tails at these times may be hundreds of nats above those of the process, and a candidate would have to follow them.
// With -14, the exact density of ddm has a divergence of .0022 nats per trial from the committed spline, in the median of 60
// parameter vectors; with -9, it has .00017. This limit adds 3e-5 to the divergence of every density.
const Negligible = -9.0

// These constants determine the distances of the nodes from the middle: half·reachBeyond·sinh(curving·x)/sinh(curving), for x
// from -1 to 1.
const reachBeyond, curving = 2.5, 3.0

// scanAll returns the log density of log time at each time of the scan, for each choice, and the largest of all values.
func scanAll(teacher Density, model *sides, theta []float64) (heights [][]float64, most float64) {
	most = math.Inf(-1)
	rt := make([]float64, scanned)
	for k, choice := range model.choices {
		onset := model.onset(theta, k)
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

// place computes nodes at times at which the teacher's density for the lane's choice is not negligible. If all of this density is
// negligible compared with the other choices, the nodes are around its maximum. shift, from 0 to 1, moves the nodes by a part of
// a step. It returns the logs of the first and the last time that is not negligible.
func (l *Lane) place(height []float64, most float64, nodes int, shift float64) (earliest, latest float64) {
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
		l.RT = append(l.RT, l.Onset+math.Exp(s))
		l.LogWeight = append(l.LogWeight, math.Log(step*slope)+s) // d rt = e^s ds
	}
	return scanFrom + scanStep*float64(first), scanFrom + scanStep*float64(last)
}

// ErrMass means that the sum of a teacher's density over the nodes is far from 1.
var ErrMass = errors.New("its total probability")

// weigh computes the shares of the nodes. A share is 0 if the teacher's density of log time is negligible compared with its
// largest value, most.
func (g *Group) weigh(density [][]float64, most float64) error {
	total := 0.0
	for k, d := range density {
		l := &g.Lanes[k]
		l.Share = make([]float64, len(l.RT))
		for i, x := range d {
			if x+math.Log(l.RT[i]-l.Onset) > most+Negligible {
				l.Share[i] = math.Exp(x + l.LogWeight[i])
			}
			total += l.Share[i]
		}
	}
	if !(math.Abs(total-1) < 0.05) {
		return fmt.Errorf("%w is %.3g", ErrMass, total)
	}
	for k := range density {
		l := &g.Lanes[k]
		for i := range l.Share {
			if l.Share[i] /= total; l.Share[i] > 0 {
				g.Entropy += l.Share[i] * (math.Log(l.Share[i]) - l.LogWeight[i])
			}
		}
	}
	return nil
}

// logDensity returns a teacher's log density at some times, for one parameter vector and choice.
func logDensity(teacher Density, theta, rt []float64, choice float64) []float64 {
	all, side, dst := make([][]float64, len(rt)), make([]float64, len(rt)), make([]float64, len(rt))
	for i := range rt {
		all[i], side[i] = theta, choice
	}
	teacher.LogDensity(dst, all, rt, side)
	return dst
}
