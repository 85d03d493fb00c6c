package fit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/testdata/reference"
)

// peers is the folder of real data and published fits, which do not come with likc.
const peers = "../../../shared/data/peers/"

// readPeers reads a table of peers as columns by name. It skips lines that begin with #.
func readPeers(t *testing.T, file string) map[string][]string {
	t.Helper()
	f, err := os.Open(peers + file)
	if os.IsNotExist(err) {
		t.Skipf("%s is not here: it does not come with likc", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		r = csv.NewReader(z)
	}
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for j, name := range rows[0] {
		for _, row := range rows[1:] {
			all[name] = append(all[name], row[j])
		}
	}
	return all
}

// floats reads numbers.
func floats(t *testing.T, texts []string) (all []float64) {
	t.Helper()
	for _, text := range texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// peerStudy returns a study of ddm with a set of priors, "" for the defaults.
func peerStudy(t *testing.T, set hierarchy.PriorSet, data hierarchy.Data, formulas ...string) *hierarchy.Study {
	t.Helper()
	m, b := open(t, "ddm")
	return peerStudyOf(t, m, b, set, data, formulas)
}

// peerStudyOf returns a study of a model. If the model has lapses, their probability is fixed at 2/21.
func peerStudyOf(t *testing.T, m *catalog.Model, b *bound.Prepared, set hierarchy.PriorSet, data hierarchy.Data, formulas []string) *hierarchy.Study {
	t.Helper()
	wishes := Wishes{Formulas: formulas, PriorPreset: string(set)}
	if m.IsParam(lapse.Param) {
		wishes.Fixed = []string{lapse.Param + "=" + strconv.FormatFloat(2.0/21, 'g', -1, 64)}
	}
	study, err := specOf(t, m, wishes).Study(b, &Subject{Columns: data.Columns, Choice: data.Choice, Table: data.Table})
	if err != nil {
		t.Fatal(err)
	}
	return study
}

// drawsOf returns a prepared study and n draws a chain from it.
func drawsOf(t *testing.T, study *hierarchy.Study, n int) (p *hierarchy.Prepared, d *chains.Draws) {
	t.Helper()
	p, err := study.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := nuts.DefaultSettings()
	s.NumWarmup, s.NumSamples = 500, n
	r, err := p.Sample(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p, r.Draws
}

// The data are participant nh of Ratcliff & Rouder (1998), under instructions of speed, with drifts from -6 to 6. The mode with
// the default priors is within a quarter of a standard deviation of maximum likelihood, which is the mode with flat priors.
// Posterior means are within 8 %.
func TestDefaultPriorsLeaveStrongDrifts(t *testing.T) {
	table := readPeers(t, "rr98_rtdists.csv.gz")
	data := hierarchy.Data{Columns: [][]float64{nil}}
	var bright []float64
	for i, id := range table["id"] {
		if id != "nh" || table["instruction"][i] != "speed" || table["outlier"][i] != "FALSE" {
			continue
		}
		data.Columns[0] = append(data.Columns[0], floats(t, table["rt"][i:i+1])...)
		data.Choice = append(data.Choice, map[string]float64{"light": 1, "dark": -1}[table["response"][i]])
		bright = append(bright, floats(t, table["strength"][i:i+1])[0]/32)
	}
	data.Table = formula.Table{Rows: len(bright), Columns: []formula.DataColumn{{Name: "bright", Numeric: bright}}}
	p, d := drawsOf(t, peerStudy(t, "", data, "v ~ bright"), 500)
	ml, flat := drawsOf(t, peerStudy(t, hierarchy.FlatPriors, data, "v ~ bright"), 500)
	for i, name := range p.Names() {
		mode, best, sd := p.Mode.Theta[i], ml.Mode.Theta[i], ml.Mode.SD[i]
		mean, without := chains.Mean(d.Param(i)), chains.Mean(flat.Param(i))
		t.Logf("%-12s mode %.4f, maximum likelihood %.4f ± %.4f; means %.4f, %.4f", name, mode, best, sd, mean, without)
		if !(math.Abs(mode-best) < 0.25*sd) || !(math.Abs(mean/without-1) < 0.08) {
			t.Errorf("%s: mode %v, maximum likelihood %v ± %v; means %v, %v", name, mode, best, sd, mean, without)
		}
	}
}

// Two codings of one design give the same drifts for words and nonwords, within .15 posterior standard deviations. The data are
// ten participants of Wagenmakers and others (2008), experiment 1, under instructions of accuracy.
func TestCodingsAgree(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("a minute of draws: LIKC_LONG=1")
	}
	table := readPeers(t, "speed_acc_rtdists.csv.gz")
	data := hierarchy.Data{Columns: [][]float64{nil}}
	var id, stim []string
	for i, rt := range floats(t, table["rt"]) {
		choice := map[string]float64{"word": 1, "nonword": -1}[table["response"][i]]
		person := floats(t, table["id"][i:i+1])[0]
		if person > 10 || choice == 0 || table["condition"][i] != "accuracy" || table["censor"][i] != "FALSE" || rt < 0.18 || rt > 3 {
			continue
		}
		data.Columns[0], data.Choice = append(data.Columns[0], rt), append(data.Choice, choice)
		id, stim = append(id, table["id"][i]), append(stim, table["stim_cat"][i])
	}
	data.Table = formula.Table{Rows: len(id), Columns: []formula.DataColumn{{Name: "id", Labels: id}, {Name: "stim", Labels: stim}}}
	_, treatment := drawsOf(t, peerStudy(t, "", data, "v ~ 1 + stim + (1 + stim | id)"), 1000)
	_, levels := drawsOf(t, peerStudy(t, "", data, "v ~ 0 + stim + (0 + stim | id)"), 1000)
	of := func(d *chains.Draws, name string) [][]float64 { return d.Param(d.Index(name)) }
	word, nonword := of(levels, "v_stim[word]"), of(levels, "v_stim[nonword]")
	difference, base := of(treatment, "v_stim[word]"), of(treatment, "v_Intercept")
	for _, c := range []struct {
		name      string
		got, want [][]float64
	}{
		{"nonwords", base, nonword}, {"words", added(base, difference, 1), word}, {"difference", difference, added(word, nonword, -1)},
	} {
		got, want, sd := chains.Mean(c.got), chains.Mean(c.want), chains.SD(c.want)
		t.Logf("%s: 1 + stim %.3f, 0 + stim %.3f ± %.3f", c.name, got, want, sd)
		if !(math.Abs(got-want) < 0.15*sd) {
			t.Errorf("%s: 1 + stim %v, 0 + stim %v ± %v", c.name, got, want, sd)
		}
	}
}

// added returns a + times·b, draw by draw.
func added(a, b [][]float64, times float64) [][]float64 {
	sums := make([][]float64, len(a))
	for c := range a {
		for k, x := range a[c] {
			sums[c] = append(sums[c], x+times*b[c][k])
		}
	}
	return sums
}

// The priors of HSSM 0.4.0 give the table that its tutorial prints for the data of Cavanagh and others: means within four Monte
// Carlo errors of both, standard deviations within 20 %. HSSM mixes the density with .05 times 1/20, a density of response times
// that it uses for either choice. likc's lapses have half of that density for each choice. So odds of twice .05 : .95, which is a
// probability of 2/21, give the same likelihood.
func TestHSSMTable(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("three minutes of draws: LIKC_LONG=1")
	}
	want := readPeers(t, "hssm_cavanagh_hierarchical_summary.csv")
	_, bare := open(t, "ddm")
	b, err := bare.With(lapse.Lapses{Times: lapse.Window{High: 20}})
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.NewReader(reference.Read(t, "cavanagh_theta_nn.csv"))
	trialsOf, err := trials.ReadCSV("cavanagh", file, trials.Options{Trials: []string{"rt"}, Choice: "c", Extra: []string{"subj_idx"}})
	if err != nil {
		t.Fatal(err)
	}
	study := peerStudyOf(t, b.Model, b, hierarchy.HSSMPriors, hierarchy.DataOf(trialsOf), []string{"v ~ 1 + (1 | subj_idx)", "a ~ 1 + (1 | subj_idx)", "z ~ 1 + (1 | subj_idx)", "t ~ 1 + (1 | subj_idx)"})
	_, d := drawsOf(t, study, 1000)
	summaries := d.Summarise()
	for i, name := range want["name"] {
		at := slices.Index(d.Names, strings.Replace(name, "participant_id", "subj_idx", 1))
		if at < 0 {
			t.Fatalf("no %s among %v", name, d.Names)
		}
		row := floats(t, []string{want["mean"][i], want["sd"][i], want["mcse_mean"][i]})
		s := summaries[at]
		t.Logf("%-24s %.4f ± %.4f (%.5f), HSSM %.4f ± %.4f (%.5f)", name, s.Mean, s.SD, s.MCSEMean, row[0], row[1], row[2])
		if !(math.Abs(s.Mean-row[0]) < 4*math.Hypot(s.MCSEMean, row[2])) || !(math.Abs(s.SD/row[1]-1) < 0.2) {
			t.Errorf("%s: mean %v ± %v, HSSM %v ± %v", name, s.Mean, s.SD, row[0], row[1])
		}
	}
}
