package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// formatVersion is the version of plan.json, manifest.json and unit.json. Files of the first version may omit it.
const formatVersion = 1

// checkFormat refuses a file of another version. It sets a version that the file omits.
func checkFormat(format *int) error {
	if *format == 0 {
		*format = 1
	}
	if *format != formatVersion {
		return fmt.Errorf("format %d: this likc reads format %d", *format, formatVersion)
	}
	return nil
}

// Listing is the content of plan.json: the units of a run in their order, and the settings that determine them.
type Listing struct {
	Format   int             `json:"format"`
	Pipeline string          `json:"pipeline"`
	Settings json.RawMessage `json:"settings"`
	Units    []Listed        `json:"units"`
}

// Listed is a unit of a plan.
type Listed struct {
	Stage string `json:"stage"`
	Name  string `json:"name"`
}

// manifest records everything on which the results of a run depend: hashes, settings with their seeds, versions.
type manifest struct {
	Format   int       `json:"format"`
	Pipeline string    `json:"pipeline"`
	Settings any       `json:"settings"`
	Code     string    `json:"code"`
	Go       string    `json:"go"`
	Units    []*Record `json:"units"`
}

func writePlan(dir string, p Plan) error {
	settings, err := json.Marshal(p.Settings)
	if err != nil {
		return err
	}
	l := Listing{Format: formatVersion, Pipeline: p.Name, Settings: settings}
	for _, u := range p.Units {
		l.Units = append(l.Units, Listed{u.Stage, u.Name})
	}
	return writeJSON(filepath.Join(dir, PlanFile), l)
}

// ReadPlan reads the plan of a run.
func ReadPlan(dir string) (*Listing, error) {
	path := filepath.Join(dir, PlanFile)
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("%s: not the folder of a run: it has no %s", dir, PlanFile)
	}
	if err != nil {
		return nil, err
	}
	var l Listing
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := checkFormat(&l.Format); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &l, nil
}

func writeManifest(dir string, p Plan, o Options, records map[string]*Record) error {
	m := manifest{Format: formatVersion, Pipeline: p.Name, Settings: p.Settings, Code: o.Code, Go: runtime.Version()}
	for _, u := range p.Units {
		m.Units = append(m.Units, records[u.Name])
	}
	return writeJSON(filepath.Join(dir, ManifestFile), m)
}
