package bank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/compiler/syntax"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
	"likc/runtime/sys/store"
)

// foreign is the bank.json of a bank that another program made. It has the bank's role, and its model: the name of a process that
// comes with likc, or of a .lik file in the same folder. The tables subjects and trials are Parquet or CSV files in that folder.
// There is no manifest.
type foreign struct {
	Role  string `json:"role"`
	Model string `json:"model"`
}

// tableEndings are the endings of a foreign bank's tables, in the order in which they are searched.
var tableEndings = []string{".parquet", ".csv", ".csv.gz"}

// readForeign reads a foreign bank. isForeign is false for a folder with a manifest or without bank.json, and if bank.json has a
// format, as likc's own has.
func readForeign(dir string) (b *Bank, isForeign bool, err error) {
	file := filepath.Join(dir, SettingsFile)
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
		return nil, false, nil
	}
	text, err := store.ReadFile(file)
	if err != nil {
		return nil, false, nil
	}
	var own struct {
		Format *json.Number `json:"format"`
	}
	if json.Unmarshal(text, &own) == nil && own.Format != nil {
		return nil, false, nil
	}
	var f foreign
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&f); err == nil && d.More() {
		err = errors.New("more follows the first JSON value")
	}
	if err != nil {
		return nil, true, fmt.Errorf(`%s: %w; want {"role": ROLE, "model": "FILE.lik"}`, file, err)
	}
	b, err = f.read(dir)
	if err != nil {
		return nil, true, err
	}
	return b, true, nil
}

// read reads the tables of a foreign bank.
func (f *foreign) read(dir string) (*Bank, error) {
	file := filepath.Join(dir, SettingsFile)
	m, err := f.process(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s, err := SettingsOf(f.Role, m, "", 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.Scheme, s.Step, s.MaxTime = ssm.OutsideName, 0, 0
	b := &Bank{Settings: s}
	rows, err := b.foreignSubjects(dir)
	if err != nil {
		return nil, err
	}
	if err := b.foreignTrials(dir, m, rows); err != nil {
		return nil, err
	}
	if b.Counts = count(b.Subjects); b.Counts.Kept == 0 {
		return nil, fmt.Errorf("%s: no trial is left: all take %d s or longer", dir, Latest)
	}
	if err := b.Settings.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// process returns the process that the bank names.
func (f *foreign) process(dir string) (*ssm.Model, error) {
	if !strings.HasSuffix(f.Model, ".lik") {
		if f.Model == "" {
			return nil, errors.New("names no model")
		}
		return ssm.Lookup(f.Model)
	}
	if filepath.Base(f.Model) != f.Model {
		return nil, fmt.Errorf("model %q: want a file in the same folder", f.Model)
	}
	in, err := os.Open(filepath.Join(dir, f.Model))
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", f.Model, store.Cause(err))
	}
	defer in.Close()
	models, err := syntax.Read(f.Model, io.LimitReader(in, syntax.MaxBytes+1))
	if err == nil && len(models) != 1 {
		err = fmt.Errorf("%s: holds %d models; want one", f.Model, len(models))
	}
	if err != nil {
		return nil, err
	}
	return process.OfModel(models[0])
}

// readTable reads the table with the given name and one of the endings.
func readTable(dir, name string, o trials.Options) (t *trials.Table, file string, err error) {
	for _, ending := range tableEndings {
		file = filepath.Join(dir, name+ending)
		if _, err := os.Stat(file); err == nil {
			t, err = trials.Read(file, o)
			return t, file, err
		}
	}
	return nil, "", fmt.Errorf("%s: no table %s: want %[2]s%s", dir, name, strings.Join(tableEndings, ", "+name))
}

// foreignSubjects reads the subjects, and returns their indices by label.
func (b *Bank) foreignSubjects(dir string) (indices map[string]int, err error) {
	o := trials.Options{Subject: columnSubject}
	for _, p := range b.Settings.Params {
		o.Trials = append(o.Trials, p.Name)
	}
	t, file, err := readTable(dir, "subjects", o)
	if err != nil {
		return nil, err
	}
	role, err := RoleNamed(b.Settings.Role)
	if err != nil {
		return nil, err
	}
	indices = map[string]int{}
	for i, of := range t.Subjects {
		if len(of.Rows) > 1 {
			return nil, fmt.Errorf("%s: row %d: subject %s again: want one row a subject", file, t.Rows[of.Rows[1]], of.Label)
		}
		theta, err := b.Settings.theta(t, of.Rows[0])
		if err != nil {
			return nil, fmt.Errorf("%s: row %d, %w", file, t.Rows[of.Rows[0]], err)
		}
		indices[of.Label] = i
		b.Subjects = append(b.Subjects, Subject{ID: role.id(i), Theta: theta})
	}
	b.Settings.Subjects = len(b.Subjects)
	return indices, nil
}

// foreignTrials reads the trials and adds them to their subjects, as far as the role allows.
func (b *Bank) foreignTrials(dir string, m *ssm.Model, indices map[string]int) error {
	o := trials.Options{Trials: []string{ssm.ResponseTime}, Positive: []string{ssm.ResponseTime}, Subject: columnSubject}
	if m.HasChoice() {
		o.Choice = ssm.Choice
	}
	if m.Numbered() {
		o.Choices = len(m.Choices)
	}
	t, file, err := readTable(dir, "trials", o)
	if err != nil {
		return err
	}
	if len(t.Notes) > 0 {
		return errors.New(t.Notes[0])
	}
	b.Settings.Simulated = 1
	for _, of := range t.Subjects {
		b.Settings.Simulated = max(b.Settings.Simulated, len(of.Rows))
	}
	role, err := RoleNamed(b.Settings.Role)
	if err != nil {
		return err
	}
	b.Settings.Trials = b.Settings.Simulated
	if b.Settings.UpperOnly {
		b.Settings.Trials = min(role.Trials, b.Settings.Simulated)
	}
	for _, of := range t.Subjects {
		i, known := indices[of.Label]
		if !known {
			return fmt.Errorf("%s: row %d: subject %s is not in the table subjects", file, t.Rows[of.Rows[0]], of.Label)
		}
		columns, choice := t.Of(of)
		for k, rt := range columns[0] {
			if onset := m.Earliest(b.Subjects[i].Theta); rt <= onset {
				return fmt.Errorf("%s: row %d: rt %v of subject %s is not after the onset, %v s", file, t.Rows[of.Rows[k]], rt, of.Label, onset)
			}
		}
		if choice == nil {
			choice = make([]float64, len(columns[0]))
			for k := range choice {
				choice[k] = m.Choices[0]
			}
		}
		b.Subjects[i].addTrials(m, columns[0], choice, b.Settings)
	}
	return nil
}
