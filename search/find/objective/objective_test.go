package objective_test

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/tree"
	"likc/search/study/bank"
)

var _ evolve.Objective = (*objective.Loss)(nil)
var _ evolve.Nicher = (*objective.Loss)(nil)
var _ evolve.Strict = (*objective.Loss)(nil)

// published lists the paper's five expressions and the density of a first passage of one boundary.
var published = []string{"expr1", "expr2", "expr3", "expr4", "expr5", "wald"}

func model(t testing.TB, name string) *expr.Model {
	path := filepath.Join("..", "..", "..", "testdata", "models", name+".lik")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	models, err := syntax.Read(path, file)
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// written returns a model with the header of another model and the given log density.
func written(t testing.TB, text string, header *expr.Model) *expr.Model {
	m, err := syntax.ParseExpr(text, header)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func treeOf(t testing.TB, m *expr.Model) tree.Tree {
	x, err := tree.FromExpr(m.LogLik, append(m.ParamNames(), m.Trials...))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// exactRows returns rows of the repository's search bank, whose target is the exact density.
var exactRows = sync.OnceValues(func() (objective.Rows, error) {
	b, err := bank.Open(filepath.Join("..", "..", "..", "testdata", "banks", "search-rows"))
	if err != nil {
		return objective.Rows{}, err
	}
	r := objective.Rows{Params: []string{"v", "a", "z", "t"}}
	for _, s := range b.Subjects {
		target := make([]float64, len(s.RT))
		for k, rt := range s.RT {
			target[k] = ssm.DDM.LogDensity(rt, 1, s.Theta)
		}
		r.Theta, r.RT, r.Target = append(r.Theta, s.Theta), append(r.RT, s.RT), append(r.Target, target)
	}
	return r, nil
})

func rows(t testing.TB) objective.Rows {
	r, err := exactRows()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// teacherTrain returns subjects with trials at both boundaries, of the bank on which teachers are trained.
var teacherTrain = sync.OnceValues(func() (*objective.Subjects, error) {
	b, err := bank.Open(filepath.Join("..", "..", "..", "testdata", "banks", "teacher-train"))
	if err != nil {
		return nil, err
	}
	var s objective.Subjects
	for _, x := range b.Subjects[:1000] {
		s.Theta, s.RT, s.Choice = append(s.Theta, x.Theta), append(s.RT, x.RT), append(s.Choice, x.Choice)
	}
	return &s, nil
})

func loss(t testing.TB, r objective.Rows, header *expr.Model, s objective.Settings) *objective.Loss {
	l, err := objective.New(r, header, s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// compare checks a loss and its terms against those of the slow implementation.
func compare(t *testing.T, name string, m *expr.Model, r objective.Rows, s objective.Settings, tolerance float64) {
	t.Helper()
	l := loss(t, r, m, s)
	terms := make([]float64, len(l.Terms()))
	x := treeOf(t, m)
	got := l.NewScorer().Score(x, math.Inf(1), terms)
	want, wantTerms := newSlow(m, r, s).score()
	violations := 1000 * terms[len(terms)-1]
	if math.IsInf(want, 1) {
		if !math.IsInf(got, 1) {
			t.Errorf("%s: loss %v, want it rejected", name, got)
		}
		return
	}
	if !(math.Abs(got-violations-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: loss %.12g, want %.12g", name, got-violations, want)
	}
	for i, w := range wantTerms {
		if !(math.Abs(terms[i]-w) <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: %s is %.12g, want %.12g", name, l.Terms()[i], terms[i], w)
		}
	}
}

// The loss of the published expressions and its terms equal those of the slow implementation to 1e-10, with all rules for values
// that are not finite, different sizes, and trials at one or both boundaries.
func TestLossEqualsSlow(t *testing.T) {
	both, err := teacherTrain()
	if err != nil {
		t.Fatal(err)
	}
	r := rows(t)
	few := r
	few.Theta, few.RT, few.Target = r.Theta[:130], r.RT[:130], r.Target[:130]
	fewBoth := few
	fewBoth.Both = &objective.Subjects{Theta: both.Theta[:40], RT: both.RT[:40], Choice: both.Choice[:40]}
	header := model(t, "expr2")
	for _, name := range published {
		m := model(t, name)
		s := objective.Paper()
		compare(t, name, m, r, s, 1e-10)
		s.NonFinite = objective.Reject
		compare(t, name+" reject", m, few, s, 1e-10)
		s = objective.Settings{Lambda: 0.3, ProxyGroups: 31, ProxyTrials: 13, GridPoints: 6, Edge: objective.Missed,
			NonFinite: objective.Role, Fit: objective.Robust}
		compare(t, name+" robust", m, few, s, 1e-10)
		compare(t, name+" both", m, fewBoth, s, 1e-10)
	}
	for _, text := range []string{"v*a*z*t*rt", "log(rt - t) - a*z*v^2", "v + a + z + t + rt", "log(t) + v*a*z*rt",
		"sqrt(rt - t)*(v - a)^2 - z", "exp(a)/(v - z)^2 - t*rt", "v/(t - t) + a*z*rt"} {
		for _, rule := range []string{objective.Role, objective.Reject} {
			s := objective.Paper()
			s.NonFinite = rule
			compare(t, text+" "+rule, written(t, text, header), few, s, 1e-10)
		}
	}
}

// The block of a diffusion model is the decision time rt - t.
func TestBlocksAreOfTheSupport(t *testing.T) {
	m := model(t, "expr2")
	blocks := loss(t, rows(t), m, objective.Paper()).Blocks()
	if want := treeOf(t, written(t, "rt - t", m)); len(blocks) != 1 || !blocks[0].Equal(want) {
		t.Errorf("blocks %v, want rt - t", blocks)
	}
}
