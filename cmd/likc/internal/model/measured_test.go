package model

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"likc/compiler/emit/rowwise"
	"likc/runtime/model/catalog"
)

// columns are the columns of the table of measured differences, each with the target whose code is run: the languages, and the Python modules.
var columns = []struct {
	name string
	to   target
}{{"go", "go"}, {"c", "c"}, {"numpy", "python"}, {"torch", "python"}, {"jax", "python"}, {"stan", "stan"}, {"r", "r"},
	{"javascript", "javascript"}, {"rust", "rust"}}

// answer is what printed code returns for a case: the log-likelihood, then its derivatives, if the code has any.
type answer []float64

// difference holds the largest differences between answers and those of eval, relative to Σ|terms|.
type difference struct {
	value, slope float64
	slopes       bool // whether there were derivatives
}

func (f difference) or(other difference) difference {
	return difference{max(f.value, other.value), max(f.slope, other.slope), f.slopes || other.slopes}
}

func (f difference) String() string {
	if f.slopes {
		return fmt.Sprintf("%.0e, %.0e", f.value, f.slope)
	}
	return fmt.Sprintf("%.0e", f.value)
}

// limits returns the largest differences that are allowed, and the number of cases that may have one above 1e-9.
func limits(m *catalog.Model, column string) (most difference, off int) {
	switch {
	case m.Origin.Kind == catalog.Numerical:
		return difference{value: 1e-5, slope: 1e-5}, 2 // in tails, such as log densities of -1,000,000 of urgency: a late density is a small difference of large numbers, and decides a slope
	case m.Name == "full_ddm" || m.Name == "leaning":
		return difference{value: 1e-11, slope: 1e-11}, 0 // eval's own polynomials err by this much in derivatives: its sums differ so from its densities trial by trial
	case m.Lapse != nil:
		return difference{value: 1e-11, slope: 1e-10}, 0 // eval's program adds 1e5 and subtracts it, where lapses are mixed in: each log density errs by 1.5e-11
	case column == "go" || column == "c":
		return difference{value: 1e-12, slope: 1e-12}, 0
	}
	return difference{value: 1e-12, slope: 1e-10}, 0
}

// checkModel compares the answers of a model's cases with the values of eval.
func checkModel(t *testing.T, name, column string, answers []answer, cases []rowwise.Case) (worst difference) {
	t.Helper()
	if len(answers) != len(cases) {
		t.Fatalf("%s: %d answers for %d cases", name, len(answers), len(cases))
	}
	finite, off := 0, 0
	for i, c := range cases {
		if c.LogLik-c.LogLik == 0 {
			finite++
		}
		f := compare(t, name, c, answers[i])
		if worst = worst.or(f); max(f.value, f.slope) > 1e-9 {
			off++
		}
	}
	t.Logf("%-18s %2d of %d finite, at most %v of Σ|terms| from eval, %d above 1e-9", name, finite, len(cases), worst, off)
	most, mostOff := limits(open(t, name), column)
	if worst.value > most.value || worst.slope > most.slope || off > mostOff || finite < 20 {
		t.Errorf("%s in %s: %d finite, %v of Σ|terms| from eval, %d above 1e-9: want 20, %v and %d", name, column, finite, worst, off, most, mostOff)
	}
	return worst
}

// compare returns the differences between an answer and that of eval. It fails if one of them is infinite or undefined, and the other not.
func compare(t *testing.T, name string, c rowwise.Case, got answer) (f difference) {
	t.Helper()
	differ := func(what string, got, want float64) float64 {
		if got == want || math.IsNaN(got) && math.IsNaN(want) {
			return 0
		}
		if want-want != 0 || got-got != 0 {
			t.Errorf("%s at %v: %s = %v, want %v", name, c.Theta, what, got, want)
			return 0
		}
		return math.Abs(got-want) / c.Scale
	}
	f.value = differ("log-likelihood", got[0], c.LogLik)
	for j, g := range got[1:] {
		f.slopes = true
		if !math.IsNaN(c.LogLik) {
			f.slope = max(f.slope, differ(fmt.Sprint("derivative ", j), g, c.Grad[j]))
		}
	}
	return f
}

const measuredPage, measuredBegin, measuredEnd = "../../../../docs/reference/targets-measured.md", "<!-- see measured_test.go -->\n", "<!-- end of measured -->"

