package recipe

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"likc/search/study"
	"likc/search/study/judge"
	"likc/search/study/sbc"
)

// divider returns the number of parts into which a cluster divides a unit. args are the arguments of the unit's command; their paths
// are relative to the run's folder dir.
type divider func(dir string, args []string) (int, error)

// byCandidates returns the divider of a judge's work, with at most perPart candidates in a part.
func byCandidates(perPart int) divider {
	return func(dir string, args []string) (int, error) {
		n := 0
		for _, arg := range positional(args) {
			count, err := candidates(dir, arg)
			if err != nil {
				return 0, err
			}
			n += count
		}
		return (n + perPart - 1) / perPart, nil
	}
}

// perPart returns the largest number of candidates in a part of the judge's work.
func (j *Judge) perPart() int {
	e := j.effective()
	return judge.Settings{Sampling: study.Sampling{Chains: e.Chains, Warmup: e.Warmup, Draws: e.Draws}}.PerPart()
}

// positional returns the arguments of a command before the first flag. In a pipeline they come first.
func positional(args []string) []string {
	for i, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			return args[1 : 1+i]
		}
	}
	return args[1:]
}

// candidates returns the number of candidates of an argument: 1 for a model, and the number of lines for a front.
func candidates(dir, arg string) (int, error) {
	if !strings.HasSuffix(arg, ".jsonl") {
		return 1, nil
	}
	text, err := os.ReadFile(below(dir, arg))
	return bytes.Count(text, []byte("\n")), err
}

// below returns the path of an argument, which is relative to the folder dir.
func below(dir, arg string) string {
	if filepath.IsAbs(arg) {
		return arg
	}
	return filepath.Join(dir, arg)
}

// bySimulations is the divider of a calibration's work: the number of parts follows from --simulations and the number of models.
func bySimulations(_ string, args []string) (int, error) {
	n := sbc.DefaultSettings().Simulations
	for i, arg := range args {
		value, given := strings.CutPrefix(arg, "--simulations=")
		if arg == "--simulations" && i+1 < len(args) {
			value, given = args[i+1], true
		}
		if given {
			var err error
			if n, err = strconv.Atoi(value); err != nil {
				return 1, nil // the command itself reports what is wrong
			}
		}
	}
	return sbc.Settings{Simulations: n}.Parts(len(positional(args))), nil
}
