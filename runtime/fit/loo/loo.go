// Package loo estimates how well a fitted model predicts new trials: leave-one-out cross-validation by Pareto smoothed
// importance sampling (PSIS-LOO) and the widely applicable information criterion (WAIC), from draws of one posterior.
//
// Trials are processed in blocks: their log densities under all draws are computed, used and dropped. Memory is proportional
// to draws (on each thread) and to trials, never to draws × trials.
//
// The estimates are those of R's package loo:
//
//	[vehtari2017] Vehtari, Gelman, Gabry (2017). Practical Bayesian model evaluation using leave-one-out cross-validation
//	              and WAIC. Statistics and Computing 27, 1413-1432.
//	[vehtari2024] Vehtari, Simpson, Gelman, Yao, Gabry (2024). Pareto smoothed importance sampling. JMLR 25(72), 1-58.
//	[zhang2009]   Zhang, Stephens (2009). A new and efficient estimation method for the generalized Pareto distribution.
//	              Technometrics 51, 316-325.
//	[yao2018]     Yao, Vehtari, Simpson, Gelman (2018). Using stacking to average Bayesian predictive distributions.
//	              Bayesian Analysis 13, 917-1007.
//	[blom1958]    Blom (1958). Statistical Estimates and Transformed Beta-Variables. Wiley.
package loo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"likc/runtime/sys/workers"
)

// Pointwise is a likelihood that can be evaluated at single trials. It must be safe for concurrent use.
type Pointwise interface {
	// N returns the number of trials.
	N() int
	// LogDensity sets dst[i][s] to the log density of trial first+i, counted from 0, at the parameters theta[s]. -Inf means
	// that the trial is impossible there. Each dst[i] is as long as theta.
	LogDensity(dst, theta [][]float64, first int)
}

// Settings describe the draws and the threads to use.
type Settings struct {
	Chains  int // theta holds this many chains of one length, one after the other; 0 means 1
	Threads int // 0: one for each processor
}

// Trial holds the estimates for one trial. All log densities are natural logarithms.
type Trial struct {
	ELPD float64 // log density of the trial, predicted from all other trials
	P    float64 // effective number of parameters: log density predicted from all trials, minus ELPD
	// K is the shape of the Pareto distribution of the largest importance ratios. ELPD can be trusted if K is at most
	// [Threshold]. It is +Inf if no distribution could be fitted, and 0 if all draws give the trial the same density.
	K    float64
	ESS  float64 // effective sample size of the importance weights
	REff float64 // effective sample size of the trial's density (not its logarithm), divided by the number of draws
	MCSE float64 // Monte Carlo standard error of ELPD

	WAIC  float64 // the same as ELPD, but by the widely applicable information criterion
	PWAIC float64 // its effective number of parameters: variance of the log density over the draws
}

// Sum is a sum over trials and its standard error: the standard deviation over the trials times the root of their number.
type Sum struct{ Value, SE float64 }

// Result holds the estimates for all trials.
type Result struct {
	Draws  int // number of draws
	Trials []Trial

	ELPD, P     Sum     // PSIS-LOO
	WAIC, PWAIC Sum     // WAIC, on the scale of ELPD: multiply by -2 for the deviance scale
	MCSE        float64 // Monte Carlo standard error of ELPD; NaN where a trial's K exceeds the threshold
}

// Threshold returns the largest K at which ELPD can be trusted with this many draws: min(1 - 1/log10(draws), 0.7).
// [vehtari2024].
func Threshold(draws int) float64 { return min(1-1/math.Log10(float64(draws)), 0.7) }

// Exceed returns the trials, counted from 0, whose K exceeds the threshold: their ELPD may be far off, and the model should be
// fitted again without them.
func (r *Result) Exceed() []int {
	var list []int
	limit := Threshold(r.Draws)
	for i := range r.Trials {
		if !(r.Trials[i].K <= limit) {
			list = append(list, i)
		}
	}
	return list
}

