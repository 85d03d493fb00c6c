// Package gate decides whether a neural likelihood may be used as a teacher. On subjects that were not used for training, its
// densities must be calibrated, predict the trials, integrate to one and recover the parameters (the paper, "The neural likelihood:
// architecture, gate, and checks").
//
// All figures are computed from the density, integrated over a grid of response times for each subject. So every kind of teacher is
// measured in the same way, and so is the exact density.
package gate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
)

// Density computes log densities of trials. theta[i] holds the parameters of trial i, rt is in seconds, choice is one of the
// process's choices.
type Density interface {
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Subject is a teacher under examination.
type Subject struct {
	Density
	Bind  func(rt, choice []float64) (kernel.Sum, error) // returns the log likelihood of trials; nil: recovery is not run
	Model *ssm.Model
	Sum   string // SHA-256 of the teacher's weights

	Lineage []string // SHA-256 of the weights of each teacher that this one learned from
}

// Settings are the sizes of an examination.
type Settings struct {
	Seed           uint64 `json:"seed" flag:"seed" help:"seed of the teacher's draws"`
	Draws          int    `json:"draws"` // draws from the teacher for each subject, compared with the subject's trials
	Recovery       int    `json:"recovery" flag:"recovery" in:"[0,16777216]" help:"subjects whose parameters are estimated; 0: none"`
	RecoveryTrials int    `json:"recovery_trials"` // the most trials used to estimate one subject's parameters
	Crossed        int    `json:"crossed" flag:"crossed" in:"[3,16777216]" help:"trials a subject on which log densities are compared"`
	Uncrossed      bool   `json:"uncrossed" flag:"uncrossed" help:"there is no independently trained network: admit without a cross-check, and say so"`
	Threads        int    `json:"-" flag:"threads" in:"[1,4096]" help:"threads; any number gives the same report"`
}

// DefaultSettings returns the settings that an examination needs to admit a teacher.
func DefaultSettings() Settings {
	return Settings{Seed: 1, Draws: 1000, Recovery: 24, RecoveryTrials: 300, Crossed: 100, Threads: 1}
}

// These are the thresholds of the figures: Most… are upper limits and Least… are lower limits. The first two are the paper's; it gives
// none for the others.
const (
	MostECE          = 0.10 // expected calibration error of the response times given the choice
	MostKS           = 0.15 // Kolmogorov–Smirnov distance of the teacher's draws from the trials, median over subjects
	MostChoiceError  = 0.05 // mean absolute error of the predicted probability of a choice
	LeastChoiceR     = 0.95 // correlation over subjects of predicted and observed shares of a choice
	LeastRecoveryR   = 0.85 // correlation of a parameter's estimates with its true values
	LeastCrossR      = 0.95 // correlation of log densities with those of an independently trained network
	MostMassError    = 0.02 // |total probability of all trials - 1|, median over subjects
	MostMassErrorAny = 0.15 // |total probability of all trials - 1|, the worst subject
	MostMassBelow    = 0.02 // probability of responses before the non-decision time, the worst subject
)

// Examination is a report and the data that its plots show.
type Examination struct {
	Report
	PIT      []float64   // probability integral transforms of all trials
	Profiles []Predicted // the first nine subjects

	params  []string // names of the model's parameters
	choices int      // number of the model's choices
}

// Predicted holds one subject's trials and the teacher's draws for the same parameters.
type Predicted struct {
	Theta          []float64
	RT, Choice     []float64 // the subject's trials; times are in seconds
	DrawRT, DrawOf []float64 // the teacher's draws: response times in seconds, and their choices
}

// Examine measures a teacher on the bank's subjects. network is an independently trained network, whose densities are compared with
// the teacher's; nil if there is none.
func Examine(ctx context.Context, s Subject, b *bank.Bank, network *Network, settings Settings) (*Examination, error) {
	if err := check(s, b, network, settings); err != nil {
		return nil, err
	}
	e := &Examination{Report: newReport(s, b, network, settings), choices: len(s.Model.Choices)}
	for _, p := range s.Model.Params {
		e.params = append(e.params, p.Name)
	}
	m := &measures{}
	for i := range b.Subjects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(b.Subjects[i].RT) == 0 {
			continue
		}
		p := m.measure(s, &b.Subjects[i], settings)
		if len(e.Profiles) < 9 {
			e.Profiles = append(e.Profiles, p)
		}
	}
	e.PIT = m.pit
	e.Figures = m.figures()
	cross, err := crossCheck(s, b, network, settings)
	if err != nil {
		return nil, err
	}
	e.Figures = append(e.Figures, cross...)
	recovered, err := recovery(ctx, s, b, settings)
	if err != nil {
		return nil, err
	}
	e.Figures = append(e.Figures, recovered...)
	e.Figures = append(e.Figures, exactFigures(s, b, settings)...)
	e.Pass, e.Lacks = len(e.Failed()) == 0, e.lacking(s.Model)
	return e, nil
}

func newReport(s Subject, b *bank.Bank, network *Network, settings Settings) Report {
	r := Report{
		Format: format, Model: s.Model.Name, Teacher: s.Sum, Bank: corpus.Hash(b), Role: b.Settings.Role,
		Subjects: len(b.Subjects), Trials: b.Settings.Trials, Settings: settings, Weak: s.Model.Weak,
	}
	if network != nil {
		r.Network = &network.NetworkUsed
	}
	return r
}

