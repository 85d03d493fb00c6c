package gate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"likc/runtime/model/neural"
	"likc/runtime/sys/store"
)

// Write writes the report to gate.json in the folder dir, which it makes if needed.
func (e *Examination) Write(dir string) error {
	text, err := e.Encode()
	if err != nil {
		return err
	}
	return writeIn(dir, File, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// WritePlots writes the plots as SVG files into the folder dir, which it makes if needed. stages holds the losses of the teacher's
// training.
func (e *Examination) WritePlots(dir string, stages []neural.Stage) error {
	plots, err := e.Plots(stages)
	if err != nil {
		return err
	}
	for _, p := range plots {
		if err := writeIn(dir, p.Name+".svg", p.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}

func writeIn(dir, name string, put func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	return store.WriteFile(filepath.Join(dir, name), put)
}
