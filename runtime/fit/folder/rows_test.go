package folder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"likc/runtime/fit"
	"likc/runtime/fit/loo"
)

// The files of trials give each trial's row in the data file, where rows that were dropped count. A table of PSIS-LOO that an
// older version wrote has no rows, but can be read.
func TestRowsOfTheFile(t *testing.T) {
	f, r := drawn(t)
	f.Predictive, f.NoFigures = 2, true
	r.Rows = []int{2, 3, 5, 8, 9, 12}
	r.Lapses = make([]float64, 6)
	r.LOO = &loo.Result{Trials: make([]loo.Trial, 6)}
	if err := f.Save(t.Context(), r, 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{looFile: "4,,0,0,0,0,0,0,8", lapseFile: "4,0,8"} {
		text, err := os.ReadFile(filepath.Join(f.hidden.Path, name))
		if err != nil || !slices.Contains(strings.Split(string(text), "\n"), want) {
			t.Errorf("%s: %s, %v: want the line %s", name, text, err, want)
		}
	}
	predicted, err := parquet.ReadFile[predictedTrial](filepath.Join(f.hidden.Path, predictiveTable+".parquet"))
	if err != nil || len(predicted) != 12 || predicted[9].Trial != 4 || predicted[9].Row != 8 {
		t.Errorf("%+v, %v", predicted, err)
	}
	old := t.TempDir()
	const table = "trial,subject,elpd,p,k,mcse,elpd_waic,p_waic\n1,,-0.5,0.1,0.2,0.01,-0.6,0.2\n"
	if err := os.WriteFile(filepath.Join(old, looFile), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	if trials, err := readLOO(old); err != nil || len(trials) != 1 || trials[0].ELPD != -0.5 || trials[0].PWAIC != 0.2 {
		t.Errorf("%+v, %v", trials, err)
	}
}

// Two fits have the same trials if response times and labels are equal. A fit by an older version, which has no labels, is
// compared by the codes of its choices.
func TestSameTrials(t *testing.T) {
	of := func(responses, trials string) *Saved {
		return &Saved{Dir: "fit", Subjects: []*fit.Summary{{N: 2, Prediction: fit.Prediction{Responses: responses, Trials: trials}}}}
	}
	for _, c := range []struct {
		a, b *Saved
		want string // "" for the same
	}{
		{of("signs", "x"), of("numbers", "x"), ""},
		{of("signs", "x"), of("signs", "y"), "different response times or choices"},
		{of("signs", ""), of("signs", ""), ""},
		{of("signs", ""), of("numbers", ""), "different response times or choices"},
		{of("signs", ""), of("signs", "x"), ""},
		{of("signs", "x"), of("numbers", ""), "an older version of likc fitted fit, which kept no labels: if the trials are the same, fit it again"},
	} {
		err := c.a.sameTrials(c.b)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v and %+v: %v, want %q", c.a.Subjects[0].Prediction, c.b.Subjects[0].Prediction, err, c.want)
		}
	}
}
