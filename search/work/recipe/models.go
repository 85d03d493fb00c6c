package recipe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"likc/runtime/model/ssm"
	"likc/search/work/pipeline"
	"likc/testdata"
)

// models returns a stage's models as arguments of its commands. A model that is a file or a folder becomes an input of the stage: if
// it changes, the stage's units run again. key is the models' key in the recipe's file.
func (p *planner) models(key string, names []string) (args []string, inputs []pipeline.Input, err error) {
	for i, name := range names {
		file, part, found := strings.Cut(name, "#")
		if builtin(file) {
			args = append(args, name)
			continue
		}
		path, err := p.modelFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		label := fmt.Sprintf("model-%d-%s", i+1, filepath.Base(path))
		inputs = append(inputs, pipeline.Input{Label: label, Path: path})
		arg := "{" + label + "}"
		if found {
			arg += "#" + part
		}
		args = append(args, arg)
	}
	return args, inputs, nil
}

// builtin reports whether a model or teacher with that name is part of the program.
func builtin(name string) bool {
	_, notProcess := ssm.Lookup(name)
	_, model := testdata.Model(name)
	_, folder := testdata.Folder(name)
	return notProcess == nil || model || folder
}

// modelFile returns the absolute path of a model that is not part of the program. Relative paths are relative to the pipeline's
// file.
func (p *planner) modelFile(name string) (string, error) {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(p.folder, name)
	}
	if _, err := os.Stat(full); errors.Is(err, os.ErrNotExist) || p.folder == "" && !filepath.IsAbs(name) {
		return "", fmt.Errorf("%s: there is no such file in the folder of the pipeline's file, and no such model in likc", name)
	}
	return filepath.Abs(full)
}

var notInUnitName = regexp.MustCompile(`[^a-z0-9.+-]+`)

// unitOf returns the name of a stage's unit for one model. It is the model's name without its folder, in characters that are allowed in
// a unit's name, and with a number if taken already holds the name. unitOf adds the name to taken.
func unitOf(stage, model string, taken map[string]bool) string {
	file, part, found := strings.Cut(model, "#")
	name := strings.TrimSuffix(filepath.Base(file), ".lik")
	if found {
		name += "-" + part
	}
	name = strings.TrimLeft(notInUnitName.ReplaceAllString(strings.ToLower(name), "-"), "-.+")
	if name == "" {
		name = "model"
	}
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	taken[free] = true
	return stage + "/" + free
}
