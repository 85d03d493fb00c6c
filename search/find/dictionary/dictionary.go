// Package dictionary finds densities by convex regression over a library of terms. It writes a log density as
//
//	log f(rt, choice; θ) = Σ_k c_k φ_k(rt, choice; θ) − log Z(θ)
//
// with terms φ from a [Library] of thousands of products. The Kullback-Leibler divergence of f from a teacher, in nats a trial, is convex
// in c, because the f are an exponential family. So Newton's method finds the best coefficients of a set of terms, and sets can be compared.
//
// Forward, the terms with the largest expected gain are tried, and the best one is added [dellapietra1997]. The gain is that of the score
// test, given the terms that are in already:
//
//	gain = g² / 2V      g = E_q φ − E_p φ      V = Var_q(φ | terms in the set)      p: teacher, q: present fit
//
// for the whole library in one pass. Backward, the term that is missed least leaves, and terms are exchanged. Each step lowers
//
//	log KL + price · nodes
//
// so that the result is a front: the best expression of each size. All sums over nodes are those of package divergence. Some nodes far
// from the teacher's mass stay in Z, so that an expression with a wrong tail is seen to have one. Sums have a fixed order: results do not
// depend on the number of threads.
//
// Reference: [dellapietra1997] S. Della Pietra, V. Della Pietra, J. Lafferty, Inducing features of random fields, IEEE Transactions on
// Pattern Analysis and Machine Intelligence 19, 1997.
package dictionary

import "fmt"

// Settings choose a search. [Default] has the defaults.
type Settings struct {
	Vectors int     `json:"vectors"` // parameter vectors that coefficients are fitted to
	Tests   int     `json:"tests"`   // fresh parameter vectors that the front is measured on
	Nodes   int     `json:"nodes"`   // times a choice
	Terms   int     `json:"terms"`   // most terms of an expression
	Runs    int     `json:"runs"`    // searches, each with parameter vectors of its own: what forward steps miss depends on these
	Price   float64 `json:"price"`   // price of a node, in log KL
	Seed    uint64  `json:"seed"`    // seed of the parameter vectors
	Threads int     `json:"-"`       // 0: one a processor

	Progress func(done, of int) `json:"-"` // steps; nil for none
}

// Default returns the default settings.
func Default() Settings {
	return Settings{Vectors: 160, Tests: 400, Nodes: 24, Terms: 22, Runs: 3, Price: 0.01, Seed: 1}
}

// Check reports settings that make no search.
func (s *Settings) Check() error {
	switch {
	case s.Vectors < 8 || s.Vectors > 1<<14 || s.Tests < 8 || s.Tests > 1<<14:
		return fmt.Errorf("settings: %d and %d parameter vectors: want 8 to %d", s.Vectors, s.Tests, 1<<14)
	case s.Nodes < 8 || s.Nodes > 1<<10:
		return fmt.Errorf("settings: %d nodes: want 8 to %d", s.Nodes, 1<<10)
	case s.Terms < 2 || s.Terms > mostTerms:
		return fmt.Errorf("settings: %d terms: want 2 to %d", s.Terms, mostTerms)
	case s.Runs < 1 || s.Runs > 1<<10:
		return fmt.Errorf("settings: %d runs: want 1 to %d", s.Runs, 1<<10)
	case !(s.Price >= 0 && s.Price <= 1):
		return fmt.Errorf("settings: price %v of a node: want 0 to 1", s.Price)
	}
	return nil
}

// mostTerms is the largest number of terms that a search may be asked for.
const mostTerms = 60
