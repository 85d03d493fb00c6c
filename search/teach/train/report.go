package train

import (
	"fmt"
	"slices"

	"likc/runtime/model/neural"
	"likc/runtime/num/notation"
)

// A report finds two faults. Under-fitting: the validation loss still falls by more than underFit nats over the last tenth of the
// epochs. Over-fitting: the training loss falls by overFit nats more than the validation loss. The losses themselves are not compared,
// because they are of different subjects.
const (
	underFit = 0.005
	overFit  = 0.02
)

// Report describes what went wrong in the training of a stage. It returns nil if nothing did. Losses are in nats per trial.
func Report(h neural.Stage, epochs int) []string {
	var faults []string
	n := len(h.Validation)
	if n == 0 {
		return []string{fmt.Sprintf("%s: not trained", h.Name)}
	}
	first, last := float64(h.Validation[0]), float64(h.Validation[n-1])
	if tenth := max(1, n/10); n > tenth {
		if fell := float64(h.Validation[n-1-tenth]) - last; fell > underFit {
			faults = append(faults, fmt.Sprintf("%s: under-fitting: the validation loss still fell by %.3g in the last %s: train longer", h.Name, fell, notation.Count(tenth, "epoch")))
		}
	}
	if n > 1 && float64(h.BestLoss) >= first {
		faults = append(faults, fmt.Sprintf("%s: under-fitting: no epoch was better than the first: lower the learning rate", h.Name))
	}
	early := h.Best / 4
	if gap := float64(h.Train[early]-h.Train[h.Best]) - float64(h.Validation[early]-h.BestLoss); gap > overFit {
		faults = append(faults, fmt.Sprintf("%s: over-fitting: since epoch %d the training loss fell by %.3g more than the validation loss: use more subjects", h.Name, early+1, gap))
	}
	if worse := float64(slices.Max(h.Validation[h.Best:]) - h.BestLoss); worse > overFit {
		faults = append(faults, fmt.Sprintf("%s: over-fitting: after epoch %d the validation loss rose by %.3g", h.Name, h.Best+1, worse))
	}
	if n < epochs {
		faults = append(faults, fmt.Sprintf("%s: stopped early, after %d of %s; the weights are those of epoch %d", h.Name, n, notation.Count(epochs, "epoch"), h.Best+1))
	}
	return faults
}
