package recipe

import (
	"likc/runtime/sys/settings"
	"likc/search/study/judge"
	"likc/search/work/pipeline"
)

// sweepUnit returns a unit that runs likc sweep on the verdicts on searches.
func (p *planner) sweepUnit(stage, name string, of []searched, outputs []string, args ...any) pipeline.Unit {
	u := pipeline.Unit{Stage: stage, Name: name, Threads: 1, Light: true, Outputs: outputs}
	s := step(append([]any{"sweep"}, args...)...)
	for _, one := range of {
		u.Inputs = append(u.Inputs, pipeline.Input{Label: one.judge, Unit: one.judge})
		s.Args = append(s.Args, "{"+one.judge+"}/VERDICTS.jsonl")
	}
	u.Steps = []pipeline.Step{s}
	return u
}

// sweep plans the sweep of the verdicts on every front, with the longer chains, the screen and the new rows if the recipe has them.
// Fronts of another kind, such as those of searches on ungrouped rows, get separate sweeps, because λ = 0 would mix two kinds of
// rows.
func (p *planner) sweep() error {
	if p.Sweep == nil {
		return nil
	}
	unit := func(name string, of []searched, outputs ...string) pipeline.Unit {
		u := p.sweepUnit("sweep", name, of, append(outputs, "sweep.json", "table.txt"), settings.Given(p.Sweep), "-o", "{out}")
		u.Steps[0].Stdout = "{out}/table.txt"
		return u
	}
	u := unit("sweep", p.searched, "TOP.jsonl", "TOP.lik")
	for _, b := range []struct {
		given           bool   // whether the recipe has the table
		flag, from, out string // a flag of likc sweep, and the unit and the output that are its value
	}{
		{p.Refit != nil, "--long", "refit", "VERDICTS.jsonl"},
		{p.Screen != nil, "--screen", "screen", "VERDICTS.jsonl"},
		{p.NewRows != nil, "--rows", "new-rows", "rows"},
	} {
		if b.given {
			u.Inputs = append(u.Inputs, pipeline.Input{Label: b.from, Unit: b.from})
			u.Steps[0].Args = append(u.Steps[0].Args, b.flag, "{"+b.from+"}/"+b.out)
		}
	}
	p.add(u)
	for _, t := range p.tables {
		p.add(unit(t.name, t.of, t.outputs...))
	}
	return nil
}

// fronts returns the fronts of all searches, as inputs and as arguments of a command.
func (p *planner) fronts() (inputs []pipeline.Input, paths []string) {
	for _, s := range p.searched {
		inputs = append(inputs, pipeline.Input{Label: s.front, Unit: s.front})
		paths = append(paths, "{"+s.front+"}/FRONT.jsonl")
	}
	return inputs, paths
}

// screen plans to judge all fronts by posterior modes.
func (p *planner) screen() error {
	if p.Screen == nil {
		return nil
	}
	bank := p.bankAt[p.Screen.Bank]
	u := pipeline.Unit{Stage: "screen", Name: "screen", Inputs: []pipeline.Input{bank.Input}, Outputs: []string{"VERDICTS.jsonl"},
		Resume: "VERDICTS.jsonl", Divide: byCandidates(judge.Settings{Screen: true}.PerPart())}
	inputs, fronts := p.fronts()
	u.Inputs = append(u.Inputs, inputs...)
	u.Steps = []pipeline.Step{step("judge", fronts, "--screen", "--bank", bank.text, settings.Given(p.Screen), p.Screen.Args, "-o", "{out}/VERDICTS.jsonl")}
	p.add(u)
	return nil
}

// refit plans a list of the expressions with doubtful verdicts, and a judge that fits these with longer chains.
func (p *planner) refit() error {
	if p.Refit == nil {
		return nil
	}
	p.add(p.sweepUnit("refit", "refit-list", p.searched, []string{"REFIT.jsonl"}, "--resamples", 1, "--refit-list", "{out}/REFIT.jsonl"))
	bank := p.bankAt[p.Refit.Bank]
	p.add(pipeline.Unit{Stage: "refit", Name: "refit", Outputs: []string{"VERDICTS.jsonl"},
		Resume: "VERDICTS.jsonl", Divide: byCandidates(p.Refit.perPart()),
		Inputs: []pipeline.Input{{Label: "refit-list", Unit: "refit-list"}, bank.Input},
		Steps:  []pipeline.Step{step("judge", "{refit-list}/REFIT.jsonl", "--allow-empty", "--bank", bank.text, p.Refit.sampler(), "-o", "{out}/VERDICTS.jsonl")}})
	return nil
}

// newRows plans to score rows that no search saw: to compute the teacher's log density of each.
func (p *planner) newRows() error {
	if p.NewRows == nil {
		return nil
	}
	bank := p.bankAt[p.NewRows.Bank]
	s := step("teacher", "score", p.teacherAt.text, "--bank", bank.text, "-o", "{out}/rows")
	if p.Search.Ungated {
		s.Args = append(s.Args, "--ungated")
	}
	p.add(pipeline.Unit{Stage: "rows", Name: "new-rows", Threads: 1, Outputs: []string{"rows"},
		Inputs: []pipeline.Input{p.teacherAt.Input, bank.Input}, Steps: []pipeline.Step{s}})
	return nil
}
