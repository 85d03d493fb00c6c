package chains

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"likc/testdata/reference"
)

func example() *Draws {
	warmup := Trace{
		Params:     [][]float64{{9, 8}, {7, 6}, {5, 4}},
		LogDensity: []float64{-3, -2}, AcceptStat: []float64{0.5, 1}, StepSize: []float64{1, 0.1},
		TreeDepth: []int{1, 0}, Leapfrogs: []int{1, 1}, Divergent: []bool{false, true}, Energy: []float64{4, 5},
	}
	kept := Trace{
		Params:     [][]float64{{1.0 / 3, math.Inf(-1), 3}, {1e-300, math.NaN(), 6}, {-0.1, 5e-324, math.MaxFloat64}},
		LogDensity: []float64{-1, -2.5, -3}, AcceptStat: []float64{0.9, 0.8, 0.7}, StepSize: []float64{0.3, 0.3, 0.3},
		TreeDepth: []int{2, 3, 10}, Leapfrogs: []int{3, 7, 1023}, Divergent: []bool{false, true, false},
		Energy: []float64{2, 3, 4},
	}
	return &Draws{
		Names: []string{"mu", "theta[1]", "M[2,1]"},
		Run: Run{Model: "demo", NumWarmup: 2, NumSamples: 3, SaveWarmup: true, Thin: 1, MaxDepth: 10, Delta: 0.8,
			Metric: "diag_e", StepSize: 1, Init: 2, Seed: 42},
		Chains: []Chain{{ID: 3, Trace: kept, Warmup: warmup,
			Adapted: Adapted{StepSize: 0.3, InvMetric: [][]float64{{1, 0.25, 1.0 / 7}}}}},
	}
}

func TestStanRoundTripIsExact(t *testing.T) {
	dense := example()
	dense.Run.Metric = "dense_e"
	dense.Chains[0].Adapted.InvMetric = [][]float64{{1, 0.1, 0}, {0.1, 2, 0}, {0, 0, 3}}
	noWarmup := example()
	noWarmup.Run.SaveWarmup = false
	noWarmup.Chains[0].Warmup = Trace{Params: make([][]float64, 3)}
	for name, want := range map[string]*Draws{"diagonal": example(), "dense": dense, "no warm-up": noWarmup} {
		var b bytes.Buffer
		if err := want.WriteStan(&b, 0); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&b, "chain.csv")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Chains) == 1 && !want.Run.SaveWarmup {
			got.Run.NumWarmup = want.Run.NumWarmup
		}
		if got.File != "chain.csv" {
			t.Errorf("%s: read from %q", name, got.File)
		}
		got.File = ""
		ignore := cmpopts.IgnoreFields(Run{}, "Init")
		if diff := cmp.Diff(want, got, ignore, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", name, diff)
		}
	}
}

// TestHeaderHasWhatReadersNeed checks the lines that rstan, cmdstanpy and cmdstanr cannot do without.
// A flipped bit anywhere in a file is an error, or changes nothing that is read. It changes nothing if it hits the words that mark the line
// with the sum.
func TestFlippedBits(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	want, err := Read(bytes.NewReader(b.Bytes()), "chain.csv")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for bit := range 8 * b.Len() {
		text := bytes.Clone(b.Bytes())
		text[bit/8] ^= 1 << (bit % 8)
		got, err := Read(bytes.NewReader(text), "chain.csv")
		if err != nil {
			found++
		} else if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("bit %d: (-written +read)\n%s", bit, diff)
		}
	}
	if found < 8*(b.Len()-2*len(sumComment)) {
		t.Errorf("%d of %d flips were found", found, 8*b.Len())
	}
}

// Files with line ends of another system, and files without a sum, are read.
func TestSumHeedsNoLineEnds(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, c := range []string{strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + text, text[:strings.Index(text, sumComment)]} {
		if _, err := Read(strings.NewReader(c), "chain.csv"); err != nil {
			t.Error(err)
		}
	}
	if _, err := Read(strings.NewReader(text+text[strings.LastIndex(text[:len(text)-90], "\n")+1:]), "chain.csv"); err == nil {
		t.Error("lines below the sum were read")
	}
}

