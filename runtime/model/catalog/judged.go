package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/testdata"
)

// Judged is the result of likc judge for a model, on simulated subjects that were not used to choose it. Of the verdicts that find
// the model honest, or, if none does, of all verdicts, it is the one with the most trials per subject.
type Judged struct {
	Model        string          `json:"model"`
	Bank         string          `json:"bank"`                    // the name of the bank, the stored set of simulated subjects
	Subjects     int             `json:"subjects"`                // the number of simulated subjects
	Fitted       int             `json:"fitted"`                  // the number of subjects that were fitted
	Trials       int             `json:"trials"`                  // the largest number of trials of a subject; 0 if the verdict does not say
	Pass         bool            `json:"pass"`                    // whether estimates rank the subjects by every parameter
	Honest       honesty.Verdict `json:"honest"`                  // whether errors are about as small as the reference's, and intervals contain the truth about as often as they should
	UndecidedFor int             `json:"undecided_for,omitempty"` // the number of subjects that would show whether the model is honest; 0 if that is known
	Reference    string          `json:"reference"`               // the model that errors are compared with
	Params       []JudgedParam   `json:"params"`
	At           []JudgedAt      `json:"at"` // all verdicts, by number of trials

	older bool // whether an older version made the verdict, without sampling errors
}

// JudgedParam is the result for one parameter.
type JudgedParam struct {
	Name          string         `json:"name"`
	R             finite.Number  `json:"r"`                          // correlation of estimates with the truth
	Covered90     finite.Number  `json:"covered_90"`                 // share of 90 % intervals that contain the truth
	RMSERatio     finite.Number  `json:"rmse_ratio"`                 // root mean squared error divided by the reference's
	CoveredBounds honesty.Bounds `json:"covered_90_bounds,omitzero"` // bounds of Covered90 that allow for sampling errors
	RatioBounds   honesty.Bounds `json:"rmse_ratio_bounds,omitzero"` // bounds of RMSERatio that allow for sampling errors
}

// JudgedAt is the verdict for one number of trials per subject.
type JudgedAt struct {
	Trials       int             `json:"trials"`
	Subjects     int             `json:"subjects"`
	Honest       honesty.Verdict `json:"honest"`
	UndecidedFor int             `json:"undecided_for,omitempty"`
}

// judged reads the verdicts that are part of the program.
var judged = sync.OnceValue(func() map[string]*Judged {
	verdicts := map[string][]*Judged{}
	for line := range bytes.Lines(testdata.Verdicts()) {
		j := &Judged{}
		if err := json.Unmarshal(line, j); err != nil {
			panic("catalog: the verdicts that come with the program: " + err.Error())
		}
		j.settle()
		verdicts[j.Model] = append(verdicts[j.Model], j)
	}
	all := map[string]*Judged{}
	for model, list := range verdicts {
		all[model] = combine(list)
	}
	return all
})

// settle recomputes whether the model is honest. An older version recorded no sampling error of ratios, so its verdict can only be
// "no", if coverage is too low, or "undecided".
func (j *Judged) settle() {
	var params []honesty.Figures
	for i := range j.Params {
		p := &j.Params[i]
		if p.CoveredBounds == (honesty.Bounds{}) {
			p.CoveredBounds = honesty.Coverage(math.Round(float64(p.Covered90)*float64(j.Fitted)), j.Fitted)
			p.RatioBounds = honesty.Bounds{finite.Number(math.NaN()), finite.Number(math.NaN())}
			j.older = true
		}
		params = append(params, honesty.Figures{Covered: float64(p.Covered90), Ratio: float64(p.RMSERatio), CoveredBounds: p.CoveredBounds, RatioBounds: p.RatioBounds})
	}
	j.Honest, j.UndecidedFor = honesty.Of(params, j.Fitted)
}

// combine joins all verdicts on a model. If two verdicts have the same number of trials, one without sampling errors does not count.
func combine(all []*Judged) *Judged {
	list := slices.DeleteFunc(slices.Clone(all), func(j *Judged) bool {
		return j.older && slices.ContainsFunc(all, func(o *Judged) bool { return !o.older && o.Trials == j.Trials })
	})
	slices.SortStableFunc(list, func(a, b *Judged) int { return cmp.Compare(a.Trials, b.Trials) })
	best := list[len(list)-1]
	for _, j := range list {
		if j.Honest == honesty.Honest {
			best = j
		}
	}
	for _, j := range list {
		best.At = append(best.At, JudgedAt{j.Trials, j.Subjects, j.Honest, j.UndecidedFor})
	}
	return best
}

