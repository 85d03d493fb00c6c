package judge

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/fit/figure"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/study/recovery"
)

// MostPaired is the largest number of candidates that Pairs compares.
const MostPaired = 10

// Pair compares the estimates of two candidates, subject by subject.
type Pair struct {
	First    string   `json:"first"`
	Second   string   `json:"second"`
	Subjects int      `json:"subjects"` // number of subjects that both candidates could fit
	Params   []Agreed `json:"params"`   // the parameters that both candidates have
}

// Agreed describes how well two candidates' estimates of a parameter agree.
type Agreed struct {
	Name string        `json:"name"`
	R    finite.Number `json:"r"`    // correlation of the second candidate's estimates with the first's
	Bias finite.Number `json:"bias"` // mean of second - first
	RMSE finite.Number `json:"rmse"` // root of the mean of (second - first)²

	// These are the estimates of both candidates, for each subject that both could fit.
	FirstEstimates  []float64 `json:"-"`
	SecondEstimates []float64 `json:"-"`
}

// Pairs compares each pair of the named candidates, or of all candidates if there are no names. The estimates are posterior modes or
// means, as in the verdicts. The verdicts must have fits, of the same subjects and by one method. If a form has several verdicts,
// the first counts.
func Pairs(all []*Verdict, names []string) (pairs []Pair, err error) {
	if all, err = named(unique(all), names); err != nil {
		return nil, err
	}
	if len(all) < 2 || len(all) > MostPaired {
		return nil, fmt.Errorf("%s, expected 2 to %d", notation.Count(len(all), "candidate"), MostPaired)
	}
	for _, v := range all {
		switch {
		case len(v.Fits) == 0:
			return nil, fmt.Errorf("%s: the verdict has no fits; judge again with --fits", v.Model)
		case v.Method != all[0].Method:
			return nil, fmt.Errorf("%s: was judged by %s, and %s by %s", v.Model, v.Method, all[0].Model, all[0].Method)
		}
	}
	for i, second := range all {
		for _, first := range all[:i] {
			p, err := newPair(first, second)
			if err != nil {
				return nil, err
			}
			if len(p.Params) > 0 {
				pairs = append(pairs, p)
			}
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("no two candidates have a parameter in common")
	}
	return pairs, nil
}

// named returns the verdicts on the named candidates, in the order of the names, or all verdicts if there are no names.
func named(all []*Verdict, names []string) (some []*Verdict, err error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(v *Verdict) bool { return v.Model == name })
		if i < 0 {
			var known []string
			for _, v := range all {
				known = append(known, v.Model)
			}
			return nil, fmt.Errorf("no verdict on %s; there are %s", name, strings.Join(known, ", "))
		}
		some = append(some, all[i])
	}
	return some, nil
}

// newPair compares two candidates, parameter by parameter. It returns an error if the subjects of the two verdicts have different
// true parameters.
func newPair(first, second *Verdict) (p Pair, err error) {
	p = Pair{First: first.Model, Second: second.Model}
	of := map[int]*Fit{}
	for i := range first.Fits {
		if f := &first.Fits[i]; f.Error == "" {
			of[f.Subject] = f
		}
	}
	for k, param := range second.Params {
		j := slices.IndexFunc(first.Params, func(q Param) bool { return q.Name == param.Name })
		if j < 0 {
			continue
		}
		a := Agreed{Name: param.Name}
		var both []recovery.Estimate
		for i := range second.Fits {
			f := &second.Fits[i]
			if o := of[f.Subject]; o != nil && f.Error == "" {
				if o.Truth[j] != f.Truth[k] {
					return p, fmt.Errorf("%s: was judged on other subjects than %s", second.Model, first.Model)
				}
				x, y := float64(o.Mean[j]), float64(f.Mean[k])
				a.FirstEstimates, a.SecondEstimates = append(a.FirstEstimates, x), append(a.SecondEstimates, y)
				both = append(both, recovery.Estimate{Truth: x, Mean: y})
			}
		}
		figures := recovery.Compare(both)
		a.R, a.Bias, a.RMSE = figures.R, figures.Bias, figures.RMSE
		p.Subjects, p.Params = len(both), append(p.Params, a)
	}
	return p, nil
}

// DrawPairs writes pairs.svg in a folder. It has a row for each pair and a column for each parameter. The first candidate's
// estimates are on the horizontal axis, the second's on the vertical one.
func DrawPairs(dir string, pairs []Pair) error {
	var names []string
	for _, p := range pairs {
		for _, a := range p.Params {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	var panels []*figure.Recovered
	for _, p := range pairs {
		row := make([]*figure.Recovered, len(names))
		for _, a := range p.Params {
			note := "r = -"
			if a.R == a.R {
				note = fmt.Sprintf("r = %.3f", a.R)
			}
			row[slices.Index(names, a.Name)] = &figure.Recovered{Name: a.Name, Note: note, Truth: a.FirstEstimates, Estimate: a.SecondEstimates,
				Across: p.First, Up: p.Second}
		}
		panels = append(panels, row...)
	}
	fig, err := figure.Agreement(panels, len(names))
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, "pairs.svg"), fig.WriteSVG)
}
