package bound

import "likc/runtime/model/kernel"

// Explanation says how trials are bound, and what an evaluation goes over.
type Explanation struct {
	Plan     string
	Blocks   int  // groups of trials that share their parameters, apart from linear combinations
	Pieces   int  // parts of the log-likelihood that are evaluated one by one
	Rows     int  // trials that an evaluation visits, equal ones once; 0 where sums over trials were taken once
	RowByRow bool // each trial may have parameters of its own
}

// counted is a sum that may visit fewer trials than were bound.
type counted interface{ Evaluated() int }

// eachTrial is a sum that may do work for each trial beside the sums over trials.
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
