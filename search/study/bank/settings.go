package bank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
)

// formatVersion is the version of the files of a bank.
const formatVersion = 1

const (
	MaxSubjects = 1 << 24    // largest number of subjects of a bank
	maxRows     = 50_000_000 // upper limit of subjects × trials
)

// Settings determine a bank. The same settings give the same bytes on one kind of processor, for any number of threads.
type Settings struct {
	Role      string  `json:"role"`
	Model     string  `json:"model"`
	Text      string  `json:"text,omitempty"` // text of the model in the language, if it does not come with likc
	Seed      uint64  `json:"seed"`
	Scheme    string  `json:"scheme"`   // exact, bridge or euler; exec if another program drew the trials
	Step      float64 `json:"dt"`       // seconds; 0 for the exact scheme
	MaxTime   float64 `json:"max_time"` // largest decision time in seconds; 0 for the exact scheme
	Params    []Range `json:"params"`   // the ranges Θ, in the model's order
	Subjects  int     `json:"subjects"`
	Trials    int     `json:"trials"`           // largest number of trials of a subject in the bank
	Simulated int     `json:"simulated"`        // trials simulated for each subject
	UpperOnly bool    `json:"upper_only"`       // whether only trials at the upper boundary are kept
	Design    *Design `json:"design,omitempty"` // columns on which trials depend; nil if they depend only on parameters
}

