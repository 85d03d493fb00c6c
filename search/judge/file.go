package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"likc/runtime/nuts"
	"likc/search/bank"
)

// File is VERDICTS.jsonl while it is written: a verdict a line, appended as they come. What a kill leaves is whole lines
// and at most one that is cut off, which is dropped when the file is opened again.
type File struct {
	Known []*Verdict // of an earlier run, in order
	file  *os.File
	path  string
	made  bool // by OpenFile
}

// ErrOther says that a file of verdicts is not this run's.
var ErrOther = errors.New("name another file, or give --force to write over it")

// OpenFile opens the file of a run over the entries, or makes it. A file that holds verdicts of other settings, or of other
// candidates, is an error that wraps ErrOther; with anew it is written over.
func OpenFile(path, settings string, entries []Entry, anew bool) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a file that can be read again: name another", path)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	f := &File{path: path, made: err != nil}
	kept := 0
	if !anew && len(text) > 0 {
		kept = bytes.LastIndexByte(text, '\n') + 1
		if err := f.read(text[:kept], settings, entries); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if kept == 0 && !bytes.HasPrefix(text, []byte(`{"model":`)) {
			return nil, fmt.Errorf("%s: holds no verdicts: %w", path, ErrOther)
		}
	}
	if f.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	err = f.file.Truncate(int64(kept))
	if err == nil {
		_, err = f.file.Seek(int64(kept), 0)
	}
	if err != nil {
		f.file.Close()
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	return f, nil
}

// read takes the lines of an earlier run, which must be this one's.
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
	f.Known = all
	return nil
}

func (v *Verdict) isOf(e Entry) bool {
	want := &Verdict{}
	want.identify(e)
	return v.Model == e.Name && v.Expr == want.Expr && v.File == want.File && v.Line == want.Line && v.Seed == want.Seed &&
		v.Teacher == want.Teacher
}

// Append writes one more verdict.
func (f *File) Append(v *Verdict) error {
	line, err := Line(v)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(line); err != nil {
		return fmt.Errorf("%s: %w", f.path, plain(err))
	}
	return nil
}

// Close sees the lines to the disk. A file that was made for nothing goes.
func (f *File) Close() error {
	if info, err := f.file.Stat(); f.made && err == nil && info.Size() == 0 {
		return errors.Join(f.file.Close(), os.Remove(f.path))
	}
	if err := errors.Join(f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, plain(err))
	}
	return nil
}

// Line is a verdict as it is written, with its end of line.
func Line(v *Verdict) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("verdict on %s: %w", v.Model, err)
	}
	return b.Bytes(), nil
}

// ReadFile reads a file of verdicts. Errors are FILE:LINE: what.
func ReadFile(path string) ([]*Verdict, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	all, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no verdict", path)
	}
	return all, nil
}

// parse reads lines of verdicts. Its errors begin with the line's number.
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

// plain drops the operation and path that os errors repeat.
func plain(err error) error {
	var where *os.PathError
	if errors.As(err, &where) {
		return where.Err
	}
	return err
}

// Hash is short for all that verdicts depend on but the candidate: settings that give other fits, and the bank.
func (s Settings) Hash(b *bank.Bank, manifest []byte) string {
	n := s.sampler()
	if n.Delta == 0 {
		n.Delta = nuts.DefaultDelta(n.Metric)
	}
	text, err := json.Marshal([]any{1, s.Chains, s.Warmup, s.Draws, s.Seed, s.MaxGradients, s.Screen, s.Fits,
		n.Delta, n.MaxDepth, n.Metric, n.InitBuffer, n.TermBuffer, n.Window, n.Init, b.Settings, manifest})
	if err != nil {
		panic("judge: settings that JSON cannot write: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}
