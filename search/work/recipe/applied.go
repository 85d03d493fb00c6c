package recipe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/settings"
	"likc/search/study/applied"
	"likc/search/work/pipeline"
)

// Study is a study of real participants. The recipe's table [applied.NAME] fits it with the expressions that recover all parameters.
type Study struct {
	Data      string   `toml:"data" json:"data"`                                           // CSV or Parquet file, or a study that comes with the program
	Preset    string   `toml:"preset" json:"preset,omitempty"`                             // name of the regression; "" if Args contain formulas
	Reference string   `toml:"reference" json:"reference,omitempty"`                       // model that the expressions are compared with; "": the recipe's model
	Also      []string `toml:"also" json:"also,omitempty"`                                 // further models to fit
	Top       int      `toml:"top" flag:"top" in:"[0,1000000]" json:"top,omitempty"`       // number of the best expressions to fit; 0: all that pass
	Chains    int      `toml:"chains" flag:"chains" in:"[0,1000]" json:"chains,omitempty"` // 0: the default of likc apply
	Warmup    int      `toml:"warmup" flag:"warmup" in:"[0,10000000]" json:"warmup,omitempty"`
	Draws     int      `toml:"draws" flag:"draws" in:"[0,10000000]" json:"draws,omitempty"`
	Seed      uint64   `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Args      []string `toml:"args" json:"args,omitempty"` // further flags of likc apply
}

func (r *Recipe) checkApplied() (string, error) {
	for _, name := range slices.Sorted(maps.Keys(r.Applied)) {
		s, key := r.Applied[name], "applied."+name
		known, _ := hierarchy.Presets()
		formulas := slices.ContainsFunc(s.Args, func(a string) bool { return strings.HasPrefix(a, "--formula") })
		switch {
		case !nameForm.MatchString(name):
			return key, errors.New("want a word of small letters, digits and hyphens")
		case r.Judge == nil:
			return key, errors.New("there are no verdicts on expressions: add [judge]")
		case s.Data == "":
			return key, errors.New("want data, a file of trials or a study that comes with likc")
		case s.Preset == "" && !formulas:
			return key, errors.New("want preset, a study's name, or --formula in args")
		case s.Preset != "" && !slices.Contains(known, s.Preset):
			return key + ".preset", fmt.Errorf("%q: want one of %s", s.Preset, strings.Join(known, ", "))
		}
	}
	return "", nil
}

// applied plans the fits of each study with the expressions that passed, and with further models.
func (p *planner) applied() error {
	for _, name := range slices.Sorted(maps.Keys(p.Applied)) {
		s := p.Applied[name]
		data, err := p.path(s.Data)
		if err != nil {
			return fmt.Errorf("applied.%s.data: %w", name, err)
		}
		u := pipeline.Unit{Stage: "applied", Name: "applied/" + name, Outputs: []string{"APPLIED.jsonl"}, Resume: "APPLIED.jsonl"}
		var verdicts []string
		for _, one := range p.searched {
			u.Inputs = append(u.Inputs, pipeline.Input{Label: one.judge, Unit: one.judge})
			verdicts = append(verdicts, "{"+one.judge+"}/VERDICTS.jsonl")
		}
		models, inputs, err := p.models("applied."+name+".also", append([]string{cmp.Or(s.Reference, p.Model)}, s.Also...))
		if err != nil {
			return err
		}
		u.Inputs = append(append(u.Inputs, inputs...), pipeline.Input{Label: "data", Path: data})
		var preset []string
		if s.Preset != "" {
			preset = []string{"--preset", s.Preset}
		}
		args := step("apply", verdicts, "--data", "{data}", preset, "--reference", models[0])
		for _, m := range models[1:] {
			args.Args = append(args.Args, "--also", m)
		}
		args.Args = slices.Concat(args.Args, settings.Given(&s), s.Args, []string{"-o", "{out}/APPLIED.jsonl"})
		u.Steps, u.Divide = []pipeline.Step{args}, partsOfStudy(s.Top, len(models))
		p.add(u)
	}
	return nil
}

// partsOfStudy returns the divider of a study's fits. Their number is that of the expressions that passed, at most top, and of the
// other models.
func partsOfStudy(top, models int) divider {
	return func(dir string, args []string) (int, error) {
		var files []string
		for _, arg := range positional(args) {
			files = append(files, below(dir, arg))
		}
		passed, err := applied.Passing(files, top, catalog.Open)
		return applied.CountParts(len(passed) + models), err
	}
}
