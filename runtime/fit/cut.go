package fit

import (
	"fmt"

	"likc/runtime/model/trials"
)

// mostCut is the largest share of trials that can be dropped for their response times without a warning. It was chosen after a
// simulation of 12 data sets with 2,000 trials of the drift diffusion model (v = 1, a = 1.2, z = .5, t = .3). Dropping the
// slowest 1 % moved the drift by 1.5 posterior standard deviations, and dropping the fastest .6 % moved the non-decision time by
// 2.7.
const mostCut = 0.005

// CutWarnings warns if many fast or many slow trials were dropped. Each line says how this affects estimates.
func CutWarnings(s *trials.Source) (all []string) {
	if s == nil {
		return nil
	}
	for _, cut := range s.Cuts() {
		if cut.Share() <= mostCut {
			continue
		}
		believed := "slower"
		if cut.Slow {
			believed = "faster"
		}
		all = append(all, fmt.Sprintf("%s. The model expects such responses, so that without them its estimates are biased: they are those of %s responses "+
			"than the task has. Keep the trials, and let lapses describe those that are not of the task", cut, believed))
	}
	return all
}
