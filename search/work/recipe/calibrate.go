package recipe

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"likc/search/work/pipeline"
)

// Calibrate is the correction of formulas' bias with the teacher. The corrected formulas are fitted to the judge's subjects.
type Calibrate struct {
	Models    []string `toml:"models" json:"models,omitempty"`
	Top       int      `toml:"top" in:"[0,10000]" json:"top,omitempty"` // number of the sweep's best expressions that are calibrated too
	Reference string   `toml:"reference" json:"reference,omitempty"`    // model whose errors are the standard; "" means the teacher
	Args      []string `toml:"args" json:"args,omitempty"`              // further flags of likc calibrate
}

func (r *Recipe) checkCalibrate() (string, error) {
	c := r.Calibrate
	switch {
	case c == nil:
		return "", nil
	case r.Teacher == nil:
		return "calibrate", errors.New("there is no teacher to calibrate by: add [teacher]")
	case r.Judge == nil:
		return "calibrate", errors.New("there are no subjects to fit the calibrated models to: add [judge]")
	case len(c.Models) == 0 && c.Top == 0:
		return "calibrate", errors.New("nothing to calibrate: name models, or set top")
	case c.Top > 0 && (r.Sweep == nil || c.Top > r.Sweep.Top):
		return "calibrate.top", fmt.Errorf("%d: want at most as many as [sweep] has top", c.Top)
	case c.Reference != "":
		return "calibrate.reference", checkModel(c.Reference)
	}
	return "", nil
}

// calibrate plans a unit for each model's correction, and one unit that judges all of them.
func (p *planner) calibrate() error {
	if p.Calibrate == nil {
		return nil
	}
	taken, judged := map[string]bool{}, pipeline.Unit{Stage: "calibrate", Name: "judge/calibrated", Outputs: []string{"VERDICTS.jsonl"},
		Resume: "VERDICTS.jsonl", Divide: byCandidates(p.Judge.perPart())}
	var candidates []string
	planModel := func(name string, model []string, inputs []pipeline.Input) {
		unit := unitOf("calibrate", name, taken)
		p.add(pipeline.Unit{Stage: "calibrate", Name: unit, Inputs: append(inputs, p.teacherAt.Input), Outputs: []string{"CALIBRATED.lik"},
			Steps: []pipeline.Step{step("calibrate", model, "--teacher", p.teacherAt.text, p.Calibrate.Args, "-o", "{out}/CALIBRATED.lik")}})
		judged.Inputs = append(judged.Inputs, pipeline.Input{Label: unit, Unit: unit})
		candidates = append(candidates, "{"+unit+"}/CALIBRATED.lik")
	}
	for _, name := range p.Calibrate.Models {
		model, inputs, err := p.models("calibrate.models", []string{name})
		if err != nil {
			return err
		}
		planModel(filepath.Base(name), model, inputs)
	}
	for i := range p.Calibrate.Top {
		name := fmt.Sprintf("top%d", i+1)
		planModel(name, []string{"{sweep}/TOP.lik#" + name}, []pipeline.Input{top})
	}
	bank := p.bankAt[p.Judge.Bank]
	reference, inputs := []string{p.teacherAt.text}, []pipeline.Input{p.teacherAt.Input}
	if p.Calibrate.Reference != "" {
		var err error
		if reference, inputs, err = p.models("calibrate.reference", []string{p.Calibrate.Reference}); err != nil {
			return err
		}
	}
	judged.Inputs = slices.Concat(judged.Inputs, inputs, []pipeline.Input{bank.Input})
	judged.Steps = []pipeline.Step{step("judge", candidates, "--reference", reference, "--bank", bank.text, p.Judge.sampler(), "-o", "{out}/VERDICTS.jsonl")}
	p.add(judged)
	return nil
}
