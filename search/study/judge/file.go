package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"likc/runtime/fit/nuts"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
)

// File is a file of verdicts that is being written. Each line is a verdict, appended as soon as it is known.
type File struct {
	Known []*Verdict // verdicts of an earlier run, in order
	log   *store.Log
	path  string
}

// ErrOther means that a file of verdicts belongs to another run.
var ErrOther = errors.New("it is of another run")

// OpenFile opens or creates the file of a run over the entries, and locks it until Close. Known gets the verdicts that are
// already in the file. If they have other settings or candidates, OpenFile returns an error that wraps ErrOther; with overwrite,
// it empties such a file instead.
func OpenFile(path, settings string, entries []Entry, overwrite bool) (*File, error) {
	log, err := store.OpenLog(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, log: log}
	kept := 0
	if !overwrite {
		kept = len(log.Text())
		err = f.known(settings, entries)
	}
	if err == nil {
		err = log.Keep(kept)
	}
	if err != nil {
		log.Close()
		return nil, err
	}
	return f, nil
}

// known reads the verdicts that are already in the file into Known.
func (f *File) known(settings string, entries []Entry) error {
	if err := f.log.Check(); err != nil {
		return err
	}
	if err := f.read(f.log.Text(), settings, entries); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if cut := f.log.Cut(); len(f.log.Text()) == 0 && len(cut) > 0 && !bytes.HasPrefix(cut, []byte(`{"model":`)) {
		return fmt.Errorf("%s: holds no verdicts: %w", f.path, ErrOther)
	}
	return nil
}

// read parses the lines of an earlier run. Their settings and candidates must be those of this run.
func (f *File) read(text []byte, settings string, entries []Entry) error {
	all, err := parse(text)
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrOther)
	}
	for i, v := range all {
		switch {
		case v.Settings != settings:
			return fmt.Errorf("line %d: holds verdicts under other settings, or on another bank (%s, not %s): %w", i+1, v.Settings, settings, ErrOther)
		case i >= len(entries):
			return fmt.Errorf("holds %d verdicts or more, and there are %d candidates: %w", i+1, len(entries), ErrOther)
		case v.Candidate != i+1 || !v.isOf(entries[i]):
			return fmt.Errorf("line %d: is on another candidate than number %d of the input: %w", i+1, i+1, ErrOther)
		}
	}
	for _, v := range all {
		v.settle()
	}
	f.Known = all
	return nil
}

// isOf reports whether a verdict is on an entry.
func (v *Verdict) isOf(e Entry) bool {
	want := &Verdict{}
	want.identify(e)
	return v.Model == e.Name && v.Expr == want.Expr && v.File == want.File && v.Line == want.Line && v.Seed == want.Seed &&
		v.Teacher == want.Teacher && (v.Text == want.Text || v.Text == "") // earlier versions wrote no text
}

// Append writes one more verdict.
func (f *File) Append(v *Verdict) error {
	line, err := Line(v)
	if err != nil {
		return err
	}
	return f.log.Append(line)
}

// Close writes the lines to the disk. It removes an empty file that OpenFile created.
func (f *File) Close() error { return f.log.Close() }

// Line returns a verdict as a line of the file, with its end of line.
func Line(v *Verdict) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("verdict on %s: %w", v.Model, err)
	}
	return b.Bytes(), nil
}

// ReadFile reads a file of verdicts, and checks it against the sum in FILE.sha256 if that exists. Verdicts of an earlier version get
// the confidence bounds that can be computed from their figures. Errors are FILE:LINE: what.
func ReadFile(path string) ([]*Verdict, error) {
	text, err := store.ReadChecked(path)
	if err != nil {
		return nil, err
	}
	all, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no verdict", path)
	}
	for _, v := range all {
		v.settle()
	}
	return all, nil
}

// parse parses lines of verdicts. Its errors begin with the line's number.
func parse(text []byte) (all []*Verdict, err error) {
	at := 0
	for line := range bytes.Lines(text) {
		at++
		v := &Verdict{WeakestR: undefined(), Lambda: undefined()}
		if err := json.Unmarshal(line, v); err != nil {
			return nil, fmt.Errorf("%d: not a verdict: %w", at, err)
		}
		if v.Bank == "" || v.Method == "" {
			return nil, fmt.Errorf("%d: not a verdict: it has no bank or no method", at)
		}
		all = append(all, v)
	}
	return all, nil
}

// Hash returns a hash of everything, except the candidate, on which a verdict depends: the bank and the settings that change
// fits.
func (s Settings) Hash(b *bank.Bank, manifest []byte) string {
	n := s.sampler()
	if n.Delta == 0 {
		n.Delta = nuts.DefaultDelta(n.Metric)
	}
	all := []any{1, s.Chains, s.Warmup, s.Draws, s.Seed, s.MaxGradients, s.Screen, s.Fits,
		n.Delta, n.MaxDepth, n.Metric, n.InitBuffer, n.TermBuffer, n.Window, n.Init, b.Settings, manifest}
	if s.Reference != nil {
		all = append(all, s.Reference.identity())
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic("judge: settings that JSON cannot write: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}
