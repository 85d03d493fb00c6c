package judge

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Comparison describes how far two files of verdicts agree, for example a screen by posterior modes and NUTS.
type Comparison struct {
	Common   int            `json:"common"`         // candidates with a verdict in both files, matched by canonical form
	Only     [2]int         `json:"only"`           // candidates with a verdict in only one file
	Pass     [2][2]int      `json:"pass"`           // [passes in the first][passes in the second]: number of candidates; index 0 means no, 1 yes
	Mean     [2]float64     `json:"mean_recovered"` // mean number of parameters recovered by a candidate
	R        finite.Number  `json:"r_recovered"`    // correlation of the numbers of parameters recovered
	Same     finite.Number  `json:"same_recovered"` // share of candidates with the same number of recovered parameters
	RWeakest finite.Number  `json:"r_weakest"`      // correlation of the weakest r, over candidates where both are defined
	Differ   []Disagreement `json:"disagree"`       // in the order of the first file
}

// Disagreement is a candidate that passes in only one file.
type Disagreement struct {
	Model     string           `json:"model"`
	Expr      string           `json:"expr,omitempty"`
	Pass      [2]bool          `json:"pass"`
	Weakest   [2]finite.Number `json:"weakest_r"`
	Recovered [2][]string      `json:"recovered"`
}

// Compare matches verdicts by canonical form and compares them.
func Compare(a, b []*Verdict) (Comparison, error) {
	c := Comparison{Differ: []Disagreement{}}
	second := map[string]*Verdict{}
	a, b = unique(a), unique(b)
	for _, v := range b {
		second[v.key()] = v
	}
	var n [2][]float64
	var weakest [2][]float64
	same := 0
	for _, v := range a {
		w := second[v.key()]
		if w == nil {
			continue
		}
		pair := [2]*Verdict{v, w}
		for k, x := range pair {
			n[k] = append(n[k], float64(len(x.Recovered)))
		}
		if len(v.Recovered) == len(w.Recovered) {
			same++
		}
		if r := [2]float64{float64(v.WeakestR), float64(w.WeakestR)}; !math.IsNaN(r[0] + r[1]) {
			weakest[0], weakest[1] = append(weakest[0], r[0]), append(weakest[1], r[1])
		}
		c.Pass[digit(v.Pass)][digit(w.Pass)]++
		if v.Pass != w.Pass {
			c.Differ = append(c.Differ, Disagreement{v.Model, v.Expr, [2]bool{v.Pass, w.Pass},
				[2]finite.Number{v.WeakestR, w.WeakestR}, [2][]string{v.Recovered, w.Recovered}})
		}
	}
	if c.Common = len(n[0]); c.Common == 0 {
		return c, errors.New("compare: no candidate has a verdict in both files")
	}
	c.Only = [2]int{len(a) - c.Common, len(b) - c.Common}
	c.Mean = [2]float64{stat.Mean(n[0], nil), stat.Mean(n[1], nil)}
	c.R, c.RWeakest, c.Same = finite.Number(statistic.Correlation(n[0], n[1])), finite.Number(statistic.Correlation(weakest[0], weakest[1])), ratio(same, c.Common)
	return c, nil
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}
