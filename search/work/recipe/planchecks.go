package recipe

import (
	"cmp"
	"fmt"
	"slices"

	"likc/runtime/sys/settings"
	"likc/search/study/judge"
	"likc/search/work/pipeline"
)

// sampler returns the flags for a judge's fits.
func (j *Judge) sampler() []string {
	return append(settings.Given(j), j.Args...)
}

// effective returns a copy of the settings, in which the defaults of likc judge replace numbers that are 0.
func (j Judge) effective() *Judge {
	s := judge.DefaultSettings()
	j.Chains, j.Warmup = cmp.Or(j.Chains, s.Chains), cmp.Or(j.Warmup, s.Warmup)
	j.Draws, j.Seed = cmp.Or(j.Draws, s.Draws), cmp.Or(j.Seed, s.Seed)
	return &j
}

// Sampled returns the numbers of chains and of draws of each chain in a fit.
func (j Judge) Sampled() (chains, draws int) {
	all := j.effective()
	return all.Chains, all.Draws
}

func (p *planner) judges() error {
	if p.Judge == nil {
		return nil
	}
	bank := p.bankAt[p.Judge.Bank]
	planJudge := func(name string, inputs []pipeline.Input, candidates ...string) {
		p.add(pipeline.Unit{Stage: "judge", Name: name, Inputs: append(inputs, bank.Input), Outputs: []string{"VERDICTS.jsonl"},
			Resume: "VERDICTS.jsonl", Divide: byCandidates(p.Judge.perPart()),
			Steps: []pipeline.Step{step("judge", candidates, "--bank", bank.text, p.Judge.sampler(), "-o", "{out}/VERDICTS.jsonl")}})
	}
	fronts := p.searched
	for _, t := range p.tables {
		fronts = slices.Concat(fronts, t.of)
	}
	for _, s := range fronts {
		planJudge(s.judge, []pipeline.Input{{Label: "front", Unit: s.front}}, "{front}/FRONT.jsonl")
	}
	if len(p.Judge.Also) == 0 {
		return nil
	}
	models, inputs, err := p.models("judge.also", p.Judge.Also)
	if err != nil {
		return err
	}
	planJudge("judge/models", inputs, models...)
	return nil
}

// top is the input with the best expressions.
var top = pipeline.Input{Label: "sweep", Unit: "sweep"}

func (p *planner) holdout() error {
	if p.Holdout == nil {
		return nil
	}
	bank := p.bankAt[p.Holdout.Bank]
	models, inputs, err := p.models("holdout.also", p.Holdout.Also)
	if err != nil {
		return err
	}
	p.add(pipeline.Unit{Stage: "holdout", Name: "holdout", Inputs: append([]pipeline.Input{top, bank.Input}, inputs...),
		Outputs: []string{"VERDICTS.jsonl"}, Resume: "VERDICTS.jsonl", Divide: byCandidates(p.Holdout.perPart()),
		Steps: []pipeline.Step{step("judge", "{sweep}/TOP.jsonl", models, "--bank", bank.text, p.Holdout.sampler(),
			"--fits", "-o", "{out}/VERDICTS.jsonl")}})
	return nil
}

func (p *planner) checks() error {
	for _, c := range []struct {
		name  string
		check *Check
	}{{"ppc", p.PPC}, {"sbc", p.SBC}, {"audit", p.Audit}, {"ablate", p.Ablate}} {
		if c.check == nil {
			continue
		}
		u := pipeline.Unit{Stage: c.name, Name: c.name, Outputs: []string{c.name}}
		var args []string
		if *c.check.Top > 0 {
			u.Inputs = append(u.Inputs, top)
		}
		for i := range *c.check.Top {
			args = append(args, fmt.Sprintf("{sweep}/TOP.lik#top%d", i+1))
		}
		models, inputs, err := p.models(c.name+".models", c.check.Models)
		if err != nil {
			return err
		}
		u.Inputs, args = append(u.Inputs, inputs...), append(args, models...)
		if c.check.Bank != "" {
			bank := p.bankAt[c.check.Bank]
			u.Inputs, args = append(u.Inputs, bank.Input), append(args, "--bank", bank.text)
		}
		s := step(c.name, args, c.check.Args, "-o", "{out}/"+c.name)
		s.Again = s.Args // the same command continues a check that was interrupted
		u.Steps, u.Resume = []pipeline.Step{s}, c.name
		if c.name == "sbc" {
			u.Divide = bySimulations
		}
		p.add(u)
	}
	return nil
}

// compiler plans the compiler's reports on the models of [compile], and the timing of the models of [speed].
func (p *planner) compiler() error {
	if p.Compile != nil {
		taken := map[string]bool{}
		for _, m := range p.Compile.Models {
			model, inputs, err := p.models("compile.models", []string{m})
			if err != nil {
				return err
			}
			s := step("check", model, "--json", p.Compile.Args)
			s.Stdout = "{out}/check.json"
			p.add(pipeline.Unit{Stage: "compile", Name: unitOf("compile", m, taken), Threads: 1, Light: true, Inputs: inputs, Steps: []pipeline.Step{s},
				Outputs: []string{"check.json"}})
		}
	}
	if p.Speed == nil {
		return nil
	}
	models, inputs, err := p.models("speed.models", p.Speed.Models)
	if err != nil {
		return err
	}
	s := step("bench", models, "--json", p.Speed.Args)
	s.Stdout = "{out}/bench.json"
	p.add(pipeline.Unit{Stage: "speed", Name: "speed", Inputs: inputs, Steps: []pipeline.Step{s}, Outputs: []string{"bench.json"}})
	return nil
}

// report plans the report on all results.
func (p *planner) report() {
	u := pipeline.Unit{Stage: "report", Name: "report", Threads: 1, Light: true, Outputs: []string{"index.html"},
		Steps: []pipeline.Step{step("report", "{run}", "-o", "{out}/index.html")}}
	for _, made := range p.units {
		u.Inputs = append(u.Inputs, pipeline.Input{Label: made.Name, Unit: made.Name})
	}
	p.add(u)
}
