package objective

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
	"likc/search/find/columns"
	"likc/search/find/tree"
)

// laneTrials is the number of trials in a lane.
const laneTrials = 10

// plan holds the trials of the joint proxy, which estimates all parameters at once, arranged in lanes. A lane has up to ten trials of one
// group (one simulated subject) and one choice, which share their parameters. Block i has trial i of every lane. So a subtree without trial
// columns is computed once for all blocks.
type plan struct {
	params    []expr.Param // the model's parameters
	theta     [][]float64  // true parameters of each group
	reach     [][]float64  // [group][parameter]: the part of the range that is in the support, with the other parameters in the middle of theirs
	most      float64      // the largest number of trials of a group
	group     []int        // the group of each lane: first the lanes of upper trials, then those of lower ones
	upper     int          // number of lanes of upper trials
	trials    [][]float64  // [trial column][row]
	weight    []float64    // for each row; 0 for the repetitions that fill up a lane
	reflected []tree.Tree  // the reflection of each parameter, over the parameters; an empty tree if it does not change
	outside   []tree.Tree  // one tree for each condition of the support; its value is negative inside
}

// newPlan arranges the trials of a sample in lanes.
func newPlan(header *expr.Model, p *valuer, s sample) (*plan, error) {
	l := &plan{params: p.params, theta: s.theta, most: float64(len(s.trials[0])), reflected: make([]tree.Tree, len(p.params))}
	var members [][]int
	for _, side := range []float64{1, -1} {
		for g := range s.trials {
			var in []int
			for k, c := range s.choice[g] {
				if c == side {
					in = append(in, k)
				}
			}
			for from := 0; from < len(in); from += laneTrials {
				members = append(members, in[from:min(from+laneTrials, len(in))])
				l.group = append(l.group, g)
			}
		}
		if side > 0 {
			l.upper = len(l.group)
		}
	}
	if s.weight != nil {
		l.most = 0
		for _, w := range s.weight[0] {
			l.most += w
		}
	}
	l.deal(members, s)
	for g := range s.theta {
		l.reach = append(l.reach, p.reach(s.trials[g], s.choice[g]))
	}
	return l, l.write(header, p)
}

// deal writes the trials of the lanes to the blocks. A lane with fewer than ten trials repeats them, with weight 0.
func (l *plan) deal(members [][]int, s sample) {
	n := len(members)
	l.weight, l.trials = make([]float64, n*laneTrials), make([][]float64, len(s.trials[0][0]))
	for i := range l.trials {
		l.trials[i] = make([]float64, n*laneTrials)
	}
	for lane, in := range members {
		for b := range laneTrials {
			if b < len(in) {
				l.weight[b*n+lane] = 1
				if s.weight != nil {
					l.weight[b*n+lane] = s.weight[l.group[lane]][in[b]]
				}
			}
			for i, v := range s.trials[l.group[lane]][in[b%len(in)]] {
				l.trials[i][b*n+lane] = v
			}
		}
	}
}

