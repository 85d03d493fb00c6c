package gate

import (
	"fmt"
	"path/filepath"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural"
)

// Of returns the gate's view of an opened teacher.
func Of(o *neural.Teacher) Subject {
	bind := func(rt, choice []float64) (kernel.Sum, error) { return o.Density.Sum(kernel.Responses(rt, choice)) }
	return Subject{Density: o, Bind: bind, Model: o.Simulator, Sum: o.Sum, Lineage: o.Lineage()}
}

// Admitted returns the report that admits the teacher in the folder dir, or an error that says why it may not teach. The reasons
// are: it was not examined, its weights changed since, figures failed, or the examination was smaller than an admission requires.
// Figures are compared with this program's thresholds, not with the thresholds that the report states.
func Admitted(dir string, o *neural.Teacher) (*Report, error) {
	if o.Gate == nil {
		return nil, fmt.Errorf("%s: has not been examined: likc teacher gate %s does that", dir, dir)
	}
	r, err := Decode(o.Gate)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	if r.Teacher != o.Sum || r.Model != o.Model {
		return nil, fmt.Errorf("%s: is the report of other weights: likc teacher gate %s examines these", filepath.Join(dir, File), dir)
	}
	r.Weak = o.Simulator.Weak // whatever the report says
	if n := r.Network; n != nil {
		if kin := (&Network{NetworkUsed: *n}).kin(Of(o)); kin != "" {
			return nil, fmt.Errorf("%s: %s, with which it was cross-checked, %s: it is not independent", dir, n.File, kin)
		}
	}
	if err := r.refused(o.Simulator); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}
