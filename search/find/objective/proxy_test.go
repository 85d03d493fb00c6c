package objective_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/search/find/objective"
)

// header reads a model's text.
func header(t testing.TB, text string) *expr.Model {
	models, err := syntax.Read("test.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// single is a model with one parameter p in [0, 4]. The grid is 0, 1, 2, 3, 4, and each group has one trial, whose x is near the
// truth.
const single = `model single {
  trial x
  param p in [0, 4]
  %
  loglik = -(x - p)^2
}`

// scored returns the value of each term of an expression, for groups with the given true values and trials of one parameter.
func scored(t *testing.T, support, text string, truth, x []float64, edge string) map[string]float64 {
	t.Helper()
	m := written(t, text, header(t, strings.Replace(single, "%", support, 1)))
	r := objective.Rows{Params: []string{"p"}}
	for g := range truth {
		r.Theta, r.RT, r.Target = append(r.Theta, truth[g:g+1]), append(r.RT, x[g:g+1]), append(r.Target, []float64{0})
	}
	s := objective.Settings{Lambda: 1, ProxyGroups: len(truth), ProxyTrials: 1, GridPoints: 5,
		Edge: edge, NonFinite: objective.Role, Fit: objective.MSE}
	l := loss(t, r, m, s)
	terms, named := make([]float64, len(l.Terms())), map[string]float64{}
	named["loss"] = l.NewScorer().Score(treeOf(t, m), math.Inf(1), terms)
	for i, name := range l.Terms() {
		named[name] = terms[i]
	}
	return named
}

// R is computed by hand. The true values are 1, 2, 3, and the trials x equal them unless a case has others.
func TestRecoveryByHand(t *testing.T) {
	at := []float64{1, 2, 3}
	for _, c := range []struct {
		name, support, f string
		x                []float64
		rho, edge        float64
	}{
		{"each truth is found", "", "-(x - p)^2", at, 1, 0},
		{"each is found mirrored", "", "-(4 - x - p)^2", at, -1, 0},
		{"flat: the first point, and an edge", "", "x + p - p", at, 0, 1},
		{"ties go to the lowest: 0.5 is as far from 0 as from 1", "", "-(x - p)^2", []float64{0.5, 2, 3.5}, 1.5 / math.Sqrt(2*7.0/3) * math.Sqrt(1), 1. / 3},
		{"always the last point", "", "p*x", at, 0, 1},
		{"the support ends the climb at the point below x", "support p < x", "p + x - x", at, 1, 1. / 3},
		{"nothing in the support", "support p < x - 10", "p + x - x", at, 0, 1},
		{"a pole on the grid is not the largest", "", "1/(x - p - 1)^2", []float64{1, 2, 2}, 0, 2. / 3}, // poles at 0, 1, 1
		{"never finite in the proxy, finite on the data", "", "log(p)*0 - (x - p)^2", at, 1, 0},
	} {
		got := scored(t, c.support, c.f, at, c.x, objective.Ends)
		if c.name[:4] == "ties" {
			c.rho = handCorrelation([]float64{0, 2, 3}, at)
		}
		if c.name[:6] == "a pole" {
			c.rho = handCorrelation([]float64{1, 0, 0}, at)
		}
		if !(math.Abs(got["rho_p"]-c.rho) <= 1e-12) || !(math.Abs(got["edge_p"]-c.edge) <= 1e-12) {
			t.Errorf("%s: ρ %v, edge %v, want %v, %v", c.name, got["rho_p"], got["edge_p"], c.rho, c.edge)
		}
		if r := c.rho - c.edge; !(math.Abs(got["R"]-r) <= 1e-12) || !(math.Abs(got["loss"]-got["mse"]-(1-r)-1000*got["B"]) <= 1e-12) {
			t.Errorf("%s: R %v, loss %v, want R %v", c.name, got["R"], got["loss"], r)
		}
	}
}

// handCorrelation returns the correlation of three pairs of numbers.
// handCorrelation is for three numbers.
func handCorrelation(x, y []float64) float64 {
	mx, my := (x[0]+x[1]+x[2])/3, (y[0]+y[1]+y[2])/3
	xy, xx, yy := 0.0, 0.0, 0.0
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// With the rule Missed, an estimate at an edge that is next to the truth does not count as an edge.
func TestMissedEdges(t *testing.T) {
	truth, x := []float64{0.4, 2, 3.2}, []float64{0.2, 2, 4}
	if got := scored(t, "", "-(x - p)^2", truth, x, objective.Ends)["edge_p"]; !(math.Abs(got-2./3) <= 1e-12) {
		t.Errorf("edge %v, want 2/3", got)
	}
	if got := scored(t, "", "-(x - p)^2", truth, x, objective.Missed)["edge_p"]; !(math.Abs(got-1./3) <= 1e-12) {
		t.Errorf("missed edge %v, want 1/3", got)
	}
	if got := scored(t, "support p < x - 10", "p + x - x", truth, x, objective.Missed)["edge_p"]; got != 1 {
		t.Errorf("nothing in the support: missed edge %v, want 1", got)
	}
}

// The joint proxy of the normal density finds the maximum of density times prior in each group, as a search over ever finer grids
// does.
func TestJointIsTheMaximum(t *testing.T) {
	m := header(t, `model normal {
  trial x
  param mu in [-1, 1]
  param sd in [0.2, 2]
  loglik = -log(sd) - ((x - mu)/sd)^2/2
}`)
	rng := rand.New(rand.NewPCG(1, 2))
	r := objective.Rows{Params: []string{"mu", "sd"}}
	const groups, trials = 60, 37
	var truth, best [2][]float64
	edges := [2]float64{}
	for range groups {
		theta := []float64{2*rng.Float64() - 1, 0.2 + 1.8*rng.Float64()}
		x := make([]float64, trials)
		for k := range x {
			x[k] = theta[0] + theta[1]*rng.NormFloat64()
		}
		r.Theta, r.RT, r.Target = append(r.Theta, theta), append(r.RT, x), append(r.Target, make([]float64, trials))
		at := finest(func(u [2]float64) (sum float64) {
			mu, sd := -1+2*u[0], 0.2+1.8*u[1]
			for _, v := range x {
				sum -= math.Log(sd) + (v-mu)*(v-mu)/(2*sd*sd)
			}
			return sum - 6*trials/1000.*((u[0]-0.5)*(u[0]-0.5)+(u[1]-0.5)*(u[1]-0.5))
		})
		for j, u := range at {
			truth[j], best[j] = append(truth[j], theta[j]), append(best[j], math.Round(100*u)/100)
			if u < 0.01 || u > 0.99 {
				edges[j] += 1. / groups
			}
		}
	}
	s := objective.Paper()
	s.JointGroups, s.JointTrials, s.JointWeight = groups, trials, 0.5
	dst := make([]float64, 4)
	loss(t, r, m, s).NewScorer().(objective.Refiner).Refine(treeOf(t, m), dst)
	for j := range best {
		if want := pearson(best[j], truth[j]); !(math.Abs(dst[j]-want) <= 3e-4) || !(math.Abs(dst[2+j]-edges[j]) <= 1e-9) {
			t.Errorf("%s: r %.6f, edge %v, want %.6f, %v", m.Params[j].Name, dst[j], dst[2+j], want, edges[j])
		}
	}
	if edges[0]+edges[1] == 0 {
		t.Error("no estimate is at a bound: the case is too easy")
	}
}

// finest returns the point of the unit square at which f is largest.
func finest(f func(u [2]float64) float64) (best [2]float64) {
	best = [2]float64{0.5, 0.5}
	for width := 0.5; width > 1e-7; width /= 5 {
		middle, top := best, math.Inf(-1)
		for i := -10.; i <= 10; i++ {
			for j := -10.; j <= 10; j++ {
				u := [2]float64{max(0, min(1, middle[0]+i*width/10)), max(0, min(1, middle[1]+j*width/10))}
				if v := f(u); v > top {
					best, top = u, v
				}
			}
		}
	}
	return best
}

// A parameter that the trials do not determine is not recovered: one that the expression lacks, or two of which the expression
// has only the sum.
func TestJointNeedsInformation(t *testing.T) {
	both, err := teacherTrain()
	if err != nil {
		t.Fatal(err)
	}
	r := rows(t)
	r.Both = both
	s := objective.Paper()
	s.JointGroups, s.JointTrials, s.JointWeight = 80, 20, 1
	recovered := func(text string) []float64 {
		dst := make([]float64, 8)
		m := written(t, text, model(t, "expr2"))
		loss(t, r, m, s).NewScorer().(objective.Refiner).Refine(treeOf(t, m), dst)
		return dst
	}
	const wald = "log(a*(1 - %s)) - 1.5*log(rt - t) - (2*a*(1 - %s) - v*(rt - t))^2/(2*(rt - t))"
	full := recovered(strings.ReplaceAll(wald, "%s", "z"))
	lacking := recovered(strings.ReplaceAll(wald, "%s", "0.5"))
	for j, least := range []float64{0.85, 0.7, 0.7, 0.9} {
		if full[j] < least {
			t.Errorf("parameter %d has r = %v in full", j, full[j])
		}
	}
	if lacking[2] != 0 || lacking[3] < 0.8 {
		t.Errorf("without z: r = %v", lacking[:4])
	}
	if sum := recovered("-(rt - t - 0.5)^2 - (rt - t - (v + 3)/6 - (a - 0.3)/2.2)^2 - z + z"); sum[0] > 0.5 && sum[1] > 0.5 {
		t.Errorf("of a sum alone: r = %v", sum[:4])
	}
}

// A parameter is not recovered if there is a maximum near the truth but a higher one elsewhere.
func TestJointFindsTheHighest(t *testing.T) {
	m := header(t, strings.Replace(single, "%", "", 1))
	r := objective.Rows{Params: []string{"p"}}
	for g := range 20 {
		x := 1.5 + 0.1*float64(g)
		r.Theta, r.RT, r.Target = append(r.Theta, []float64{x}), append(r.RT, []float64{x}), append(r.Target, []float64{0})
	}
	s := objective.Paper()
	s.ProxyGroups, s.ProxyTrials, s.JointGroups, s.JointTrials, s.JointWeight = 20, 1, 20, 1, 1
	for _, c := range []struct {
		f    string
		low  float64
		high float64
	}{
		{"-20*(x - p)^2", 0.999, 1},
		{"log(exp(-20*(x - p)^2) + 9*exp(-20*(p - 0.4)^2))", -0.2, 0.2},
	} {
		dst, f := make([]float64, 2), written(t, c.f, m)
		loss(t, r, f, s).NewScorer().(objective.Refiner).Refine(treeOf(t, f), dst)
		if !(dst[0] >= c.low && dst[0] <= c.high+1e-12) {
			t.Errorf("%s: r = %v, want %v to %v", c.f, dst[0], c.low, c.high)
		}
	}
}

// Expressions whose joint proxy was not computed are in other niches.
func TestNichesOfProfilesAlone(t *testing.T) {
	s := objective.Improved()
	s.ProxyGroups, s.ProxyTrials, s.JointGroups, s.JointTrials = 4, 1, 4, 1
	l := loss(t, objective.Rows{Params: []string{"p"}, Theta: [][]float64{{1}, {2}, {3}, {4}}, RT: [][]float64{{1}, {2}, {3}, {4}},
		Target: [][]float64{{0}, {0}, {0}, {0}}}, header(t, strings.Replace(single, "%", "", 1)), s)
	// mse, robust, rho, edge, joint, joint_edge, R, B
	for _, c := range []struct {
		terms []float64
		want  uint16
	}{
		{[]float64{0, 0, 0.9, 0, 0, 0, 0, 0}, 2},
		{[]float64{0, 0, 0.9, 0, 0.9, 0, 0, 0}, 1},
		{[]float64{0, 0, 0.9, 0, 0.55, 0, 0, 0}, 0},
		{[]float64{0, 0, 0.9, 0, 0.9, 0.6, 0, 0}, 0},
		{[]float64{0, 0, 0.4, 0, 0, 0, 0, 0}, 0},
	} {
		if got := l.Niche(c.terms); got != c.want {
			t.Errorf("terms %v: niche %b, want %b", c.terms, got, c.want)
		}
	}
}

// TestRecovery: recovery is correlation minus edge fraction: of the profiles with the paper's settings, of the joint proxy with the improved
// ones.
func TestRecovery(t *testing.T) {
	rows := objective.Rows{Params: []string{"p"}, Theta: [][]float64{{1}, {2}, {3}, {4}}, RT: [][]float64{{1}, {2}, {3}, {4}},
		Target: [][]float64{{0}, {0}, {0}, {0}}}
	improved := objective.Improved()
	improved.ProxyGroups, improved.ProxyTrials, improved.JointGroups, improved.JointTrials = 4, 1, 4, 1
	paper := objective.Paper()
	paper.ProxyGroups, paper.ProxyTrials = 4, 1
	for _, c := range []struct {
		settings objective.Settings
		want     float64
	}{{improved, 0.5}, {paper, 0.8}} {
		l := loss(t, rows, header(t, strings.Replace(single, "%", "", 1)), c.settings)
		of := map[string]float64{"rho_p": 0.9, "edge_p": 0.1, "joint_p": 0.75, "joint_edge_p": 0.25}
		var terms []float64
		for _, name := range l.Terms() {
			terms = append(terms, of[name])
		}
		if got := l.Recovery(terms); len(got) != 1 || !(math.Abs(got[0]-c.want) <= 1e-15) {
			t.Errorf("recovery %v, want %v", got, c.want)
		}
	}
}
