package bound

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/testdata"
	"likc/testdata/reference"
)

// closedForms returns the built-in expressions that are exact densities of a process.
func closedForms(t *testing.T) []*catalog.Model {
	all, err := catalog.All()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *catalog.Model) bool {
		_, simulated := m.Simulator()
		short := os.Getenv("LIKC_LONG") == "" // then one size of each race is enough
		return m.Origin.Kind != catalog.Closed || !simulated || short && m.Choices != 0 && m.Choices != 3
	})
	if len(all) == 0 {
		t.Fatal("no closed form")
	}
	return all
}

func TestClosedFormsHaveMassOne(t *testing.T) {
	varying, _ := timed(t, "ddm_sdv")
	full, _ := timed(t, "full_ddm")
	for _, m := range append(closedForms(t), varying, full) {
		_, over := timed(t, m.Name)
		for _, theta := range Spread(m, 4) {
			if mass, err := over.Mass(theta); err != nil || !(math.Abs(mass-1) <= 1e-6) {
				t.Errorf("%s at %v: mass %v, %v", m.Name, theta, mass, err)
			}
		}
	}
}

// Gradients at the corners of the ranges agree with complex steps, from soon after the onset to long after.
func TestGradientsOfClosedFormsAtTheEndsOfTheRanges(t *testing.T) {
	for _, m := range closedForms(t) {
		symbols := append([]string{"rt"}, m.ParamNames()...)
		for _, g := range m.Groups() {
			tape := expr.NewTape(symbols, g.LogLik)
			for n := range 16 {
				theta := cornerOf(m, n*37%(1<<len(m.Params)))
				for _, u := range []float64{0.02, 0.3, 4} {
					rt := m.OnsetAt(theta) + u
					_, got := rowGradient(t, m.Model, rt, g.Choice, theta)
					want := complexSteps(tape, rt, theta)
					for j := range got {
						if !(math.Abs(got[j]-want[j]) <= 1e-6*math.Max(1, math.Abs(want[j]))) {
							t.Errorf("%s at %v, rt %v, choice %v: d/d%s is %v, want %v", m.Name, theta, rt, g.Choice, symbols[1+j], got[j], want[j])
						}
					}
				}
			}
		}
	}
}

// cornerOf returns one corner of the box of a model's ranges: bit j of corner selects the end of parameter j's range.
func cornerOf(m *catalog.Model, corner int) []float64 {
	theta := make([]float64, len(m.Params))
	for j, p := range m.Params {
		if theta[j] = p.Lower; corner>>j&1 == 1 {
			theta[j] = p.Upper
		}
	}
	return theta
}

func complexSteps(tape *expr.Tape, rt float64, theta []float64) []float64 {
	z := []complex128{complex(rt, 0)}
	for _, x := range theta {
		z = append(z, complex(x, 0))
	}
	slopes := make([]float64, len(theta))
	for j := range theta {
		z[1+j] += complex(0, 1e-100)
		slopes[j] = imag(tape.EvalComplex(nil, z)[0]) / 1e-100
		z[1+j] = complex(theta[j], 0)
	}
	return slopes
}

// prepared holds the models that rowGradient has prepared.
var prepared = map[*expr.Model]*expression{}

// rowGradient returns the log density of one trial and its gradient, from the code that fits use.
func rowGradient(t *testing.T, m *expr.Model, rt, choice float64, theta []float64) (float64, []float64) {
	t.Helper()
	if prepared[m] == nil {
		prepared[m] = with(m, nil)
	}
	choices := []float64{choice}
	if m.Choice == "" {
		choices = nil
	}
	rows, err := prepared[m].Rows(kernel.Trials{Columns: [][]float64{{rt}}, Choice: choices})
	if err != nil {
		t.Fatal(err)
	}
	at, grad, logp := make([][]float64, len(theta)), make([][]float64, len(theta)), make([]float64, 1)
	slopes := make([]float64, len(theta))
	for j := range theta {
		at[j], grad[j] = theta[j:j+1], slopes[j:j+1]
	}
	rows.Each(at, logp, grad)
	return logp[0], slopes
}

