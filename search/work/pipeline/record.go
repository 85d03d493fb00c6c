package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
)

// Record says what a unit was made from and what it made: unit.json in its folder.
type Record struct {
	Format  int               `json:"format"`
	Stage   string            `json:"stage"`
	Name    string            `json:"name"`
	Key     string            `json:"key"`
	Code    string            `json:"code"`   // the version that made it
	Steps   []Step            `json:"steps"`  // with names for paths
	Inputs  map[string]string `json:"inputs"` // label to SHA-256
	Outputs []store.Entry     `json:"outputs"`
	ISA     string            `json:"isa,omitempty"`    // the instruction set of the kernels that made it; results do not name it
	SHA256  string            `json:"sha256,omitempty"` // the hash of all fields above; "" in records of older versions
}

// sum is what the record's own sum should be.
func (r Record) sum() string {
	r.SHA256 = ""
	return store.SumJSON(r)
}

// key is what the unit is known by.
func (r *Record) key(code string) string {
	return store.SumJSON(struct {
		Format int
		Name   string
		Code   string
		Steps  []Step
		Inputs map[string]string
	}{1, r.Name, code, r.Steps, r.Inputs})
}

// begin gives the record of a unit that is about to run. plan is the plan's sum, done has the records of the units before it, and sum
// returns the sum of a file or folder from outside.
func begin(u Unit, code, plan string, done map[string]*Record, sum func(path string) (string, error)) (*Record, error) {
	r := &Record{Format: formatVersion, Stage: u.Stage, Name: u.Name, Code: code, Steps: u.Steps, Inputs: map[string]string{}}
	for _, in := range u.Inputs {
		if in.Path == "" {
			r.Inputs[in.Label] = store.SumJSON(done[in.Unit].Outputs)
			continue
		}
		of, err := sum(in.Path)
		if err != nil {
			return nil, err
		}
		r.Inputs[in.Label] = of
	}
	for _, s := range u.Steps {
		if strings.Contains(strings.Join(s.Args, " "), "{run}") {
			r.Inputs["run"] = plan
		}
	}
	r.Key = r.key(code)
	return r, nil
}

// ReadRecord reads the record in a unit's folder and checks the outputs against it.
func ReadRecord(dir string) (*Record, error) {
	text, err := os.ReadFile(filepath.Join(dir, RecordFile))
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	if err := checkFormat(&r.Format); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	if r.SHA256 != "" && r.SHA256 != r.sum() {
		return nil, fmt.Errorf("%s: damaged: its fields do not have the sum in its \"sha256\"", filepath.Join(dir, RecordFile))
	}
	for _, f := range r.Outputs {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		sum, err := store.SumFile(path)
		if err != nil {
			return nil, err
		}
		if sum != f.SHA256 {
			return nil, fmt.Errorf("%s: is not what %s says it was", path, RecordFile)
		}
	}
	return &r, nil
}

// same reports whether a finished unit has the result that the wanted unit would have. With anyCode, the version of the code does not
// matter.
func (r *Record) same(wanted *Record, anyCode bool) bool {
	if anyCode {
		return wanted.key(r.Code) == r.Key
	}
	return wanted.Key == r.Key
}
