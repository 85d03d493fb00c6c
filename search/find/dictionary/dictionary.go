// Package dictionary finds densities by convex regression over a library of terms. It writes a log density as
//
//	log f(rt, choice; θ) = Σ_k c_k φ_k(rt, choice; θ) − log Z(θ)
//
// with terms φ from a [Library] of thousands of products of atoms, functions such as log τ. The Kullback-Leibler divergence of f from a teacher, in nats a trial, is convex
// in c, because the f are an exponential family. So Newton's method finds the best coefficients of a set of terms, and sets can be compared.
//
// In forward steps, the terms with the largest expected gain are tried, and the best one is added [dellapietra1997]. The gain is
// that of the score test, given the terms already in the set:
//
//	gain = g² / 2V      g = E_q φ − E_p φ      V = Var_q(φ | terms in the set)      p: teacher, q: present fit
//
// One pass over the library computes it for all terms. In backward steps, the least useful term is dropped, and terms are exchanged.
// Each step lowers
//
//	log KL + price · size
//
// where the size is the number of nodes of the expression. So the result is a front: the best expression of each size. Sums over response
// times, such as E_q φ, are taken at times that are called nodes too: see package divergence. Some of these nodes far from the teacher's mass count in Z, so that an expression with a wrong tail is penalised. Sums have
// a fixed order: results do not depend on the number of threads.
//
// Reference: [dellapietra1997] S. Della Pietra, V. Della Pietra, J. Lafferty, Inducing features of random fields, IEEE Transactions
// on Pattern Analysis and Machine Intelligence 19, 1997.
package dictionary

import (
	"fmt"
	"time"
)

// Settings determine a search. [Default] returns the defaults.
type Settings struct {
	Vectors int     `json:"vectors"` // parameter vectors to which coefficients are fitted
	Tests   int     `json:"tests"`   // fresh parameter vectors on which the front is measured
	Nodes   int     `json:"nodes"`   // response times for each choice, at which sums are taken
	Terms   int     `json:"terms"`   // most terms of an expression
	Runs    int     `json:"runs"`    // independent searches, each with its own parameter vectors: which terms a search misses depends on its vectors
	Price   float64 `json:"price"`   // price of a node of the expression, as an increase of log KL
	Trials  int     `json:"trials"`  // trials at each vector, where only trials of the teacher are known
	Seed    uint64  `json:"seed"`    // seed of the parameter vectors
	Threads int     `json:"-"`       // 0: one for each processor
	Without Without `json:"without,omitzero"`

	Limit    time.Duration      `json:"-"` // most time of the search, by the wall; 0: there is no limit
	Progress func(done, of int) `json:"-"` // counts steps; nil: progress is not reported
}

// Without says what a search goes without. It is for measuring what each part is worth.
type Without struct {
	Process    bool `json:"process,omitempty"`    // atoms of the process, for which those of the header are taken
	Scales     bool `json:"scales,omitempty"`     // time in units of squared scale parameters, in libraries of the header
	Conditions bool `json:"conditions,omitempty"` // the terms of the set as conditions of the score test
}

// Default returns the default settings.
func Default() Settings {
	return Settings{Vectors: 160, Tests: 400, Nodes: 24, Terms: 22, Runs: 3, Price: 0.01, Trials: 500, Seed: 1}
}

// Check returns an error for settings with which no search is possible.
func (s *Settings) Check() error {
	switch {
	case s.Vectors < 8 || s.Vectors > 1<<14 || s.Tests < 8 || s.Tests > 1<<14:
		return fmt.Errorf("settings: %d and %d parameter vectors: want 8 to %d", s.Vectors, s.Tests, 1<<14)
	case s.Nodes < 8 || s.Nodes > 1<<10:
		return fmt.Errorf("settings: %d nodes: want 8 to %d", s.Nodes, 1<<10)
	case s.Trials < 20 || s.Trials > 1<<16:
		return fmt.Errorf("settings: %d trials: want 20 to %d", s.Trials, 1<<16)
	case s.Terms < 2 || s.Terms > mostTerms:
		return fmt.Errorf("settings: %d terms: want 2 to %d", s.Terms, mostTerms)
	case s.Runs < 1 || s.Runs > 1<<10:
		return fmt.Errorf("settings: %d runs: want 1 to %d", s.Runs, 1<<10)
	case !(s.Price >= 0 && s.Price <= 1):
		return fmt.Errorf("settings: price %v of a node: want 0 to 1", s.Price)
	}
	return nil
}

// mostTerms is the largest number of terms that the settings accept.
const mostTerms = 60
