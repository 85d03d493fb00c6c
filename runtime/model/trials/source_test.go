package trials

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Source records the numbers of rows, of dropped rows by reason, the columns, and the coding of choices.
func TestSource(t *testing.T) {
	o := ddm
	o.MinRT, o.MaxRT, o.Only, o.Unit = 0.2, 2, "a", Milliseconds
	table := read(t, "who,id,RT,resp\nx,a,500,1\nx,a,150,0\nx,b,500,0\nx,a,2500,1\nx,a,700,1\nx,a,199.9,1\n", o)
	want := Source{File: "d.csv", Rows: 6, Used: 2, Dropped: map[string]int{"of other subjects": 1, "faster than 0.2 s": 2, "slower than 2 s": 1},
		Columns: map[string]string{"rt": "RT", "c": "resp"}, Coding: map[string]float64{"1": 1, "0": -1}, Unit: "ms", Subject: "id"}
	if diff := cmp.Diff(want, table.Source); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(table.Columns[0], []float64{0.5, 0.7}) || !slices.Equal(table.Choice, []float64{1, 1}) || len(table.Subjects[0].Rows) != 2 {
		t.Errorf("%+v", table)
	}
}

// The sum is that of all bytes of the file, compressed or not, including bytes that the reader skips.
func TestSourceSum(t *testing.T) {
	dir := t.TempDir()
	csv, parquet := filepath.Join(dir, "d.csv"), filepath.Join(dir, "d.parquet")
	table := read(t, "rt,c\n0.5,1\n1.25,-1\n", ddm)
	if err := Write(csv, Whole(table)); err != nil {
		t.Fatal(err)
	}
	if err := Write(parquet, Whole(table)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{csv, parquet} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		again, err := Read(path, ddm)
		if err != nil || again.Source.SHA256 != hex.EncodeToString(sum[:]) || again.Source.File != path || again.Source.Used != 2 {
			t.Errorf("%+v, %v", again.Source, err)
		}
	}
}

// Options.Responses gives the choice for each text in the file.
func TestResponses(t *testing.T) {
	o := ddm
	o.Responses = map[string]float64{"left": -1, "right": 1}
	if table := read(t, "rt,c\n1,left\n1, right\n", o); !slices.Equal(table.Choice, []float64{-1, 1}) || table.Source.Coding["left"] != -1 {
		t.Errorf("%+v", table)
	}
	o.Responses = map[string]float64{"1": -1, "2": 1} // another meaning than likc's own
	if table := read(t, "rt,c\n1,1\n1,2.0\n", o); !slices.Equal(table.Choice, []float64{-1, 1}) {
		t.Errorf("%+v", table)
	}
}

// A choice has the data's own name, unless the data have the model's numbers.
func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		coding    map[string]float64
		low, high string
	}{
		{nil, "", ""},
		{map[string]float64{"1": 1, "-1": -1}, "", ""},
		{map[string]float64{"1": 1, "0": -1}, "key = 0", "key = 1"},
		{map[string]float64{"left": -1, "right": 1}, "key = left", "key = right"},
		{map[string]float64{"word": 1, "nonword": -1, "name": 1}, "key = nonword", "key = name or word"},
	} {
		s := &Source{Coding: c.coding, Columns: map[string]string{"c": "key"}}
		if low, high := s.NameOf("c", -1), s.NameOf("c", 1); low != c.low || high != c.high {
			t.Errorf("%v: %q and %q, want %q and %q", c.coding, low, high, c.low, c.high)
		}
	}
}

// A text that means that nobody responded counts as an empty cell.
func TestSilentResponse(t *testing.T) {
	o := ddm
	o.Responses = map[string]float64{"left": -1, "right": 1, "timeout": Omitted}
	file := "rt,c\n1,left\n2,timeout\n1.5,right\n"
	if _, err := ReadCSV("d.csv", strings.NewReader(file), o); err == nil || !strings.Contains(err.Error(), "row 2 (line 3), column \"c\": ") {
		t.Errorf("a timeout is no error: %v", err)
	}
	o.DropMissing = true
	if table := read(t, file, o); !slices.Equal(table.Choice, []float64{-1, 1}) || table.Source.Coding["timeout"] != 0 {
		t.Errorf("%+v", table)
	}
	o.DropMissing, o.Deadline = false, Deadline{Seconds: 2}
	if table := read(t, file, o); !slices.Equal(table.Choice, []float64{-1, Omitted, 1}) || !slices.Equal(table.Columns[0], []float64{1, 2, 1.5}) {
		t.Errorf("%+v", table)
	}
}

