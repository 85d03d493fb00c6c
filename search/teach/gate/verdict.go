package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

// Role is the only role whose banks admit a teacher. Banks of the role heldOut are kept for the final check and examine no teacher.
const (
	Role    = "gate-100"
	heldOut = "holdout-90"
)

// limit is the threshold of a figure that every admission requires.
type limit struct {
	name      string
	threshold float64
	above     bool
}

// recoveryPrefix begins the name of each parameter's recovery figure.
const recoveryPrefix = "recovery_"

// crossed is the name of the figure that compares the teacher with an independently trained network.
const crossed = "cross_r"

// limits returns the limits for a model, with this program's thresholds.
func limits(m *ssm.Model) []limit {
	all := []limit{
		{"ece", MostECE, false}, {"ece_subject", MostECE, false}, {"predictive_ks", MostKS, false},
		{"choice_mae", MostChoiceError, false}, {"choice_r", LeastChoiceR, true},
		{"mass_median", MostMassError, false}, {"mass_worst", MostMassErrorAny, false}, {"mass_below_t", MostMassBelow, false},
		{crossed, LeastCrossR, true},
	}
	for _, p := range m.Params {
		if !slices.Contains(m.Weak, p.Name) {
			all = append(all, limit{recoveryPrefix + p.Name, LeastRecoveryR, true})
		}
	}
	return all
}

// failing returns the figures that are beyond their limits or have no value, as text.
func (r *Report) failing(m *ssm.Model) []string {
	var failed []string
	for _, l := range limits(m) {
		f, there := r.Figure(l.name)
		if !there || f.notRun() {
			continue // lacking reports it
		}
		f.Threshold, f.Above = &l.threshold, l.above
		if !f.holds() {
			failed = append(failed, f.String())
		}
	}
	return failed
}

// lacking returns what an admission requires and the examination did not run, as text: role and size of the bank, settings, figures.
func (r *Report) lacking(m *ssm.Model) []string {
	lacks := r.reduced()
	if len(m.Weak) > 0 && len(m.Weak) == len(m.Params) {
		lacks = append(lacks, "all parameters are declared weak: none is left whose recovery decides")
	}
	for _, l := range limits(m) {
		f, there := r.Figure(l.name)
		switch {
		case l.name == crossed && r.Settings.Uncrossed && r.Network == nil:
		case !there && r.Settings.Recovery == 0 && strings.HasPrefix(l.name, recoveryPrefix): // the settings skip recovery
		case !there:
			lacks = append(lacks, l.name+" is missing")
		case l.name == crossed && (f.notRun() || r.Network == nil):
			lacks = append(lacks, "no cross-check: --lan names an independently trained network, or --uncrossed says that there is none")
		case f.notRun():
			lacks = append(lacks, l.name+" "+f.Note)
		}
	}
	return lacks
}

// reduced returns the settings that are smaller than an admission requires, as text.
func (r *Report) reduced() []string {
	lacks := []string{}
	if r.Role != Role {
		lacks = append(lacks, fmt.Sprintf("role %s, want %s", r.Role, Role))
	}
	role, err := bank.RoleNamed(Role)
	if err != nil {
		panic(err) // the text is a constant
	}
	want := DefaultSettings()
	for _, s := range []struct {
		what      string
		got, want int
	}{
		{"subjects", r.Subjects, role.Subjects}, {"trials a subject", r.Trials, role.Trials},
		{"draws", r.Settings.Draws, want.Draws}, {"trials compared a subject", r.Settings.Crossed, want.Crossed},
		{"subjects recovered", r.Settings.Recovery, want.Recovery}, {"trials of each", r.Settings.RecoveryTrials, want.RecoveryTrials},
	} {
		if s.got < s.want {
			lacks = append(lacks, fmt.Sprintf("%d %s, want %d", s.got, s.what, s.want))
		}
	}
	return lacks
}

// refused returns nil for a report that admits the teacher, and otherwise the reason.
func (r *Report) refused(m *ssm.Model) error {
	if failed := r.failing(m); len(failed) > 0 {
		return fmt.Errorf("does not pass its gate: %s", strings.Join(failed, "; "))
	}
	if lacks := r.lacking(m); len(lacks) > 0 {
		return fmt.Errorf("its gate was too small to admit it: %s", strings.Join(lacks, "; "))
	}
	return nil
}

// Verdict describes in words how the report admits the teacher.
func (r *Report) Verdict() string {
	text := "passed"
	if r.Network == nil {
		text += ", without a cross-check: no independent network was known"
	}
	return text + r.WeakNote()
}

// WeakNote says in words which parameters the model itself declares weak; "" for none.
func (r *Report) WeakNote() string {
	if len(r.Weak) == 0 {
		return ""
	}
	return fmt.Sprintf("; the recovery of %s decided nothing, because the model declares so (weak)", strings.Join(r.Weak, ", "))
}

// Summary says in words how well the teacher did on the gate's subjects: the calibration of its response times, and the
// correlations of estimates with the truth.
func (r *Report) Summary() string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, f := range r.Figures {
		if strings.HasPrefix(f.Name, recoveryPrefix) && f.Value != nil {
			least, most = min(least, *f.Value), max(most, *f.Value)
		}
	}
	text := fmt.Sprintf("of %d simulated subjects", r.Subjects)
	if f, ok := r.Figure("ece"); ok && f.Value != nil {
		text += fmt.Sprintf(" the calibration error was %.3f", *f.Value)
	}
	if least <= most {
		text += fmt.Sprintf(", and the estimates of %d correlated with the truth at %.2f to %.2f", min(r.Settings.Recovery, r.Subjects), least, most)
	}
	return text
}

// consistent returns an error if a figure comes twice or its verdict does not follow from its value.
func (r *Report) consistent() error {
	var names []string
	for _, f := range r.Figures {
		if slices.Contains(names, f.Name) {
			return fmt.Errorf("figure %s: comes twice", f.Name)
		}
		if f.Pass != f.holds() {
			return fmt.Errorf("figure %s: pass does not follow from its value", f.Name)
		}
		names = append(names, f.Name)
	}
	if r.Pass != (len(r.Failed()) == 0) || len(r.Figures) == 0 {
		return fmt.Errorf("pass does not follow from the figures")
	}
	return nil
}
