package bound

import "likc/runtime/model/kernel"

// Explanation describes how trials are bound, and the amount of work of an evaluation.
type Explanation struct {
	Plan     string // the way in which trials are bound
	Blocks   int    // number of groups of trials that share their parameters, except those that are linear combinations
	Pieces   int    // number of parts of the log-likelihood that are evaluated separately
	Rows     int    // number of trials that an evaluation visits, equal ones once; 0 if sums over trials were computed at binding
	RowByRow bool   // whether each trial may have its own parameters
}

// counted is a sum that may visit fewer trials than were bound.
type counted interface{ Evaluated() int }

// eachTrial is a sum that may do work for each trial besides the sums over trials.
type eachTrial interface{ EachTrial() bool }

// Explain says how the trials are bound.
func (b *Bound) Explain() (Explanation, error) {
	x := Explanation{Plan: b.plan.String(), Blocks: b.blocks, Pieces: len(b.pieces), RowByRow: b.plan == byRows}
	once := false
	if c, ok := b.prepared.kernel.(kernel.Columner); ok && !x.RowByRow {
		var err error
		if once, err = c.TakenOnce(b.counts); err != nil {
			return x, err
		}
	}
	for i := range b.pieces {
		p := &b.pieces[i]
		if few, ok := p.sum.(counted); ok {
			x.Rows += few.Evaluated()
		} else if each, is := p.sum.(eachTrial); !once || is && each.EachTrial() {
			x.Rows += len(p.trials)
		}
	}
	return x, nil
}
