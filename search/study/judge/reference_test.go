package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"
)

// referenceOf returns a reference with the given fits of one parameter.
func referenceOf(name string, means, sds []float64) *Reference {
	m := &expr.Model{Name: name, Params: []expr.Param{{Name: "other"}, {Name: "v"}}}
	r := &Reference{Entry: Entry{Name: name, Model: &catalog.Model{Model: m}}}
	for i := range means {
		both := func(x float64) []finite.Number { return finite.Numbers([]float64{0, x}) }
		r.fits = append(r.fits, Fit{Mean: both(means[i]), SD: both(sds[i]), Q5: both(means[i] - 1.645*sds[i]), Q95: both(means[i] + 1.645*sds[i])})
	}
	return r
}

// compareByHand returns a bank of four subjects, their fits and a reference. The last subject could not be fitted.
func compareByHand() (*bank.Bank, []Fit, *Reference) {
	b := &bank.Bank{Settings: bank.Settings{Role: "test-60", Params: []bank.Range{{Name: "v", Lower: 0, Upper: 10}}}, Subjects: make([]bank.Subject, 4)}
	fit := func(truth, mean, sd, q5, q25, q75, q95 float64) Fit {
		one := func(x float64) []finite.Number { return []finite.Number{finite.Number(x)} }
		return Fit{Truth: one(truth), Mean: one(mean), SD: one(sd), Q5: one(q5), Q25: one(q25), Q75: one(q75), Q95: one(q95)}
	}
	fits := []Fit{
		fit(1, 2, 1, 0, 0.5, 2.5, 3),     // both intervals hold the truth
		fit(2, 4, 2, 1, 3, 5, 6),         // only the 90 % interval holds the truth
		fit(3, 4, 9, 3.5, 3.9, 4.1, 4.5), // no interval between quantiles holds the truth, though mean ± 1.645 sds does
		fit(4, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()),
	}
	fits[3].Error = "no trials"
	return b, fits, referenceOf("exact", []float64{1.5, 1, 4, 4}, []float64{0.5, 0.5, 3, 1})
}

// TestComparedByHand: the errors are 1, 2 and 1, and the reference's errors .5, −1 and 1. A subject that could not be fitted
// counts as not covered.
func TestComparedByHand(t *testing.T) {
	b, fits, r := compareByHand()
	v := newVerdict(Candidate{Name: "m", Params: []string{"v"}}, b, []int{0}, fits, Settings{Sampling: study.Sampling{Chains: 2, Draws: 7}, Reference: r})
	p := v.Params[0]
	for name, f := range map[string]struct {
		got  finite.Number
		want float64
	}{
		"50 %":       {p.Covered50, 1. / 4},
		"90 %":       {p.Covered, 2. / 4},
		"RMSE":       {p.RMSE, math.Sqrt(2)},
		"RMSE ratio": {p.RMSERatio, math.Sqrt(6 / 2.25)},
		"sd ratio":   {p.SDRatio, 3}, // median of 2, 4 and 3
		"reference":  {p.ReferenceCovered, 2. / 3},
	} {
		if !(math.Abs(float64(f.got)-f.want) <= 1e-12) {
			t.Errorf("%s is %v, want %v", name, f.got, f.want)
		}
	}
	if v.Honest != honesty.Undecided || v.Reference != "exact" {
		t.Errorf("honest %v beside %q: four subjects decide nothing", v.Honest, v.Reference)
	}
	text, err := json.Marshal(v)
	var back Verdict
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Honest != honesty.Undecided || back.Params[0].Compared == nil || back.Params[0].RMSERatio != p.RMSERatio {
		t.Errorf("read back as %+v, %v", back.Params, err)
	}
}

// TestWithoutReference: without a reference, the verdict has no field about honesty.
func TestWithoutReference(t *testing.T) {
	b, fits, _ := compareByHand()
	v := newVerdict(Candidate{Name: "m", Params: []string{"v"}}, b, []int{0}, fits, Settings{Sampling: study.Sampling{Chains: 2, Draws: 7}})
	text, _ := json.Marshal(v)
	if v.Honest != "" || v.Params[0].Honest() != "" || strings.Contains(string(text), "honest") || strings.Contains(string(text), "covered_50") {
		t.Errorf("%s", text)
	}
	if v.Params[0].Covered != 1 { // intervals of ±1.645 sds, over the three fitted subjects
		t.Errorf("covered %v", v.Params[0].Covered)
	}
}