func TestHeaderHasWhatReadersNeed(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, line := range []string{"# model = demo", "# method = sample (Default)", "num_samples = 3", "num_warmup = 2",
		"save_warmup = 1", "thin = 1", "algorithm = hmc", "engine = nuts", "max_depth = 10", "metric = diag_e", "# id = 3",
		"\nlp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,mu,theta.1,M.2.1\n",
		"\n# Adaptation terminated\n# Step size = 0.3\n# Diagonal elements of inverse mass matrix:\n# 1, 0.25, 0.14285714285714285\n",
		"\n-3,0.7,0.3,10,1023,0,4,3,6,1.7976931348623157e+308\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
}

func TestReadStanFixture(t *testing.T) {
	var parts []*Draws
	for _, file := range []string{"demo_1.csv", "demo_2.csv"} {
		d, err := Read(bytes.NewReader(reference.Read(t, "stan_csv/"+file)), file)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, d)
	}
	d, err := Join(parts...)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"mu", "theta[1]", "theta[2]", "M[1,1]", "M[2,1]", "M[1,2]", "M[2,2]"}
	if diff := cmp.Diff(names, d.Names); diff != "" {
		t.Error(diff)
	}
	first := d.Chains[0]
	if len(d.Chains) != 2 || first.Len() != 6 || first.Warmup.Len() != 3 {
		t.Errorf("%d chains, %d draws, %d warm-up", len(d.Chains), first.Len(), first.Warmup.Len())
	}
	if first.Params[0][0] != -0.32033771 || first.LogDensity[0] != -1.6171733 || first.TreeDepth[0] != 2 {
		t.Errorf("first draw: mu = %v, lp = %v", first.Params[0][0], first.LogDensity[0])
	}
	if first.Adapted.StepSize != 0.73 || len(first.Adapted.InvMetric) != 1 || len(first.Adapted.InvMetric[0]) != 7 {
		t.Errorf("adaptation: %+v", first.Adapted)
	}
	if d.Run.Seed != 12345 || d.Run.MaxDepth != 10 || d.Run.NumSamples != 6 {
		t.Errorf("settings: %+v", d.Run)
	}
}

func TestReadPlain(t *testing.T) {
	d, err := Read(strings.NewReader("\"v\", a\r\n1,2\r\n\r\n3,NA\r\n"), "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1, 3}, {2, math.NaN()}}
	if diff := cmp.Diff(want, d.Chains[0].Params, cmpopts.EquateNaNs()); diff != "" || d.Names[0] != "v" || d.Names[1] != "a" {
		t.Errorf("names %v, %s", d.Names, diff)
	}
}

func TestReadErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "f.csv: no header row",
		"a,b\n":                  "f.csv: no draw",
		"a,b\n1,2\n1,x\n":        `f.csv:3: column b: "x" is not a number`,
		"a,b\n1,2\n\n1\n":        "f.csv:4: 1 values where the header has 2 columns",
		"a,b\n1,2,3\n":           "f.csv:2: 3 values where the header has 2 columns",
		"\x7fELF\x02\x01\n":      "f.csv:1: is not text: want draws as CSV",
		"a,b\n1,\x1b[2J\n":       "f.csv:2: is not text: want draws as CSV",
		"a\x00,b\n1,2\n":         "f.csv:1: is not text: want draws as CSV",
		"a,a\n1,2\n":             "f.csv:1: column \"a\" is there twice",
		"1,2\n3,4\n":             "f.csv:1: column 1 is headed by the number \"1\"",
		"a,\n1,2\n":              "f.csv:1: column 2 has no name",
		"lp__,energy__\n1,2\n":   "f.csv:1: no column holds a parameter",
		"# thin = x\na\n1\n":     `f.csv:1: setting thin = "x" is not of its form`,
		"treedepth__,a\n1.5,2\n": "f.csv:2: column treedepth__: 1.5 is not a count",
		"a\n# Elements of inverse mass matrix:\n# 1, 2\n# 1\n": "f.csv:4: inverse metric: 1 values where the first row has 2",
	} {
		if _, err := Read(strings.NewReader(text), "f.csv"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %s", text, err, want)
		}
	}
	if _, err := ReadChainColumns(strings.NewReader("c1,c2\n1,2\n3,oops\n"), "f.csv", "x"); err == nil ||
		!strings.HasPrefix(err.Error(), `f.csv:3: column c2: "oops"`) {
		t.Errorf("ReadChainColumns: %v", err)
	}
}

func TestWriteRefusesWhatItCannotHold(t *testing.T) {
	bad := example()
	bad.Names[0] = "a,b"
	if err := bad.WriteStan(new(bytes.Buffer), 0); err == nil || !strings.Contains(err.Error(), `"a,b"`) {
		t.Errorf("name with a comma: %v", err)
	}
	plain := example()
	plain.Chains[0].Energy = nil
	if err := plain.WriteStan(new(bytes.Buffer), 0); err == nil {
		t.Error("draws without sampler columns were written")
	}
}

func TestColumnNamesGoBothWays(t *testing.T) {
	for name, column := range map[string]string{"mu": "mu", "theta[3]": "theta.3", "M[2,10]": "M.2.10", "a.b": "a.b",
		"v_1|id[Anna]": "v_1|id[Anna]", "v_1|id[x.7]": "v_1|id[x.7]", "v_1|id[07]": "v_1|id[07]", "v_1|id[12]": "v_1|id.12", "v[cond=0]": "v[cond=0]"} {
		if dotted(name) != column || bracketed(column) != name {
			t.Errorf("%s: dotted %s, bracketed %s", name, dotted(name), bracketed(column))
		}
	}
	if bracketed(".1") != "[1]" && bracketed(".1") != ".1" {
		t.Errorf("bracketed(.1) = %s", bracketed(".1"))
	}
}