var cellText = regexp.MustCompile(`^(0e\+00|[1-9]e-[0-9]{2})(, (0e\+00|[1-9]e-[0-9]{2}))?$`)

// TestMeasured: the page of measured differences has a number for every model in every language that it can be written in, and for no other.
// The tests that compare with eval measure them with LIKC_LONG=1, and write them with -update.
func TestMeasured(t *testing.T) {
	cells := committed(t)
	for _, m := range allModels(t) {
		for _, column := range columns {
			cell, ok := cells[m.Name][column.name]
			if want := expected(m.Name, column.name, column.to); !ok || want != "" && cell != want || want == "" && !cellText.MatchString(cell) {
				t.Errorf("%s in %s is %q on %s: measure it with LIKC_LONG=1 and -update", m.Name, column.name, cell, measuredPage)
			}
		}
		delete(cells, m.Name)
	}
	for name := range cells {
		t.Errorf("%s has the model %s, which likc has not: write it with -update", measuredPage, name)
	}
}

// unrun are models whose code has not been run in a column, because a compiler needs more memory for it than 21 GB.
var unrun = map[string][]string{"go": {"full_ddm_formula"}}

// expected returns the text of a cell that has no numbers: of a model that cannot be written in a language, or whose code has not been run.
func expected(model, column string, to target) string {
	refused, _ := refusals()
	if refused[model][to] == "" && slices.Contains(unrun[column], model) {
		return "not run"
	}
	return refused[model][to]
}

// committed returns the page's cells by model and column.
func committed(t *testing.T) map[string]map[string]string {
	t.Helper()
	_, table, _ := measuredParts(t)
	cells, lines := map[string]map[string]string{}, strings.Split(strings.TrimSpace(table), "\n")
	names := strings.Split(lines[0], " | ")
	for _, line := range lines[min(2, len(lines)):] {
		row := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		model := strings.Trim(row[0], "|` ")
		cells[model] = map[string]string{}
		for j, cell := range row[1:] {
			cells[model][strings.TrimSuffix(names[j+1], " |")] = cell
		}
	}
	return cells
}

// measuredParts returns the page's text before its table, the table, and the text after it.
func measuredParts(t *testing.T) (before, table, after string) {
	t.Helper()
	b, err := os.ReadFile(measuredPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), measuredBegin)
	table, after, ends := strings.Cut(rest, measuredEnd)
	if !ok || !ends {
		t.Fatal("the page has no place for the table")
	}
	return before, table, after
}

// record writes a column of the table, with -update after a measurement of all models.
func record(t *testing.T, column string, found map[string]difference) {
	t.Helper()
	if !*update || os.Getenv("LIKC_LONG") == "" || t.Failed() {
		return
	}
	before, _, after := measuredParts(t)
	cells := committed(t)
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	table := "| model | " + strings.Join(names, " | ") + " |\n|" + strings.Repeat(" --- |", len(names)+1) + "\n"
	for _, m := range allModels(t) {
		table += "| `" + m.Name + "`"
		for _, c := range columns {
			cell := cells[m.Name][c.name]
			if f, ok := found[m.Name]; ok && c.name == column {
				cell = f.String()
			}
			if text := expected(m.Name, c.name, c.to); text != "" {
				cell = text
			}
			table += " | " + cell
		}
		table += " |\n"
	}
	if err := os.WriteFile(measuredPage, []byte(before+measuredBegin+table+measuredEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// refusals returns by model and target "no" with the number of a reason, or nothing where a model can be written, and the reasons.
var refusals = sync.OnceValues(func() (map[string]map[target]string, []string) {
	cells, reasons := map[string]map[target]string{}, []string{}
	all, _ := modelsOf(nil) // allModels reports the error
	for _, src := range all {
		cells[src.Name] = map[target]string{}
		for _, name := range target("").Choices() {
			to := target(name)
			err := printed(src, to)
			if err == nil {
				continue
			}
			reason := strings.NewReplacer(src.Name+": ", "", src.Name, "the model", "printed for "+name, "printed in that language").Replace(err.Error())
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
			cells[src.Name][to] = fmt.Sprintf("no (%d)", slices.Index(reasons, reason)+1)
		}
	}
	return cells, reasons
})
