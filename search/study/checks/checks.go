// Package checks runs the units of a model's check and keeps them, with the result and its figure, in a folder: MODEL.jsonl,
// MODEL.json and MODEL.svg. A run that was interrupted continues from MODEL.jsonl.
package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
)

// Settings of a run. Results do not depend on them.
type Settings struct {
	Folder  string // "" keeps nothing
	Threads int    // units at a time; 0: one a processor
	// Progress is called when a unit is done; nil for none. units names them: subjects, simulations.
	Progress func(model, units string, done, of int)

	Part      units.Part      // of the units; those of a part are kept, without a result. The zero value is all
	Elsewhere units.Elsewhere // does the units that are not kept yet, and returns the folders of all parts; nil if this machine does them
}

// CountParts returns into how many parts the units of so many models are divided where several machines share them: about so many
// units a part, and no part without a unit.
func CountParts(models, units, perPart int) int {
	return max(1, min(units, (models*units+perPart-1)/perPart))
}

// header is the first line of MODEL.jsonl: all that units depend on.
type header struct {
	Check string `json:"check"`
	source
	Models   []source `json:"models,omitempty"` // of a check of several
	Bank     any      `json:"bank,omitempty"`
	Settings any      `json:"settings"`
}

// source says which model it is.
type source struct {
	Model  string `json:"model"`
	SHA256 string `json:"sha256,omitempty"` // of the model's text, or of a teacher's weights
}

func sourceOf(m *catalog.Model) source {
	if m.Origin.Text == "" {
		return source{m.Name, m.Origin.Sum}
	}
	sum := sha256.Sum256([]byte(m.Origin.Text))
	return source{m.Name, hex.EncodeToString(sum[:])}
}

// Check is one check of one model, or of several together.
type Check struct {
	Settings
	header header
}

// New is a check by name, of a model on a bank (nil for none) with settings: all that its units depend on, as JSON.
func New(s Settings, name string, m *catalog.Model, bank, settings any) *Check {
	return &Check{s, header{Check: name, source: sourceOf(m), Bank: bank, Settings: settings}}
}

// NewOfSeveral is a check of several models together, whose files are called like the check.
func NewOfSeveral(s Settings, name string, models []*catalog.Model, settings any) *Check {
	c := &Check{s, header{Check: name, source: source{Model: name}, Settings: settings}}
	for _, m := range models {
		c.header.Models = append(c.header.Models, sourceOf(m))
	}
	return c
}

// file is the path of one of the model's files.
func (c *Check) file(ending string) string { return filepath.Join(c.Folder, c.header.Model+ending) }

// ErrPart says that only a part of the units is done, and kept: there is no result.
var ErrPart = errors.New("a part of the units is done")

// parts are the model's files in the folders of all parts.
func (c *Check) parts() (files []string, err error) {
	folders, err := c.Elsewhere()
	for _, dir := range folders {
		files = append(files, filepath.Join(dir, c.header.Model+".jsonl"))
	}
	return files, err
}

// Units runs the units from 0 to n-1 that the model's file does not have yet, and returns all. what names them in messages. Of a
// part it runs only the part's, and returns ErrPart.
func Units[T any](ctx context.Context, c *Check, n int, what string, work func(ctx context.Context, unit int) (T, error)) (all []T, err error) {
	job := units.Job{Header: c.header, N: n, Part: c.Part, Settings: units.Settings{Threads: c.Threads}}
	if c.Folder != "" {
		job.Path = c.file(".jsonl")
	}
	if c.Elsewhere != nil {
		job.Elsewhere = c.parts
	}
	if c.Progress != nil {
		job.Progress = func(done, of int) { c.Progress(c.header.Model, what, done, of) }
	}
	all, err = units.Do(ctx, job, work)
	from, to := c.Part.Share(n)
	switch {
	case err == nil && c.Part != (units.Part{}):
		return nil, ErrPart
	case err == nil || ctx.Err() == nil:
		return all, err
	case job.Path == "":
		return nil, fmt.Errorf("interrupted: %s: %d of %d %s were done, and nothing is kept without -o DIR", c.header.Model, len(all), to-from, what)
	}
	return nil, fmt.Errorf("interrupted: %s: %d of %d %s are kept in %s; run the same command again to go on",
		c.header.Model, len(all), to-from, what, job.Path)
}

// Write writes the result and its figure, if there is a folder.
func (c *Check) Write(result any, draw func() (*figure.Figure, error)) error {
	if c.Folder == "" {
		return nil
	}
	fig, err := draw()
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.file(".svg"), fig.WriteSVG); err != nil {
		return err
	}
	return store.WriteFile(c.file(".json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(result)
	})
}
