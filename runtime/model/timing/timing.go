// Package timing compares the times of evaluations. After warm-up it runs rounds, each of which times every evaluation once, so that
// other work on the machine disturbs all of them alike. The result is the median round.
package timing

import (
	"context"
	"fmt"
	"time"

	"likc/runtime/num/statistic"
)

// Entry is one computation that is timed.
type Entry struct {
	Name string // used in errors

	// Evaluate evaluates `count` times, one after another, and returns the duration.
	Evaluate func(count int) (time.Duration, error)

	WarmUp int // number of evaluations before the first timed one; at least one is made
}

// Limits say how long timing may last.
type Limits struct {
	Rounds int           // the largest number of rounds; at least 1
	Slice  time.Duration // duration of one entry in one round; a single evaluation may take longer
	Total  time.Duration // no round begins that would exceed this time, but there is always one round
}

// Result holds the times of one entry.
type Result struct {
	NS     float64 // time of an evaluation in the median round, in ns
	Rounds int     // number of rounds
}

// Interleave times entries in the order A B C A B C …. After each evaluation of a round it calls progress, unless that is nil, with
// the share of all work that is done, from 0 to 1.
func Interleave(ctx context.Context, entries []Entry, l Limits, progress func(done float64)) ([]Result, error) {
	began := time.Now()
	counts := make([]int, len(entries))
	for i, e := range entries {
		var err error
		if counts[i], err = warmUp(ctx, e, l.Slice); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	rounds := make([][]float64, len(entries))
	var longest time.Duration
	for r := 0; r < max(1, l.Rounds); r++ {
		from := time.Since(began)
		if r > 0 && from+longest > l.Total {
			break
		}
		for i, e := range entries {
			ns, err := once(ctx, e, counts[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
			rounds[i] = append(rounds[i], ns)
			if progress != nil {
				progress((float64(r) + float64(i+1)/float64(len(entries))) / float64(max(1, l.Rounds)))
			}
		}
		longest = max(longest, time.Since(began)-from)
	}
	results := make([]Result, len(entries))
	for i := range results {
		results[i] = Result{statistic.Median(rounds[i]), len(rounds[i])}
	}
	return results, nil
}

// warmUp evaluates until code and tables are in the caches, and returns the number of evaluations in a slice.
func warmUp(ctx context.Context, e Entry, slice time.Duration) (int, error) {
	for count := max(1, e.WarmUp); ; count *= 4 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		took, err := e.Evaluate(count)
		if err != nil {
			return 0, err
		}
		if took >= slice/8 || count > 1<<24 {
			return max(1, int(float64(count)*float64(slice)/float64(max(1, took)))), nil
		}
	}
}

// once returns one entry's time in a round, in ns per evaluation. If a slice has several evaluations, there is one untimed
// evaluation first, because other entries have used the caches.
func once(ctx context.Context, e Entry, count int) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if count > 1 {
		if _, err := e.Evaluate(1); err != nil {
			return 0, err
		}
	}
	took, err := e.Evaluate(count)
	return float64(took) / float64(count), err
}
