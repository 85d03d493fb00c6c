package bank

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/testdata"

	"github.com/google/go-cmp/cmp"
)

// FuzzForeign: no files of another program panic or give an error of several lines, and a bank that is read has the trials that its counts
// say and is read again, to the last bit, from what likc writes of it.
func FuzzForeign(f *testing.F) {
	files := foreignFiles()
	f.Add(files["bank.json"], files["m.lik"], files["subjects.csv"], files["trials.csv"])
	f.Add(`{"role": "search-rows", "model": "m.lik"}`, "model m { trial rt choice c param b in [-2, 2] param t in [0.1, 0.5] support t < rt lower { b = -b } }",
		files["subjects.csv"], "subject,choice,rt\nben,-1,0.75\nanna,1,0.5\nben,-1,1.5\n")
	f.Add(`{"role": "gate-100", "model": "wald"}`, "", "subject,v,a,t\n1,1,1,0.2\n", "subject,rt\n1,0.5\n")
	for _, name := range testdata.ProcessNames() {
		text, _ := testdata.Model(name)
		f.Add(`{"role": "test-60", "model": "m.lik"} {}`, text, files["subjects.csv"], files["trials.csv"])
	}
	f.Add(`{"role": "gate-100", "model": "../m.lik", "seed": 3}`, "", "", "")
	f.Fuzz(func(t *testing.T, about, model, subjects, trials string) {
		dir := writeFiles(t, map[string]string{"bank.json": about, "m.lik": model, "subjects.csv": subjects, "trials.csv": trials})
		b, err := Open(dir)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if got := count(b.Subjects); got != b.Counts || got.Kept == 0 || len(b.Subjects) != b.Settings.Subjects {
			t.Fatalf("%d subjects, %+v; the settings say %d, %+v", len(b.Subjects), got, b.Settings.Subjects, b.Counts)
		}
		written := filepath.Join(t.TempDir(), "bank")
		if err := Write(written, b); err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		again, err := Open(written)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if d := cmp.Diff(b, again); d != "" {
			t.Fatal(d)
		}
		os.RemoveAll(written)
	})
}

// FuzzSettings: no bank.json panics or gives an error of several lines, and settings that are read are written as text that reads as the same.
func FuzzSettings(f *testing.F) {
	text, err := encodeSettings(simulated(f, settings(f, "test-60", "euler", 4, 30)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(strings.Replace(string(text), `"subjects"`, `"design": {"sha256": "", "columns": ["x"], "choices": [1, -1]}, "subjects"`, 1))
	f.Add(strings.Replace(string(text), `"dt"`, `"text": "model m { trial rt param b in [0, 1] }", "dt"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		s, counts, err := decodeSettings([]byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		written, err := encodeSettings(&Bank{Settings: s, Counts: counts})
		if err != nil {
			t.Fatal(err)
		}
		again, counts2, err := decodeSettings(written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if d := cmp.Diff(s, again) + cmp.Diff(counts, counts2); d != "" {
			t.Fatal(d)
		}
	})
}
