package bank

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// decode parses the files of a bank.
func decode(dir string, files map[string][]byte) (*Bank, error) {
	path := func(file string) string { return filepath.Join(dir, file) }
	settings, counts, err := decodeSettings(files[SettingsFile])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path(SettingsFile), err)
	}
	b := &Bank{Settings: settings}
	kept, err := b.readSubjects(path(SubjectsFile), files[SubjectsFile])
	if err != nil {
		return nil, err
	}
	if err := b.readTrials(path(TrialsFile), files[TrialsFile], kept); err != nil {
		return nil, err
	}
	if b.Counts = count(b.Subjects); b.Counts != counts {
		return nil, fmt.Errorf("%s: counts %+v, but the tables have %+v", path(SettingsFile), counts, b.Counts)
	}
	return b, nil
}

// readSubjects parses the subjects without their trials. kept is the number of trials that each should have.
func (b *Bank) readSubjects(name string, data []byte) (kept []int, err error) {
	symbols := []string{columnSubject}
	for _, p := range b.Settings.Params {
		symbols = append(symbols, p.Name)
	}
	symbols = append(symbols, columnTrials, columnDropped, columnReflected)
	t, err := trials.ReadParquet(name, bytes.NewReader(data), int64(len(data)), trials.Options{Trials: symbols})
	if err != nil {
		return nil, err
	}
	if t.N() != b.Settings.Subjects {
		return nil, fmt.Errorf("%s: %d subjects, but %s says %d", name, t.N(), SettingsFile, b.Settings.Subjects)
	}
	role, err := RoleNamed(b.Settings.Role)
	if err != nil {
		return nil, err
	}
	b.Subjects, kept = make([]Subject, t.N()), make([]int, t.N())
	for row := range b.Subjects {
		s := Subject{ID: role.id(row), Dropped: int(t.Column(columnDropped)[row]), Reflected: t.Column(columnReflected)[row] != 0}
		if id := t.Column(columnSubject)[row]; id != float64(s.ID) {
			return nil, fmt.Errorf("%s: row %d, column %q: %v, want subject %d", name, row+1, columnSubject, id, s.ID)
		}
		if s.Theta, err = b.Settings.theta(t, row); err != nil {
			return nil, fmt.Errorf("%s: row %d, %w", name, row+1, err)
		}
		b.Subjects[row], kept[row] = s, int(t.Column(columnTrials)[row])
	}
	return kept, nil
}

// theta returns the parameters in a row, which must lie in their ranges.
func (s Settings) theta(t *trials.Table, row int) ([]float64, error) {
	theta := make([]float64, len(s.Params))
	for i, p := range s.Params {
		x := t.Column(p.Name)[row]
		if !(x >= p.Lower && x <= p.Upper) {
			return nil, fmt.Errorf("column %q: %v is outside [%v, %v]", p.Name, x, p.Lower, p.Upper)
		}
		theta[i] = x
	}
	return theta, nil
}

// readTrials parses the trials and assigns them to their subjects.
func (b *Bank) readTrials(name string, data []byte, kept []int) error {
	codes, err := b.Settings.Choices()
	if err != nil {
		return err
	}
	want := trials.Options{Choice: ssm.Choice, Subject: columnSubject}
	if b.Settings.HasTimes() {
		want.Trials, want.Positive = []string{ssm.ResponseTime}, []string{ssm.ResponseTime}
	}
	times := len(want.Trials)
	if d := b.Settings.Design; d != nil {
		want.Trials = append(want.Trials, d.Columns...)
	}
	if codes[0] == 0 {
		want.Choices = len(codes)
	}
	t, err := trials.ReadParquet(name, bytes.NewReader(data), int64(len(data)), want)
	if err != nil {
		return err
	}
	if err := checkTrials(t, codes, b.Settings); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	rows := map[int]int{} // index of each subject, by its number
	for i, s := range b.Subjects {
		rows[s.ID] = i
	}
	for _, of := range t.Subjects {
		id, err := strconv.Atoi(of.Label)
		i, known := rows[id]
		if err != nil || !known {
			return fmt.Errorf("%s: subject %s is not in %s", name, of.Label, SubjectsFile)
		}
		columns, choice := t.Of(of)
		b.Subjects[i].Choice, b.Subjects[i].RT = choice, slices.Repeat([]float64{1}, len(choice))
		if times > 0 {
			b.Subjects[i].RT = columns[0]
		}
		if b.Settings.Design != nil {
			b.Subjects[i].Columns = columns[times:]
		}
	}
	for i, s := range b.Subjects {
		if len(s.RT) != kept[i] {
			return fmt.Errorf("%s: %d trials of subject %d, but %s says %d", name, len(s.RT), s.ID, SubjectsFile, kept[i])
		}
	}
	return nil
}

// checkTrials returns an error for the first trial that no bank can contain. The reader has already refused values that are not
// finite and positive.
func checkTrials(t *trials.Table, codes []float64, s Settings) error {
	for row, rt := range t.Column(ssm.ResponseTime) {
		if rt >= Latest {
			return fmt.Errorf("row %d, column \"rt\": %v is not below %d s", row+1, rt, Latest)
		}
	}
	for row, c := range t.Choice {
		if s.UpperOnly && c < 0 {
			return fmt.Errorf("row %d, column \"choice\": -1, but %s says that all are +1", row+1, SettingsFile)
		}
		if len(codes) == 1 && c != codes[0] {
			return fmt.Errorf("row %d, column \"choice\": %v, but %s has one response, %v", row+1, c, s.Model, codes[0])
		}
	}
	if len(t.Notes) > 0 {
		return errors.New(t.Notes[0])
	}
	return nil
}
