// Package neural opens and evaluates neural likelihoods. They are called teachers, because the search learns from them. The
// package contains no training code. A teacher is a folder:
//
//	weights.bin       the networks
//	teacher.json      kind, model, settings, seed, losses, and the banks, which are files of simulated trials, with their SHA-256 sums
//	gate.json         the results of the gate, the test of the teacher's accuracy, if it has been examined
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

// Density is the log density that a teacher computes, with analytic gradients. It is safe for concurrent use.
type Density interface {
	kernel.Kernel
	kernel.Summer
	kernel.PerTrial
}

// reader returns the function that reads the weights of a kind of teacher.
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
