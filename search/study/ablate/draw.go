package ablate

import (
	"fmt"

	"likc/compiler/expr"
	"likc/runtime/fit/figure"
	"likc/search/study"
)

// draw draws the formula once for the mean over all parameters and once for each parameter. The bar beneath a term is darker if
// replacing the term makes recovery worse.
func (st *ablation) draw(s *Summary) (study.Drawing, error) {
	panels := []figure.Shaded{{Title: st.Name + ": mean of all parameters", Lines: st.lines(s, func(o *Outcome) float64 { return float64(o.Carried) })}}
	for j, p := range s.Whole.Params {
		title := fmt.Sprintf("%s: r = %.3f, error %.3f", p.Name, p.R, p.RMSE)
		panels = append(panels, figure.Shaded{Title: title, Lines: st.lines(s, func(o *Outcome) float64 { return float64(o.Params[j].Carried) })})
	}
	return figure.ShadedTexts(append(panels, scale()))
}

// lines returns the formula and the definitions of its names, with the shades of the terms.
func (st *ablation) lines(s *Summary, carried func(*Outcome) float64) (all []figure.Passage) {
	dark := map[*expr.Expr]float64{}
	for i := range s.Terms {
		t := &s.Terms[i]
		dark[st.terms[t.number]] = carried(&t.Replacements[0].Outcome)
	}
	all = append(all, st.passage("", st.LogLik, dark))
	for _, l := range st.Lets {
		all = append(all, st.passage(l.Name+" = ", l.Value, dark))
	}
	return all
}

// passage returns an expression with a bar beneath each term. The bar of a part lies below the bars of the terms that contain it.
func (st *ablation) passage(before string, e *expr.Expr, dark map[*expr.Expr]float64) figure.Passage {
	names := map[*expr.Expr]string{}
	for n, name := range st.names {
		if n != e {
			names[n] = name
		}
	}
	var shades []figure.Shade
	text := e.Spans(names, func(n *expr.Expr, start, end int) {
		d, ok := dark[n]
		if !ok {
			return
		}
		for i := range shades { // the arguments' shades come first in the text
			if shades[i].From >= start+len(before) {
				shades[i].Row++
			}
		}
		shades = append(shades, figure.Shade{From: start + len(before), To: end + len(before), Dark: d})
	})
	return figure.Passage{Text: before + text, Shades: shades}
}

// scale draws the legend of the shades.
func scale() figure.Shaded {
	p := figure.Passage{Text: "errors as before                                  as large as with one guess for all"}
	const first, width, steps = 17, 3, 11
	for k := range steps {
		p.Shades = append(p.Shades, figure.Shade{From: first + width*k, To: first + width*(k+1), Dark: float64(k) / (steps - 1)})
	}
	return figure.Shaded{Lines: []figure.Passage{p}}
}