// Estimate returns PSIS-LOO and WAIC of a likelihood. theta has one row of parameters for each draw, chain after chain. The result
// does not depend on the number of threads. It returns an error without any trial or draw, if the draws cannot be divided into the
// chains, if a log density is NaN or +Inf, and when ctx ends.
func Estimate(ctx context.Context, p Pointwise, theta [][]float64, s Settings) (*Result, error) {
	s.Chains = max(s.Chains, 1)
	switch n := len(theta); {
	case n < 2:
		return nil, fmt.Errorf("loo: %d draws: want at least 2", n)
	case n%s.Chains != 0:
		return nil, fmt.Errorf("loo: %d draws cannot be divided into %d chains of one length", n, s.Chains)
	case p.N() == 0:
		return nil, errors.New("loo: there are no trials")
	}
	r := &Result{Draws: len(theta), Trials: make([]Trial, p.N())}
	if err := r.estimateTrials(ctx, p, theta, s); err != nil {
		return nil, err
	}
	r.sum()
	return r, nil
}

// NewResult returns the result for trials that were estimated before, each with at least `draws` draws.
func NewResult(draws int, trials []Trial) *Result {
	r := &Result{Draws: draws, Trials: trials}
	r.sum()
	return r
}

// A thread evaluates a block of trials together. A likelihood can then compute once what depends only on the parameters, such as an integral.
const (
	leastBlock, mostBlock = 64, 1024 // number of trials of a block
	blockSize             = 1 << 22  // most log densities of a block of more than leastBlock trials
	fewestBlocks          = 32       // unless blocks are of leastBlock trials: threads share the blocks
)

// blockOf returns the number of trials of a block.
func blockOf(trials, draws int) int {
	return max(leastBlock, min(blockSize/draws, trials/fewestBlocks, mostBlock))
}

// estimateTrials estimates the trials. If several trials are bad, its error names the first one. To find it, blocks after the
// first known bad block are skipped, but earlier ones are not.
func (r *Result) estimateTrials(ctx context.Context, p Pointwise, theta [][]float64, s Settings) error {
	block := blockOf(len(r.Trials), len(theta))
	blocks := (len(r.Trials) + block - 1) / block
	all := make([]*estimator, workers.Threads(blocks, s.Threads))
	errs := make([]*densityError, len(all))
	var bad atomic.Int64 // the first block known to have a bad trial
	bad.Store(int64(blocks))
	workers.Do(ctx, blocks, s.Threads, func(worker, i int) {
		if int64(i) >= bad.Load() {
			return
		}
		if all[worker] == nil {
			all[worker] = newEstimator(len(theta), s.Chains, min(block, len(r.Trials)))
		}
		first := i * block
		err := all[worker].estimate(r.Trials[first:min(first+block, len(r.Trials))], p, theta, first)
		if err == nil {
			return
		}
		errs[worker] = err
		for old := bad.Load(); int64(i) < old && !bad.CompareAndSwap(old, int64(i)); {
			old = bad.Load()
		}
	})
	for _, err := range errs {
		if err != nil && int64(err.trial/block) == bad.Load() {
			return err
		}
	}
	return ctx.Err()
}

// densityError is a log density that cannot be used.
type densityError struct {
	trial, draw int // the indexes of the trial and of the draw, from 0
	value       float64
}

func (e *densityError) Error() string {
	return fmt.Sprintf("loo: the log density of trial %d at draw %d is %v: want a finite number or -Inf", e.trial+1, e.draw+1, e.value)
}

// sum sets the sums of the trials' estimates.
func (r *Result) sum() {
	r.ELPD = r.sumOf(func(t *Trial) float64 { return t.ELPD })
	r.P = r.sumOf(func(t *Trial) float64 { return t.P })
	r.WAIC = r.sumOf(func(t *Trial) float64 { return t.WAIC })
	r.PWAIC = r.sumOf(func(t *Trial) float64 { return t.PWAIC })
	r.MCSE = 0
	for i := range r.Trials {
		r.MCSE += r.Trials[i].MCSE * r.Trials[i].MCSE
	}
	r.MCSE = math.Sqrt(r.MCSE)
	if len(r.Exceed()) > 0 {
		r.MCSE = math.NaN()
	}
}

func (r *Result) sumOf(value func(*Trial) float64) Sum {
	return sumOver(len(r.Trials), func(i int) float64 { return value(&r.Trials[i]) })
}

// sumOver adds n values. If the sum is infinite, its standard error is infinite too.
func sumOver(n int, value func(int) float64) Sum {
	total := 0.0
	for i := range n {
		total += value(i)
	}
	if math.IsInf(total, 0) {
		return Sum{total, math.Inf(1)}
	}
	mean, squares := total/float64(n), 0.0
	for i := range n {
		d := value(i) - mean
		squares += d * d
	}
	return Sum{total, math.Sqrt(float64(n) * squares / float64(n-1))}
}
