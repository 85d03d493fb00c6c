package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop runs units whose commands are: the output file, a text, then files to copy behind it.
type shop struct {
	mutex sync.Mutex
	ran   []string
	fail  string
}

// path is where a command that is started in the run's folder finds a file.
func (j *Job) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(j.Dir, name)
}

func (s *shop) execute(_ context.Context, j *Job, steps []Step, _ int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.ran = append(s.ran, j.Unit.Name)
	text := steps[0].Args[1]
	for _, path := range steps[0].Args[2:] {
		if path == "--resume" {
			text += "(resumed)"
			continue
		}
		b, err := os.ReadFile(j.path(path))
		if err != nil {
			return err
		}
		text += "+" + string(b)
	}
	os.WriteFile(filepath.Join(filepath.Dir(j.path(steps[0].Args[0])), "scrap"), nil, 0o644)
	if err := os.WriteFile(j.path(steps[0].Args[0]), []byte(text), 0o644); err != nil {
		return err
	}
	if s.fail == j.Unit.Name {
		return errors.New("no")
	}
	return nil
}

func (s *shop) run(t *testing.T, dir string, units []Unit, o Options) []string {
	t.Helper()
	s.ran = nil
	o.Engine = NewLocal(2, s.execute)
	if err := Run(t.Context(), dir, Plan{Name: "p", Settings: map[string]int{"n": 1}, Units: units}, o); err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.ran)
	return s.ran
}

func step(args ...string) []Step { return []Step{{Args: args}} }

// chain is a → b → c, where a reads a file from outside.
func chain(outside, text string) []Unit {
	return []Unit{
		{Stage: "a", Name: "a", Steps: step("{out}/x", "a", "{file}"), Inputs: []Input{{Label: "file", Path: outside}}, Outputs: []string{"x"}},
		{Stage: "b", Name: "b/one", Steps: step("{out}/x", text, "{a}/x"), Inputs: []Input{{Label: "a", Unit: "a"}}, Outputs: []string{"x"}, Resume: "x"},
		{Stage: "b", Name: "b/two", Steps: step("{out}/x", "two", "{a}/x"), Inputs: []Input{{Label: "a", Unit: "a"}}, Outputs: []string{"x"}, Threads: 1},
		{Stage: "c", Name: "c", Steps: step("{out}/x", "c", "{b}/x", "{run}/b/two/x"), Inputs: []Input{{Label: "b", Unit: "b/one"}, {Label: "two", Unit: "b/two"}}, Outputs: []string{"x"}},
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func want(t *testing.T, ran []string, names ...string) {
	t.Helper()
	if !slices.Equal(ran, names) {
		t.Errorf("ran %v, want %v", ran, names)
	}
}

func TestOnlyWhatChangedRuns(t *testing.T) {
	dir := t.TempDir()
	outside, run := filepath.Join(dir, "in"), filepath.Join(dir, "run")
	write(t, outside, "IN")
	var s shop
	want(t, s.run(t, run, chain(outside, "b"), Options{}), "a", "b/one", "b/two", "c")
	if got := read(t, filepath.Join(run, "c", "x")); got != "c+b+a+IN+two+a+IN" {
		t.Errorf("c is %q", got)
	}
	if _, err := os.Stat(filepath.Join(run, "c", "scrap")); err == nil {
		t.Error("what is no output was kept")
	}
	first := read(t, filepath.Join(run, ManifestFile))
	want(t, s.run(t, run, chain(outside, "b"), Options{}))
	if again := read(t, filepath.Join(run, ManifestFile)); again != first {
		t.Error("the manifest of the same run differs")
	}
	want(t, s.run(t, run, chain(outside, "other"), Options{}), "b/one", "c")
	write(t, outside, "NEW")
	want(t, s.run(t, run, chain(outside, "other"), Options{}), "a", "b/one", "b/two", "c")
	write(t, filepath.Join(run, "b", "two", "x"), "damaged")
	want(t, s.run(t, run, chain(outside, "other"), Options{}), "b/two") // the output is as before, so that c does not run
}

// TestPlaceIsNoInput: a run that is moved, and an input that is elsewhere but the same, change nothing.
func TestPlaceIsNoInput(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "IN")
	write(t, filepath.Join(dir, "copy"), "IN")
	var s shop
	s.run(t, filepath.Join(dir, "run"), chain(filepath.Join(dir, "in"), "b"), Options{})
	if err := os.Rename(filepath.Join(dir, "run"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	want(t, s.run(t, filepath.Join(dir, "moved"), chain(filepath.Join(dir, "copy"), "b"), Options{}))
}

func TestVersionOfTheCode(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "IN")
	units := chain(filepath.Join(dir, "in"), "b")
	var s shop
	s.run(t, dir, units, Options{Code: "1"})
	want(t, s.run(t, dir, units, Options{Code: "2", AnyCode: true}))
	units[1].Steps[0].Args[1] = "changed"
	want(t, s.run(t, dir, units, Options{Code: "2", AnyCode: true}), "b/one", "c")
	outdated := map[string]bool{}
	notify := func(e Event) {
		if e.Status == Outdated {
			outdated[e.Unit.Name] = true
		}
	}
	want(t, s.run(t, dir, units, Options{Code: "3", Notify: notify}), "a", "b/one", "b/two", "c")
	if len(outdated) != 4 {
		t.Errorf("told as outdated: %v, want all four", outdated)
	}
	clear(outdated)
	units[0].Steps[0].Args[1] = "changed"
	s.run(t, dir, units, Options{Code: "3", Notify: notify})
	if len(outdated) != 0 {
		t.Errorf("told as outdated, though the plan changed: %v", outdated)
	}
}

func TestFailureAndResume(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "IN")
	units := chain(filepath.Join(dir, "in"), "b")
	s := shop{fail: "b/one"}
	err := Run(t.Context(), dir, Plan{Units: units}, Options{Engine: NewLocal(1, s.execute)})
	if err == nil || err.Error() != "b/one: no" {
		t.Fatalf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b", "one")); err == nil {
		t.Error("a failed unit is in place")
	}
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
		t.Error("a run that failed has a manifest")
	}
	s.fail = ""
	s.run(t, dir, units, Options{})
	if got := read(t, filepath.Join(dir, "b", "one", "x")); got != "b+a+IN(resumed)" {
		t.Errorf("b/one is %q: it was not resumed", got)
	}
}

