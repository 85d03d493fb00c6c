package problem

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"likc/runtime/model/neural"
	"likc/search/find/objective"
	"likc/search/study/bank"
)

// searchable returns an error for a bank that is not for searches, or has a trial at the lower boundary.
func searchable(b *bank.Bank) error {
	if b.Settings.Role != bank.SearchRows {
		return fmt.Errorf("a bank of the role %s; a search learns from %s alone", b.Settings.Role, bank.SearchRows)
	}
	for _, s := range b.Subjects {
		if k := slices.IndexFunc(s.Choice, func(c float64) bool { return c != 1 }); !b.Settings.UpperOnly || k >= 0 {
			return fmt.Errorf("subject %d has trials of the lower boundary; a search scores upper ones", s.ID)
		}
	}
	return nil
}

// score returns a bank's trials with the teacher's log densities as the target.
func score(t *neural.Teacher, b *bank.Bank) *objective.Rows {
	rows := &objective.Rows{}
	for _, p := range b.Settings.Params {
		rows.Params = append(rows.Params, p.Name)
	}
	for _, s := range b.Subjects {
		theta := slices.Repeat([][]float64{s.Theta}, len(s.RT))
		target := make([]float64, len(s.RT))
		t.LogDensity(target, theta, s.RT, s.Choice)
		rows.Theta, rows.RT, rows.Target = append(rows.Theta, s.Theta), append(rows.RT, s.RT), append(rows.Target, target)
	}
	return rows
}

// The subjects with both choices are simulated as for a bank for training teachers, so that no judge uses them. Their seeds
// differ from those of the teachers that come with likc. A polish has a different seed from searches, because expressions that
// searches fitted to their subjects must have no advantage.
const (
	improvedSeed = 1_000_003
	polishSeed   = 1_000_033
	bothTrials   = 1100
)

// newLoss prepares the loss over the rows. All losses except the paper's also measure recovery from trials at both boundaries,
// which are simulated here.
func (p *Problem) newLoss(ctx context.Context, rows *objective.Rows) error {
	s := objective.Paper()
	var err error
	switch p.Settings.Objective {
	case Improved:
		s = objective.Improved()
		err = p.simulateBoth(ctx, rows, s, improvedSeed)
	case Polish:
		s = objective.Polish()
		s.JointGroups = p.Settings.Subjects
		err = p.simulateBoth(ctx, rows, s, polishSeed)
	}
	if err != nil {
		return err
	}
	s.Lambda, s.NonFinite, s.Single = p.Settings.Lambda, p.Settings.NonFinite, p.Settings.Single
	if s.Lambda == 0 && rows.Both == nil { // recovery is reported but has no weight, so fewer trials per group are enough
		s.ProxyTrials = min(s.ProxyTrials, len(rows.RT[0]))
	}
	p.Identity.Objective = s
	loss, err := objective.New(*rows, p.Header, s)
	if err != nil {
		return err
	}
	p.Loss = loss
	return nil
}

// simulateBoth simulates the subjects with both choices. It simulates a tenth more than needed, because subjects with too few trials
// are skipped.
func (p *Problem) simulateBoth(ctx context.Context, rows *objective.Rows, s objective.Settings, seed uint64) error {
	settings, err := bank.SettingsOf("teacher-train", p.process, "", seed)
	if err != nil {
		return err
	}
	groups := max(s.JointGroups, s.ProxyGroups)
	settings.Subjects = groups + max(10, groups/10)
	settings.SetTrials(bothTrials)
	b, err := bank.Make(ctx, settings, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	both := &objective.Subjects{}
	for _, subject := range b.Subjects {
		both.Theta, both.RT, both.Choice = append(both.Theta, subject.Theta), append(both.RT, subject.RT), append(both.Choice, subject.Choice)
	}
	rows.Both, p.Identity.Both = both, &settings
	return nil
}
