// Package neural opens and evaluates neural likelihoods. They are called teachers, because the search learns from them. The
// package contains no training code. A teacher is a folder:
//
//	weights.bin       the networks
//	teacher.json      kind, model, settings, seed, banks with their SHA-256 sums, losses
//	gate.json         the results of its gate, if it has been examined
//	MANIFEST.sha256   the sums of the other files, in the format of sha256sum
package neural

import (
	"fmt"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/flow"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/neural/spline"
	"likc/runtime/model/ssm"
)

// Density is a log density of trials. It is safe for concurrent use.
type Density interface {
	// LogDensity sets dst[i] to log p(rt[i], choice[i] | theta[i]), rt in seconds, choice one of the process's; -Inf outside the support.
	// Neighbours with equal parameters share passes through networks.
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
	// Bind binds trials: the log-likelihood with its analytic gradient. It refuses what is no trial, counted from 1.
	Bind(rt, choice []float64) (kernel.Sum, error)
	// Rows binds trials for evaluations row by row, with an analytic gradient. It refuses what Bind does.
	Rows(rt, choice []float64) (kernel.Rows, error)
}

// reader returns what reads the weights of a kind of teacher.
func reader(kind string) (func(m *ssm.Model, weights []byte) (Density, error), error) {
	switch kind {
	case "spline":
		return func(m *ssm.Model, weights []byte) (Density, error) { return spline.Read(m, weights) }, nil
	case "flow":
		return func(m *ssm.Model, weights []byte) (Density, error) { return flow.Read(m, weights) }, nil
	case "lan":
		return func(m *ssm.Model, weights []byte) (Density, error) { return lan.ReadTeacher(m, weights) }, nil
	}
	return nil, fmt.Errorf("kind %q: unknown; there are spline, flow, lan", kind)
}
