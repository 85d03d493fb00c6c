package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
)

// Record is the content of unit.json in a unit's folder: what determines the unit's result, and the hashes of its outputs.
type Record struct {
	Format  int               `json:"format"`
	Stage   string            `json:"stage"`
	Name    string            `json:"name"`
	Key     string            `json:"key"`
	Code    string            `json:"code"`   // version of the code that ran the unit
	Steps   []Step            `json:"steps"`  // the unit's steps, with names such as {out} instead of paths
	Inputs  map[string]string `json:"inputs"` // SHA-256 of each input, by label
	Outputs []store.Entry     `json:"outputs"`
	ISA     string            `json:"isa,omitempty"`    // instruction set of the kernels that were used; results do not depend on it
	SHA256  string            `json:"sha256,omitempty"` // the hash of all fields above; "" in records of older versions
}

// sum returns the hash that the record's field SHA256 should have.
func (r Record) sum() string {
	r.SHA256 = ""
	return store.SumJSON(r)
}

// key returns the hash that identifies the unit's result.
func (r *Record) key(code string) string {
	return store.SumJSON(struct {
		Format int
		Name   string
		Code   string
		Steps  []Step
		Inputs map[string]string
	}{1, r.Name, code, r.Steps, r.Inputs})
}

// newRecord returns the record of a unit that is about to run, still without outputs. plan is the plan's hash, done holds the records
// of the earlier units by name, and sum returns the hash of a file or folder from outside the run.
func newRecord(u Unit, code, plan string, done map[string]*Record, sum func(path string) (string, error)) (*Record, error) {
	r := &Record{Format: formatVersion, Stage: u.Stage, Name: u.Name, Code: code, Steps: u.Steps, Inputs: map[string]string{}}
	for _, in := range u.Inputs {
		if in.Path == "" {
			r.Inputs[in.Label] = store.SumJSON(done[in.Unit].Outputs)
			continue
		}
		hash, err := sum(in.Path)
		if err != nil {
			return nil, err
		}
		r.Inputs[in.Label] = hash
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

// same reports whether the finished unit of record r has the result that the wanted unit would have. If anyCode is set, the versions
// of the code may differ.
func (r *Record) same(wanted *Record, anyCode bool) bool {
	if anyCode {
		return wanted.key(r.Code) == r.Key
	}
	return wanted.Key == r.Key
}
