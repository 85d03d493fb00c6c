package fit

import (
	"slices"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
)

// A link without ends lets a parameter leave the range in which a teacher was trained. The fit then warns about the trial with
// the largest share of such draws. There is no warning for an exact density, nor for a logit, which ends at the range.
func TestStrays(t *testing.T) {
	const v = "v of trial 2 leaves [-3, 3] in 30 % of its draws, and levy is a teacher, trained on v in [-3, 3] only. " +
		"Nothing is known of the likelihood there; a logit as its link keeps v inside"
	for _, c := range []struct {
		model, formula string
		links          []string
		draws          []float64 // draws of the second condition
		want           []string
	}{
		{"levy", "v ~ 0 + cond", nil, []float64{1, 4, 0, 4, -5, 0, 0, 0, 0, 2}, []string{v}},
		{"levy", "v ~ 0 + cond", nil, []float64{1, 2.9, 0, -2.9, 0, 0, 0, 0, 0, 2}, nil},
		{"levy", "v ~ 0 + cond", []string{"v=logit"}, []float64{1, 4, 0, 4, -5, 0, 0, 0, 0, 2}, nil},
		{"ddm", "v ~ 0 + cond", nil, []float64{1, 4, 0, 4, -5, 0, 0, 0, 0, 2}, nil},
	} {
		study := twoConditions(t, c.model, c.formula, c.links...)
		names := study.Names()
		trace := chains.NewTrace(len(names), 10)
		for j, name := range names {
			trace.Params[j] = slices.Repeat([]float64{0.5}, 10)
			if name == "v_cond[B]" {
				trace.Params[j] = c.draws
			}
			if name == "v_cond[A]" && c.want != nil {
				trace.Params[j][0] = 9 // more seldom than in the other condition
			}
		}
		d := &chains.Draws{Names: names, Chains: []chains.Chain{{ID: 1, Trace: trace}}}
		if got := strays(study.Model(), study, d); !slices.Equal(got, c.want) {
			t.Errorf("%s, links %q: %q, want %q", c.model, c.links, got, c.want)
		}
	}
}

// twoConditions returns a study of two trials, one in each condition.
func twoConditions(t *testing.T, model, text string, links ...string) *hierarchy.Study {
	t.Helper()
	m, b := open(t, model)
	study, err := specOf(t, m, Wishes{Formulas: []string{text}, Links: links}).Study(b, &Subject{Columns: [][]float64{{0.5, 0.7}}, Choice: []float64{1, -1},
		Table: formula.Table{Columns: []formula.DataColumn{{Name: "cond", Labels: []string{"A", "B"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return study
}
