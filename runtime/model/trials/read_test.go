package trials

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"likc/testdata/reference"
)

var ddm = Options{Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "c"}

// noSource compares only the trials of tables, not their positions and texts in a file.
var noSource = cmpopts.IgnoreFields(Table{}, "Source", "Rows", "Labels")

func read(t *testing.T, text string, o Options) *Table {
	t.Helper()
	table, err := ReadCSV("d.csv", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestReadForms reads the same three trials in the various formats of users' files.
func TestReadForms(t *testing.T) {
	want := &Table{Symbols: []string{"rt"}, Columns: [][]float64{{0.5, 1.25, 0.75}}, ChoiceSymbol: "c", Choice: []float64{1, -1, 1}}
	for name, text := range map[string]string{
		"exact":             "rt,c\n0.5,1\n1.25,-1\n0.75,1\n",
		"no last newline":   "rt,c\n0.5,1\n1.25,-1\n0.75,1",
		"CRLF":              "rt,c\r\n0.5,1\r\n1.25,-1\r\n0.75,1\r\n",
		"mark":              "\xef\xbb\xbfrt,c\n0.5,1\n1.25,-1\n0.75,1\n",
		"blank lines":       "\n\nrt,c\n0.5,1\n\n1.25,-1\n0.75,1\n\n",
		"semicolons":        "rt;c\n0.5;1\n1.25;-1\n0.75;1\n",
		"tabs":              "rt\tc\n0.5\t1\n1.25\t-1\n0.75\t1\n",
		"quoted":            "\"rt\",\"c\"\n\"0.5\",\"1\"\n\"1.25\",\"-1\"\n\"0.75\",\"1\"\n",
		"quoted semicolons": "\"a;b;c\",rt,c\nx,0.5,1\n\"y\n;\",1.25,-1\nz,0.75,1\n",
		"spaces":            " rt , c\n 0.5, 1\n 1.25 ,-1 \n0.75,+1\n",
		"zero and one":      "RT,choice\n0.5,1\n1.25,0\n0.75,1\n",
		"HSSM":              "participant_id,rt,response\nx,0.5,1.0\nx,1.25,-1.0\ny,0.75,1.0\n",
		"HDDM":              "subj_idx,response,Reaction_Time,junk\n0,1,5e-1,\n1,0,1.25,NaN\n1,1.0,.75,abc\n",
		"rtdists":           "id,rt,response\n1,0.5,upper\n1,1.25,lower\n1,0.75,Upper\n",
		"RWiener":           "q,resp\n0.5,upper\n1.25,lower\n0.75,upper\n",
		"booleans":          "rt,resp\n0.5,True\n1.25,False\n0.75,True\n",
		"rt twice":          "rt,RT,c\n0.5,7,1\n1.25,7,-1\n0.75,7,1\n",
		"choices first":     "c,rt\n1,0.5\n-1,1.25\n1,0.75\n",
		"quotes and commas": "\"a;b;c;d\",rt,c\nx,0.5,1\ny,1.25,-1\nz,0.75,1\n",
		"R row names":       "\"\",\"rt\",\"c\"\n\"1\",0.5,1\n\"2\",1.25,-1\n\"3\",0.75,1\n",
	} {
		if diff := cmp.Diff(want, read(t, text, ddm), noSource); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestReadFactorIsNoted(t *testing.T) {
	table := read(t, "rt,c\n1,2\n1,1\n", ddm)
	if !slices.Equal(table.Choice, []float64{1, -1}) || len(table.Notes) != 1 {
		t.Errorf("choice %v, notes %q: want +1 for 2, -1 for 1, and a note", table.Choice, table.Notes)
	}
}

func TestReadMillisecondsAreNoted(t *testing.T) {
	table := read(t, "rt,c\n650,1\n1200,1\n", ddm)
	want := []string{`d.csv: column "rt": the median is 925: are these milliseconds? want seconds`}
	if diff := cmp.Diff(want, table.Notes); diff != "" {
		t.Error(diff)
	}
}

func TestReadMatchesColumns(t *testing.T) {
	o := Options{Trials: []string{"rt", "theta"}, Choice: "resp", Rename: map[string]string{"rt": "seconds"}}
	table := read(t, "rt,THETA,response,choice,seconds,resp\n9,-1.5,x,x,0.5,1\n9,2,x,x,0.25,-1\n", o)
	for symbol, want := range map[string][]float64{"rt": {0.5, 0.25}, "theta": {-1.5, 2}, "resp": {1, -1}} {
		if got := table.Column(symbol); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", symbol, got, want)
		}
	}
}

// TestAliasOfAnother checks that a column with the exact name of another symbol is not used for a symbol of which it has a usual name.
func TestAliasOfAnother(t *testing.T) {
	o := Options{Trials: []string{"rt", "resp"}, Choice: "c"}
	table := read(t, "rt,resp,response\n1,7,1\n", o)
	if table.Column("resp")[0] != 7 || table.Choice[0] != 1 {
		t.Errorf("resp %v, choice %v: want 7 and 1", table.Column("resp"), table.Choice)
	}
}

func TestSubjects(t *testing.T) {
	const text = "rt,c,subj_idx,who\n1,1,b,x\n2,1,a,x\n3,-1,b,y\n4,1,b,x\n"
	o := ddm
	o.Grouped = true
	table := read(t, text, o)
	want := []Subject{{"b", []int{0, 2, 3}}, {"a", []int{1}}}
	if diff := cmp.Diff(want, table.Subjects); diff != "" {
		t.Error(diff)
	}
	columns, choice := table.Of(table.Subjects[0])
	if !slices.Equal(columns[0], []float64{1, 3, 4}) || !slices.Equal(choice, []float64{1, -1, 1}) {
		t.Errorf("Of(b) = %v, %v", columns, choice)
	}
	o = ddm
	o.Subject, o.Only = "who", "y"
	table = read(t, text, o)
	if diff := cmp.Diff([]Subject{{"y", []int{0}}}, table.Subjects); diff != "" || table.Columns[0][0] != 3 || table.N() != 1 {
		t.Error(diff, table.Columns)
	}
}

// TestOnlySkipsOthers checks that rows of other subjects may hold invalid values.
func TestOnlySkipsOthers(t *testing.T) {
	o := ddm
	o.Only = "2"
	table := read(t, "rt,c,id\n-999,,1\n0.5,1,2\n", o)
	if table.N() != 1 || table.Columns[0][0] != 0.5 {
		t.Errorf("got %v, want the one trial of subject 2", table.Columns)
	}
}

// TestOnlyKeepsTheCoding checks that the meaning of the code 1 comes from the whole file, also if only one subject is read, whose choices
// are all 1.
func TestOnlyKeepsTheCoding(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
	}{
		{"rt,c,id\n0.5,1,a\n0.6,2,b\n", -1},
		{"c,rt,id\n1,0.5,a\n2,0.6,b\n", -1},
		{"rt,c,id\n0.6,2,b\n0.5,1,a\n", -1},
		{"rt,c,id\n0.5,1,a\n0.6,0,b\n", 1},
		{"rt,c,id\n0.5,1,a\n0.6,,b\n0.7,seven,b\n", 1},
	} {
		o := ddm
		o.Only = "a"
		if table := read(t, test.text, o); !slices.Equal(table.Choice, []float64{test.want}) {
			t.Errorf("%q: choices of a are %v, want %v", test.text, table.Choice, test.want)
		}
	}
}

// TestNamedColumnIsExact checks that a column that the user names is the one with exactly that name, wherever it is.
func TestNamedColumnIsExact(t *testing.T) {
	o := ddm
	o.Rename = map[string]string{"rt": "Time"}
	if table := read(t, "Time,time,c\n0.5,7,1\n", o); table.Column("rt")[0] != 0.5 || table.Column("other") != nil {
		t.Errorf("rt %v, another column %v", table.Column("rt"), table.Column("other"))
	}
}

// TestReadErrors compares the whole error line for each bad input.
func TestReadErrors(t *testing.T) {
	grouped := Options{Trials: []string{"rt"}, Choice: "c", Grouped: true}
	theta := Options{Trials: []string{"rt", "theta"}, Choice: "c"}
	dose := Options{Trials: []string{"latency", "dose", "x"}, Positive: []string{"dose"}}
	rename := func(symbol, name string) Options {
		return Options{Trials: []string{"rt"}, Choice: "c", Rename: map[string]string{symbol: name}}
	}
	for _, test := range []struct {
		text string
		o    Options
		want string
	}{
		{"", ddm, `empty: want a header and a row a trial`},
		{"\n\r\n", ddm, `empty: want a header and a row a trial`},
		{"rt,c\n", ddm, `no data row: want a row a trial under the header`},
		{"rt,x\n1,1\n", ddm, `no column for the choice c: the columns are rt, x`},
		{"time,c\n1,1\n", ddm, `no column for rt: the columns are time, c`},
		{"rt,,\"two\nlines\"\n1,1,1\n", ddm, `no column for the choice c: the columns are rt, "", "two\nlines"`},
		{"rt,c\n1,1\n", theta, `no column for theta: the columns are rt, c`},
		{"rt,c\n1,1\n", grouped, `no column for subject: the columns are rt, c`},
		{"rt,c\n1,1\n", rename("rt", "time"), `no column "time": the columns are rt, c`},
		{"rt,c\n1,1\n", rename("v", "c"), `column "c" for v: the model has no symbol "v", its data symbols are rt, c`},
		{"rt,c\n1,1\n", rename("rt", "c"), `column "c" is wanted for rt and for c`},
		{"0.5,1\n0.6,1\n", ddm, `no header: the first row holds numbers, want the names of the columns`},
		{"rt,c,rt\n1,1,1\n", ddm, `header: two columns are named "rt" (columns 1 and 3): rename one`},
		{"rt,x,x,c\n1,1,1,1\n", ddm, `header: two columns are named "x" (columns 2 and 3): rename one`},
		{"rt,response,resp\n1,1,1\n", ddm, `columns "response" and "resp" could both be c`},
		{"RT,Rt,c\n1,1,1\n", ddm, `columns "RT" and "Rt" could both be rt`},
		{"rt,c,subj_idx,participant_id\n1,1,1,1\n", grouped, `columns "subj_idx" and "participant_id" could both be subject`},
		{"rt,c\n1,1\nabc,1\n", ddm, `row 2 (line 3), column "rt": "abc" is not a number`},
		{"rt,c\n1,1\n0x1p4,1\n", ddm, `row 2 (line 3), column "rt": "0x1p4" is not a number`},
		{"rt,c\n1,1\n,1\n", ddm, `row 2 (line 3), column "rt": empty: want a number`},
		{"rt,c\n\n1,1\n  ,1\n", ddm, `row 2 (line 4), column "rt": empty: want a number`},
		{"rt,c\nNaN,1\n", ddm, `row 1 (line 2), column "rt": NaN: want a number`},
		{"rt,c\nNA,1\n", ddm, `row 1 (line 2), column "rt": NaN: want a number`},
		{"rt,c\nInf,1\n", ddm, `row 1 (line 2), column "rt": infinite: want a finite number`},
		{"rt,c\n1e999,1\n", ddm, `row 1 (line 2), column "rt": "1e999" is too large for a number`},
		{"rt;c\n0,5;1\n", ddm, `row 1 (line 2), column "rt": "0,5" is not a number: want a decimal point, not a comma`},
		{"rt,c\n1,1\n0,1\n", ddm, `row 2 (line 3), column "rt": 0 is not a response time: want seconds > 0`},
		{"rt,c\n1,1\n-0.3,1\n", ddm, `row 2 (line 3), column "rt": -0.3 is not a response time: want seconds > 0`},
		{"rt,c\n500,1\n-0.3,1\n600,1\n", ddm, `row 2 (line 3), column "rt": -0.3 is not a response time: want seconds > 0; the median is 500: are these milliseconds? want seconds`},
		{"rt,c\n1,1\n-999,1\n-999,1\n", ddm, `column "rt": 2 of 3 rows hold -999 (no response), the first is row 2 (line 3)`},
		{"latency,dose,x\n-1,2,0\n0,0.5,-3\n1,0,1\n", dose, `row 3 (line 4), column "dose": 0: want a number > 0, which the model asks of dose`},
		{"latency,dose,x\n-1,2,0\n-999,1,1\n", dose, `column "latency": 1 of 2 rows hold -999 (no response), the first is row 2 (line 3)`},
		{"rt,theta,c\n1,,1\n", theta, `row 1 (line 2), column "theta": empty: want a number`},
		{"rt,c\n1,1\n1,0\n1,-1\n", ddm, `column "c": mixes codings: 0 at row 2 (line 3) and -1 at row 3 (line 4): want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,2\n1,0\n", ddm, `column "c": mixes codings: 2 at row 1 (line 2) and 0 at row 2 (line 3): want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,1\n1,lower\n", ddm, `column "c": mixes codings: lower at row 2 (line 3) and 1 at row 1 (line 2): want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,3\n", ddm, `row 1 (line 2), column "c": 3 is not a choice: want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,0.5\n", ddm, `row 1 (line 2), column "c": 0.5 is not a choice: want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,left\n", ddm, `row 1 (line 2), column "c": "left" is not a choice: want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,-999\n", ddm, `row 1 (line 2), column "c": -999 is not a choice: want +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,\n", ddm, `row 1 (line 2), column "c": empty: want a choice, +1/-1, 1/0 or upper/lower`},
		{"rt,c\n1,1\n1\n", ddm, `row 2 (line 3): 1 value where the header has 2`},
		{"rt,c\n1,1,1\n", ddm, `row 1 (line 2): 3 values where the header has 2`},
		{"rt,c\n1,1\n\"1,1\n2,1\n", ddm, `row 2: line 3: a quote is opened and never closed`},
		{"rt,\"c\n1,1\n", ddm, `header: line 1: a quote is opened and never closed`},
		{"rt,c\n\"1\"x,1\n", ddm, `row 1: line 2, character 3: a quoted field does not end as it should (write "" for a quote inside)`},
		{"rt,c\n1\",1\n", ddm, `row 1: line 2, character 2: a quote in a field that is not quoted`},
		{"rt,c,id\n1,1,\n", grouped, `row 1 (line 2), column "id": empty: want the subject of the trial`},
		{"rt,c,id\n1,1,a\n1,1,b\n", Options{Trials: ddm.Trials, Choice: "c", Only: "z"}, `no subject "z" in column "id": the subjects are a, b`},
		{"\xff\xfer\x00t\x00", ddm, `is UTF-16 text: save it as UTF-8`},
		{"PAR1\x15\x04", ddm, `is a Parquet file: give it the ending .parquet`},
		{"\x1f\x8b\x08\x00", ddm, `is compressed: unpack it first`},
		{"\x7fELF\x00\x01\x02", ddm, `is not text: want CSV with a header, or Parquet with the ending .parquet`},
	} {
		_, err := ReadCSV("d.csv", strings.NewReader(test.text), test.o)
		if err == nil {
			t.Errorf("%q: no error, want %s", test.text, test.want)
			continue
		}
		if got := err.Error(); got != "d.csv: "+test.want {
			t.Errorf("%q:\n got %s\nwant d.csv: %s", test.text, got, test.want)
		}
	}
}

func TestLongTextIsCut(t *testing.T) {
	_, err := ReadCSV("d.csv", strings.NewReader("rt,c\n"+strings.Repeat("é", 1000)+",1\n"), ddm)
	if err == nil || len(err.Error()) > 200 || strings.Contains(err.Error(), "\n") {
		t.Errorf("want one short line, got %v", err)
	}
}

func TestManyColumnsAreCut(t *testing.T) {
	names := make([]string, 500)
	for i := range names {
		names[i] = fmt.Sprint("x", i)
	}
	_, err := ReadCSV("d.csv", strings.NewReader(strings.Join(names, ",")+"\n"), ddm)
	if err == nil || !strings.Contains(err.Error(), "x19 and 480 more") {
		t.Errorf("want the first 20 columns, got %v", err)
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "none.csv"), ddm); !errors.Is(err, os.ErrNotExist) || !strings.HasSuffix(err.Error(), "none.csv: no such file or directory") {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Read(dir, ddm); err == nil || !strings.HasSuffix(err.Error(), "is a directory: want a CSV or Parquet file") {
		t.Errorf("directory: %v", err)
	}
}

// TestCavanagh reads real data, and compares counts with those that the data's source states.
func TestCavanagh(t *testing.T) {
	const name = "cavanagh_theta_nn.csv"
	table, err := ReadCSV(name, bytes.NewReader(reference.Read(t, name)), Options{Trials: []string{"rt", "theta"}, Choice: "c", Grouped: true})
	if err != nil {
		t.Fatal(err)
	}
	upper := 0
	for _, c := range table.Choice {
		if c == 1 {
			upper++
		}
	}
	if table.N() != 3988 || upper != 2721 || len(table.Subjects) != 14 {
		t.Errorf("%d trials, %d upper, %d subjects: want 3988, 2721, 14", table.N(), upper, len(table.Subjects))
	}
	if lo, hi := slices.Min(table.Column("rt")), slices.Max(table.Column("rt")); lo != 0.402 || hi != 4.84 {
		t.Errorf("rt from %v to %v, want 0.402 to 4.84", lo, hi)
	}
	if len(table.Notes) > 0 {
		t.Errorf("notes %q", table.Notes)
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		"rt,c,id\n0.5,1,a\n1.25,-1,b\n", "\xef\xbb\xbfRT;response;subj_idx\r\n1;0;1\r\n", "q\tresp\tid\n1\tupper\t\"x\"\n", "rt,c\n\"1",
	} {
		f.Add(seed)
	}
	o := Options{Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "c", Grouped: true}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadCSV("f", strings.NewReader(text), o)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error is more than a line: %q", err)
			}
			return
		}
		rows := 0
		for _, s := range table.Subjects {
			rows += len(s.Rows)
		}
		if table.N() == 0 || len(table.Choice) != table.N() || rows != table.N() {
			t.Fatalf("%d trials, %d choices, %d rows of subjects", table.N(), len(table.Choice), rows)
		}
		for i, rt := range table.Columns[0] {
			if c := table.Choice[i]; !(rt > 0) || rt > 1e308 && rt*2 == rt || c != 1 && c != -1 {
				t.Fatalf("trial %d: rt %v, choice %v", i, rt, c)
			}
		}
	})
}

func BenchmarkReadCSV(b *testing.B) {
	var text strings.Builder
	text.WriteString("subj_idx,rt,response,theta\n")
	for i := range 10000 {
		fmt.Fprintf(&text, "%d,%v,%d,%v\n", i%20, 0.3+float64(i)/9973, i%2, float64(i)/7)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadCSV("d.csv", strings.NewReader(text.String()), Options{Trials: []string{"rt"}, Choice: "c", Grouped: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReadCompressed reads a file that gzip compressed.
func TestReadCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.csv.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	io.WriteString(z, "rt,c\n0.5,1\n1.25,-1\n")
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	table, err := Read(path, ddm)
	if err != nil || !slices.Equal(table.Columns[0], []float64{0.5, 1.25}) {
		t.Errorf("%+v, %v", table, err)
	}
	if err := os.WriteFile(path, []byte("rt,c\n0.5,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, ddm); err == nil || !strings.Contains(err.Error(), "d.csv.gz: gzip") {
		t.Errorf("a file that is not compressed: %v", err)
	}
}

// TestLabelsAreHarmless checks that control characters in a subject's label are escaped, and that --only accepts the escaped label.
func TestLabelsAreHarmless(t *testing.T) {
	o := ddm
	o.Grouped = true
	const text = "rt,c,id\n1,1,\x1b[31mred\n2,-1,Zoë\n"
	table := read(t, text, o)
	if got := []string{table.Subjects[0].Label, table.Subjects[1].Label}; !slices.Equal(got, []string{`\x1b[31mred`, "Zoë"}) {
		t.Errorf("%q", got)
	}
	o.Only = `\x1b[31mred`
	if table = read(t, text, o); table.N() != 1 {
		t.Errorf("%d trials of the first subject", table.N())
	}
}

// TestSubjectsAreNumbersInFull checks that a number that names a subject is written with all its digits, as in a CSV file.
func TestSubjectsAreNumbersInFull(t *testing.T) {
	for x, want := range map[float64]string{7: "7", 20231015: "20231015", -3: "-3", 0.1: "0.1", 1. / 3: "0.3333333333333333", 1e300: "1e+300"} {
		if got := (Cell{kind: numberCell, number: x}).label(); got != want {
			t.Errorf("%v is called %s, want %s", x, got, want)
		}
	}
}

// Labels of a column are numbered in the order of their first occurrence, even if they are numbers. Columns before the columns of labels
// stay numbers.
func TestLabelColumns(t *testing.T) {
	table := read(t, "rt,x,who,what\n0.5,2,b,7\n0.75,3,a,8\n1,2,b,8\n", Options{Trials: []string{"rt", "x", "who", "what"}, Labels: 2})
	if want := [][]float64{{0.5, 0.75, 1}, {2, 3, 2}}; !cmp.Equal(table.Columns[:2], want) {
		t.Errorf("numbers %v, want %v", table.Columns[:2], want)
	}
	for i, want := range map[int][3]bool{2: {false, true, false}, 3: {false, false, true}} { // which rows have the same label: 1 and 2, 1 and 3, 2 and 3
		c := table.Columns[i]
		if got := [3]bool{c[0] == c[1], c[0] == c[2], c[1] == c[2]}; got != want {
			t.Errorf("%s: %v has equal rows %v, want %v", table.Symbols[i], c, got, want)
		}
	}
}