// Races agree with densities at 60 digits, and their gradients with central differences.
func TestRacesAgreeWithReference(t *testing.T) {
	perAccumulator := strings.NewReplacer("s    in", "s[c] in", "log(s*tau)", "log(s[c]*tau)", "m[k])/s", "m[k])/s[k]")
	models := map[string]*expr.Model{}
	for n := 2; n <= 4; n++ {
		text, _ := testdata.Model(fmt.Sprint("lnr", n))
		read, err := syntax.Read("lnr.lik", strings.NewReader(perAccumulator.Replace(text)))
		if err != nil {
			t.Fatal(err)
		}
		models[fmt.Sprint(n)] = read[0]
	}
	for i, row := range reference.Rows(t, "densities/lnr_reference.csv") {
		m := models[row["n"]]
		if len(m.Params) != 2*m.Choices+1 {
			t.Fatalf("%d parameters", len(m.Params))
		}
		checkReference(t, fmt.Sprintf("lnr_reference.csv row %d", i+2), m, row, map[string]string{"t": "t0"}, "logp")
	}
}

func TestBallisticAccumulatorsAgreeWithReference(t *testing.T) {
	models := map[string]*catalog.Model{}
	for _, n := range []string{"2", "3"} {
		models[n], _ = timed(t, "lba"+n)
	}
	skipped := 0
	for i, row := range reference.Rows(t, "densities/lba_reference.csv") {
		A, B := number(t, row, "A"), number(t, row, "b")-number(t, row, "A")
		if B == 0 { // B = 0 is outside the model's range, which begins above 0
			skipped++
			continue
		}
		unit := number(t, row, "sv") // the model sets sv to 1, because rates and distances share a unit that can be chosen freely
		for _, column := range []string{"v0", "v1", "v2"} {
			if row[column] != "" {
				row[column] = fmt.Sprint(number(t, row, column) / unit)
			}
		}
		row["A"], row["B"] = fmt.Sprint(A/unit), fmt.Sprint(B/unit)
		checkReference(t, fmt.Sprintf("lba_reference.csv row %d", i+2), models[row["n"]].Model, row, map[string]string{"t": "t0"}, "logp")
	}
	if skipped != 10 {
		t.Errorf("%d rows of 200 lie outside the ranges and were skipped, want 10", skipped)
	}
}

func TestRacingDiffusionsAgreeWithReference(t *testing.T) {
	models := map[string]*catalog.Model{}
	for _, n := range []string{"2", "3", "4"} {
		models[n], _ = timed(t, "rdm"+n)
	}
	for i, row := range reference.Rows(t, "densities/rdm_reference.csv") {
		row["B"] = fmt.Sprint(number(t, row, "b") - number(t, row, "A"))
		checkReference(t, fmt.Sprintf("rdm_reference.csv row %d", i+2), models[row["n"]].Model, row, map[string]string{"t": "t0"}, "logp")
	}
}

func number(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return x
}

// checkReference compares a log density to 1e-8 of max(1, |log f|) and its gradient with central differences to 1e-6.
func checkReference(t *testing.T, what string, m *expr.Model, row map[string]string, columns map[string]string, value string) {
	t.Helper()
	theta := make([]float64, len(m.Params))
	for j, p := range m.Params {
		column := p.Name
		if columns[column] != "" {
			column = columns[column]
		}
		theta[j] = number(t, row, column)
	}
	rt, choice, want := number(t, row, "rt"), number(t, row, "choice"), number(t, row, value)
	got, grad := rowGradient(t, m, rt, choice, theta)
	if !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: log density %v, want %v", what, got, want)
	}
	for j, slope := range grad {
		if central := centralDifference(t, m, rt, choice, theta, j); !(math.Abs(slope-central) <= 1e-6*math.Max(1, math.Abs(central))) {
			t.Errorf("%s: d/d%s is %v, want %v", what, m.Params[j].Name, slope, central)
		}
	}
}

// centralDifference returns the derivative of the log density with respect to a parameter, by central differences of the fourth order.
func centralDifference(t *testing.T, m *expr.Model, rt, choice float64, theta []float64, j int) float64 {
	h := 3e-4 * min(1, rt-theta[m.ParamIndex("t")])
	at := func(step float64) float64 {
		moved := slices.Clone(theta)
		moved[j] += step * h
		logp, _ := rowGradient(t, m, rt, choice, moved)
		return logp
	}
	return (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
}
