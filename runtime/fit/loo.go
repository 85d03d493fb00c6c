package fit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"likc/runtime/fit/loo"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// LOO is the part of summary.json with PSIS-LOO: how well the model predicts each trial from all other trials, summed over the
// trials.
type LOO struct {
	ELPD finite.Number `json:"elpd"`  // expected log density of new trials
	SE   finite.Number `json:"se"`    // standard error of ELPD
	P    finite.Number `json:"p"`     // effective number of parameters
	PSE  finite.Number `json:"p_se"`  // standard error of P
	MCSE finite.Number `json:"mcse"`  // Monte Carlo standard error of ELPD; null if KBad > 0
	KBad int           `json:"k_bad"` // number of trials whose Pareto k̂ exceeds KMax: their contributions to ELPD may be far off
	KMax finite.Number `json:"k_max"` // threshold of k̂, which depends on the number of draws
}

// WAIC is the part of summary.json with the widely applicable information criterion, on the scale of [LOO].
type WAIC struct {
	ELPD finite.Number `json:"elpd"`
	SE   finite.Number `json:"se"`
	P    finite.Number `json:"p"`
}

// Prediction is the part of summary.json that says how well the model predicts trials. If LOO is missing, Missing gives the reason.
type Prediction struct {
	LOO       *LOO   `json:"loo,omitempty"`
	WAIC      *WAIC  `json:"waic,omitempty"`
	Missing   string `json:"loo_missing,omitempty"`
	Responses string `json:"responses,omitempty"` // SHA-256 of the response times and choices, as the model codes them: see [ResponsesSum]
	Trials    string `json:"trials,omitempty"`    // SHA-256 of the response times and labels: see [TrialsSum]. Two fits can be compared if theirs are equal
}

// leaveOut computes PSIS-LOO and WAIC from the draws that all chains have. If this is impossible, the summary gives the reason,
// and the fit is not an error.
func (f *fitter) leaveOut(ctx context.Context, r *Result) {
	p := &r.Summary.Prediction
	if p.Missing = NotDensity(f.spec.Model, f.binder); p.Missing != "" {
		return
	}
	out, err := f.estimateLOO(ctx, r)
	switch {
	case ctx.Err() != nil:
		p.Missing = "interrupted"
	case err != nil:
		p.Missing = err.Error()
	default:
		r.LOO = out
		p.set(out)
		if text := p.LOO.Warning(r.Trials()); text != "" {
			r.Summary.Warnings = append(r.Summary.Warnings, text)
		}
	}
}

func (f *fitter) estimateLOO(ctx context.Context, r *Result) (*loo.Result, error) {
	trials := r.Study.Bound()
	if err := trials.CheckRows(); err != nil {
		return nil, err
	}
	d := r.Draws.Common()
	return loo.Estimate(ctx, trials, rowsOf(d), loo.Settings{Chains: len(d.Chains), Threads: f.threads})
}

// DensityBlock is the number of trials that LogDensities evaluates together.
const DensityBlock = 64