// A column that nothing uses is told to the user if its values come in blocks, as those of participants do.
func TestSuspect(t *testing.T) {
	file := func(header string, value func(row int) string) string {
		text := "rt,c," + header + "\n"
		for row := range 60 {
			text += fmt.Sprintf("0.%d,1,%s\n", 3+row%5, value(row))
		}
		return text
	}
	blocks := func(row int) string { return "p" + strconv.Itoa(row/12) }
	for _, c := range []struct {
		what string
		text string
		pool bool
		want *Suspect
	}{
		{"blocks of 12 rows", file("patient", blocks), false, &Suspect{Column: "patient", Values: 5}},
		{"pooled by wish", file("patient", blocks), true, nil},
		{"blocks of 3 rows", file("patient", func(row int) string { return strconv.Itoa(row / 3) }), false, nil},
		{"values that return", file("patient", func(row int) string { return strconv.Itoa(row % 5) }), false, nil},
		{"three values", file("condition", func(row int) string { return strconv.Itoa(row / 20) }), false, nil},
		{"measurements", file("loudness", func(row int) string { return strconv.Itoa(row/12) + ".5" }), false, nil},
		{"numbers of blocks", file("Block", blocks), false, nil},
		{"an empty cell", file("patient", func(row int) string { return blocks(row)[:2*min(1, row)] }), false, nil},
	} {
		o := ddm
		o.Careful, o.Pool = true, c.pool
		table, err := ReadCSV("d.csv", strings.NewReader(c.text), o)
		if err != nil {
			t.Fatal(c.what, err)
		}
		if got := table.Suspect; (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// With Careful, data that are probably a mistake are refused.
func TestCareful(t *testing.T) {
	careful := func(change func(*Options)) Options {
		o := ddm
		o.Careful = true
		change(&o)
		return o
	}
	none := func(*Options) {}
	for _, c := range []struct {
		text string
		o    Options
		want string // text of the error; "" for none
	}{
		{"rt,c,id\n1,1,a\n1,-1,a\n", careful(none), ""},
		{"rt,c,id\n1,1,a\n1,-1,b\n", careful(none), `column "id" names 2 subjects`},
		{"rt,c,id\n1,1,a\n1,-1,b\n", careful(func(o *Options) { o.Pool = true }), ""},
		{"rt,c,id\n1,1,a\n1,-1,b\n", careful(func(o *Options) { o.Subject = "id" }), ""},
		{"rt,c,id\n1,1,a\n1,-1,b\n", careful(func(o *Options) { o.Only = "a" }), ""},
		{"rt,c,trial\n1,1,1\n1,-1,2\n", careful(none), ""},
		{"rt,c,id\n1,1,1\n1,-1,2\n", careful(func(o *Options) { o.Trials = []string{"rt", "id"} }), ""}, // a covariate of that name
		{"rt,c\n650,1\n700,-1\n", careful(none), `column "rt": the median is 675: are these milliseconds? want seconds`},
		{"rt,c\n650,1\n700,-1\n", careful(func(o *Options) { o.Unit = Milliseconds }), ""},
		{"rt,c\n650,1\n700,-1\n", careful(func(o *Options) { o.Unit = Seconds }), ""},
		{"rt,c\n19,1\n20,-1\n", careful(none), ""},
		{"rt,c\n1,1\n2,-1\n", careful(func(o *Options) { o.MinRT = 3 }), "no row is left: 2 faster than 3 s"},
		{"rt,c\n1,left\n", careful(func(o *Options) { o.Responses = map[string]float64{"L": -1, "R": 1} }),
			`row 1 (line 2), column "c": "left" is none of the named responses: L, R (name it too: as a choice, or as none if nobody responded)`},
	} {
		_, err := ReadCSV("d.csv", strings.NewReader(c.text), c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != "d.csv: "+c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
