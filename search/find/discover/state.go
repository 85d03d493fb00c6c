package discover

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"likc/runtime/sys/store"
	"likc/search/find/evolve"
)

// writeState writes the checkpoint: one line that identifies the problem, then the state of the search.
func (d *Search) writeState() error {
	return store.WriteFile(d.settings.State, func(out io.Writer) error {
		if _, err := fmt.Fprintf(out, "%s\n", d.problem.Identity.JSON()); err != nil {
			return err
		}
		return d.Save(out)
	})
}

// restore continues the search from its checkpoint. It refuses a checkpoint of another problem, and names the first setting that
// differs.
func (d *Search) restore() error {
	path := d.settings.State
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: not a checkpoint of a search", path)
	}
	if head = bytes.TrimSuffix(head, []byte("\n")); !bytes.Equal(head, d.problem.Identity.JSON()) {
		return fmt.Errorf("%s: of a search with other settings (%s): give the same settings to continue it, or start a new one",
			path, d.problem.Identity.Differing(head))
	}
	if d.Search, err = evolve.Restore(r, d.problem.Loss); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
