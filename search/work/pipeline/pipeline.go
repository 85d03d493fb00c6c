// Package pipeline runs units of work in the order of their inputs, and keeps their results in one folder. It never repeats finished
// work, and an interruption loses only the units in progress.
//
// A unit is one or a few commands that write files. Its key is a hash of the commands, the contents of the inputs, and the version of
// the code. The unit works in a folder named by the key, in .work. When the commands have succeeded, a record with the hashes of the
// outputs is written there, and the folder is renamed to the unit's name. A unit is skipped if its record has the same key
// and its outputs have the recorded hashes.
package pipeline

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Unit is a piece of work: one search, one batch of candidates on one bank of simulated subjects, one report.
type Unit struct {
	Stage   string // the kind of work: search, judge, …
	Name    string // the unit's folder, relative to the run's folder, with slashes
	Steps   []Step // commands, one after the other
	Inputs  []Input
	Outputs []string // files or folders that the steps leave in the unit's folder; everything else there is removed
	Resume  string   // a file from which the steps can continue after an interruption; "" if they start again from the beginning
	Threads int      // number of processors that the unit uses; 0 means all
	Light   bool     // whether the unit takes only seconds, so that it is not worth sending to another machine

	// Divide returns the number of parts into which an engine with many machines may divide the unit; nil if the unit is not divided.
	// The unit must have one step. args are the step's arguments; their paths are relative to the run's folder dir. With the flag
	// --part K/N, the step does the K-th of N parts. With --parts FILE,FILE…, it joins these files, the first output of each part, to the
	// unit's outputs.
	Divide func(dir string, args []string) (int, error)
}

// Step is a command.
type Step struct {
	Args   []string `json:"args"`
	Again  []string `json:"-"`                // arguments that continue the command after an interruption; nil: Args and --resume
	Stdout string   `json:"stdout,omitempty"` // file for its standard output; "" means the log

	OneThread bool `json:"-"` // whether the command has no flag --threads
}

// Input is something that a unit reads: the outputs of another unit, or a file or folder from outside the run. In commands, {Label}
// is replaced by its path, {out} by the unit's own folder, and {run} by the run's folder. The key of a unit
// that uses {run} also covers the plan of the run, so the unit is done again when the plan changes.
type Input struct {
	Label string
	Unit  string // name of an earlier unit of the plan, or ""
	Path  string // absolute path of a file or folder from outside, or ""
}

// These are the names of the files and folders of a run.
const (
	PlanFile     = "plan.json"     // a Listing
	ManifestFile = "manifest.json" // a manifest, written when all units are done
	RecordFile   = "unit.json"     // a Record, in the folder of each unit
	workFolder   = ".work"         // the folders of unfinished jobs
	logFolder    = "logs"          // the output of commands
)

var unitName = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*(/[a-z0-9][a-z0-9.+-]*)*$`)

// check returns an error for a plan that cannot run. Its names come from the planner, so such an error is a bug and not a user's
// mistake.
func check(units []Unit) error {
	known := map[string]bool{}
	for _, u := range units {
		switch {
		case !unitName.MatchString(u.Name) || u.Name == logFolder:
			return fmt.Errorf("unit %q: not a name for a folder", u.Name)
		case known[u.Name]:
			return fmt.Errorf("unit %s: there are two", u.Name)
		case len(u.Outputs) == 0:
			return fmt.Errorf("unit %s: has no output", u.Name)
		}
		for _, in := range u.Inputs {
			if in.Path == "" && !known[in.Unit] {
				return fmt.Errorf("unit %s: its input %s is not an earlier unit of the plan", u.Name, in.Unit)
			}
		}
		known[u.Name] = true
	}
	if len(units) == 0 {
		return errors.New("there is nothing to do")
	}
	return nil
}

// expand returns the steps with paths in place of {out}, {run} and the labels of inputs, such as {bank}. Paths are relative to the run's folder,
// but those of inputs from outside of the run are as they were given.
func (u Unit) expand(out string) []Step {
	pairs := []string{"{out}", out, "{run}", "."}
	for _, in := range u.Inputs {
		path := in.Path
		if path == "" {
			path = filepath.FromSlash(in.Unit)
		}
		pairs = append(pairs, "{"+in.Label+"}", path)
	}
	r := strings.NewReplacer(pairs...)
	steps := make([]Step, len(u.Steps))
	for i, step := range u.Steps {
		for _, a := range step.Args {
			steps[i].Args = append(steps[i].Args, r.Replace(a))
		}
		for _, a := range step.Again {
			steps[i].Again = append(steps[i].Again, r.Replace(a))
		}
		steps[i].Stdout, steps[i].OneThread = r.Replace(step.Stdout), step.OneThread
	}
	return steps
}
