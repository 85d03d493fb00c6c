package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

// Role is the only one whose banks admit a teacher; heldOut is kept for the last check of all and examines nothing.
const (
	Role    = "gate-100"
	heldOut = "holdout-90"
)

// limit is a figure without which no teacher is admitted.
type limit struct {
	name      string
	threshold float64
	above     bool
}

// recoveryPrefix begins the names of the figures of recovery, one a parameter.
const recoveryPrefix = "recovery_"

// crossed is the name of the figure that needs an independently trained network.
const crossed = "cross_r"

// limits are those of a model, by this program's thresholds, whatever a report says.
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

// failing names the figures that are beyond their limits or have no value.
func (r *Report) failing(m *ssm.Model) []string {
	var failed []string
	for _, l := range limits(m) {
		f, there := r.Figure(l.name)
		if !there || f.notRun() {
			continue // lacking names it
		}
		f.Threshold, f.Above = &l.threshold, l.above
		if !f.holds() {
			failed = append(failed, f.String())
		}
	}
	return failed
}

// lacking says what an admission wants that was not run: the bank's role and size, the settings, the figures.
func (r *Report) lacking(m *ssm.Model) []string {
	lacks := r.reduced()
	for _, l := range limits(m) {
		f, there := r.Figure(l.name)
		switch {
		case l.name == crossed && r.Settings.Uncrossed && r.Network == nil:
		case !there && r.Settings.Recovery == 0 && strings.HasPrefix(l.name, recoveryPrefix): // the settings leave recovery out
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

// reduced says which settings are less than those that a teacher is admitted by.
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

// refused is nil for a report that admits, and says why for another.
func (r *Report) refused(m *ssm.Model) error {
	if failed := r.failing(m); len(failed) > 0 {
		return fmt.Errorf("does not pass its gate: %s", strings.Join(failed, "; "))
	}
	if lacks := r.lacking(m); len(lacks) > 0 {
		return fmt.Errorf("its gate was too small to admit it: %s", strings.Join(lacks, "; "))
	}
	return nil
}

// Verdict is how a report admits, in words.
func (r *Report) Verdict() string {
	if r.Network == nil {
		return "passed, without a cross-check: no independent network was known"
	}
	return "passed"
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

// consistent reports a figure that comes twice or whose verdict does not follow from its value.
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
