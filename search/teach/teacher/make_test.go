package teacher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"likc/runtime/model/neural"
	"likc/search/teach/spline"
	"likc/search/teach/train"
)

// small is a plan of a second or less.
func small(t *testing.T, epochs int) Plan {
	t.Helper()
	p, err := NewPlan("spline", "ddm", 3)
	if err != nil {
		t.Fatal(err)
	}
	p.Bank.Subjects = 400
	p.Bank.SetTrials(20)
	s := spline.Defaults()
	s.Hidden, s.Bins, s.Density.Epochs, s.Choice.Epochs = []int{24, 24}, 6, epochs, 5
	if p.Settings, err = json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	return p
}

func weights(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, neural.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestThreadsDoNotMatter(t *testing.T) {
	var all [][]byte
	for _, threads := range []int{1, 3} {
		dir := filepath.Join(t.TempDir(), "teacher")
		if _, err := Make(context.Background(), dir, small(t, 4), threads, nil); err != nil {
			t.Fatal(err)
		}
		manifest, err := os.ReadFile(filepath.Join(dir, neural.ManifestFile)) // the sums of all else
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, manifest)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Errorf("teachers differ between 1 and 3 threads:\n%s\n%s", all[0], all[1])
	}
}

// TestInterruptAndResume ends the context in every stage, in the middle of an epoch.
func TestInterruptAndResume(t *testing.T) {
	whole, broken := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	record, err := Make(context.Background(), whole, small(t, 6), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	stop := func(batches int) (context.Context, func(train.Progress)) {
		ctx, cancel := context.WithCancel(context.Background())
		left = batches
		return ctx, func(train.Progress) {
			if left--; left == 0 {
				cancel()
			}
		}
	}
	ctx, report := stop(1)
	_, err = Make(ctx, broken, small(t, 6), 2, report)
	for batches := 3; errors.Is(err, ErrInterrupted); batches += 4 {
		if _, err := neural.Open(broken); err == nil || !strings.Contains(err.Error(), "--resume") {
			t.Fatalf("an unfinished teacher opens with %v", err)
		}
		ctx, report = stop(batches)
		_, err = Resume(ctx, broken, 1, report)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights(t, whole), weights(t, broken)) {
		t.Error("the weights of an interrupted training differ")
	}
	again, err := neural.Open(broken)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range again.Stages {
		if len(h.Train) != len(record.Stages[i].Train) || h.BestLoss != record.Stages[i].BestLoss {
			t.Errorf("stage %s: losses %v, want %v", h.Name, h.Train, record.Stages[i].Train)
		}
	}
	if _, err := os.Stat(filepath.Join(broken, neural.CheckpointFile)); err == nil {
		t.Error("the checkpoint is still there")
	}
}

// TestKillAndResume kills a training in another process.
func TestKillAndResume(t *testing.T) {
	const key = "LIKC_TEACHER_TEST_DIR"
	if dir := os.Getenv(key); dir != "" {
		checkpointEvery = 0
		_, err := Make(context.Background(), dir, small(t, 300), 1, nil)
		t.Fatalf("trained before it was killed: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "teacher")
	child := exec.Command(os.Args[0], "-test.run=^TestKillAndResume$")
	child.Env = append(os.Environ(), key+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ { // waits until a checkpoint exists, and a little longer
		if _, err := os.Stat(filepath.Join(dir, neural.CheckpointFile)); err == nil {
			break
		}
		if k > 2000 {
			t.Fatal("no checkpoint in 20 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	child.Process.Kill()
	child.Wait()
	if _, err := Make(context.Background(), dir, small(t, 300), 1, nil); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Fatalf("training over a checkpoint gives %v", err)
	}
	if _, err := Resume(context.Background(), dir, 2, nil); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := Make(context.Background(), whole, small(t, 300), 2, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights(t, whole), weights(t, dir)) {
		t.Error("the weights of a killed training differ")
	}
}

func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Resume(context.Background(), dir, 1, nil); err == nil || !strings.Contains(err.Error(), "no checkpoint") {
		t.Errorf("an empty folder: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Make(ctx, dir, small(t, 4), 1, func(train.Progress) { cancel() })
	if !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	path := filepath.Join(dir, neural.CheckpointFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut": data[:len(data)-1], "empty": {}, "changed": append([]byte{data[0] ^ 1}, data[1:]...)} {
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(context.Background(), dir, 1, nil); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMakeRefusesForeignFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(context.Background(), dir, small(t, 1), 1, nil); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("got %v", err)
	}
}
