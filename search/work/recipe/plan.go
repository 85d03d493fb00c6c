package recipe

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"likc/runtime/model/neural"
	"likc/runtime/sys/settings"
	"likc/search/study/bank"
	"likc/search/work/pipeline"
)

// Find returns the path of data that is part of the program, by name.
type Find func(name string) (path string, err error)

// Plan returns the units of a recipe. Each unit comes after its inputs.
func (r *Recipe) Plan(find Find) (pipeline.Plan, error) {
	p := &planner{Recipe: r, find: find}
	for _, s := range stages {
		if s.plan == nil {
			continue
		}
		if err := s.plan(p); err != nil {
			return pipeline.Plan{}, err
		}
	}
	p.report()
	return pipeline.Plan{Name: r.Name, Settings: r, Units: p.units}, nil
}

// planner collects the units of a recipe, stage by stage.
type planner struct {
	*Recipe
	find  Find
	units []pipeline.Unit // the units so far

	bankAt    map[string]source // the recipe's banks, by name
	teacherAt *source           // the recipe's teacher; nil if it has none
	searched  []searched        // the searches that [Sweep] counts
	tables    []table           // fronts that are counted in separate sweeps
}

// table is a set of fronts that are judged like the searches' fronts, and counted in a separate sweep.
type table struct {
	name    string     // name of the sweep's unit
	of      []searched // the units of these fronts
	outputs []string   // outputs of the sweep's unit besides sweep.json and table.txt
}

// source is an input of units: a bank or a teacher.
type source struct {
	pipeline.Input
	text string // the argument with which commands refer to the input, such as {bank-rows}/bank
}

// searched is one search and its judge.
type searched struct {
	name         string // lambda-1-seed-2
	front, judge string // names of the units
}

func (p *planner) add(u pipeline.Unit) { p.units = append(p.units, u) }

// step returns a command of likc. An argument may be a []string, which stands for several arguments, or any value that fmt prints as
// one.
func step(args ...any) pipeline.Step {
	var s pipeline.Step
	for _, a := range args {
		if more, ok := a.([]string); ok {
			s.Args = append(s.Args, more...)
			continue
		}
		s.Args = append(s.Args, fmt.Sprint(a))
	}
	s.OneThread = oneThread[s.Args[0]] || s.Args[0] == "teacher" && oneThread[s.Args[1]]
	return s
}

// oneThread lists the commands that have no flag --threads.
var oneThread = map[string]bool{"sweep": true, "report": true, "check": true, "bench": true, "copy": true, "score": true}

func (p *planner) banks() error {
	p.bankAt = map[string]source{}
	for _, name := range p.bankNames() {
		b, label := p.Banks[name], "bank-"+name
		if b.Path != "" {
			path, err := p.path(b.Path)
			if err != nil {
				return fmt.Errorf("bank %s: %w", name, err)
			}
			if err := p.ofModel(path, bank.SettingsFile); err != nil {
				return fmt.Errorf("bank %s: %s: %w", name, b.Path, err)
			}
			p.bankAt[name] = source{pipeline.Input{Label: label, Path: path}, "{" + label + "}"}
			continue
		}
		p.add(pipeline.Unit{Stage: "bank", Name: "bank/" + name, Light: true, Outputs: []string{"bank"}, Steps: []pipeline.Step{
			step("bank", "make", "--role", b.Role, "--model", p.Model, settings.Given(&b), "-o", "{out}/bank"),
		}})
		p.bankAt[name] = source{pipeline.Input{Label: label, Unit: "bank/" + name}, "{" + label + "}/bank"}
	}
	return nil
}

