// Package report writes one page about a run: the work that was done, tables with the paper's figures, plots, expressions in
// mathematical notation, the assumptions, and the file from which each number comes.
//
// Numbers come from result files whose hashes match the run's records; the paper's numbers come from paper.json. The page is a
// single HTML file without scripts, and loads nothing from the network.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/fit/folder"
	"likc/search/work/pipeline"
	"likc/search/work/recipe"
)

// run is the folder of a pipeline's run, or of a single sweep.
type run struct {
	dir     string
	alone   bool   // whether dir is the folder of a single sweep: it holds sweep.json, and there are no units
	sweepAt string // folder of a sweep to show in place of the run's own; "" for none
	listing *pipeline.Listing
	recipe  recipe.Recipe
	records map[string]*pipeline.Record // records of the finished units
}

// sweepFile is the file that likc sweep writes, which is also an output of the sweep's unit.
const sweepFile = "sweep.json"

// noReport returns the error for a folder without a report. Folders of likc recover, ppc and other checks have a figure to open instead.
func noReport(dir string) error {
	if figures, _ := filepath.Glob(filepath.Join(dir, "*.svg")); len(figures) > 0 {
		return fmt.Errorf("%s: has no report page, only figures: open %s in a browser", dir, strings.Join(figures, ", "))
	}
	return fmt.Errorf("%s: is no folder that has a report: want that of a run (%s), of a sweep (%s), or of fits (%s)",
		dir, pipeline.PlanFile, sweepFile, folder.SummaryFile)
}

// open reads the plan and the records of a run, and checks the outputs against the records. A folder of likc sweep has no plan and no
// records.
func open(dir string) (*run, error) {
	if !exists(filepath.Join(dir, pipeline.PlanFile)) {
		if exists(filepath.Join(dir, sweepFile)) {
			return openSweep(dir)
		}
		return nil, noReport(dir)
	}
	listing, err := pipeline.ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	r := &run{dir: dir, listing: listing, records: map[string]*pipeline.Record{}}
	if err := json.Unmarshal(listing.Settings, &r.recipe); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, pipeline.PlanFile), err)
	}
	for _, u := range listing.Units {
		if u.Stage == "report" {
			continue // this unit is the page itself, or an older page
		}
		record, err := pipeline.ReadRecord(filepath.Join(dir, filepath.FromSlash(u.Name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // not done yet
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.Name, err)
		}
		r.records[u.Name] = record
	}
	if len(r.records) == 0 {
		return nil, fmt.Errorf("%s: no unit of the run is done: run likc run first", dir)
	}
	return r, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openSweep opens the folder of a single sweep.
func openSweep(dir string) (*run, error) {
	whole, err := filepath.Abs(dir)
	return &run{dir: dir, alone: true, listing: &pipeline.Listing{Pipeline: filepath.Base(whole)}}, err
}

// units returns the names of a stage's finished units, in the plan's order.
func (r *run) units(stage string) []string {
	var names []string
	for _, u := range r.listing.Units {
		if u.Stage == stage && r.records[u.Name] != nil {
			names = append(names, u.Name)
		}
	}
	return names
}

// path returns the path of a unit's file; it returns false if the unit is not finished or has no such file.
func (r *run) path(unit, file string) (string, bool) {
	if r.alone {
		return filepath.Join(r.dir, file), unit == "sweep" && file == sweepFile
	}
	record := r.records[unit]
	if record == nil {
		return "", false
	}
	for _, f := range record.Outputs {
		if f.Name == file {
			return filepath.Join(r.dir, filepath.FromSlash(unit), filepath.FromSlash(file)), true
		}
	}
	return "", false
}

// json decodes a unit's file into v. It returns false if the unit is not finished or has no such file.
func (r *run) json(unit, file string, v any) (bool, error) {
	path, ok := r.path(unit, file)
	if !ok {
		return false, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}
