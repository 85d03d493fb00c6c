// Package rows keeps the training data of the symbolic regression: groups of trials at the upper boundary, one parameter vector per
// group, each with a teacher's log density (the paper, "Pipeline data split details", stage 2). It is a folder:
//
//	rows.parquet      one row per trial: group, the parameters, rt (seconds), target (log density, natural logarithm)
//	rows.json         the bank and the teacher, with their SHA-256 sums
//	MANIFEST.sha256   the sums of the other two, in the format of sha256sum
package rows

import (
	"errors"
	"fmt"
	"math"

	"likc/search/study/bank"
	"likc/search/teach/corpus"
)

// Rows holds G groups of K trials each. All trials of a group have the same P parameters.
type Rows struct {
	Record
	Theta  [][]float64 // G×P
	RT     [][]float64 // G×K, seconds
	Target [][]float64 // G×K, the teacher's log p(rt, c = +1 | θ)
}

// Record is the content of rows.json.
type Record struct {
	Format  int           `json:"format"`
	Params  []string      `json:"params"` // in the model's order
	Groups  int           `json:"groups"`
	Trials  int           `json:"trials"` // trials in each group
	Bank    bank.Settings `json:"bank"`
	BankSum string        `json:"bank_sha256"` // the hash of the bank's numbers
	Teacher Source        `json:"teacher"`
}

// Source names the teacher that computed the log densities.
type Source struct {
	Kind  string `json:"kind"`
	Sum   string `json:"sha256"` // the hash of the teacher's weights
	Gated bool   `json:"gated"`  // whether the teacher had passed its gate
}

// formatVersion is the version of the files' format.
const formatVersion = 1

// Density computes log densities of trials: theta[i] belongs to trial i.
type Density interface {
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Score computes a teacher's log densities of a bank's trials. All trials must be at the upper boundary, with the same number for
// each subject. A log density that is not finite is an error.
func Score(d Density, b *bank.Bank, from Source) (*Rows, error) {
	if !b.Settings.UpperOnly {
		return nil, fmt.Errorf("bank: role %s has trials of both boundaries, want upper ones alone, as search-rows", b.Settings.Role)
	}
	r := &Rows{Record: Record{Format: formatVersion, Groups: len(b.Subjects), Bank: b.Settings, BankSum: corpus.Hash(b), Teacher: from}}
	for _, p := range b.Settings.Params {
		r.Params = append(r.Params, p.Name)
	}
	for _, s := range b.Subjects {
		if r.Trials == 0 {
			r.Trials = len(s.RT)
		}
		if len(s.RT) != r.Trials || r.Trials == 0 {
			return nil, fmt.Errorf("bank: subject %d has %d trials, the first %d: want as many of each", s.ID, len(s.RT), r.Trials)
		}
		target, theta := make([]float64, len(s.RT)), make([][]float64, len(s.RT))
		for i := range theta {
			theta[i] = s.Theta
		}
		d.LogDensity(target, theta, s.RT, s.Choice)
		r.Theta, r.RT, r.Target = append(r.Theta, s.Theta), append(r.RT, s.RT), append(r.Target, target)
	}
	return r, r.check()
}

// checkShape returns an error for rows from which nothing can be learned.
func (r *Record) checkShape() error {
	switch {
	case r.Format != formatVersion:
		return fmt.Errorf("format %d: this likc reads format %d", r.Format, formatVersion)
	case len(r.Params) == 0:
		return errors.New("no parameters")
	case r.Groups < 1 || r.Trials < 1:
		return fmt.Errorf("%d groups of %d trials: want 1 or more", r.Groups, r.Trials)
	}
	return nil
}

// check returns an error for rows of a wrong shape or with a log density that is not finite.
func (r *Rows) check() error {
	if err := r.checkShape(); err != nil {
		return err
	}
	for g, target := range r.Target {
		for k, y := range target {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return fmt.Errorf("group %d, trial %d, rt %v: the teacher's log density is %v", g, k+1, r.RT[g][k], y)
			}
		}
	}
	return nil
}