// ofModel refuses a bank or a teacher of another process than the recipe's, according to the file that records it. If that file
// cannot be read, the command that uses it reports that.
func (p *planner) ofModel(dir, file string) error {
	var recorded struct {
		Model string `json:"model"`
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil || json.Unmarshal(text, &recorded) != nil || recorded.Model == p.Model {
		return nil
	}
	return fmt.Errorf("of the model %s, but the model of the pipeline is %s", recorded.Model, p.Model)
}

// teacher plans to train or copy a teacher, and to examine it.
func (p *planner) teacher() error {
	t := p.Teacher
	if t == nil {
		return nil
	}
	u := pipeline.Unit{Stage: "teacher", Name: "teacher", Outputs: []string{"teacher"}}
	if t.Path != "" {
		path, err := p.path(t.Path)
		if err != nil {
			return fmt.Errorf("teacher: %w", err)
		}
		if err := p.ofModel(path, neural.RecordFile); err != nil {
			return fmt.Errorf("teacher: %s: %w", t.Path, err)
		}
		u.Inputs = []pipeline.Input{{Label: "path", Path: path}}
		u.Steps = []pipeline.Step{step("teacher", "copy", "{path}", "-o", "{out}/teacher")}
		u.Threads, u.Light = 1, true
	} else {
		args := step("teacher", "train", "--kind", t.Kind, "--model", p.Model, settings.Given(t), t.Args, "-o", "{out}/teacher")
		if t.Bank != "" {
			bank := p.bankAt[t.Bank]
			u.Inputs = []pipeline.Input{bank.Input}
			args.Args = append(args.Args, "--bank", bank.text)
		}
		args.Again = []string{"teacher", "train", "--resume", "-o", "{out}/teacher"}
		u.Steps, u.Resume = []pipeline.Step{args}, "teacher/checkpoint.bin"
	}
	p.add(u)
	p.teacherAt = &source{pipeline.Input{Label: "teacher", Unit: "teacher"}, "{teacher}/teacher"}
	p.gate()
	return nil
}

// gate adds the unit that examines the teacher, if there is one. Later stages use the teacher with its gate's report.
func (p *planner) gate() {
	if p.Gate == nil {
		return
	}
	g := pipeline.Unit{Stage: "gate", Name: "gate", Outputs: []string{"teacher"}, Inputs: []pipeline.Input{p.teacherAt.Input}}
	args := step("teacher", "gate", "{out}/teacher", p.Gate.Args)
	if p.Gate.Bank != "" {
		bank := p.bankAt[p.Gate.Bank]
		g.Inputs = append(g.Inputs, bank.Input)
		args.Args = append(args.Args, "--bank", bank.text)
	}
	if p.Search != nil && p.Search.Ungated {
		args.Args = append(args.Args, "--ungated")
	}
	g.Steps = []pipeline.Step{step("teacher", "copy", "{teacher}/teacher", "-o", "{out}/teacher"), args}
	p.add(g)
	p.teacherAt = &source{pipeline.Input{Label: "gate", Unit: "gate"}, "{gate}/teacher"}
}

func (p *planner) searches() error {
	s := p.Search
	if s == nil {
		return nil
	}
	for _, lambda := range s.Lambda {
		for i := range s.Seeds {
			p.searched = append(p.searched, p.search(lambda, "", s.FirstSeed+uint64(i), s.Rows))
		}
	}
	if u := s.Ungrouped; u != nil {
		ungrouped := table{name: "sweep-ungrouped"}
		for i := range u.Seeds {
			ungrouped.of = append(ungrouped.of, p.search(0, "ungrouped-", u.FirstSeed+uint64(i), u.Bank))
		}
		p.tables = append(p.tables, ungrouped)
	}
	return nil
}

// search plans one search. kind is part of the search's name; rows is the name of a bank, or "" for the rows that come with likc.
func (p *planner) search(lambda float64, kind string, seed uint64, rows string) searched {
	s := p.Search
	var inputs []pipeline.Input
	var from []string
	if p.teacherAt != nil {
		inputs, from = append(inputs, p.teacherAt.Input), append(from, "--teacher", p.teacherAt.text)
	}
	if rows != "" {
		bank := p.bankAt[rows]
		inputs, from = append(inputs, bank.Input), append(from, "--rows", bank.text)
	}
	weight := strconv.FormatFloat(lambda, 'g', -1, 64)
	name := fmt.Sprintf("lambda-%s-%sseed-%d", weight, kind, seed)
	args := step("search", from, "--lambda", weight, "--seed", seed, settings.Given(s), s.Args, "-o", "{out}/FRONT.jsonl")
	if s.Ungated {
		args.Args = append(args.Args, "--ungated")
	}
	p.add(pipeline.Unit{Stage: "search", Name: "search/" + name, Steps: []pipeline.Step{args}, Inputs: inputs,
		Outputs: []string{"FRONT.jsonl", "FRONT.csv"}, Resume: "FRONT.jsonl.state", Threads: s.Threads})
	return searched{name: name, front: "search/" + name, judge: "judge/" + name}
}
