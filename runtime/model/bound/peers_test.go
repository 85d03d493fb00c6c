package bound

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// peer reads a table of real data, or of results of another program. It returns the rows, each by the name of the column. The files have
// other licences than likc and are not in its repository: they are in data/peers of the folder that LIKC_SHARED names, or of a folder
// `shared` next to the repository.
func peer(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("LIKC_SHARED"), "../../../../shared"), "data/peers", name)
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		t.Skipf("no %s: LIKC_SHARED names the folder that has data/peers/%s", path, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	all, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = fields[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// value reads a number of a table.
func value(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// cells holds the trials of each cell of the design.
type cells map[string]*struct{ rt, choice []float64 }

func (c cells) add(cell string, rt, choice float64) {
	if c[cell] == nil {
		c[cell] = &struct{ rt, choice []float64 }{}
	}
	c[cell].rt, c[cell].choice = append(c[cell].rt, rt), append(c[cell].choice, choice)
}

// The six fits of the Wiener density by rtdists to the data of Ratcliff and Rouder (1998), two conditions of three people, have the log-likelihoods
// that rtdists found. Drift differs by strength. rtdists cuts its series so that each density has an error of about 1e-6 at most.
func TestRtdistsWiener(t *testing.T) {
	data, fits := peer(t, "rr98_rtdists.csv.gz"), peer(t, "rr98_wiener_ml.csv")
	if len(fits) != 6 {
		t.Fatalf("%d fits, want 6", len(fits))
	}
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, fit := range fits {
		of := cells{}
		for _, row := range data {
			if row["id"] == fit["id"] && row["instruction"] == fit["instruction"] && row["outlier"] == "FALSE" {
				of.add(row["strength_bin"], value(t, row["rt"]), map[string]float64{"light": 1, "dark": -1}[row["response"]])
			}
		}
		sum := 0.0
		for strength, trials := range of {
			lik, err := b.Bind(kernel.Responses(trials.rt, trials.choice), Design{})
			if err != nil {
				t.Fatal(err)
			}
			grad := make([]float64, 4)
			sum += lik.LogLikGrad([]float64{value(t, fit["v_"+strength]), value(t, fit["a"]) / 2, value(t, fit["z"]), value(t, fit["t0"])}, grad)
		}
		if want := -value(t, fit["negll"]); len(of) != 5 || !(math.Abs(sum-want) <= 3e-6) {
			t.Errorf("%s, %s: %d strengths, %.9f, rtdists has %.9f", fit["id"], fit["instruction"], len(of), sum, want)
		}
	}
}

// EMC2's tests print log-likelihoods of the data of Forstmann and others (2008), for two people and parameters drawn at random. EMC2 rounds
// response times down to sixtieths of a second, and replaces densities below 1e-10 by 1e-10.
const (
	emc2Resolution = 1. / 60
	emc2Least      = 1e-10
)

// printed is a number that was printed with an error of at most half: half a unit of its last decimal.
type printed struct{ value, half float64 }

// emc2 returns EMC2's parameters and log-likelihood (LOGLIK) for one person, and the person's trials by stimulus and emphasis. The choice
// code of the response "right" is 1, and that of the response "left" is other.
func emc2(t *testing.T, model, subject string, other float64) (p map[string]printed, of cells) {
	t.Helper()
	p, of = map[string]printed{}, cells{}
	for _, row := range peer(t, "emc2_forstmann_subject_ll.csv") {
		if row["model"] == model && row["subject"] == subject {
			_, decimals, _ := strings.Cut(row["value_as_printed"], ".")
			p[row["param"]] = printed{value(t, row["value_as_printed"]), 0.5 * math.Pow10(-len(decimals))}
		}
	}
	for _, row := range peer(t, "forstmann2008_emc2.csv.gz") {
		if row["subjects"] == subject {
			rt := math.Floor(value(t, row["rt"])/emc2Resolution) * emc2Resolution
			of.add(row["S"]+" "+row["E"], rt, map[string]float64{"left": other, "right": 1}[row["R"]])
		}
	}
	return p, of
}

// floored returns the sum of log densities, each at least log(emc2Least).
func floored(t *testing.T, model string, rt, choice, theta []float64) (sum float64) {
	t.Helper()
	m, err := catalog.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	p := boundTo(t, m, [][]float64{rt}, choice)
	for i := range rt {
		one := []float64{0}
		p.LogDensity([][]float64{one}, [][]float64{theta}, i)
		sum += max(one[0], math.Log(emc2Least))
	}
	return sum
}

// normalCDF returns the standard normal distribution function, R's pnorm, with which EMC2 maps parameters.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func TestEMC2(t *testing.T) {
	// for each model, a function that returns its parameters for a stimulus and an emphasis
	for model, c := range map[string]struct {
		likc  string
		other float64
		theta func(p map[string]float64, stimulus, emphasis string) []float64
	}{
		"DDM": {"full_ddm", -1, func(p map[string]float64, stimulus, emphasis string) []float64 {
			z := normalCDF(p["Z"])
			return []float64{p["v_S"+stimulus], math.Exp(p["a"]+p["a_E"+emphasis]) / 2, z, math.Exp(p["t0"]), math.Exp(p["sv"]), 2 * normalCDF(p["SZ"]) * min(z, 1-z), 0}
		}},
		"LNR": {"lnr2", 0, func(p map[string]float64, stimulus, emphasis string) []float64 {
			match := map[string]float64{"left": -0.5, "right": 0.5}[stimulus] * p["m_lMd"] // the match effect of the accumulator for the response "right"
			m := p["m"] + p["m_E"+emphasis]
			return []float64{m - match, m + match, math.Exp(p["s"]), math.Exp(p["t0"])}
		}},
	} {
		for _, subject := range []string{"as1t", "bd6t"} {
			p, of := emc2(t, model, subject, c.other)
			sum := func(moved string) (sum float64) {
				values := map[string]float64{}
				for name, x := range p {
					values[name] = x.value
				}
				values[moved] += p[moved].half
				for cell, trials := range of {
					stimulus, emphasis, _ := strings.Cut(cell, " ")
					sum += floored(t, c.likc, trials.rt, trials.choice, c.theta(values, stimulus, emphasis))
				}
				return sum
			}
			got, want := sum(""), p["LOGLIK"]
			tolerance := want.half // half a unit of the last printed digit, plus the effect of rounding each parameter
			for name := range p {
				tolerance += math.Abs(sum(name) - got)
			}
			t.Logf("%s of %s: %.6f, EMC2 prints %v, rounded by %.2g at most", model, subject, got, want.value, tolerance)
			if len(of) != 6 || !(math.Abs(got-want.value) <= tolerance) || tolerance > 20*want.half {
				t.Errorf("%s of %s: %d cells, %.6f, EMC2 prints %v", model, subject, len(of), got, want.value)
			}
		}
	}
}