// write builds the trees of the reflection and of the support.
func (l *plan) write(header *expr.Model, p *valuer) (err error) {
	for j, q := range header.Params {
		for _, a := range header.Lower {
			if a.Param == q.Name && l.upper < len(l.group) {
				value := expr.Substitution(map[string]*expr.Expr{header.Choice: expr.Num(-1)}).Map(a.Value)
				if l.reflected[j], err = tree.FromExpr(value, p.symbols); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range header.Groups()[0].Support {
		t, err := tree.FromExpr(expr.New(expr.Sub, s.Left, s.Right), p.symbols)
		if err != nil {
			return err
		}
		l.outside = append(l.outside, t)
	}
	return nil
}

// lanes computes, for each group, the sum of an expression over its trials. Each group has its own parameters.
type lanes struct {
	*plan
	all, lower *columns.Panel[float64]     // panels of the used lanes; lower has the parameters of the lower lanes before reflection
	f, side    *columns.Evaluator[float64] // evaluators of the expression, and of the trees of reflection and support
	used       []int                       // lanes of the groups in use; those of upper trials first
	usedUpper  int                         // number of used lanes of upper trials
	weights    []float64                   // weights of the rows of the used lanes
	total      []float64                   // the sum of each used lane
}

// newLanes returns the memory for evaluating the lanes of a plan.
func newLanes(p *plan) *lanes {
	n := len(p.group)
	l := &lanes{plan: p, used: make([]int, 0, n), weights: make([]float64, n*laneTrials), total: make([]float64, n)}
	l.all = &columns.Panel[float64]{Rows: n * laneTrials, Width: n}
	l.lower = &columns.Panel[float64]{Rows: n, Width: n}
	for range p.params {
		l.all.Columns = append(l.all.Columns, make([]float64, n))
		l.lower.Columns = append(l.lower.Columns, make([]float64, n))
	}
	for range p.trials {
		l.all.Columns = append(l.all.Columns, make([]float64, n*laneTrials))
	}
	l.f, l.side = columns.NewPanels(l.all), columns.NewPanels(l.all, l.lower)
	return l
}

// use selects the lanes of the groups for which leftOut returns false.
func (l *lanes) use(leftOut func(group int) bool) {
	l.used, l.usedUpper = l.used[:0], 0
	for lane, g := range l.group {
		if leftOut(g) {
			continue
		}
		l.used = append(l.used, lane)
		if lane < l.upper {
			l.usedUpper++
		}
	}
	n := len(l.used)
	l.all.Rows, l.all.Width = n*laneTrials, n
	l.lower.Rows, l.lower.Width = n-l.usedUpper, max(n-l.usedUpper, 1)
	for j := range l.params {
		l.all.Columns[j] = l.all.Columns[j][:n]
		l.lower.Columns[j] = l.lower.Columns[j][:n-l.usedUpper]
	}
	l.weights, l.total = l.gather(l.weights, l.weight), l.total[:n]
	for i, c := range l.trials {
		at := len(l.params) + i
		l.all.Columns[at] = l.gather(l.all.Columns[at], c)
	}
}

// gather writes the rows of the used lanes to dst.
func (l *lanes) gather(dst, from []float64) []float64 {
	all, n := len(l.group), len(l.used)
	dst = dst[:n*laneTrials]
	for b := range laneTrials {
		for i, lane := range l.used {
			dst[b*n+i] = from[b*all+lane]
		}
	}
	return dst
}

// setParameters writes each group's parameters to its lanes.
func (l *lanes) setParameters(theta [][]float64) {
	for j := range l.params {
		c := l.all.Columns[j]
		for i, lane := range l.used {
			c[i] = theta[l.group[lane]][j]
		}
		copy(l.lower.Columns[j], c[l.usedUpper:])
	}
	for j, t := range l.reflected {
		if t.Size() > 0 && l.lower.Rows > 0 {
			l.side.Start(t, l.lower)
			copy(l.all.Columns[j][l.usedUpper:], l.side.Block(0))
		}
	}
}

// sums writes the loaded tree's sum over each used group's trials, at theta[group], to dst. The sum is -Inf if any trial is outside
// the support, or if it is not finite. What it writes for unused groups is undefined.
func (l *lanes) sums(theta [][]float64, dst []float64) {
	l.setParameters(theta)
	clear(l.total)
	l.f.Enter(l.all)
	for b := range l.all.Blocks() {
		from, to := l.all.Span(b)
		vec.FMA(l.total, l.weights[from:to], l.f.Block(b), l.total)
	}
	for _, t := range l.outside {
		l.side.Start(t, l.all)
		for b := range l.all.Blocks() {
			for i, v := range l.side.Block(b) {
				if !(v < 0) {
					l.total[i] = math.Inf(-1)
				}
			}
		}
	}
	clear(dst)
	for i, lane := range l.used {
		dst[l.group[lane]] += l.total[i]
	}
	for g, v := range dst {
		if v-v != 0 {
			dst[g] = math.Inf(-1)
		}
	}
}
