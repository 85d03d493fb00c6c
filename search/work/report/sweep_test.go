package report

import (
	"bytes"
	"encoding/json"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
	"likc/search/study/sweep"
)

// madeSweep is a sweep over two weights with all that can stand beside it.
func madeSweep(t *testing.T) *sweep.Result {
	t.Helper()
	var all []sweep.Search
	for i, s := range searches() {
		for j := range s.Expressions {
			e := &s.Expressions[j]
			e.Text, e.Size = "v + (a - a) + z*z - (rt - t)", 13 // v + z² − (rt − t), of 8 nodes or 9
			e.Search = &front.Search{Line: front.Line{Model: "ddm", Terms: map[string]finite.Number{
				"mse": 0.5, "rho_v": 0.5, "rho_a": 0.5, "rho_z": 0.5, "rho_t": 0.5, "edge_v": 0, "edge_a": 0, "edge_z": 0, "edge_t": 0}}}
			e.Tier = []string{"constant", "tabulated"}[i%2]
		}
		s.Judge = sweep.Judge{Bank: "test-60", Method: "nuts", Settings: "abcdef"}
		all = append(all, s)
	}
	r, err := sweep.New(all, sweep.Settings{Resamples: 100, Seed: 1, Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	error7 := 0.777
	r.Best[0].HeldOut, r.HeldOut = &error7, &sweep.HeldOut{Rows: 12321, Median: 0.666}
	r.Refit = &sweep.Refit{Groups: []sweep.RefitGroup{{Name: "all", Forms: 77, Gained: 5, Lost: 6, Same: 66, Median: 0.0123,
		Interval: [2]finite.Number{-0.111, 0.222}, RhatShare: [2]finite.Number{0.31, 0.04}}}}
	row := func(lambda, share float64, pass [2][2]int) sweep.ScreenRow {
		return sweep.ScreenRow{Lambda: finite.Number(lambda), Share: share, Comparison: judge.Comparison{Common: 40, Pass: pass, Mean: [2]float64{2.34, 2.45},
			R: 0.67, Same: 0.789, Differ: []judge.Disagreement{{Expr: "v*v*v - (rt - t)", Pass: [2]bool{true, false}, Weakest: [2]finite.Number{0.61, 0.43}}}}}
	}
	r.Screen = &sweep.Screen{Rows: []sweep.ScreenRow{row(0, 0.04, [2][2]int{{36, 2}, {2, 0}}), row(1, 0.5, [2][2]int{{15, 5}, {9, 11}})},
		All: row(math.NaN(), 0.25, [2][2]int{{50, 7}, {11, 12}})}
	r.Rows[1].Compared, r.Rows[1].Honest, r.Rows[1].AnyHonest = 31, 17, 13
	r.Models = []*judge.Verdict{{Model: "ddm", Params: []judge.Param{{Name: "v", R: 0.99, Bias: -0.123, RMSE: 0.456, Covered: 0.81,
		Compared: &judge.Compared{RMSERatio: 1.67}}}, Reference: "exact", Honest: honesty.NotHonest}}
	return r
}

// TestSweepPage: a folder that a sweep wrote gives a page of its own, with every analysis beside the paper's.
func TestSweepPage(t *testing.T) {
	dir := t.TempDir()
	text, err := json.Marshal(madeSweep(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(pageOf(t, dir))
	var same bytes.Buffer
	if err := WriteSweep(&same, dir); err != nil || oneSpace(html.UnescapeString(same.String())) != page {
		t.Errorf("WriteSweep: %v, or another page", err)
	}
	for _, want := range []string{
		"size 13 as found, 8 simplified as here", "<msup><mrow><mi>z</mi></mrow><mrow><mn>2</mn></mrow></msup>", // the formula must not be printed as z⋅z or with a − a
		"<td>0.5</td><td>0.777</td>", "12321 other rows 0.666",
		"<td>77</td><td>5</td><td>6</td><td>66</td><td>+0.0123 [−0.111, +0.222]</td><td>31.0 %, 4.0 %</td>",
		"<td>473</td><td>12</td><td>3</td><td>458</td><td>−0.0001 [−0.066, +0.057]</td>",
		"<td>50.0 %</td><td>40.0 %</td><td>40</td><td>20</td><td>16</td><td>11</td><td>9</td><td>5</td><td>2.34, 2.45</td><td>0.67</td><td>78.9 %</td>",
		"<td>21.4 %</td><td>19.5 %</td><td>486</td><td>104</td><td>95</td><td>73</td><td>31</td><td>22</td>",
		"grows 12.5-fold by the screen and 8-fold by NUTS", // 0.5 of 0.04, and 16/40 of 2/40
		"1 formulas on which they disagree", "<td>screen</td><td>0.61</td><td>0.43</td>",
		"ρ − edge, minimum", "<td>50.0 %</td><td>50.0 %</td><td>0.0 %</td>", // tiers
		`stroke="var(--soft)" stroke-width="1.2" stroke-dasharray="1 3"`, // the exact density
		`stroke="var(--c1)" stroke-width="1.6" stroke-dasharray="4 3"`,   // the screen
		"nuts on test-60 with settings abcdef",
		"<b>17 of 31</b>", "<td>17 of 31</td><td>13</td>", // honest
		"times the value of exact", "<td>−0.123</td><td>0.456 (1.67)</td><td>81.0 %</td><td>no</td>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	angle := strings.ReplaceAll(string(text), `"model":"ddm"`, `"model":"angle"`)
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), []byte(angle), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := pageOf(t, dir); strings.Contains(text, "paper’s") || strings.Contains(text, `class="paper"`) {
		t.Error("the page of another model has the paper's figures")
	}
	for _, never := range []string{"<no value>", "NaN", "%!", "ZgotmplZ"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// TestOtherSweep: a sweep with more beside it stands for the run's own, if it is of the same verdicts.
func TestOtherSweep(t *testing.T) {
	run, dir := madeUp(t), t.TempDir()
	save := func(change func(*sweep.Result)) {
		s, err := sweep.New(searches(), sweep.Settings{Resamples: 100, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "sweep.json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(func(s *sweep.Result) { s.Refit = madeSweep(t).Refit })
	var b bytes.Buffer
	if err := Write(&b, run, dir); err != nil || !strings.Contains(b.String(), "<td>77</td><td>5</td><td>6</td><td>66</td>") ||
		!strings.Contains(b.String(), "expr2") || strings.Contains(pageOf(t, run), "<td>77</td>") {
		t.Errorf("the other sweep is not shown: %v", err)
	}
	save(func(s *sweep.Result) { s.Rows[1].Recover++ })
	if err := Write(&b, run, dir); err == nil || !strings.Contains(err.Error(), "other verdicts") {
		t.Errorf("a sweep of other verdicts: %v", err)
	}
}

// TestPictures: files of their own are whole SVG that no page's style reaches.
func TestPictures(t *testing.T) {
	all := Pictures(madeSweep(t))
	names := ""
	for _, p := range all {
		names += p.Name + " "
		wellFormed(t, string(p.SVG))
		if text := string(p.SVG); !strings.HasPrefix(text, `<svg xmlns="http://www.w3.org/2000/svg"`) || strings.Contains(text, "var(") ||
			!strings.Contains(text, `="#1f78c8"`) {
			t.Errorf("%s: %.300s", p.Name, text)
		}
	}
	if names != "recovery-by-size.svg recover-all.svg recover-each.svg proxy.svg " {
		t.Errorf("pictures %s", names)
	}
	if Pictures(&sweep.Result{}) != nil {
		t.Error("pictures of nothing")
	}
}
