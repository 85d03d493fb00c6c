package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
)

// recovered is what likc recover found of a model.
type recovered struct {
	Model  string     `json:"model"`
	Band90 [2]float64 `json:"band_90"`
	Params map[string]struct {
		R       float64 `json:"r"`
		Covered float64 `json:"covered_90"`
	} `json:"params"`
	names []string // names of the parameters, in the model's order
	group string   // the picture that it is in
}

// TestRecovery: docs/evidence/simulators.md shows how well the models recover their own parameters, a picture a kind, drawn from the results in
// testdata/recovery; -update draws them again.
func TestRecovery(t *testing.T) {
	page, err := os.ReadFile("evidence/simulators.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures := map[string][]*recovered{}
	for _, r := range readRecovered(t) {
		file := "figures/recovery-" + r.group + ".svg"
		pictures[file] = append(pictures[file], r)
	}
	for file, models := range pictures {
		if !strings.Contains(string(page), "](../"+file+")") {
			t.Errorf("simulators.md does not show %s", file)
		}
		svg := drawRecovery(t, models)
		if *update {
			if err := os.WriteFile(file, svg, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if old, err := os.ReadFile(file); err != nil || runtime.GOARCH == "amd64" && !bytes.Equal(old, svg) {
			t.Errorf("%s is not the picture of the results (%v): draw it again with -update", file, err)
		}
	}
}

// TestDensitiesCover: intervals of models that are densities of their process hold the truth as often as they say. The bands hold 99 % of
// the shares, so of many parameters some may lie outside.
func TestDensitiesCover(t *testing.T) {
	outside, all := 0, 0
	for _, r := range readRecovered(t) {
		if r.group == "ranks" {
			continue
		}
		for _, p := range r.Params {
			if all++; p.Covered < r.Band90[0] || p.Covered > r.Band90[1] {
				outside++
			}
		}
	}
	if all == 0 || outside > 1+all/20 {
		t.Errorf("%d of %d parameters of densities have a coverage outside the band", outside, all)
	}
}

// readRecovered reads the results.
func readRecovered(t *testing.T) []*recovered {
	t.Helper()
	files, err := filepath.Glob("../testdata/recovery/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d results, %v", len(files), err)
	}
	var all []*recovered
	for _, file := range files {
		r := &recovered{}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, r)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		m, err := catalog.Open(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		if r.names = m.ParamNames(); len(r.names) != len(r.Params) {
			t.Fatalf("%s: %d parameters, want %s", file, len(r.Params), r.names)
		}
		r.group = groupOf(m)
		all = append(all, r)
	}
	return all
}

// groupOf says which picture a model is in: simulated processes with their exact densities or teachers, closed forms, formulas that are
// densities, and formulas that only rank subjects.
func groupOf(m *catalog.Model) string {
	switch {
	case m.Origin.Kind == catalog.Closed:
		return "closed"
	case m.Origin.Kind != catalog.Formula:
		return "processes"
	case m.Normalise:
		return "formulas"
	}
	return "ranks"
}

// drawRecovery draws a row a parameter: a bar as long as the correlation, and a dot at the share of intervals that hold the truth.
func drawRecovery(t *testing.T, all []*recovered) []byte {
	t.Helper()
	var rows, blanks []string
	for _, r := range slices.Backward(all) {
		if len(rows) > 0 { // a gap between models
			rows, blanks = append(rows, ""), append(blanks, "")
		}
		for i, name := range slices.Backward(r.names) {
			if i == 0 {
				name = r.Model + "  " + name
			}
			rows, blanks = append(rows, name), append(blanks, "")
		}
	}
	most := float64(len(rows)) - 0.3
	r := figure.NewChart("correlation with the truth", figure.Axis{Low: 0, High: 1}, figure.Axis{Low: -0.7, High: most, Names: rows}, scheme)
	cover := figure.NewChart("90 % intervals that hold the truth", figure.Axis{Low: 0, High: 1}, figure.Axis{Low: -0.7, High: most, Names: blanks}, scheme)
	band := all[0].Band90
	cover.Area([]float64{band[0], band[1]}, []float64{most, most}, -0.7, color.NRGBA{0, 158, 115, 45})
	cover.Line([]float64{0.9, 0.9}, []float64{-0.7, most}, dashed)
	row := len(rows)
	for i, model := range all {
		if i > 0 {
			row--
		}
		if model.Band90 != band {
			t.Fatalf("%s: the band %v is another one than %v: another number of subjects?", model.Model, model.Band90, band)
		}
		for _, name := range model.names {
			row--
			p, at := model.Params[name], float64(row)
			r.Line([]float64{0, max(0, p.R)}, []float64{at, at}, figure.Stroke{Colour: hues[0], Width: 6})
			hue := hues[2]
			if p.Covered < band[0] || p.Covered > band[1] {
				hue = hues[1]
			}
			cover.Line([]float64{0, p.Covered}, []float64{at, at}, figure.Stroke{Colour: faint(hue), Width: 6})
			cover.Spot(p.Covered, at, figure.Spot{Colour: hue, Radius: 3})
		}
	}
	fig, err := figure.Charts([]*figure.Chart{r, cover}, 2, 330, 60+11*float64(len(rows)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := fig.WriteStandalone(&b); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("LIKC_PNG"); dir != "" {
		f, err := os.Create(filepath.Join(dir, "recovery-"+all[0].group+".png"))
		if err == nil {
			err = cmp.Or(fig.WritePNG(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return themed(b.Bytes())
}
