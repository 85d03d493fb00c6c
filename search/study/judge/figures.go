package judge

import (
	"fmt"
	"path/filepath"
	"strings"

	"likc/runtime/fit/figure"
	"likc/runtime/sys/store"
)

// DrawRecovery writes, for each form whose verdict has fits, a scatter plot of truth against estimate: the file MODEL.svg in a
// folder.
func DrawRecovery(dir string, all []*Verdict) error {
	taken := map[string]bool{}
	for _, v := range all {
		if v.Duplicate > 0 || len(v.Fits) == 0 {
			continue
		}
		var params []figure.Recovered
		for j, p := range v.Params {
			r := figure.Recovered{Name: p.Name, Note: "r = -"}
			if p.R == p.R {
				r.Note = fmt.Sprintf("r = %.3f", p.R)
			}
			for _, fit := range v.Fits {
				r.Truth, r.Estimate = append(r.Truth, float64(fit.Truth[j])), append(r.Estimate, float64(fit.Mean[j]))
			}
			params = append(params, r)
		}
		fig, err := figure.Recovery(params)
		if err != nil {
			return err
		}
		if err := store.WriteFile(filepath.Join(dir, fileName(v.Model, taken)+".svg"), fig.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}

// fileName returns a file name for a candidate that is not in taken yet, and adds it to taken.
func fileName(candidate string, taken map[string]bool) string {
	candidate = strings.NewReplacer(":", "-", "/", "-").Replace(candidate)
	name := candidate
	for k := 2; taken[name]; k++ {
		name = fmt.Sprintf("%s-%d", candidate, k)
	}
	taken[name] = true
	return name
}