// FuzzRead checks that no text makes the readers panic, and that all parameters of a chain have equally many draws.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("a,b\n1,2\n3,NA\n")
	f.Add("# save_warmup = 1\n# num_warmup = 5\nlp__,x.1,x.2\n1,2,3\n4,5,6\n")
	f.Add("x\n1\n# Adaptation terminated\n# Step size = 1\n# Diagonal elements of inverse mass matrix:\n# 1\n2\n")
	f.Add("# Adaptation terminated\nx\n1e999\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func() (*Draws, error){
			func() (*Draws, error) { return Read(strings.NewReader(text), "f") },
			func() (*Draws, error) { return ReadChainColumns(strings.NewReader(text), "f", "x") },
		} {
			d, err := read()
			if err != nil {
				continue
			}
			for i := range d.Chains {
				for j := range d.Names {
					if len(d.Chains[i].Params[j]) != d.Chains[i].Len() {
						t.Fatalf("chain %d: parameter %d has %d draws of %d", i, j, len(d.Chains[i].Params[j]), d.Chains[i].Len())
					}
				}
			}
			_ = d.Diagnose(d.Summarise()).String()
		}
	})
}

func TestDiagnoseFindsEachProblem(t *testing.T) {
	good := healthy(500)
	if got := good.Diagnose(good.Summarise()); !got.OK() || len(got) != 5 {
		t.Fatalf("healthy draws: %s", got)
	}
	for check, spoil := range map[string]func(*Draws){
		"treedepth":   func(d *Draws) { d.Chains[0].TreeDepth[3] = 8 },
		"divergences": func(d *Draws) { d.Chains[1].Divergent[7] = true },
		"e_bfmi":      func(d *Draws) { ramp(d.Chains[1].Energy) },
		"ess":         func(d *Draws) { ramp(d.Chains[0].Params[0]); ramp(d.Chains[1].Params[0]) },
		"rhat":        func(d *Draws) { shift(d.Chains[0].Params[0], 5) },
	} {
		d := healthy(500)
		spoil(d)
		found := false
		for _, f := range d.Diagnose(d.Summarise()) {
			found = found || (f.Check == check && !f.OK)
		}
		if !found {
			t.Errorf("%s was not found:\n%s", check, d.Diagnose(d.Summarise()))
		}
	}
}

// healthy draws are two chains of a low-discrepancy sequence.
func healthy(n int) *Draws {
	d := &Draws{Names: []string{"x"}, Run: Run{MaxDepth: 8}}
	for c := range 2 {
		t := NewTrace(1, n)
		for k := range n {
			v := math.Mod(float64(k*(c+1))*math.Phi+float64(c)*0.3, 1)
			t.Params[0] = append(t.Params[0], v)
			t.TreeDepth, t.Divergent, t.Energy = append(t.TreeDepth, 3), append(t.Divergent, false), append(t.Energy, v)
		}
		d.Chains = append(d.Chains, Chain{ID: c + 1, Trace: t})
	}
	return d
}

func ramp(x []float64) {
	for k := range x {
		x[k] = float64(k)
	}
}

func shift(x []float64, by float64) {
	for k := range x {
		x[k] += by
	}
}

func ExampleDraws_Summarise() {
	d := &Draws{Names: []string{"v"}, Chains: []Chain{{Trace: Trace{Params: [][]float64{{1, 3, 2, 4, 2, 3, 1, 4}}}}}}
	s := d.Summarise()[0]
	fmt.Printf("%s: mean %.2f, sd %.2f, median %.2f\n", s.Name, s.Mean, s.SD, s.Q50)
	// Output: v: mean 2.50, sd 1.20, median 2.50
}

// TestTooWide checks that files with too many columns or chains, which cannot be draws, are refused with one line, before they are read
// whole.
func TestTooWide(t *testing.T) {
	header := strings.Repeat("x,", maxColumns) + "y"
	if _, err := Read(strings.NewReader(header+"\n"), "w.csv"); err == nil || err.Error() != "w.csv:1: 100001 columns: want at most 100000" {
		t.Errorf("%.80v", err)
	}
	var rows strings.Builder
	rows.WriteString("x,.chain\n")
	for i := range maxChains + 1 {
		fmt.Fprintf(&rows, "1,%d\n", i)
	}
	if _, err := Read(strings.NewReader(rows.String()), "c.csv"); err == nil || err.Error() != "c.csv:10002: column .chain: more than 10000 chains" {
		t.Errorf("%.80v", err)
	}
}

// TestElapsedTimeIsThere checks for the lines of elapsed time. Without them rstan warns; it reads the times NA without a warning.
func TestElapsedTimeIsThere(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	const want = "#  Elapsed Time: NA seconds (Warm-up)\n#                NA seconds (Sampling)\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}
