package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Flags that a pipeline gives to its commands itself, and flags that name files to write, which would lie outside the unit's
// folder.
var (
	ownFlags    = []string{"help", "resume", "threads"}
	outputFlags = []string{"output", "archive", "figures", "svg", "per-trial", "refit-list"}
)

// checkArguments reports the first argument of a command that is not one of a pipeline's to give.
func (r *Recipe) checkArguments() (string, error) {
	for _, l := range r.arguments() {
		for _, text := range l.list {
			check := checkModel
			if strings.HasSuffix(l.key, ".args") {
				check = checkArgument
			}
			if err := check(text); err != nil {
				return l.key, err
			}
		}
	}
	return "", nil
}

// checkArgument checks one element of args: a flag, or the value of one.
func checkArgument(text string) error {
	name, long := strings.CutPrefix(text, "--")
	name, _, _ = strings.Cut(name, "=")
	switch {
	case !long && len(text) > 1 && text[0] == '-' && !strings.ContainsRune(".0123456789", rune(text[1])):
		return fmt.Errorf("%q: want flags in full, with --", text)
	case !long:
		return nil
	case name == "" || slices.Contains(ownFlags, name):
		return fmt.Errorf("%q: the pipeline gives that itself", text)
	case slices.Contains(outputFlags, name):
		return fmt.Errorf("%q: writes files outside the run; only the pipeline says where files go", text)
	}
	return nil
}

// checkModel checks the name of a model, which a command must not take for a flag.
func checkModel(text string) error {
	if text == "" || text == "-" {
		return errors.New("want names of models")
	}
	if strings.HasPrefix(text, "-") {
		return fmt.Errorf("%q: want a model; flags belong into args", text)
	}
	return nil
}

// argumentList is what a key adds to a command.
type argumentList struct {
	key  string
	list []string
}

func (r *Recipe) arguments() []argumentList {
	var all []argumentList
	add := func(key string, list []string) { all = append(all, argumentList{key, list}) }
	if r.Teacher != nil {
		add("teacher.args", r.Teacher.Args)
	}
	if r.Gate != nil {
		add("gate.args", r.Gate.Args)
	}
	if r.Search != nil {
		add("search.args", r.Search.Args)
	}
	if r.Polish != nil {
		add("polish.args", r.Polish.Args)
	}
	if r.Screen != nil {
		add("screen.args", r.Screen.Args)
	}
	for _, j := range r.fits() {
		add(j.key+".also", j.judge.Also)
		add(j.key+".args", j.judge.Args)
	}
	for _, c := range []struct {
		key   string
		check *Check
	}{{"ppc", r.PPC}, {"sbc", r.SBC}, {"audit", r.Audit}} {
		if c.check != nil {
			add(c.key+".models", c.check.Models)
			add(c.key+".args", c.check.Args)
		}
	}
	for _, c := range []struct {
		key     string
		compile *Compile
	}{{"compile", r.Compile}, {"speed", r.Speed}} {
		if c.compile != nil {
			add(c.key+".models", c.compile.Models)
			add(c.key+".args", c.compile.Args)
		}
	}
	return all
}