// TestKillBeforeRename: a folder that has its record but not its place is put there, not made again.
func TestKillBeforeRename(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "IN")
	units := chain(filepath.Join(dir, "in"), "b")
	var s shop
	s.run(t, dir, units, Options{})
	r, err := ReadRecord(filepath.Join(dir, "c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, workFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "c"), filepath.Join(dir, workFolder, r.Key[:32])); err != nil {
		t.Fatal(err)
	}
	want(t, s.run(t, dir, units, Options{}))
	if got := read(t, filepath.Join(dir, "c", "x")); !strings.HasPrefix(got, "c+b") {
		t.Errorf("c is %q", got)
	}
}

func TestBadPlans(t *testing.T) {
	out := []string{"x"}
	for name, units := range map[string][]Unit{
		"two":                 {{Name: "a", Outputs: out}, {Name: "a", Outputs: out}},
		"not a name":          {{Name: "../a", Outputs: out}},
		"no output":           {{Name: "a"}},
		"not an earlier unit": {{Name: "a", Outputs: out, Inputs: []Input{{Label: "b", Unit: "b"}}}, {Name: "b", Outputs: out}},
		"nothing to do":       {},
		"was not written":     {{Name: "a", Outputs: []string{"y"}, Steps: step("{out}/x", "")}},
		"no such file":        {{Name: "a", Outputs: out, Inputs: []Input{{Label: "b", Path: "nowhere"}}}},
		"not a name for a":    {{Name: "logs", Outputs: out}},
	} {
		var s shop
		err := Run(t.Context(), t.TempDir(), Plan{Units: units}, Options{Engine: NewLocal(0, s.execute)})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestFolderOfABank: a run leaves the folder of a bank as it is.
func TestFolderOfABank(t *testing.T) {
	dir := t.TempDir()
	units := []Unit{{Name: "a", Outputs: []string{"x"}, Steps: step("{out}/x", "a")}}
	var s shop
	write(t, filepath.Join(dir, "MANIFEST.sha256"), "")
	err := Run(t.Context(), dir, Plan{Units: units}, Options{Engine: NewLocal(0, s.execute)})
	if want := dir + ": holds MANIFEST.sha256, so it is a bank or a teacher: name a new folder"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v in the folder", left)
	}
}

// TestThreadsAreShared: threads are shared out and no more are used than there are.
func TestThreadsAreShared(t *testing.T) {
	var mutex sync.Mutex
	used, most := 0, 0
	execute := func(_ context.Context, j *Job, steps []Step, threads int) error {
		mutex.Lock()
		used += threads
		most = max(most, used)
		mutex.Unlock()
		err := os.WriteFile(j.path(steps[0].Args[0]), nil, 0o644)
		mutex.Lock()
		used -= threads
		mutex.Unlock()
		return err
	}
	var units []Unit
	for i := range 20 {
		units = append(units, Unit{Name: string(rune('a' + i)), Steps: step("{out}/x"), Outputs: []string{"x"}, Threads: i % 4})
	}
	if err := Run(t.Context(), t.TempDir(), Plan{Units: units}, Options{Engine: NewLocal(2, execute)}); err != nil {
		t.Fatal(err)
	}
	if most > 2 {
		t.Errorf("%d threads were used at once", most)
	}
}

// TestRecordCoversItself: a flipped bit in unit.json is found, or changes no field; the unit is made again. A record without
// a sum, as older versions wrote it, is read.
func TestRecordCoversItself(t *testing.T) {
	dir := t.TempDir()
	outside, run := filepath.Join(dir, "in"), filepath.Join(dir, "run")
	write(t, outside, "IN")
	var s shop
	s.run(t, run, chain(outside, "b"), Options{})
	path := filepath.Join(run, "a", RecordFile)
	whole := read(t, path)
	want, err := ReadRecord(filepath.Join(run, "a"))
	if err != nil {
		t.Fatal(err)
	}
	for bit := 0; bit < 8*len(whole); bit += 5 {
		text := []byte(whole)
		text[bit/8] ^= 1 << (bit % 8)
		write(t, path, string(text))
		got, err := ReadRecord(filepath.Join(run, "a"))
		if err != nil {
			continue
		}
		got.SHA256 = want.SHA256 // the damage may be in the line's name
		if !cmp.Equal(got, want) {
			t.Fatalf("bit %d is not found: %s", bit, text)
		}
	}
	write(t, path, strings.Replace(whole, `"stage": "a"`, `"stage": "b"`, 1))
	want2 := []string{"a"}
	if ran := s.run(t, run, chain(outside, "b"), Options{}); !slices.Equal(ran, want2) {
		t.Errorf("ran %v, want %v", ran, want2)
	}
	older := regexp.MustCompile(`,\s*"sha256": "[0-9a-f]*"\s*}\s*$`).ReplaceAllString(whole, "}")
	write(t, path, older)
	if r, err := ReadRecord(filepath.Join(run, "a")); err != nil || r.SHA256 != "" {
		t.Errorf("an older record: %v", err)
	}
}

// TestEarlierLogIsKept: a second attempt leaves the log of the first.
func TestEarlierLogIsKept(t *testing.T) {
	j := &Job{Unit: Unit{Name: "a"}, Dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Dir(j.Log()), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"before", "first", "second"} {
		log, err := j.newLog()
		if err != nil {
			t.Fatal(err)
		}
		log.WriteString(text)
		log.Close()
	}
	for path, want := range map[string]string{j.Log(): "second", j.Log() + ".1": "first"} {
		if got := read(t, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestLastLine: the error of a command names the unit, not the hidden folder in which it worked.
func TestLastLine(t *testing.T) {
	j := &Job{Unit: Unit{Name: "gate"}, Dir: t.TempDir(), Work: filepath.Join(workFolder, "0123abcd")}
	if err := os.MkdirAll(filepath.Dir(j.Log()), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, j.Log(), "$ likc teacher gate "+j.Work+"/teacher\nfigure  value\nlikc: "+j.Work+"/teacher: does not pass\n")
	if got, want := lastLine(j), "gate/teacher: does not pass (log: "+j.Log()+")"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