// check refuses a bank or a network with which the teacher must not be examined.
func check(s Subject, b *bank.Bank, network *Network, settings Settings) error {
	if err := b.Settings.CheckModel("gate", s.Model.Name, s.Model.Text); err != nil {
		return err
	}
	if b.Settings.Role == "teacher-train" || b.Settings.UpperOnly {
		return fmt.Errorf("gate: the bank's role is %s: want subjects that trained nothing, with trials of all choices", b.Settings.Role)
	}
	if b.Settings.Role == heldOut {
		return fmt.Errorf("gate: the bank's role is %s, which is kept for the last check: examine on %s", heldOut, Role)
	}
	if network == nil {
		return nil
	}
	if settings.Uncrossed {
		return errors.New("gate: a network to cross-check with, and the word that there is none")
	}
	if kin := network.kin(s); kin != "" {
		return fmt.Errorf("gate: %s %s: want an independently trained network", network.File, kin)
	}
	if network.Model != s.Model.Name {
		return fmt.Errorf("gate: the network to cross-check with is of model %s, the teacher of %s", network.Model, s.Model.Name)
	}
	return nil
}

// measures collects, subject by subject, the numbers that the figures are computed from.
type measures struct {
	pit                  []float64 // probability integral transform of each trial
	subjectECE, ks       []float64 // calibration error and Kolmogorov–Smirnov distance of each subject
	predicted, observed  []float64 // for each subject, the probability and the share of the upper boundary, or of each numbered choice
	trials, chosen       []int     // beside predicted: the subject's number of trials, and of trials with that choice
	massError, massEarly []float64 // for each subject, |total mass - 1| and the mass before the non-decision time
}

// measure computes one subject's numbers, appends them to m, and returns the subject's trials beside the teacher's draws.
func (m *measures) measure(s Subject, subject *bank.Subject, settings Settings) Predicted {
	p := newProfile(s.Density, s.Model.Choices, subject.Theta, s.Model.Earliest(subject.Theta))
	var pit []float64
	chosen := make([]int, len(s.Model.Choices))
	for i, rt := range subject.RT {
		pit = append(pit, p.pit(rt, subject.Choice[i]))
		chosen[slices.Index(s.Model.Choices, subject.Choice[i])]++
	}
	rt, choice := p.draws(ssm.NewRand(settings.Seed, uint64(subject.ID)), settings.Draws)
	m.pit = append(m.pit, pit...)
	m.subjectECE = append(m.subjectECE, calibrationError(pit))
	m.ks = append(m.ks, statistic.KolmogorovSmirnov(statistic.Signed(rt, choice), statistic.Signed(subject.RT, subject.Choice)))
	if !s.Model.Numbered() {
		chosen = chosen[:1] // the upper boundary is enough: the lower one has the other trials
	}
	for k, n := range chosen {
		m.predicted = append(m.predicted, p.probability(k))
		m.observed = append(m.observed, float64(n)/float64(len(pit)))
		m.trials, m.chosen = append(m.trials, len(pit)), append(m.chosen, n)
	}
	m.massError = append(m.massError, math.Abs(p.total()-1))
	m.massEarly = append(m.massEarly, p.below)
	return Predicted{Theta: subject.Theta, RT: subject.RT, Choice: subject.Choice, DrawRT: rt, DrawOf: choice}
}

// draws returns n independent draws from the density, by the inverse of its distribution function.
func (p *profile) draws(r *rand.Rand, n int) (rt, choice []float64) {
	rt, choice = make([]float64, n), make([]float64, n)
	for i := range rt {
		choice[i] = p.choices[len(p.choices)-1]
		u := r.Float64()
		for k, c := range p.choices {
			if u < p.probability(k) {
				choice[i] = c
				break
			}
			u -= p.probability(k)
		}
		rt[i] = p.quantile(r.Float64(), choice[i])
	}
	return rt, choice
}

// figures returns the figures that follow from the collected numbers.
func (m *measures) figures() []Figure {
	worst := func(x []float64) float64 { // the largest value; NaN if any value is NaN
		most := 0.0
		for _, v := range x {
			most = math.Max(most, v)
		}
		return most
	}
	mean := func(x []float64) float64 { return absoluteError(x, make([]float64, len(x))) }
	return []Figure{
		below("ece", calibrationError(m.pit), MostECE, "calibration of the response times given the choice, all subjects together: mean |empirical - nominal| of the probability integral transform at ten levels"),
		below("ece_subject", mean(m.subjectECE), MostECE, "the same for each subject, mean over subjects"),
		below("predictive_ks", statistic.Median(m.ks), MostKS, "Kolmogorov-Smirnov distance of the teacher's draws from the subject's trials, signed by choice, median over subjects (noise alone: .037 at 1,000 against 1,000)"),
		below("choice_mae", choiceError(m.predicted, m.trials, m.chosen), MostChoiceError, "mean |share of a choice - predicted probability| over ten bins of the probability; of two boundaries, the upper one"),
		above("choice_r", statistic.Correlation(m.predicted, m.observed), LeastChoiceR, "correlation over subjects of predicted probability and share of trials, likewise"),
		below("mass_median", statistic.Median(m.massError), MostMassError, "|total mass of all choices - 1|, median over subjects"),
		below("mass_worst", worst(m.massError), MostMassErrorAny, "the same, at the worst"),
		below("mass_below_t", worst(m.massEarly), MostMassBelow, "mass before the non-decision time, at the worst"),
	}
}