// TestHonest: each figure with its bounds counts, for every parameter. The shares are of 300 subjects.
func TestHonest(t *testing.T) {
	of := func(covered, ratio, low, high float64) Param {
		return Param{Covered: finite.Number(covered), Compared: &Compared{RMSERatio: finite.Number(ratio),
			CoveredBounds: honesty.Coverage(300*covered, 300), RatioBounds: honesty.Bounds{finite.Number(low), finite.Number(high)}}}
	}
	good, bad, unsure := of(0.9, 1, 0.9, 1.1), of(0.5, 1.2, 1.1, 1.3), of(0.81, 1.2, 1.1, 1.3)
	r := referenceOf("exact", nil, nil)
	for _, c := range []struct {
		params []Param
		reason string
		want   honesty.Verdict
	}{
		{[]Param{good, good}, "", honesty.Honest},
		{[]Param{good, unsure}, "", honesty.Undecided},
		{[]Param{unsure, bad}, "", honesty.NotHonest},
		{[]Param{good, of(0.9, 1.4, 1.2, 1.6)}, "", honesty.Undecided},
		{[]Param{good, of(0.9, 1.8, 1.6, 2)}, "", honesty.NotHonest},
		{[]Param{good}, "30 of the first 60 subjects could not be fitted", honesty.NotHonest},
		{nil, "", honesty.NotHonest},
	} {
		v := Verdict{Params: c.params, Reason: c.reason, Fitted: 300}
		if v.compare(r); v.Honest != c.want || (v.UndecidedFor > 300) != (c.want == honesty.Undecided) {
			t.Errorf("%+v: %s, %d", v, v.Honest, v.UndecidedFor)
		}
	}
}

// TestOlderVerdicts: a file of a version without confidence bounds can be read. Its honest verdicts become undecided, and
// verdicts far outside the limits stay not honest. A verdict without a reference is unchanged.
func TestOlderVerdicts(t *testing.T) {
	line := func(honest bool, covered float64) string {
		return fmt.Sprintf(`{"model":"m","bank":"b","method":"nuts","reference":"ddm","honest":%v,"fitted":300,"params":[{"name":"v","covered_90":%v,"rmse_ratio":1.1}]}`+"\n",
			honest, covered)
	}
	text := line(true, 0.82) + line(true, 0.9) + line(false, 0.5) + line(false, 0.79) + `{"model":"m","bank":"b","method":"nuts","params":[{"name":"v","covered_90":0.9}]}`
	path := filepath.Join(t.TempDir(), "V.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []honesty.Verdict{honesty.Undecided, honesty.Undecided, honesty.NotHonest, honesty.Undecided, ""} {
		if all[i].Honest != want {
			t.Errorf("line %d: %q, want %q", i+1, all[i].Honest, want)
		}
	}
}

// TestReferenceCannotBeFitted: the error names the reference.
func TestReferenceCannotBeFitted(t *testing.T) {
	m, err := catalog.Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	b := &bank.Bank{Subjects: []bank.Subject{{Theta: []float64{0, 1, 0.5, 0.3}}}, Settings: bank.Settings{Params: []bank.Range{
		{Name: "v", Lower: -3, Upper: 3}, {Name: "a", Lower: 0.3, Upper: 2.5}, {Name: "z", Lower: 0.1, Upper: 0.9}, {Name: "t", Upper: 2}}}}
	r := &Reference{Entry: Entry{Name: "expr2", Model: m}}
	err = r.Fit(context.Background(), b, DefaultSettings())
	if err == nil || !strings.HasPrefix(err.Error(), "reference expr2: none of the first 1 subjects could be fitted") {
		t.Errorf("%v", err)
	}
	if err := CheckReference(referenceOf("exact", nil, nil), []Entry{r.Entry}); err == nil || err.Error() != "reference exact has no parameter a, and expr2 has" {
		t.Errorf("%v", err)
	}
}

// TestGivenUpCounts: a formula whose errors are large where the reference was given up does not become honest, because they count, and the
// reference's count as 0. It does not become dishonest either, because nobody knows the reference's.
func TestGivenUpCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	fit := func(truth, mean float64) Fit {
		one := func(x float64) []finite.Number { return []finite.Number{finite.Number(x)} }
		return Fit{Truth: one(truth), Mean: one(mean), SD: one(1), Q5: one(mean - 1.645), Q25: one(mean - 0.67), Q75: one(mean + 0.67), Q95: one(mean + 1.645)}
	}
	for name, c := range map[string]struct {
		off  float64 // error of the formula where the reference was given up
		want honesty.Verdict
	}{"as elsewhere": {1, honesty.Honest}, "far off": {12, honesty.Undecided}} {
		b := &bank.Bank{Settings: bank.Settings{Role: "test-60", Params: []bank.Range{{Name: "v", Lower: 0, Upper: 10}}}, Subjects: make([]bank.Subject, 300)}
		var fits []Fit
		var means, sds []float64
		for i := range 300 {
			off := random.NormFloat64()
			if i < 6 {
				off = c.off
			}
			fits, means, sds = append(fits, fit(5, 5+off)), append(means, 5+off), append(sds, 1)
		}
		r := referenceOf("exact", means, sds)
		for i := range 6 {
			r.fits[i] = Fit{Error: study.ErrGivenUp.Error(), Mean: []finite.Number{undefined(), undefined()}, SD: []finite.Number{undefined(), undefined()}}
		}
		v := newVerdict(Candidate{Name: "m", Params: []string{"v"}}, b, []int{0}, fits, Settings{Sampling: study.Sampling{Chains: 2, Draws: 7}, Reference: r})
		if v.Honest != c.want || v.Alone != 6 || !(math.Abs(float64(v.Params[0].RMSERatio)-1) < 1e-9) {
			t.Errorf("%s: honest %q, want %q; %d given up; ratio %v with bounds %v", name, v.Honest, c.want, v.Alone, v.Params[0].RMSERatio, v.Params[0].RatioBounds)
		}
	}
}
