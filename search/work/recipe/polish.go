package recipe

import (
	"errors"
	"slices"

	"likc/runtime/sys/settings"
	"likc/search/work/pipeline"
)

func (r *Recipe) checkPolish() (string, error) {
	if r.Polish != nil && r.Search == nil {
		return "polish", errors.New("there is no front to climb from: add [search]")
	}
	return "", nil
}

// polish plans climbs from the best expressions of all fronts.
func (p *planner) polish() error {
	if p.Polish == nil {
		return nil
	}
	u := pipeline.Unit{Stage: "polish", Name: "polish", Outputs: []string{"FRONT.jsonl"}, Resume: "FRONT.jsonl"}
	inputs, paths := p.fronts()
	s := step("polish", paths)
	if u.Inputs = inputs; p.teacherAt != nil {
		u.Inputs, s.Args = append(u.Inputs, p.teacherAt.Input), append(s.Args, "--teacher", p.teacherAt.text)
	}
	if rows := p.Search.Rows; rows != "" {
		bank := p.bankAt[rows]
		u.Inputs, s.Args = append(u.Inputs, bank.Input), append(s.Args, "--rows", bank.text)
	}
	if p.Search.Ungated {
		s.Args = append(s.Args, "--ungated")
	}
	s.Args = append(s.Args, slices.Concat(settings.Given(p.Polish), p.Polish.Args, []string{"-o", "{out}/FRONT.jsonl"})...)
	u.Steps = []pipeline.Step{s}
	p.add(u)
	of := []searched{{name: "polish", front: "polish", judge: "judge/polish"}}
	p.tables = append(p.tables, table{name: "sweep-polished", of: of, outputs: []string{"TOP.jsonl", "TOP.lik"}})
	return nil
}
