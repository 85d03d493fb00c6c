package applied

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/runtime/sys/units"
)

// verdict returns a line of a file of verdicts, on an expression.
func verdict(expr string, pass bool, r float64) string {
	return fmt.Sprintf(`{"model":"F:1","bank":"test-60","method":"nuts","file":"F.jsonl","line":1,"lambda":1,"seed":1,"search":{"model":"ddm"},"expr":%q,`+
		`"size":9,"pass":%v,"weakest_r":%v,"params":[{"name":"v","r":%v,"edge":0}]}`+"\n", expr, pass, r, r)
}

const wald = "log(a / (rt - t)) - square(v * (rt - t) - a * 2 * (1 - z)) / (2 * (rt - t))"

func verdicts(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "V.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Expressions that pass come best first, each form once. Others are omitted.
func TestPassing(t *testing.T) {
	file := verdicts(t, verdict("v - a * rt - z * t", true, 0.6), verdict(wald, true, 0.9), verdict("v * rt + a + z - t", false, 0.95),
		verdict("v - rt * a - t * z", true, 0.7))
	all, err := Passing([]string{file}, 0, catalog.Open)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Verdict.WeakestR != 0.9 || all[1].Verdict.WeakestR != 0.7 {
		t.Errorf("%d expressions: %+v", len(all), all)
	}
	if all, err = Passing([]string{file}, 1, catalog.Open); err != nil || len(all) != 1 {
		t.Errorf("top 1: %d expressions, %v", len(all), err)
	}
}

// job returns a job on a small simulated study, in which drift varies among participants.
func job(t *testing.T, s Settings, candidates ...Candidate) *Job {
	t.Helper()
	const participants, trials = 5, 40
	j := &Job{Settings: s, Candidates: candidates, Sum: "sum"}
	var labels []string
	j.Data.Columns = [][]float64{nil}
	for p := range participants {
		rt, choice := make([]float64, trials), make([]float64, trials)
		if err := ssm.DDM.Simulate(ssm.NewRand(3, uint64(p)), []float64{float64(p) - 1.5, 1, 0.5, 0.25}, ssm.Scheme{}, rt, choice); err != nil {
			t.Fatal(err)
		}
		j.Data.Columns[0], j.Data.Choice = append(j.Data.Columns[0], rt...), append(j.Data.Choice, choice...)
		for range trials {
			labels = append(labels, string(rune('a'+p)))
		}
	}
	j.Data.Table = formula.Table{Rows: len(labels), Columns: []formula.DataColumn{{Name: "who", Labels: labels}}}
	return j
}

func candidates(t *testing.T) []Candidate {
	t.Helper()
	named, err := Named([]string{"ddm", "ddm"}, catalog.Open)
	if err != nil {
		t.Fatal(err)
	}
	passed, err := Passing([]string{verdicts(t, verdict(wald, true, 0.9), verdict("v - a * rt - z * t", true, 0.6))}, 0, catalog.Open)
	if err != nil {
		t.Fatal(err)
	}
	return append(named, passed...)
}

func settings() Settings {
	return Settings{Formulas: []string{"v ~ 1 + (1 | who)"}, Priors: []string{"v_Intercept=normal(0, 2)", "v_1|who_sigma=halfnormal(2)"},
		Chains: 2, Warmup: 100, Draws: 100, Seed: 1, Engine: bound.Ready, Sampler: nuts.DefaultSettings()}
}

// A study of simulated participants is fitted with all candidates. The exact density and a good approximation order the
// participants as they were simulated. Runs in parts, and an interrupted run, make the same file apart from the times.
func TestJob(t *testing.T) {
	j := job(t, settings(), candidates(t)...)
	j.Output = filepath.Join(t.TempDir(), "A.jsonl")
	all, err := j.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := Compare(j.Header(), all)
	if s.Expressions != 2 || len(s.Models) != 2 || len(s.Params) != 4 || len(s.Shifts) != 5 {
		t.Fatalf("%+v", s)
	}
	if all[3].Converged() { // linear in the drift: its spread has no end
		t.Errorf("an expression without a posterior converged: %+v", all[3])
	}
	for _, i := range []int{0, 1, 2} {
		p := all[i].param("v")
		if all[i].Failed != "" || len(p.Levels) != 5 || !p.Varies || all[i].param("a").Varies {
			t.Fatalf("fit %d: %+v", i, all[i])
		}
		for k := 1; k < 5; k++ {
			if !(p.Levels[k].Mean > p.Levels[k-1].Mean) {
				t.Errorf("fit %d: participant %d has drift %v, the one before %v", i, k, p.Levels[k].Mean, p.Levels[k-1].Mean)
			}
		}
	}
	if shared := s.Params[1]; !math.IsNaN(float64(shared.Rank)) || !math.IsNaN(float64(shared.Spread)) || math.IsNaN(float64(s.Models[1].Agreement[1].Shift)) {
		t.Errorf("a parameter that all share has ranks: %+v", shared)
	}
	if same := s.Models[1].Agreement[0]; same.Rank != 1 || same.Spread != 1 || same.Shift != 0 {
		t.Errorf("the same model compared with itself: %+v", same)
	}
	h, read, err := Read(j.Output)
	if err != nil || len(read) != 4 || h.Trials != 200 || h.Settings.Study() != "formulas" {
		t.Fatalf("read: %+v, %d fits, %v", h, len(read), err)
	}
	whole := timeless(t, j.Output)
	half := bytes.Join(bytes.SplitAfter(whole, []byte("\n"))[:3], nil)
	again := *j
	again.Output = filepath.Join(t.TempDir(), "B.jsonl")
	os.WriteFile(again.Output, half, 0o666)
	if _, err := again.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(timeless(t, again.Output), whole) {
		t.Error("an interrupted run makes another file")
	}
	merged := *j
	merged.Output = filepath.Join(t.TempDir(), "C.jsonl")
	var parts []string
	for k := 1; k <= 2; k++ {
		part := *j
		part.Output, part.Part = filepath.Join(t.TempDir(), "P.jsonl"), units.Part{K: k, N: 2}
		text := bytes.SplitAfter(whole, []byte("\n"))
		os.WriteFile(part.Output, bytes.Join([][]byte{text[0], text[2*k-1], text[2*k]}, nil), 0o666)
		if fits, err := part.Run(context.Background()); err != nil || len(fits) != 2 || fits[0].Model != all[2*k-2].Model {
			t.Fatalf("part %d: %d fits, %v", k, len(fits), err)
		}
		parts = append(parts, part.Output)
	}
	merged.Elsewhere = units.Done(parts...)
	if _, err := merged.Run(context.Background()); err != nil || !bytes.Equal(timeless(t, merged.Output), whole) {
		t.Errorf("parts make another file, %v", err)
	}
}

var seconds = regexp.MustCompile(`"(build_)?seconds":[^,}]+`)

// timeless returns a file's content with all times set to 0.
func timeless(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return seconds.ReplaceAll(text, []byte(`"${1}seconds":0`))
}

// A fit that needs more gradients than allowed has failed, with that reason. A model that reads other columns is refused.
func TestRefuses(t *testing.T) {
	s := settings()
	s.Limit = 500
	j := job(t, s, candidates(t)[:1]...)
	all, err := j.Run(context.Background())
	if err != nil || all[0].Failed != hierarchy.ErrLimit.Error() || all[0].Converged() {
		t.Errorf("%+v, %v", all, err)
	}
	other, err := Named([]string{"ddm", "lognormal"}, catalog.Open)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(other, &Settings{Formulas: []string{"v ~ 1 + (1 | who)"}}); err == nil || !strings.Contains(err.Error(), "lognormal: formula") {
		t.Errorf("error %v", err)
	}
	if err := Check(other[:1], &Settings{Formulas: []string{"v ~ 1"}}); err == nil || !strings.Contains(err.Error(), "no participants") {
		t.Errorf("error %v", err)
	}
}

// fitOf returns a fit with the given means of one parameter.
func fitOf(kind Kind, rhat float64, seconds float64, means ...float64) Fit {
	f := Fit{Kind: kind}
	p := Param{Name: "v", Varies: true}
	for _, m := range means {
		p.Levels = append(p.Levels, Level{Mean: m, Bound: m >= 9})
	}
	f.Params, f.Seconds = []Param{p}, seconds
	f.Rhat = finite.Number(rhat)
	return f
}

// Figures are compared with ones computed by hand.
func TestCompare(t *testing.T) {
	all := []Fit{
		fitOf(Reference, 1, 10, 1, 2, 3),
		fitOf(Expression, 1.001, 4, 2, 4, 6),      // the same order, twice the spread, 2 higher
		fitOf(Expression, 1.009, 12, 9, 9.5, 1),   // ρ = -1/2; two of three at the bound
		fitOf(Expression, 1.01, 1, 3, 2, 1),       // this fit has not converged
		fitOf(Expression, math.NaN(), 1, 3, 2, 1), // nor this
	}
	s := Compare(Header{Settings: Settings{Preset: "p"}}, all)
	if s.Study != "p" || s.Expressions != 4 || s.Converged != 2 || s.Slower != 1 || s.Seconds != 8 || s.OfReference != 10 {
		t.Errorf("%+v", s)
	}
	spread := math.Sqrt((2.5*2.5 + 3*3 + 5.5*5.5) / 2) // standard deviation of 9, 9.5 and 1, whose mean is 6.5
	a := s.Params[0]
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"rank", float64(a.Rank), (1 - 0.5) / 2}, {"10th percentile", float64(a.LowRank), -0.5 + 0.15}, {"spread", float64(a.Spread), (2 + spread) / 2},
		{"inflated", float64(a.Inflated), 1}, {"shift", float64(a.Shift), (2 + 4.5) / 2}, {"bound", float64(a.Bound), 1},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-12) {
			t.Errorf("%s %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The figures of docs/evidence/real-participants.md follow from the committed files of fits.
func TestCommittedFits(t *testing.T) {
	for _, c := range []struct {
		name                   string
		expressions, converged int
		rank                   string
	}{{"full", 100, 51, "0.91 0.98 0.17 0.90"}, {"groups", 2, 2, "0.94 0.94 0.35 0.90"}, {"simple", 267, 239, "0.78 NaN NaN NaN"}} {
		packed, err := os.Open(filepath.Join("..", "..", "..", "testdata", "applied", c.name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		z, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "A.jsonl")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		h, all, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		s := Compare(h, all)
		rank := ""
		for _, a := range s.Params {
			rank += fmt.Sprintf(" %.2f", float64(a.Rank))
		}
		if s.Expressions != c.expressions || s.Converged != c.converged || strings.TrimSpace(rank) != c.rank {
			t.Errorf("%s: %d expressions, %d converged, rank agreement%s", c.name, s.Expressions, s.Converged, rank)
		}
	}
}