// Judged returns the result for a model that is part of the program; it returns false for other models, and if there is no result.
func (m *Model) Judged() (*Judged, bool) {
	j, ok := judged()[m.Name]
	return j, ok && (m.Origin.Builtin || m.Origin.Kind == Exact)
}

// Where lists the numbers of trials per subject for which a model is honest, for example "to 1000 trials; undecided at 5000".
func (j *Judged) Where() string {
	at := map[honesty.Verdict][]string{}
	most, others := 0, math.MaxInt // the largest number of trials at which it is honest, and the smallest at which it is not known to be
	for _, a := range j.At {
		at[a.Honest] = append(at[a.Honest], fmt.Sprint(a.Trials))
		if a.Honest == honesty.Honest {
			most = a.Trials
		} else {
			others = min(others, a.Trials)
		}
	}
	var parts []string
	switch {
	case most > 0 && most < others:
		parts = append(parts, fmt.Sprintf("to %d trials", most))
	case most > 0:
		parts = append(parts, "at "+strings.Join(at[honesty.Honest], ", ")+" trials")
	case len(at[honesty.Undecided]) == 0:
		return string(honesty.NotHonest)
	}
	for _, v := range []honesty.Verdict{honesty.Undecided, honesty.NotHonest} {
		if len(at[v]) > 0 {
			parts = append(parts, string(v)+" at "+strings.Join(at[v], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Caution says in one line how far estimates by a formula can be trusted. It returns "" for other kinds of models, and for a formula
// that is honest for at least so many trials. trials is the number of trials that share parameters in the data.
func (m *Model) Caution(trials int) string {
	if m.Origin.Kind != Formula {
		return ""
	}
	j, known := m.Judged()
	if !known {
		return fmt.Sprintf("nothing is known of the errors of %s: its estimates may rank people and still be far from the truth, and its intervals be too narrow. "+
			"likc judge --reference measures both", m.Name)
	}
	switch {
	case j.Honest == honesty.Honest && trials <= j.Trials:
		return ""
	case j.Honest == honesty.Honest:
		return m.cautionOnMore(j, trials)
	case j.Honest == honesty.Undecided:
		return fmt.Sprintf("it is not known whether %s measures people: in %s; %s", m.Name, j.found(), wouldDecide(j.UndecidedFor))
	}
	good := "ranks people and does not measure them"
	if !j.Pass {
		good = "does not give all of its parameters back"
	}
	return fmt.Sprintf("%s %s: in %s", m.Name, good, j.found())
}

// cautionOnMore returns the caution for more trials than those for which a formula is known to be honest.
func (m *Model) cautionOnMore(j *Judged, trials int) string {
	caution := fmt.Sprintf("%s is known to be honest up to %s a subject, and here %d share parameters: its bias is small beside the intervals there, and need not be "+
		"beside narrower ones", m.Name, notation.Count(j.Trials, "trial"), trials)
	if p := processNamed(j.Reference); p != nil && p.Density != nil {
		caution += ". " + j.Reference + " has none"
	}
	return caution
}

// found describes the figures of a verdict.
func (j *Judged) found() string {
	var r, ratio, covered []float64
	for _, p := range j.Params {
		r, ratio, covered = append(r, float64(p.R)), append(ratio, float64(p.RMSERatio)), append(covered, 100*float64(p.Covered90))
	}
	return fmt.Sprintf("%s (%s) its estimates correlated with the truth at %s, errors were %s times those of %s, and %s %% of 90 %% intervals held the truth",
		notation.Count(j.Subjects, "simulated subject"), j.Bank, between("%.2f", r), between("%.1f", ratio), j.Reference, between("%.0f", covered))
}

// wouldDecide says how many simulated subjects would show whether a model is honest.
func wouldDecide(subjects int) string {
	if subjects == 0 {
		return "these figures do not decide it"
	}
	return fmt.Sprintf("%d subjects would decide it if these figures stayed", subjects)
}

// between writes the smallest and the largest of some numbers.
func between(format string, x []float64) string {
	least, most := slices.Min(x), slices.Max(x)
	if math.Abs(most-least) < 1e-9 {
		return fmt.Sprintf(format, least)
	}
	return fmt.Sprintf(format+" to "+format, least, most)
}
