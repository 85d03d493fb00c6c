package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A user may not give these flags to the commands of a pipeline.
var (
	pipelineFlags = []string{"help", "resume", "threads"}                                      // the pipeline gives these itself
	outputFlags   = []string{"output", "archive", "figures", "svg", "per-trial", "refit-list"} // these name files outside the unit's folder
)

// checkArgument checks one element of args: a flag, or the value of one.
func checkArgument(text string) error {
	name, long := strings.CutPrefix(text, "--")
	name, _, _ = strings.Cut(name, "=")
	switch {
	case !long && len(text) > 1 && text[0] == '-' && !strings.ContainsRune(".0123456789", rune(text[1])):
		return fmt.Errorf("%q: want flags in full, with --", text)
	case !long:
		return nil
	case name == "" || slices.Contains(pipelineFlags, name):
		return fmt.Errorf("%q: the pipeline gives that itself", text)
	case slices.Contains(outputFlags, name):
		return fmt.Errorf("%q: writes files outside the run; only the pipeline says where files go", text)
	}
	return nil
}

// checkModel checks the name of a model. A command must not mistake it for a flag.
func checkModel(text string) error {
	if text == "" || text == "-" {
		return errors.New("want names of models")
	}
	if strings.HasPrefix(text, "-") {
		return fmt.Errorf("%q: want a model; flags belong into args", text)
	}
	return nil
}
