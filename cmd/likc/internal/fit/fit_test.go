package fit

import (
	"context"
	"errors"
	"testing"

	"likc/runtime/fit"
)

// TestMissing: the error of an incomplete run names the subjects that were not fitted, says where the other results are, and how to continue.
func TestMissing(t *testing.T) {
	o := &output{fitFlags: &fitFlags{}, chains: 4, draws: 100}
	part := func(label string, err error, perChain ...int) *fit.Result {
		r := &fit.Result{Subject: fit.Subject{Label: label}, Err: err}
		if perChain != nil {
			r.Summary = &fit.Summary{Chains: len(perChain), DrawsPerChain: perChain}
		}
		return r
	}
	for want, all := range map[string][]*fit.Result{
		"chain 2: burnt; the other 2 chains kept in out":                                                                            {part("", errors.New("chain 2: burnt"), 100, 100)},
		"interrupted: nothing was drawn yet, and nothing written":                                                                   {part("", context.Canceled)},
		"interrupted: 7 to 9 of 100 draws a chain in 2 of 4 chains are kept in out; the same command draws them all":                {part("", context.Canceled, 9, 7)},
		"interrupted: 1 of 2 subjects are kept in out; not fitted are 1: s2; the same command fits all, --only ID fits one of them": {part("s1", nil, 100), part("s2", context.Canceled)},
		"subject s2: no density": {part("s1", nil, 100), part("s2", errors.New("no density"))},
	} {
		if err := o.missing(t.Context(), all, fit.Keep(all).Kept, "kept in out"); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
