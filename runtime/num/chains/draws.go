// Package chains holds the draws of Markov chains and diagnoses them: R-hat, effective sample sizes, Monte Carlo standard errors
// and E-BFMI, each with advice in words. It reads and writes Stan's CSV format.
//
// References:
//
//	[vehtari2021] Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021). Rank-normalization, folding, and localization:
//	              an improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16, 667-718.
//	[geyer1992]   Geyer (1992). Practical Markov chain Monte Carlo. Statistical Science 7, 473-483.
//	[betancourt2016] Betancourt (2016). Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo.
package chains

import (
	"fmt"
	"slices"
)

// Draws are the draws of several chains over the same named parameters.
type Draws struct {
	Names  []string // the name of each parameter; elements of containers are written theta[1], M[2,1]
	Chains []Chain
	Run    Run
	File   string // the file that the draws were read from, for errors; "" if it is not known
}

// Chain is one Markov chain: its draws, and the sampler's records about them.
type Chain struct {
	ID      int   // the number of the chain, counted from 1
	Trace         // draws after warm-up
	Warmup  Trace // draws of the warm-up, empty unless they were saved
	Adapted Adapted

	WarmupGradients int // number of gradients computed for initial values and warm-up
	Gradients       int // number of gradients computed after warm-up
}

// Trace is a sequence of draws, stored in columns. Sampler columns are empty if the draws do not come from a sampler of this kind.
type Trace struct {
	Params     [][]float64 // [parameter][draw]
	LogDensity []float64   // lp__
	AcceptStat []float64   // accept_stat__: mean acceptance probability over the trajectory
	StepSize   []float64   // stepsize__
	TreeDepth  []int       // treedepth__: completed doublings
	Leapfrogs  []int       // n_leapfrog__: gradients of the transition
	Divergent  []bool      // divergent__
	Energy     []float64   // energy__: Hamiltonian at the draw
}

// Adapted holds the step size and the metric that warm-up has found.
type Adapted struct {
	StepSize  float64     // 0 if unknown
	InvMetric [][]float64 // inverse metric: one row, its diagonal; as many rows as parameters, the whole matrix; nil if unknown
}

// Run holds the settings that a Stan CSV header carries.
type Run struct {
	Model      string
	NumWarmup  int
	NumSamples int
	SaveWarmup bool
	Thin       int
	MaxDepth   int
	Delta      float64 // target acceptance statistic
	Metric     string  // unit_e, diag_e or dense_e
	StepSize   float64 // initial step size
	Jitter     float64
	Init       float64 // radius of the initial values
	Seed       uint64  // the user's seed, with up to 64 bits; Stan itself takes 32
}

// NewTrace returns an empty trace with room for n draws of dim parameters, and for sampler columns.
func NewTrace(dim, n int) Trace {
	t := Trace{
		Params:     make([][]float64, dim),
		LogDensity: make([]float64, 0, n), AcceptStat: make([]float64, 0, n), StepSize: make([]float64, 0, n),
		TreeDepth: make([]int, 0, n), Leapfrogs: make([]int, 0, n), Divergent: make([]bool, 0, n),
		Energy: make([]float64, 0, n),
	}
	for j := range t.Params {
		t.Params[j] = make([]float64, 0, n)
	}
	return t
}

// Len returns the number of draws.
func (t *Trace) Len() int {
	if len(t.Params) > 0 {
		return len(t.Params[0])
	}
	return len(t.LogDensity)
}

// Index returns the position of the parameter of that name, or -1.
func (d *Draws) Index(name string) int { return slices.Index(d.Names, name) }

// Len returns the length of the shortest non-empty chain. An interrupted run leaves chains of unequal lengths, and diagnostics use
// as many draws of each.
func (d *Draws) Len() int {
	least := 0
	for i := range d.Chains {
		if n := d.Chains[i].Len(); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// Param returns the draws of parameter j, one slice a non-empty chain, cut to the common length. The slices are not copies.
func (d *Draws) Param(j int) [][]float64 {
	n := d.Len()
	var x [][]float64
	for i := range d.Chains {
		if d.Chains[i].Len() > 0 {
			x = append(x, d.Chains[i].Params[j][:n])
		}
	}
	return x
}

// Common returns the draws without empty chains, and with all chains cut to the length Len. Draws are not copied. Numbers that are
// printed together, such as draws, divergences and summaries, must all be computed from these common draws.
func (d *Draws) Common() *Draws {
	n := d.Len()
	out := &Draws{Names: d.Names, Run: d.Run}
	for _, c := range d.Chains {
		if c.Len() > 0 {
			c.Trace, _ = c.Trace.cut(n)
			out.Chains = append(out.Chains, c)
		}
	}
	return out
}

// Divergences counts the divergent transitions after warm-up.
func (d *Draws) Divergences() int {
	count := 0
	for i := range d.Chains {
		for _, divergent := range d.Chains[i].Divergent {
			if divergent {
				count++
			}
		}
	}
	return count
}

// TotalGradients counts the gradients of all chains, warm-up included.
func (d *Draws) TotalGradients() int {
	total := 0
	for i := range d.Chains {
		total += d.Chains[i].WarmupGradients + d.Chains[i].Gradients
	}
	return total
}

// Join combines chains that were read from several files. Their IDs are kept if they differ; otherwise chains are numbered from 1.
// It returns an error if the chains have different parameters.
func Join(parts ...*Draws) (*Draws, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("join: no chains")
	}
	all := &Draws{Names: parts[0].Names, Run: parts[0].Run}
	seen := map[int]bool{}
	for i, p := range parts {
		if !slices.Equal(p.Names, all.Names) {
			return nil, fmt.Errorf("%s: has other parameters than %s: %s", p.called(i), parts[0].called(0), firstDifference(all.Names, p.Names))
		}
		for _, c := range p.Chains {
			seen[c.ID] = true
			all.Chains = append(all.Chains, c)
		}
	}
	if len(seen) < len(all.Chains) {
		for i := range all.Chains {
			all.Chains[i].ID = i + 1
		}
	}
	return all, nil
}

// called returns the file's name, or "chain" with the number i+1 if the name is not known.
func (d *Draws) called(i int) string {
	if d.File != "" {
		return d.File
	}
	return fmt.Sprintf("chain %d", i+1)
}

func firstDifference(want, got []string) string {
	for i := range want {
		if i >= len(got) {
			return fmt.Sprintf("%q is missing", want[i])
		}
		if want[i] != got[i] {
			return fmt.Sprintf("%q where %q was expected", got[i], want[i])
		}
	}
	return fmt.Sprintf("%q is extra", got[len(want)])
}
