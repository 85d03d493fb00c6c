// Package checks holds the commands that check a model against simulated data: ppc, sbc and audit.
package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/figure"
	"likc/runtime/store"
	"likc/search/units"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// checkFlags are those that ppc, sbc and audit share.
type checkFlags struct {
	out     string
	threads int
	asJSON  bool
}

func (f *checkFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "`DIR` for MODEL.json, MODEL.svg and MODEL.jsonl, from which an ended run goes on")
	flags.IntVar(&f.threads, "threads", 0, "units of work at a time; 0: one a processor. Results do not depend on it")
	flags.BoolVar(&f.asJSON, "json", false, "print the results as JSON, one model a line, instead of a table")
}

// prepare looks at the flags and makes the folder.
func (f *checkFlags) prepare() error {
	if f.threads < 0 {
		return cli.Usagef("--threads %d: want 0 or more", f.threads)
	}
	if f.out == "" {
		return nil
	}
	if info, err := os.Stat(f.out); err == nil && !info.IsDir() {
		return cli.Usagef("--output %s: is a file; want a folder", f.out)
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return fmt.Errorf("--output %s: %w", f.out, cli.Plain(err))
	}
	return nil
}

// file is the path of one of a model's files.
func (f *checkFlags) file(src *catalog.Model, ending string) string {
	return filepath.Join(f.out, src.Name+ending)
}

// unitHeader says all that units of work depend on.
type unitHeader struct {
	Check    string `json:"check"`
	Model    string `json:"model"`
	SHA256   string `json:"sha256,omitempty"` // of the model's text
	Bank     any    `json:"bank,omitempty"`
	Settings any    `json:"settings"`
}

func newUnitHeader(check string, src *catalog.Model, bank, settings any) unitHeader {
	h := unitHeader{Check: check, Model: src.Name, Bank: bank, Settings: settings}
	if src.Origin.Text != "" {
		sum := sha256.Sum256([]byte(src.Origin.Text))
		h.SHA256 = hex.EncodeToString(sum[:])
	}
	return h
}

// runUnits runs the units that the model's file does not have yet. what names them in messages.
func runUnits[T any](cmd *cobra.Command, f *checkFlags, src *catalog.Model, header unitHeader, n int, what string,
	work func(ctx context.Context, unit int) (T, error)) ([]T, error) {
	var file *units.File[T]
	if f.out != "" {
		var err error
		if file, err = units.Open[T](f.file(src, ".jsonl"), header); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	bars := cli.NewProgress(cmd.ErrOrStderr())
	defer bars.Close()
	show := func(done, of int) {
		if bars.Container != nil {
			bars.Show(0, src.Name+" ", done, of, fmt.Sprintf(" %d of %d %s", done, of, what))
		}
	}
	all, err := units.Run(cmd.Context(), file, n, units.Settings{Threads: f.threads, Progress: show}, work)
	if err == nil || cmd.Context().Err() == nil {
		return all, err
	}
	if file == nil {
		return nil, fmt.Errorf("interrupted: %s: %d of %d %s were done, and nothing is kept without -o DIR", src.Name, len(all), n, what)
	}
	return nil, fmt.Errorf("interrupted: %s: %d of %d %s are kept in %s; run the same command again to go on",
		src.Name, len(all), n, what, f.file(src, ".jsonl"))
}

// write writes a model's result and figure into the folder, if there is one.
func (f *checkFlags) write(src *catalog.Model, result any, draw func() (*figure.Figure, error)) error {
	if f.out == "" {
		return nil
	}
	fig, err := draw()
	if err != nil {
		return err
	}
	if err := store.WriteFile(f.file(src, ".svg"), fig.WriteSVG); err != nil {
		return err
	}
	return store.WriteFile(f.file(src, ".json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(result)
	})
}

// eachModel runs a check for one model after the other; results of models before an error are printed all the same.
func eachModel[R any](cmd *cobra.Command, f *checkFlags, names []string, check func(*catalog.Model) (R, error), print func(io.Writer, []R) error) error {
	sources := make([]*catalog.Model, len(names))
	for i, name := range names {
		var err error
		if sources[i], err = cli.ReadModel(name); err != nil {
			return err
		}
	}
	return eachSource(cmd, f, sources, check, print)
}

// eachSource is eachModel for models that are read already.
func eachSource[R any](cmd *cobra.Command, f *checkFlags, sources []*catalog.Model, check func(*catalog.Model) (R, error), print func(io.Writer, []R) error) error {
	if err := f.prepare(); err != nil {
		return err
	}
	var results []R
	var failure error
	for _, src := range sources {
		result, err := check(src)
		if err != nil {
			failure = err
			break
		}
		results = append(results, result)
	}
	if len(results) == 0 {
		return failure
	}
	if f.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetEscapeHTML(false)
		for _, r := range results {
			failure = errors.Join(failure, e.Encode(r))
		}
		return failure
	}
	return errors.Join(failure, print(cmd.OutOrStdout(), results))
}

// models is the argument check of commands that take one model or several.
func models(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("%s: wants MODEL…", cmd.Name())
	}
	return nil
}
