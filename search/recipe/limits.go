package recipe

import (
	"fmt"
	"math"
	"slices"
)

// The largest numbers of a pipeline.
const (
	maxSearches  = 100_000 // of a pipeline, with ungrouped ones
	maxEvals     = 1_000_000_000_000
	maxChains    = 1 << 20
	maxDraws     = 1 << 30
	maxResamples = 10_000_000
	maxTop       = 10_000
	maxSize      = 10_000
	maxThreads   = 1 << 12
)

// number is a setting with the largest value that it may have; 0 is the default, or refused elsewhere.
type number struct {
	key         string
	value, most int64
}

// checkNumbers reports the first number that is negative or too large.
func (r *Recipe) checkNumbers() (string, error) {
	for _, n := range r.numbers() {
		if n.value < 0 || n.value > n.most {
			return n.key, fmt.Errorf("%d: want at most %d, and not below 0", n.value, n.most)
		}
	}
	return "", nil
}

func (r *Recipe) numbers() []number {
	var list []number
	add := func(key string, value int, most int64) { list = append(list, number{key, int64(value), most}) }
	for _, name := range r.bankNames() {
		add("bank."+name+".subjects", r.Banks[name].Subjects, math.MaxInt32)
		add("bank."+name+".trials", r.Banks[name].Trials, math.MaxInt32)
	}
	if s := r.Search; s != nil {
		add("search.seeds", s.Seeds, maxSearches/int64(max(1, len(s.Lambda))))
		list = append(list, number{"search.evals", s.Evals, maxEvals})
		add("search.max_size", s.MaxSize, maxSize)
		add("search.threads", s.Threads, maxThreads)
		if s.Ungrouped != nil {
			add("search.ungrouped.seeds", s.Ungrouped.Seeds, maxSearches)
		}
	}
	if p := r.Polish; p != nil {
		add("polish.top", p.Top, maxTop)
		list = append(list, number{"polish.evals", p.Evals, maxEvals})
	}
	for _, j := range r.fits() {
		add(j.key+".chains", j.judge.Chains, maxChains)
		add(j.key+".warmup", j.judge.Warmup, maxDraws)
		add(j.key+".draws", j.judge.Draws, maxDraws)
	}
	if r.Sweep != nil {
		add("sweep.resamples", r.Sweep.Resamples, maxResamples)
		add("sweep.top", r.Sweep.Top, maxTop)
	}
	return list
}

// fit is a stage that fits candidates.
type fit struct {
	key   string
	judge *Judge
}

// fits are the stages that fit candidates and are in the file.
func (r *Recipe) fits() []fit {
	all := []fit{{"judge", r.Judge}, {"refit", r.Refit}, {"holdout", r.Holdout}}
	return slices.DeleteFunc(all, func(f fit) bool { return f.judge == nil })
}
