package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/study/sweep"
	"likc/search/work/pipeline"
	"likc/search/work/recipe"
)

const settings = `name = "made-up"
[bank.test]
path = "test"
[bank.holdout]
path = "holdout"
[bank.ungrouped]
role = "search-rows"
trials = 1
[search]
lambda = [0, 1]
seeds = 2
evals = 1234567
[search.ungrouped]
bank = "ungrouped"
seeds = 3
[judge]
bank = "test"
also = ["expr2"]
[sweep]
top = 1
[holdout]
bank = "holdout"
[applied.full]
data = "study"
preset = "cavanagh-full"
[compile]
models = ["expr2"]
`

// appliedMade are fits of a study: the reference, a model, two expressions that converged and one that did not.
var appliedMade = func() string {
	lines := []string{`{"applied":1,"settings":{"preset":"cavanagh-full"},"trials":3988}`}
	for _, f := range []struct {
		kind, fixed string
		means       [3]float64
	}{
		{"reference", `"seconds":17.25,"rhat_max":1.001`, [3]float64{1, 2, 3}}, {"model", `"seconds":31.5,"rhat_max":1.002`, [3]float64{1.5, 2.5, 3.75}},
		{"expression", `"seconds":2.25,"rhat_max":1.003`, [3]float64{2, 3, 4}}, {"expression", `"seconds":2.75,"rhat_max":1.004`, [3]float64{2.5, 4.5, 3.5}},
		{"expression", `"seconds":9,"rhat_max":null,"failed":"the limit"`, [3]float64{}},
	} {
		line := fmt.Sprintf(`{"model":"%s of test","kind":%q,%s,"params":[`, f.kind, f.kind, f.fixed)
		for i, name := range []string{"v", "t"} {
			line += fmt.Sprintf(`%s{"name":%q,"varies":true,"levels":[`, strings.Repeat(",", i), name)
			for k, m := range f.means {
				line += fmt.Sprintf(`%s{"level":"p%d","mean":%v,"q5":%v,"q95":%v}`, strings.Repeat(",", min(k, 1)), k, m, m-1, m+1)
			}
			line += "]}"
		}
		lines = append(lines, line+`],"coefficients":[{"name":"v_Intercept","mean":0.4375,"sd":0.125}]}`)
	}
	return strings.Join(lines, "\n") + "\n"
}()

func searches() []sweep.Search {
	var all []sweep.Search
	for _, lambda := range []float64{0, 1} {
		for seed := range uint64(2) {
			s := sweep.Search{Lambda: lambda, Seed: seed + 1}
			for i := range 4 {
				pass := lambda == 1 && i == 3
				e := sweep.Expression{Text: fmt.Sprintf("a*v - (rt - t)*z/%d", i+2), Canonical: fmt.Sprint(lambda, seed, i), Lambda: finite.Number(lambda),
					Seed: seed + 1, Size: 9 + i, Pass: pass, WeakestR: finite.Number(0.123 * float64(i+int(seed))),
					Search: &front.Search{Line: front.Line{Terms: map[string]finite.Number{"mse": 0.4321}}}}
				for _, p := range []string{"v", "a", "z", "t"} {
					e.Params = append(e.Params, sweep.Recovery{Name: p, R: 0.9, Edge: 0.1, Pass: pass})
				}
				s.Expressions = append(s.Expressions, e)
			}
			all = append(all, s)
		}
	}
	return all
}

// made are verdicts: on a model beside the fronts, and on held-out subjects.
var made = map[string]string{
	"judge/models": `{"model":"expr2","method":"nuts","weakest_r":0.8765,"params":[{"name":"v","r":0.8765}]}`,
	"holdout":      `{"model":"held34","method":"nuts","subjects":90,"expr":"a*v - (rt - t)*z/5","weakest_r":0.7531,"params":[{"name":"v","r":0.7531}]}`,
}