// LogDensities calls use with the log densities of DensityBlock trials at a time, in order. density[i][s] is the log density of
// trial first+i at draw s. The draws are those that all chains have, chain after chain. use must not keep density.
func (r *Result) LogDensities(ctx context.Context, use func(first int, density [][]float64) error) error {
	trials, theta := r.Study.Bound(), rowsOf(r.Draws.Common())
	density := make([][]float64, DensityBlock)
	for i := range density {
		density[i] = make([]float64, len(theta))
	}
	for first := 0; first < trials.N(); first += DensityBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		block := density[:min(DensityBlock, trials.N()-first)]
		trials.LogDensity(block, theta, first)
		if err := use(first, block); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns the parameters of each draw, chain after chain.
func rowsOf(d *chains.Draws) [][]float64 {
	rows := make([][]float64, 0, len(d.Chains)*d.Len())
	for c := range d.Chains {
		for k := range d.Len() {
			row := make([]float64, len(d.Names))
			for j, column := range d.Chains[c].Params {
				row[j] = column[k]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// NotDensity returns why a model's value for a trial is not a log density; "" if it is one, so that the model integrates to 1. A
// model with more trial columns than a response time cannot be integrated; if it is an expression, it counts as no density.
func NotDensity(m *catalog.Model, b *bound.Prepared) string {
	if _, ok := m.Expression(); !ok || m.Normalise {
		return ""
	}
	masses, ok := b.Masses()
	switch {
	case ok && masses.Normalised(), !ok && m.Origin.Kind != catalog.Formula:
		return ""
	case ok:
		return fmt.Sprintf("%s is no density, so what it says of a new trial is not a log density: it %s", m.Name, masses.Fault())
	}
	return m.Name + " is an expression that stands in for a density: what it says of a new trial is not a log density"
}

func (p *Prediction) set(r *loo.Result) {
	p.LOO = &LOO{ELPD: finite.Number(r.ELPD.Value), SE: finite.Number(r.ELPD.SE), P: finite.Number(r.P.Value), PSE: finite.Number(r.P.SE),
		MCSE: finite.Number(r.MCSE), KBad: len(r.Exceed()), KMax: finite.Number(loo.Threshold(r.Draws))}
	p.WAIC = &WAIC{ELPD: finite.Number(r.WAIC.Value), SE: finite.Number(r.WAIC.SE), P: finite.Number(r.PWAIC.Value)}
}

// Warning states for how many of n trials PSIS-LOO cannot be trusted; "" for none.
func (l *LOO) Warning(n int) string {
	if l == nil || l.KBad == 0 {
		return ""
	}
	means := "their elpd may be far off. The model may not fit them"
	if l.Few(n) {
		means = "elpd is uncertain there. So few matter only where a comparison is close"
	}
	return fmt.Sprintf("PSIS-LOO: the Pareto k̂ of %d of %d trials exceeds %.2g: %s. loo.csv names them; docs/how-to/warnings.md says what to do.",
		l.KBad, n, float64(l.KMax), means)
}

// Few reports whether PSIS-LOO cannot be trusted for so few of n trials, 1 of 100 at most, that a model which predicts the data may be right.
func (l *LOO) Few(n int) bool { return 100*l.KBad <= n }

// SameTrials reports whether two fits predict the same trials. If one of them does not record the file's labels, because an older
// version made it, the choices of both must have the same codes.
func (p *Prediction) SameTrials(other *Prediction) bool {
	if p.Trials != "" && other.Trials != "" {
		return p.Trials == other.Trials
	}
	return p.Responses == other.Responses
}

// setTrials records the hashes of the fit's trials.
func (p *Prediction) setTrials(m *catalog.Model, s *Subject) {
	p.Responses, p.Trials = ResponsesSum(m, s), TrialsSum(m, s)
}

// TrialsSum returns the SHA-256 of the response times and of the responses as the file writes them, in their order. It does not
// depend on the codes of choices, so it is the same for every model of the same responses. It is "" if the labels are unknown.
func TrialsSum(m *catalog.Model, s *Subject) string {
	if s.Choice != nil && s.Labels == nil && m.Choice != "" {
		return ""
	}
	h := sha256.New()
	addTimes(h, m, s)
	for i := range s.Labels.Len() {
		label := s.Labels.At(i)
		if s.Choice[i] == trials.Omitted {
			label = "\x00omitted" // no label in a file can contain this character
		}
		fmt.Fprintf(h, "%d %s", len(label), label)
	}
	if s.Labels == nil {
		addColumn(h, s.Choice) // omissions of a model without choice
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ResponsesSum returns the SHA-256 of the response times and the model's codes of the choices, in their order.
func ResponsesSum(m *catalog.Model, s *Subject) string {
	h := sha256.New()
	addTimes(h, m, s)
	addColumn(h, s.Choice)
	return hex.EncodeToString(h.Sum(nil))
}

// addTimes adds the response times to a hash; for a model without them, all columns.
func addTimes(h hash.Hash, m *catalog.Model, s *Subject) {
	if j := m.TimeColumn(); j >= 0 {
		addColumn(h, s.Columns[j])
		return
	}
	for _, c := range s.Columns {
		addColumn(h, c)
	}
}

func addColumn(h hash.Hash, x []float64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], uint64(len(x)))
	h.Write(word[:])
	for _, v := range x {
		binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
		h.Write(word[:])
	}
}
