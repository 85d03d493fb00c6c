package report

import (
	"fmt"
	"html/template"
	"math"

	"likc/runtime/num/finite"
	"likc/search/study/sweep"
)

// screenRow is a row of the table of the screen beside the full posterior, ours or the paper's.
type screenRow struct {
	Lambda       finite.Number // NaN for all
	Paper        bool
	Share        [2]float64 // shares that pass, by the screen and by NUTS
	Forms        int        // in both; 0 where nothing more is known
	Passes       [2]int     // expressions that pass, by the screen and by NUTS
	Both         int
	Mean         [2]float64 // parameters recovered a form
	R, Same      float64    // the correlation of the numbers of parameters recovered, and the share that are equal
	Disagreement []disagreement
}

// ScreenAlone counts the forms that only the screen passes.
func (s screenRow) ScreenAlone() int { return s.Passes[0] - s.Both }

// NUTSAlone counts those that only the full posterior passes.
func (s screenRow) NUTSAlone() int { return s.Passes[1] - s.Both }

// disagreement is a form that one of both passes.
type disagreement struct {
	Formula template.HTML
	Screen  bool // whether it passes the screen; else whether it passes NUTS
	Weakest [2]finite.Number
}

// screen lays out the table.
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

// Disagreements are those of all weights.
func (p *page) Disagreements() (all []disagreement) {
	if n := len(p.ByScreen); n > 0 {
		all = p.ByScreen[n-1].Disagreement
		for i := n - 1; all == nil && i >= 0; i-- {
			all = p.ByScreen[i].Disagreement
		}
	}
	return all
}

// Gain says how much more the screen makes of the recovery term than the full posterior does.
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

// refitPair is a group of refits, ours or the paper's.
type refitPair struct {
	Group sweep.RefitGroup
	Paper bool
}

// Refits has the paper's groups beneath ours.
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

// ManyJudges says whose verdicts the table mixes, if they are of more than one.
func (p *page) ManyJudges() (names []string) {
	if len(p.Sweep.Judges) > 1 {
		for _, j := range p.Sweep.Judges {
			names = append(names, j.String())
		}
	}
	return names
}