// madeUp runs a plan whose commands write results that are made up here.
func madeUp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r, err := recipe.Parse("p.toml", []byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	bank := filepath.Join(dir, "bank")
	if err := os.WriteFile(bank, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(func(string) (string, error) { return bank, nil })
	if err != nil {
		t.Fatal(err)
	}
	plan.Units = plan.Units[:len(plan.Units)-1] // the report itself
	run := filepath.Join(dir, "run")
	err = pipeline.Run(t.Context(), run, plan, pipeline.Options{Code: "0123456789abcdef", Engine: pipeline.NewLocal(1, func(_ context.Context, j *pipeline.Job, _ []pipeline.Step, _ int) error {
		for _, o := range j.Unit.Outputs {
			text := []byte("-")
			switch o {
			case "sweep.json":
				of := searches()
				if j.Unit.Name == "sweep-ungrouped" {
					of = of[:1]
				}
				result, err := sweep.New(of, sweep.Settings{Resamples: 100, Seed: 1})
				if err != nil {
					return err
				}
				text, _ = json.Marshal(result)
			case "VERDICTS.jsonl":
				text = []byte(made[j.Unit.Name])
			case "APPLIED.jsonl":
				text = []byte(appliedMade)
			case "check.json":
				text = []byte(`{"model":"expr2","size":26,"expression":"a^2*exp(-2*z)/(rt - t)","statistics":["N","Σrt"],"entangled":["t"],"prologue_ops":41,"body_ops":7,"epilogue_ops":78,"tier":"tabulated"}`)
			}
			if err := os.WriteFile(filepath.Join(j.Dir, j.Work, o), text, 0o644); err != nil {
				return err
			}
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func pageOf(t *testing.T, run string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, run, ""); err != nil {
		t.Fatal(err)
	}
	return oneSpace(b.String())
}

// oneSpace replaces the spaces before percent signs, at which no line ends, by ordinary ones.
func oneSpace(page string) string { return strings.ReplaceAll(page, "\u00a0", " ") }

func TestPage(t *testing.T) {
	run := madeUp(t)
	text := pageOf(t, run)
	for _, want := range []string{
		"made-up", "1,234,567 evaluations", // settings
		"2 (25.0 %)", "25.0 [25.0, 25.0] %", "0.4321", ".49", // results: two of eight at λ = 1, two of four per search
		"<td>0</td><td>2</td>", "<td>0 ungrouped</td><td>1</td><td>0</td><td>4</td>", "16 of its 36 searches", "3 further searches at λ = 0",
		"<tr><td>expr2</td><td>0.88</td>", "Fits of 90 held-out subjects", "<tr><td>held34</td><td>0.75</td>", // judged beside, and held out
		"weakest on held-out subjects 0.75",
		"95 (19.5 %)", "18.5 [10.9, 26.7] %", // the paper's
		"under 3 formulas", "<strong>2 of them converged</strong>", "1 could not be fitted", "a median of 2.5 s", "17.25 s; 0 formulas were slower", // a study
		"96 of 100 converged, in a median of 73 s", "<tr><td>v</td><td>0.75</td>", "&#43;1.250<", "&#43;0.059<", "0.4375 (0.125)", "squares for model of test",
		"<tr><td>model of test</td><td>31.5</td>", `aria-label="participants&#39; v"`,
		"Σrt", "41 per evaluation", "0123456789abcdef",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "<th>other rows</th>") {
		t.Error("a column has no number of the run")
	}
	for _, never := range []string{"<script", "http:", "https:", "src=\"/", "@import", "url(", "ZgotmplZ", "<no value>", "NaN", "%!"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if again := pageOf(t, run); again != text {
		t.Error("the same run gives another page")
	}
	for _, svg := range regexp.MustCompile(`(?s)<(svg|math).*?</(svg|math)>`).FindAllString(text, -1) {
		wellFormed(t, svg)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %.200s", err, text)
		}
	}
}

// TestDamagedAndUnfinished: a result that was changed is not reported, one that is missing is named.
func TestDamagedAndUnfinished(t *testing.T) {
	run := madeUp(t)
	if err := os.RemoveAll(filepath.Join(run, "compile")); err != nil {
		t.Fatal(err)
	}
	if text := pageOf(t, run); !strings.Contains(text, "1 of its units are not done") || !strings.Contains(text, "compile/expr2") {
		t.Error("the page does not say what is missing")
	}
	file := filepath.Join(run, "sweep", "sweep.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("0.25"), []byte("0.95"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(io.Discard, run, ""); err == nil || !strings.Contains(err.Error(), "sweep.json") {
		t.Errorf("a changed result gives %v", err)
	}
	if err := Write(io.Discard, t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "is no folder that has a report") {
		t.Errorf("an empty folder gives %v", err)
	}
	recovery := t.TempDir()
	figure := filepath.Join(recovery, "ddm.svg")
	if err := os.WriteFile(figure, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(io.Discard, recovery, ""); err == nil || err.Error() != recovery+": has no report page, only figures: open "+figure+" in a browser" {
		t.Errorf("a folder of figures gives %v", err)
	}
}

func TestFormula(t *testing.T) {
	header, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"v - (a - z)":   "v−(a−z)",
		"v - a - z":     "v−a−z",
		"v + (a + z)":   "v+a+z",
		"v*(a + z)":     "v⋅(a+z)",
		"v*a/z":         "[v⋅a|z]",
		"(a/z)^2":       "([a|z])^2",
		"exp(v + a)^2":  "(e^v+a)^2",
		"-v^2":          "−v^2",
		"v*(-a)":        "v⋅(−a)",
		"sqrt(v)*2":     "√v⋅2",
		"log(v)/rt":     "[log(v)|rt]",
		"exp(-2*z)":     "e^−2⋅z",
		"v*-2":          "v⋅(−2)",
		"a/(rt - t)*z":  "[a|rt−t]⋅z",
		"sqrt(a/z)^2":   "√[a|z]^2",
		"(v - rt)*t^2":  "(v−rt)⋅t^2",
		"abs(v) + 1e-9": "|v|+1e−09",
	} {
		m, err := syntax.ParseExpr(text, header)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(flat(string(Formula(m.LogLik))), "\n", ""); got != want { // a line for each term
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// flat writes MathML on one line: fractions as [|], powers as ^, roots as √.
func flat(text string) string {
	d := xml.NewDecoder(strings.NewReader(text))
	var open []string
	var nth []int
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		switch v := token.(type) {
		case xml.StartElement:
			if n := len(open); n > 0 {
				if nth[n-1] == 1 {
					b.WriteString(map[string]string{"mfrac": "|", "msup": "^"}[open[n-1]])
				}
				nth[n-1]++
			}
			open, nth = append(open, v.Name.Local), append(nth, 0)
			b.WriteString(map[string]string{"mfrac": "[", "msqrt": "√"}[v.Name.Local])
		case xml.EndElement:
			open, nth = open[:len(open)-1], nth[:len(nth)-1]
			b.WriteString(map[string]string{"mfrac": "]"}[v.Name.Local])
		case xml.CharData:
			b.Write(v)
		}
	}
}
