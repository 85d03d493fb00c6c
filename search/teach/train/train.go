// Package train is the training loop of neural likelihoods: shuffled batches, Adam with a cosine schedule, early stopping, and
// checkpoints from which training continues to the same bits. Its report says in words what went wrong.
package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"likc/runtime/model/neural"
	"likc/search/teach/backprop"
)

// Learner is a network in training, with its data.
type Learner interface {
	Items() int         // number of training items
	Weights() []float32 // the network's weights, which training changes
	// Gradient overwrites grad with the gradient of the mean loss of a batch of items, and returns that loss. Random numbers come from
	// r. The result does not depend on the number of threads.
	Gradient(batch []int, r *rand.Rand, grad []float32) float64
	Validate() float64 // mean loss of the validation data
}

// Settings determine how one stage is trained.
type Settings struct {
	Epochs   int     `json:"epochs"`
	Batch    int     `json:"batch"`    // items in each batch
	Rate     float64 `json:"rate"`     // largest learning rate; it falls to zero along a cosine
	Patience int     `json:"patience"` // epochs without a lower validation loss after which training stops; 0: never
}

// Stage is one learner and its settings. Stages are trained one after the other.
type Stage struct {
	Name     string
	Settings Settings
	Learner  Learner
}

// Progress describes a running training. It is reported after every batch and every epoch.
type Progress struct {
	Stage             string
	Epoch, Epochs     int           // number of finished epochs, and of all epochs of the stage
	Share             float64       // finished share of the stage, 0 to 1
	Train, Validation float64       // losses of the last finished epoch; NaN before the first
	Left              time.Duration // estimated time until the stage ends; 0 if unknown
}

// ErrInterrupted says that the context ended. A checkpoint was written.
var ErrInterrupted = errors.New("interrupted")

// Run trains the stages in order, starting from the checkpoint save. Each stage ends with the weights of its lowest validation loss.
// The result does not depend on where a run was interrupted.
func Run(ctx context.Context, stages []Stage, seed uint64, save *Checkpoint, report func(Progress)) ([]neural.Stage, error) {
	for i := save.Stage; i < len(stages); i++ {
		r := newRun(i, stages[i], seed, save, report)
		if err := r.run(ctx); err != nil {
			return save.History, err
		}
		save.finish(stages[i].Learner.Weights())
	}
	for i, s := range stages {
		copy(s.Learner.Weights(), save.Finished[i])
	}
	return save.History, nil
}

// run is the stage under way.
type run struct {
	index  int // the stage's place among all stages, from 0
	stage  Stage
	seed   uint64
	save   *Checkpoint
	report func(Progress) // nil: no reports

	adam    *backprop.Adam
	grad    []float32     // the gradient of one batch
	history *neural.Stage // the losses of the finished epochs
	began   time.Time     // when this process began with the stage
	first   int           // the epoch at which this process began
}

func newRun(index int, s Stage, seed uint64, save *Checkpoint, report func(Progress)) *run {
	weights := s.Learner.Weights()
	r := &run{index: index, stage: s, seed: seed, save: save, report: report, began: time.Now()}
	r.adam, r.grad = backprop.NewAdam(len(weights)), make([]float32, len(weights))
	if save.Epoch > 0 {
		copy(weights, save.Weights)
		if err := r.adam.UnmarshalBinary(save.Adam); err != nil {
			panic(err) // impossible: the checkpoint's SHA-256 sum was right
		}
	}
	if len(save.History) == index {
		save.History = append(save.History, neural.Stage{Name: s.Name, BestLoss: neural.Loss(math.Inf(1))})
	}
	r.history, r.first = &save.History[index], save.Epoch
	return r
}

func (r *run) run(ctx context.Context) error {
	s := r.stage.Settings
	for epoch := r.save.Epoch; epoch < s.Epochs; epoch++ {
		if s.Patience > 0 && epoch-r.history.Best >= s.Patience {
			break
		}
		start := time.Now()
		loss, err := r.epoch(ctx, epoch)
		if err != nil {
			return errors.Join(err, r.save.write())
		}
		if err := r.record(epoch, loss, time.Since(start)); err != nil {
			return err
		}
	}
	copy(r.stage.Learner.Weights(), r.save.Best)
	return nil
}

// epoch trains on every item once, in random order, and returns the mean loss.
func (r *run) epoch(ctx context.Context, epoch int) (float64, error) {
	learner, s := r.stage.Learner, r.stage.Settings
	random := rand.New(rand.NewPCG(r.seed, uint64(r.index)<<32|uint64(epoch)))
	items := random.Perm(learner.Items())
	total, done := 0.0, 0
	for done < len(items) {
		if ctx.Err() != nil {
			return 0, ErrInterrupted
		}
		batch := items[done:min(done+s.Batch, len(items))]
		loss := learner.Gradient(batch, random, r.grad)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return 0, fmt.Errorf("%s: epoch %d: the training loss is %v: lower the learning rate, or look at the data", r.stage.Name, epoch+1, loss)
		}
		total += loss * float64(len(batch))
		r.adam.Step(learner.Weights(), r.grad, s.rate(float64(epoch)+float64(done)/float64(len(items))))
		done += len(batch)
		r.reportEpoch(epoch, float64(done)/float64(len(items)))
	}
	return total / float64(len(items)), nil
}

// warmUp is the number of epochs over which the learning rate rises to its largest value.
const warmUp = 0.5

// rate returns the learning rate after a number of epochs, which may be fractional.
func (s Settings) rate(epochs float64) float64 {
	if epochs < warmUp {
		return s.Rate * (epochs + 0.01) / (warmUp + 0.01)
	}
	return s.Rate / 2 * (1 + math.Cos(math.Pi*(epochs-warmUp)/(float64(s.Epochs)-warmUp)))
}

// record stores a finished epoch's losses and weights in the history and the checkpoint.
func (r *run) record(epoch int, loss float64, took time.Duration) error {
	h, validation := r.history, r.stage.Learner.Validate()
	if math.IsNaN(validation) || math.IsInf(validation, 0) {
		return fmt.Errorf("%s: epoch %d: the validation loss is %v", r.stage.Name, epoch+1, validation)
	}
	h.Train, h.Validation = append(h.Train, neural.Loss(loss)), append(h.Validation, neural.Loss(validation))
	h.Seconds += took.Seconds()
	weights := r.stage.Learner.Weights()
	if validation < float64(h.BestLoss) {
		h.BestLoss, h.Best = neural.Loss(validation), epoch
		r.save.Best = append(r.save.Best[:0], weights...)
	}
	adam, err := r.adam.MarshalBinary()
	if err != nil {
		return err
	}
	r.save.Epoch, r.save.Adam = epoch+1, adam
	r.save.Weights = append(r.save.Weights[:0], weights...)
	r.reportEpoch(epoch+1, 0)
	return r.save.writeIfDue()
}

// reportEpoch reports the progress of an epoch, of which `share` is done.
func (r *run) reportEpoch(epoch int, share float64) {
	if r.report == nil {
		return
	}
	p := Progress{Stage: r.stage.Name, Epoch: epoch, Epochs: r.stage.Settings.Epochs, Train: math.NaN(), Validation: math.NaN()}
	p.Share = (float64(epoch) + share) / float64(p.Epochs)
	if n := len(r.history.Train); n > 0 {
		p.Train, p.Validation = float64(r.history.Train[n-1]), float64(r.history.Validation[n-1])
	}
	if done := float64(epoch-r.first) + share; done > 0 {
		p.Left = time.Duration(float64(time.Since(r.began)) / done * (float64(p.Epochs-epoch) - share))
	}
	r.report(p)
}
