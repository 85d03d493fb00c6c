package folder

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"likc/runtime/fit"
	"likc/runtime/fit/loo"
	"likc/runtime/num/chains"
	"likc/runtime/sys/store"
)

// Saved is a folder of fits, read from the disk.
type Saved struct {
	Dir      string
	Subjects []*fit.Summary // summaries of the subjects; a single subject has an empty Folder
}

// Open reads the summaries in a folder that likc fit wrote. It returns an error for other folders, and for posterior modes.
func Open(dir string) (*Saved, error) {
	path := filepath.Join(dir, SummaryFile)
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("%s: is no folder of likc fit -o: it has no %s", dir, SummaryFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	s := &Saved{Dir: dir}
	if s.Subjects, err = fit.ReadSummaries(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Path returns the folder of a subject.
func (s *Saved) Path(of *fit.Summary) string { return filepath.Join(s.Dir, of.Folder) }

// Draws reads the draws of a subject.
func (s *Saved) Draws(of *fit.Summary) (*chains.Draws, error) {
	var paths []string
	for id := 1; len(paths) < of.Chains; id++ {
		path := filepath.Join(s.Path(of), chainFile(id))
		switch _, err := os.Stat(path); {
		case err == nil:
			paths = append(paths, path)
		case id > of.Chains+len(of.FailedChains):
			return nil, fmt.Errorf("%s: %d of %d files of draws are there", s.Path(of), len(paths), of.Chains)
		}
	}
	groups, err := chains.ReadFiles(paths)
	if err != nil {
		return nil, err
	}
	return groups[0], nil
}

// LOO reads PSIS-LOO of all subjects, in their order. If a subject has none, the error gives the reason.
func (s *Saved) LOO() (*loo.Result, error) {
	var all []loo.Trial
	draws := math.MaxInt
	for _, of := range s.Subjects {
		if of.LOO == nil {
			return nil, withoutLOO(s, of)
		}
		trials, err := readLOO(s.Path(of))
		if err != nil {
			return nil, err
		}
		if len(trials) != of.N {
			return nil, fmt.Errorf("%s: has %d trials, and the summary says %d: fit again", filepath.Join(s.Path(of), looFile), len(trials), of.N)
		}
		all, draws = append(all, trials...), min(draws, of.Chains*of.Draws)
	}
	return loo.NewResult(draws, all), nil
}

func withoutLOO(s *Saved, of *fit.Summary) error {
	why := of.Missing
	if why == "" {
		why = "it was fitted with --no-loo, or by an older version: fit again"
	}
	return fmt.Errorf("%s: the fit has no PSIS-LOO: %s", s.Path(of), why)
}
