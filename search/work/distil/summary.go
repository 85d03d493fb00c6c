package distil

import (
	"context"
	"fmt"
	"io"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/runtime/sys/version"
	"likc/search/find/dictionary"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/judge"
	"likc/search/work/report"
)

// Summary is the result of a distillation.
type Summary struct {
	Model       string          `json:"model"`
	Target      string          `json:"target"`    // density to which formulas are compared: exact, numerical or a teacher's
	Reference   string          `json:"reference"` // name of the judge's reference model
	Honest      honesty.Verdict `json:"honest"`    // verdict on subjects that were not used to choose; null if nothing was judged
	Formula     string          `json:"formula"`
	Size        int             `json:"size"`                    // nodes of the expression
	SizeShared  int             `json:"size_shared"`             // nodes of the expression if equal parts count once
	KLMedian    finite.Number   `json:"kl_median"`               // median divergence in nats a trial, over fresh parameter vectors
	KLMean      finite.Number   `json:"kl_mean"`                 // mean of the same divergences
	KL95        finite.Number   `json:"kl_95"`                   // 95 % quantile of the same divergences
	KS          finite.Number   `json:"ks"`                      // largest difference of a choice's probability before a time, median over fresh parameter vectors; null if only trials are known
	Undecided   int             `json:"undecided_for,omitempty"` // number of subjects that would decide, if the figures did not change
	Subjects    int             `json:"subjects"`                // number of subjects on which the formula was judged; 0: it was not judged
	Trials      int             `json:"trials"`
	Seed        uint64          `json:"seed"`
	Expressions int             `json:"expressions"`                     // number of expressions of the front
	Late        bool            `json:"late"`                            // whether --time ended the search
	Seconds     float64         `json:"cpu_seconds"`                     // processor time of the search
	Judging     float64         `json:"judge_cpu_seconds"`               // processor time of judging
	Proposal    string          `json:"reference_proposal,omitempty"`    // formula whose draws were reweighted to give the reference's posterior; "": the reference was fitted itself
	Refitted    int             `json:"reference_refitted,omitempty"`    // number of subjects to which the reference was fitted itself, because the weights could not be trusted
	Alone       int             `json:"reference_failed,omitempty"`      // number of subjects to which the reference could not be fitted, or for which it was given up
	Also        []Also          `json:"also,omitempty"`                  // verdicts with other numbers of trials
	Gradient    float64         `json:"gradient_us,omitempty"`           // processor time of the formula's log density with its gradient, for Trials trials, in microseconds; 0 if it was not measured
	Other       float64         `json:"reference_gradient_us,omitempty"` // the same of the reference
	Params      []judge.Param   `json:"params,omitempty"`                // each parameter's part of the final verdict
}

// Also is a verdict on the chosen formula with another number of trials.
type Also struct {
	Trials int             `json:"trials"`
	Honest honesty.Verdict `json:"honest"`
}

// write writes the formula, the summary and the report.
func (r *run) write(ctx context.Context, c *chosen) (*Summary, error) {
	l := &r.lines[c.line]
	s := &Summary{Model: r.model.Name, Target: r.target.kind, Reference: r.model.Name, Honest: honesty.Undecided, Formula: l.Expr,
		Size: l.Size, SizeShared: len(expr.Order(c.model.LogLik)), KLMedian: l.Terms[medianTerm], KLMean: l.Terms[meanTerm], KL95: l.Terms[worstTerm], KS: l.Terms[differenceTerm],
		Seed: r.Seed, Expressions: len(r.lines), Late: r.record.Late, Seconds: r.record.Seconds, Judging: c.spent}
	if c.final != nil {
		s.Honest, s.Subjects, s.Trials, s.Params = c.final.Honest, c.final.Subjects, c.final.Trials, c.final.Params
		s.Proposal, s.Refitted, s.Alone, s.Undecided = c.final.Proposal, c.final.Refitted, c.final.Alone, c.final.UndecidedFor
	}
	for _, v := range c.also {
		s.Also = append(s.Also, Also{v.Trials, v.Honest})
	}
	m := *c.model
	m.Name = r.model.Name + "_distilled"
	if err := store.WriteFile(r.path(FormulaFile), func(w io.Writer) error { return writeFormula(w, s, &m) }); err != nil {
		return nil, err
	}
	carried, err := dictionary.Carried(ctx, r.target.header, r.target.Density, r.settings(), m.LogLik)
	if err != nil {
		return nil, err
	}
	if s.Gradient, s.Other, err = r.speed(ctx, &m); ctx.Err() != nil {
		return nil, err
	}
	if err := store.WriteFile(r.path(ReportFile), func(w io.Writer) error { return report.WriteDistilled(w, r.page(s, &m, c, carried)) }); err != nil {
		return nil, err
	}
	return s, writeJSON(r.path(SummaryFile), s)
}

