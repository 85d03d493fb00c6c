package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/num/finite"
	"likc/search/study/sweep"
)

// screenRow compares the screen with the full posterior at one λ, for this run or for the paper.
type screenRow struct {
	Lambda       finite.Number // NaN for all λ together
	Paper        bool
	Share        [2]float64 // shares that pass: by the screen, by NUTS
	Forms        int        // expressions with both verdicts; 0 if only shares are known
	Passes       [2]int     // numbers that pass: by the screen, by NUTS
	Both         int        // number of expressions that pass by both
	Mean         [2]float64 // mean number of parameters that an expression recovers: by the screen, by NUTS
	R, Same      float64    // correlation of both numbers of recovered parameters, and share of expressions for which they are equal
	Disagreement []disagreement
}

// ScreenAlone returns the number of expressions that pass only by the screen.
func (s screenRow) ScreenAlone() int { return s.Passes[0] - s.Both }

// NUTSAlone returns the number of expressions that pass only by NUTS.
func (s screenRow) NUTSAlone() int { return s.Passes[1] - s.Both }

// disagreement is an expression that passes only by the screen or only by NUTS.
type disagreement struct {
	Formula template.HTML
	Screen  bool             // whether the expression passes by the screen; otherwise it passes by NUTS
	Weakest [2]finite.Number // the weakest correlation of a parameter: by the screen, by NUTS
}

// screen sets the page's table of the screen.
func (p *page) screen() {
	s := p.Sweep.Screen
	if s == nil {
		return
	}
	for _, row := range s.Rows {
		p.ByScreen = append(p.ByScreen, p.screened(row))
		for _, o := range p.Paper.on(p.Recipe.Model).Screen {
			if o.Lambda == float64(row.Lambda) {
				p.ByScreen = append(p.ByScreen, screenRow{Lambda: row.Lambda, Paper: true, Share: [2]float64{o.Screen, o.Nuts}, Forms: o.Forms,
					Passes: o.Passes, Both: o.Both, Mean: o.Mean, R: o.R, Same: o.Same})
			}
		}
	}
	if len(s.Rows) > 1 {
		p.ByScreen = append(p.ByScreen, p.screened(s.All))
	}
}

// screened returns the table's row for a row of the sweep's comparison.
func (p *page) screened(row sweep.ScreenRow) screenRow {
	c := row.Comparison
	out := screenRow{Lambda: row.Lambda, Forms: c.Common, Passes: [2]int{c.Pass[1][0] + c.Pass[1][1], c.Pass[0][1] + c.Pass[1][1]}, Both: c.Pass[1][1],
		Mean: c.Mean, R: float64(c.R), Same: float64(c.Same)}
	out.Share = [2]float64{row.Share, float64(out.Passes[1]) / float64(max(1, c.Common))}
	for _, d := range c.Differ {
		formula, _ := canonical(d.Expr, p.Recipe.Model)
		out.Disagreement = append(out.Disagreement, disagreement{formula, d.Pass[0], d.Weakest})
	}
	return out
}

// Disagreements returns the disagreements at all weights λ, or, if the last row has none, those of the last row that has some.
func (p *page) Disagreements() (all []disagreement) {
	if n := len(p.ByScreen); n > 0 {
		all = p.ByScreen[n-1].Disagreement
		for i := n - 1; all == nil && i >= 0; i-- {
			all = p.ByScreen[i].Disagreement
		}
	}
	return all
}

// Gain says how much larger the effect of the recovery term is in the screen than in the full posterior.
func (p *page) Gain() string {
	var none, best *screenRow
	for i := range p.ByScreen {
		row := &p.ByScreen[i]
		switch {
		case row.Paper || row.Lambda != row.Lambda:
		case row.Lambda == 0:
			none = row
		case best == nil || row.Share[1] > best.Share[1]:
			best = row
		}
	}
	if none == nil || best == nil || none.Share[0] == 0 || none.Share[1] == 0 {
		return ""
	}
	return fmt.Sprintf("From λ = 0 to λ = %s the share that recovers all grows %s-fold by the screen and %s-fold by NUTS.", general(best.Lambda),
		general(math.Round(best.Share[0]/none.Share[0]*10)/10), general(math.Round(best.Share[1]/none.Share[1]*10)/10))
}

// FewSearches reports whether a λ has fewer than 10 searches: too few for conclusions, as the intervals over searches show.
func (p *page) FewSearches() bool {
	return p.Sweep != nil && slices.ContainsFunc(p.Sweep.Rows, func(r sweep.Row) bool { return r.Runs < 10 })
}

// BestPredictor says which of the search's figures agrees best with the judge.
func (p *page) BestPredictor() string {
	var best *sweep.Predictor
	for i := range p.Sweep.Predictors {
		if q := &p.Sweep.Predictors[i]; !math.IsNaN(float64(q.AUC)) && (best == nil || q.AUC > best.AUC) {
			best = q
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("In this run “%s” agrees best with the judge: its AUC is %s.", best.Name, correlation(best.AUC))
}

// refitPair holds a group of refits of this run, and the paper's.
type refitPair struct {
	Group sweep.RefitGroup
	Paper bool
}

// Refits returns the groups of refits with the paper's.
func (p *page) Refits() (out []refitPair) {
	for _, g := range p.Sweep.Refit.Groups {
		out = append(out, refitPair{g, false})
		for _, o := range p.Paper.Refit {
			if o.Name == g.Name {
				out = append(out, refitPair{o, true})
			}
		}
	}
	return out
}

// ManyJudges describes the judges of the verdicts, if there is more than one.
func (p *page) ManyJudges() (names []string) {
	if len(p.Sweep.Judges) > 1 {
		for _, j := range p.Sweep.Judges {
			names = append(names, j.String())
		}
	}
	return names
}
