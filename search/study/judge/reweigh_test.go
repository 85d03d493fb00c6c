package judge

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/search/study/bank"
)

// TestReweighed: weights on a formula's draws give the exact density's posteriors, as NUTS by the exact density does, also with a formula that
// is far away: its draws lead there, or subjects are fitted by the exact density itself.
func TestReweighed(t *testing.T) {
	settings, err := bank.NewSettings("test-60", "shifted_lognormal", "", 7)
	if err != nil {
		t.Fatal(err)
	}
	settings.Subjects = 4
	settings.SetTrials(60)
	b, err := bank.Make(context.Background(), settings, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Open("shifted_lognormal")
	if err != nil {
		t.Fatal(err)
	}
	own := Entry{Name: m.Name, Model: m}
	wide := func(name string, by float64) Entry { // its log density falls off `by` times as steeply
		text := fmt.Sprintf(`model %s {
  trial rt positive
  param m in [%v, %v]  param s in [%v, %v]  param t in [%v, %v]
  support t < rt
  loglik = -log(s*(rt - t)) - %v*(log(rt - t) - m)^2/(2*s^2)
}`, name, m.Params[0].Lower, m.Params[0].Upper, m.Params[1].Lower, m.Params[1].Upper, m.Params[2].Lower, m.Params[2].Upper, by)
		m, err := catalog.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return Entry{Name: name, Model: m}
	}
	s := DefaultSettings()
	s.Engine, s.Chains, s.Warmup, s.Draws = bound.IR, 2, 150, 600
	exact := &Reference{Entry: own}
	if err := exact.Fit(context.Background(), b, s); err != nil {
		t.Fatal(err)
	}
	near := wide("near", 0.95)
	weighted := &Reference{Entry: own, Proposal: &near}
	if err := weighted.Fit(context.Background(), b, s); err != nil {
		t.Fatal(err)
	}
	if weighted.refitted[own.form()] > 1 {
		t.Errorf("%d of 4 subjects were fitted again", weighted.refitted[own.form()])
	}
	long := func(e Entry) []Fit {
		r, s := &Reference{Entry: e}, s
		if s.Draws = 2000; r.Fit(context.Background(), b, s) != nil {
			t.Fatal(e.Name)
		}
		return r.fits
	}
	ownLong := long(own)
	// Means of 100 effective draws have errors of 0.1 sd. The sd of t in subject 1, which has a long tail, was off by a factor of up to 1.43 in eight
	// seeds, and other sds by up to 1.17. Of the proposal, with 400 draws, it was at most 1.15, and 0.99 in the mean.
	alike("weights", weighted.fits, ownLong, 0.3, 1.5, t)
	alike("the proposal", weighted.known[near.form()], long(near), 0.3, 1.2, t)
	if reflect.DeepEqual(weighted.known[near.form()], weighted.fits) {
		t.Error("weights change nothing")
	}
	far := wide("far", 4)
	again := &Reference{Entry: own, Proposal: &far}
	if err := again.Fit(context.Background(), b, s); err != nil {
		t.Fatal(err)
	}
	alike("far away", again.fits, ownLong, 0.35, 1.35, t) // 50 effective positions are enough: errors of 0.14 sd

	// the verdict on the proposal is that of its own fits, and tells how the reference was fitted
	plain := s
	plain.Reference = exact
	want, _, err := judged(near, b, plain)
	if err != nil {
		t.Fatal(err)
	}
	s.Reference = weighted
	got, _, err := judged(near, b, s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Proposal != "near" || got.Refitted != weighted.refitted[own.form()] || want.Proposal != "" || got.Gradients*3 > want.Gradients*2 {
		t.Errorf("proposal %q, %d again, %d gradients; without weights %q, %d", got.Proposal, got.Refitted, got.Gradients, want.Proposal, want.Gradients)
	}
	for j := range got.Params {
		if a, b := got.Params[j], want.Params[j]; math.Abs(float64(a.RMSERatio-b.RMSERatio)) > 0.15 {
			t.Errorf("%s: ratios %v and %v", a.Name, a.RMSERatio, b.RMSERatio)
		}
	}
	if s.Hash(b, nil) == plain.Hash(b, nil) {
		t.Error("verdicts beside a weighted reference have the hash of others")
	}
}

// alike compares fits with those of long chains. Means may differ by a share of a standard deviation, and standard deviations by a factor.
func alike(what string, got, want []Fit, share, factor float64, t *testing.T) {
	for i, f := range want {
		for j, mean := range f.Mean {
			off, ratio := math.Abs(float64(got[i].Mean[j]-mean))/float64(f.SD[j]), float64(got[i].SD[j]/f.SD[j])
			if !(off < share && max(ratio, 1/ratio) < factor) {
				t.Errorf("%s, subject %d, parameter %d: means differ by %.2f sd, the ratio of the sds is %.2f", what, i, j, off, ratio)
			}
		}
	}
}

// judged runs a job of one entry.
func judged(e Entry, b *bank.Bank, s Settings) (*Verdict, Report, error) {
	j := &Job{Entries: []Entry{e}, Bank: b, Settings: s}
	if err := j.Run(context.Background()); err != nil {
		return nil, j.Report, err
	}
	return j.Verdicts[0], j.Report, nil
}