// writeFormula writes a comment with the formula's figures, and below it the formula as a model.
func writeFormula(w io.Writer, s *Summary, m *expr.Model) error {
	_, err := fmt.Fprintf(w, "// A formula in place of the density of %s, written by likc distil (seed %d): less the log of its integral, it is\n// %s. %s\n",
		s.Model, s.Seed, s.Distance(), s.Verdict())
	if err != nil {
		return err
	}
	return catalog.WriteModel(w, m)
}

// Distance says how near the formula is to the density that it replaces.
func (s *Summary) Distance() string {
	return fmt.Sprintf("%.2g nats a trial %s in the median over the ranges, and %.2g in the mean", float64(s.KLMedian), s.from(), float64(s.KLMean))
}

// from names the density from which the distances are measured, with the preposition.
func (s *Summary) from() string {
	switch s.Target {
	case teacherTarget:
		return "from the teacher's density"
	case numericalTarget:
		return "from the numerical density"
	case trialsTarget:
		return "farther from simulated trials than the nearest formula"
	}
	return "from the exact density"
}

// Verdict says in a few sentences whether the formula is honest, and whether the search for it was done.
func (s *Summary) Verdict() string {
	if s.Late {
		return s.honesty() + " --time ended the search before it was done: more time may find a nearer one."
	}
	return s.honesty()
}

// honesty says whether the formula is honest.
func (s *Summary) honesty() string {
	if s.Subjects == 0 {
		if s.Target == trialsTarget {
			return "Whether it is honest was not judged: there is no density to judge it beside."
		}
		return "Whether it is honest was not judged."
	}
	on := fmt.Sprintf("on %s of %d trials, beside %s", notation.Count(s.Subjects, "fresh subject"), s.Trials, s.Reference)
	verdict := "Whether it is honest is undecided " + on + "."
	if s.Undecided > 0 {
		verdict += fmt.Sprintf(" With the same figures, %d subjects would decide.", s.Undecided)
	}
	switch s.Honest {
	case honesty.Honest:
		verdict = "It is honest " + on + "."
	case honesty.NotHonest:
		verdict = "It is not honest " + on + ", and no other formula that was judged is."
	}
	if s.Alone > 0 {
		verdict += fmt.Sprintf(" To %d of them %s could not be fitted: its errors count as 0 there, against the formula.", s.Alone, s.Reference)
	}
	for _, a := range s.Also {
		verdict += fmt.Sprintf(" With %d trials: %s.", a.Trials, a.Honest)
	}
	return verdict
}

// page returns the data for the report.
func (r *run) page(s *Summary, m *expr.Model, c *chosen, carried []dictionary.Score) *report.Distilled {
	p := &report.Distilled{Process: r.model, From: s.from(), Drawn: s.Target == trialsTarget, Formula: m, Verdict: s.Verdict(), Honest: s.Honest, Distance: report.Distance{Median: s.KLMedian, Mean: s.KLMean}, Worst: s.KL95,
		Apart: s.KS, Size: s.Size, Shared: s.SizeShared, Seed: s.Seed, Seconds: s.Seconds, Judging: s.Judging, Gradient: s.Gradient, Other: s.Other, Trials: r.Trials, Latest: bank.Latest, Draws: [2]int{study.LeastOfFormula, study.LeastOfReference}, Once: r.libraries[0].Shared, Version: version.Get().Version,
		Final: c.final, Also: c.also}
	for _, x := range carried {
		p.Carried = append(p.Carried, report.Distance{Median: finite.Number(x.Median), Mean: finite.Number(x.Mean)})
	}
	for _, l := range r.lines {
		p.Front = append(p.Front, report.DistilledLine{Line: l, Shared: int(l.Terms[sharedTerm]), Distance: report.Distance{Median: l.Terms[medianTerm], Mean: l.Terms[meanTerm]}})
	}
	for _, one := range r.shown {
		p.Front[one.line].Verdict = one.verdict
	}
	p.Front[c.line].Chosen = true
	return p
}