// Range is the interval in which a parameter is drawn.
type Range struct {
	Name  string  `json:"name"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// NoSessions returns the error that a process of sessions can have no bank.
func NoSessions(s *catalog.Session) error {
	return fmt.Errorf("model %s: its sessions have the columns %s; a bank has response times and choices alone, so use likc simulate or likc recover",
		s.Name, strings.Join(s.Trials, " and "))
}

// NewSettings returns the settings of a role and a model that comes with likc, with the paper's sizes. If scheme is "", the model
// has its default scheme.
func NewSettings(role, model, scheme string, seed uint64) (Settings, error) {
	if s, ok := catalog.SessionNamed(model); ok {
		return Settings{}, NoSessions(s)
	}
	m, err := ssm.Lookup(model)
	if err != nil {
		return Settings{}, err
	}
	return SettingsOf(role, m, scheme, seed)
}

// SettingsOf does the same as [NewSettings] for any process.
func SettingsOf(role string, m *ssm.Model, scheme string, seed uint64) (Settings, error) {
	r, err := RoleNamed(role)
	if err != nil {
		return Settings{}, err
	}
	how, scheme, err := m.Scheme(scheme)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{
		Role: role, Model: m.Name, Text: m.Text, Seed: seed, Scheme: scheme, Step: how.Step, MaxTime: how.MaxTime,
		Subjects: r.Subjects, UpperOnly: r.upper,
	}
	for _, p := range m.Params {
		s.Params = append(s.Params, Range{p.Name, p.Lower, p.Upper})
	}
	s.SetTrials(r.Trials)
	return s, nil
}

// SetTrials sets the largest number of trials of a subject in the bank.
func (s *Settings) SetTrials(n int) {
	s.Trials, s.Simulated = n, n
	if s.UpperOnly {
		s.Simulated = simulatedForUpper
		if n > s.Simulated {
			s.Simulated = 2 * min(n, maxRows)
		}
	}
}

// How returns the simulator's scheme. The settings must pass [Settings.Check].
func (s Settings) How() ssm.Scheme {
	how, _ := ssm.SchemeNamed(s.Scheme)
	how.Step, how.MaxTime = s.Step, s.MaxTime
	return how
}

// Process returns the process that draws the bank's trials. It returns an error for a bank with a design, whose trials depend on
// more than parameters.
func (s Settings) Process() (*ssm.Model, error) {
	if s.Design != nil {
		return nil, fmt.Errorf("a bank of %s: its trials depend on columns or on one another; of such banks likc judge alone fits the subjects", s.Model)
	}
	return process.Of(s.Model, s.Text)
}

// Choices returns the codes of the choices of the bank's trials. Trials with only one possible response have one code.
func (s Settings) Choices() ([]float64, error) {
	if s.Design != nil {
		return s.Design.Choices, nil
	}
	m, err := s.Process()
	if err != nil {
		return nil, err
	}
	return m.Choices, nil
}

// HasTimes reports whether the bank's trials have response times.
func (s Settings) HasTimes() bool { return s.Design == nil || !s.Design.Untimed }

// CheckModel returns an error if the bank is not one of the model with the given name and text. folder names the bank in the
// error.
func (s Settings) CheckModel(folder, model, text string) error {
	switch {
	case s.Design != nil:
		_, err := s.Process()
		return fmt.Errorf("%s: %w", folder, err)
	case s.Model != model:
		return fmt.Errorf("%s: a bank of %s, want %s", folder, s.Model, model)
	case s.Text != text:
		return fmt.Errorf("%s: a bank of another model that is called %s too: their parameters, choices or processes differ", folder, model)
	}
	return nil
}

// Check returns an error for settings from which no bank can be made.
func (s Settings) Check() error {
	r, err := RoleNamed(s.Role)
	if err != nil {
		return err
	}
	if err := s.checkSize(); err != nil {
		return err
	}
	if s.Design != nil {
		return s.checkDesign(r)
	}
	m, err := s.Process()
	if err != nil {
		return err
	}
	if r.upper {
		if err := m.CheckBoundaries(); err != nil {
			return fmt.Errorf("role %s: %w", s.Role, err)
		}
	}
	if s.UpperOnly != r.upper {
		return fmt.Errorf("role %s: upper_only is %v, want %v", s.Role, s.UpperOnly, r.upper)
	}
	if err := s.checkScheme(); err != nil {
		return err
	}
	return s.checkParams(m)
}

func (s Settings) checkSize() error {
	switch {
	case s.Subjects < 1 || s.Subjects > MaxSubjects:
		return fmt.Errorf("subjects %d: want 1 to %d", s.Subjects, MaxSubjects)
	case s.Trials < 1:
		return fmt.Errorf("trials %d: want at least 1 a subject", s.Trials)
	case s.Simulated < s.Trials:
		return fmt.Errorf("trials %d: more than the %d simulated a subject", s.Trials, s.Simulated)
	case s.Simulated > 2*maxRows || s.Subjects > maxRows/s.Trials:
		return fmt.Errorf("%d subjects with %d trials: want at most %d trials in a bank", s.Subjects, s.Trials, maxRows)
	}
	return nil
}

func (s Settings) checkScheme() error {
	how, err := ssm.SchemeNamed(s.Scheme)
	switch {
	case err != nil:
		return err
	case how.Step == 0 && (s.Step != 0 || s.MaxTime != 0):
		return fmt.Errorf("dt %v: the %s scheme has no time step", s.Step, s.Scheme)
	case how.Step > 0 && !(s.Step >= 1e-5 && s.Step <= 0.1):
		return fmt.Errorf("dt %v: want seconds between 0.00001 and 0.1", s.Step)
	case how.Step > 0 && !(s.MaxTime > 0 && s.MaxTime <= 1000):
		return fmt.Errorf("max_time %v: want seconds between 0 and 1000", s.MaxTime)
	}
	return nil
}

func (s Settings) checkParams(m *ssm.Model) error {
	if len(s.Params) != m.Dim() {
		return fmt.Errorf("params: %d ranges, but %s has %d parameters", len(s.Params), m.Name, m.Dim())
	}
	for i, p := range s.Params {
		if p.Name != m.Params[i].Name {
			return fmt.Errorf("params: parameter %d of %s is %s, not %q", i+1, m.Name, m.Params[i].Name, p.Name)
		}
	}
	return s.checkRanges()
}

func (s Settings) checkRanges() error {
	for _, p := range s.Params {
		if !(p.Lower < p.Upper) {
			return fmt.Errorf("params: the range of %s is empty: [%v, %v]", p.Name, p.Lower, p.Upper)
		}
	}
	return nil
}

// record is the content of bank.json.
type record struct {
	Format int `json:"format"`
	Settings
	Counts
}

func encodeSettings(b *Bank) ([]byte, error) {
	text, err := json.MarshalIndent(record{formatVersion, b.Settings, b.Counts}, "", "  ")
	return append(text, '\n'), err
}

func decodeSettings(text []byte) (Settings, Counts, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&r); err != nil {
		return Settings{}, Counts{}, fmt.Errorf("not the settings of a bank: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Settings{}, Counts{}, errors.New("not the settings of a bank: more follows the first JSON value")
	}
	if r.Format != formatVersion {
		return Settings{}, Counts{}, fmt.Errorf("format %d: this likc reads format %d", r.Format, formatVersion)
	}
	return r.Settings, r.Counts, r.Settings.Check()
}
