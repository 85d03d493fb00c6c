package teacher

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/neural"
	"likc/search/study/bank"
	"likc/search/teach/train"
)

// stopped leaves the checkpoint of a plan in dir.
func stopped(t *testing.T, dir string, p Plan) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Make(ctx, dir, p, 1, func(train.Progress) { cancel() }); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
}

// noPath reports files of a finished teacher that hold the name of a folder of this machine.
func noPath(t *testing.T, dir, path string) {
	t.Helper()
	for _, name := range []string{neural.RecordFile, neural.WeightsFile, neural.ManifestFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || bytes.Contains(text, []byte(path)) {
			t.Errorf("%s holds %s, %v", name, path, err)
		}
	}
}

// TestResumeElsewhere: a bank given by a relative path is found again from another folder, and the teacher does not name it.
func TestResumeElsewhere(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	p := small(t, 3)
	b, err := bank.Make(context.Background(), p.Bank, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := bank.Write("trials", b); err != nil {
		t.Fatal(err)
	}
	p.Dir = "trials"
	stopped(t, "teacher", p)
	t.Chdir(t.TempDir())
	dir := filepath.Join(home, "teacher")
	if _, err := Resume(context.Background(), dir, 1, nil); err != nil {
		t.Fatal(err)
	}
	noPath(t, dir, home)
}

// TestLabelsByName: a lan's record names the teacher that it learned from by name and sum, not by folder, and resumes.
func TestLabelsByName(t *testing.T) {
	from, err := filepath.Abs(committed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan("lan", "ddm", 1)
	if err != nil {
		t.Fatal(err)
	}
	p.Bank.Subjects = 20
	p.Bank.SetTrials(5)
	if err := p.LearnFrom(committed); err != nil {
		t.Fatal(err)
	}
	if p.Settings, err = lanKind.Scale(p.Settings, 2); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "net")
	stopped(t, dir, p)
	t.Chdir(t.TempDir())
	record, err := Resume(context.Background(), dir, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := neural.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	if sums := record.Lineage(); len(sums) != 1 || sums[0] != teacher.Sum || !strings.Contains(string(record.Settings), `"labels":"spline"`) {
		t.Errorf("settings %s, learned from %v", record.Settings, sums)
	}
	noPath(t, dir, filepath.Dir(from))
}

// TestNothingToTrainOn leaves no folder, but one that was there.
func TestNothingToTrainOn(t *testing.T) {
	p := small(t, 1)
	p.Bank.Subjects = 1
	there := t.TempDir()
	for dir, stays := range map[string]bool{filepath.Join(there, "new"): false, there: true} {
		if _, err := Make(context.Background(), dir, p, 1, nil); err == nil {
			t.Fatal("trained on one subject")
		}
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
