package teacher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"likc/runtime/model/neural"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// checkpointEvery is the time between two checkpoints.
var checkpointEvery = 5 * time.Second

// ErrInterrupted says that training was interrupted and can be resumed.
var ErrInterrupted = train.ErrInterrupted

// Make trains a teacher and writes it into the folder dir, which it makes if needed; it replaces an earlier teacher there. If Make
// was stopped, even by force, Resume continues it. The weights depend neither on the number of threads nor on interruptions.
func Make(ctx context.Context, dir string, p Plan, threads int, report func(train.Progress)) (made *neural.Record, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				os.Remove(dir) // removes dir only if it is empty
			}
		}()
	}
	if err := prepare(dir); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	b, err := p.bank(ctx, threads)
	if err != nil {
		return nil, err
	}
	p.Bank, p.Sum = b.Settings, corpus.Hash(b)
	if err := p.absolute(); err != nil {
		return nil, err
	}
	plan, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return run(ctx, dir, p, b, train.NewCheckpoint("", plan), threads, report)
}

// Resume continues the training of a stopped Make in the folder dir.
func Resume(ctx context.Context, dir string, threads int, report func(train.Progress)) (*neural.Record, error) {
	file := filepath.Join(dir, neural.CheckpointFile)
	save, err := train.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	var p Plan
	if err := json.Unmarshal(save.Plan, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b, err := p.bank(ctx, threads)
	if err != nil {
		return nil, err
	}
	if sum := corpus.Hash(b); sum != p.Sum {
		return nil, fmt.Errorf("%s: the bank's SHA-256 sum is %s now, and was %s: train again from the start", file, sum, p.Sum)
	}
	return run(ctx, dir, p, b, save, threads, report)
}

// bank simulates the plan's bank, or reads it from the plan's folder.
func (p *Plan) bank(ctx context.Context, threads int) (*bank.Bank, error) {
	if p.Dir == "" {
		b, err := bank.Make(ctx, p.Bank, threads)
		if errors.Is(err, context.Canceled) {
			return nil, errors.New("interrupted while simulating: nothing is trained yet; give the same command again")
		}
		return b, err
	}
	b, err := bank.Open(p.Dir)
	if err == nil {
		err = b.Settings.CheckModel(p.Dir, p.Model, p.Bank.Text)
	}
	if err == nil && b.Settings.Role != "teacher-train" {
		err = fmt.Errorf("%s: the bank's role is %s: only teacher-train may train a teacher", p.Dir, b.Settings.Role)
	}
	return b, err
}

func run(ctx context.Context, dir string, p Plan, b *bank.Bank, save *train.Checkpoint, threads int, report func(train.Progress)) (*neural.Record, error) {
	kind, err := KindNamed(p.Kind)
	if err != nil {
		return nil, err
	}
	c, err := corpus.New(b)
	if err != nil {
		return nil, err
	}
	trainer, err := kind.Train(c, &p, threads)
	if err != nil {
		return nil, err
	}
	save.Keep(filepath.Join(dir, neural.CheckpointFile), checkpointEvery)
	history, err := train.Run(ctx, trainer.Stages(), p.Seed, save, report)
	if err != nil {
		return nil, err
	}
	record, err := p.record(b, trainer.Stages(), history)
	if err != nil {
		return nil, err
	}
	if err := write(dir, record, trainer); err != nil {
		return nil, err
	}
	return record, nil
}

func (p *Plan) record(b *bank.Bank, stages []train.Stage, history []neural.Stage) (*neural.Record, error) {
	settings, err := json.Marshal(p.Bank)
	if err != nil {
		return nil, err
	}
	r := &neural.Record{
		Format: neural.Format, Kind: p.Kind, Model: p.Model, Text: p.Bank.Text, Seed: p.Seed, Settings: p.Settings,
		Banks:     []neural.Bank{{Settings: settings, Sum: p.Sum, Kept: b.Counts.Kept}},
		Simulated: b.Counts.Kept + b.Counts.Dropped, Stages: history, Report: []string{},
	}
	for i, h := range history {
		r.Seconds += h.Seconds
		r.Report = append(r.Report, train.Report(h, stages[i].Settings.Epochs)...)
	}
	return r, nil
}

// write replaces the files in dir by the new teacher's, and then removes the checkpoint.
func write(dir string, r *neural.Record, t Trainer) error {
	text, err := r.Encode()
	if err != nil {
		return err
	}
	weights, err := t.MarshalBinary()
	if err != nil {
		return err
	}
	files := map[string][]byte{neural.RecordFile: text, neural.WeightsFile: weights, neural.GateFile: nil} // nil removes an earlier teacher's report
	if err := neural.Members.Update(dir, files); err != nil {
		return err
	}
	checkpoint := filepath.Join(dir, neural.CheckpointFile)
	if err := os.Remove(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", checkpoint, store.Cause(err))
	}
	return nil
}

// Examined writes the report of a teacher's examination into its folder, and updates the manifest.
func Examined(dir string, report []byte) error {
	if _, err := neural.Open(dir); err != nil {
		return err
	}
	return neural.Members.Update(dir, map[string][]byte{neural.GateFile: report})
}

// prepare makes the folder dir. It refuses a folder with an unfinished training or with files that are no teacher's.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == neural.CheckpointFile {
			return fmt.Errorf("holds an unfinished training: go on with --resume, or remove %s", neural.CheckpointFile)
		}
		if !neural.Members.Holds(e.Name()) {
			return fmt.Errorf("holds %s, which is not a teacher's: name a new folder", e.Name())
		}
	}
	return nil
}
