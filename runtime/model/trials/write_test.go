package trials

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

func sample(n int) *Table {
	r := rand.New(rand.NewPCG(1, 2))
	t := &Table{Symbols: []string{"rt", "theta"}, Columns: make([][]float64, 2), ChoiceSymbol: "c", SubjectColumn: "subject"}
	t.Subjects = []Subject{{Label: "b, the \"second\""}, {Label: "a"}}
	for i := range n {
		t.Columns[0] = append(t.Columns[0], r.ExpFloat64()+1e-300)
		t.Columns[1] = append(t.Columns[1], r.NormFloat64()*1e10)
		t.Choice = append(t.Choice, float64(1-2*r.IntN(2)))
		s := &t.Subjects[i%3%2]
		s.Rows = append(s.Rows, i)
	}
	return t
}

// TestWriteRead checks that written trials are read back exactly, in both formats.
func TestWriteRead(t *testing.T) {
	want := sample(3000) // more than one block of Parquet
	for _, name := range []string{"d.csv", "d.parquet", "D.PARQUET"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, Whole(want)); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, Options{Trials: want.Symbols, Choice: "c", Grouped: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, noSource); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestBlocksChangeNoByte writes the same trials whole and in blocks of seven, and interrupts them by an error.
func TestBlocksChangeNoByte(t *testing.T) {
	table, dir := sample(100), t.TempDir()
	table.SubjectColumn, table.Subjects = "", nil
	sevens := func(yield func(*Table, error) bool) {
		for from := 0; from < table.N(); from += 7 {
			to := min(from+7, table.N())
			block := &Table{Symbols: table.Symbols, ChoiceSymbol: table.ChoiceSymbol, Choice: table.Choice[from:to]}
			for _, column := range table.Columns {
				block.Columns = append(block.Columns, column[from:to])
			}
			if !yield(block, nil) {
				return
			}
		}
	}
	failing := func(yield func(*Table, error) bool) {
		_ = yield(table, nil) && yield(nil, errors.ErrUnsupported)
	}
	for _, ending := range []string{".csv", ".csv.gz", ".parquet"} {
		whole, blocks, failed := filepath.Join(dir, "whole"+ending), filepath.Join(dir, "blocks"+ending), filepath.Join(dir, "failed"+ending)
		if err := errors.Join(Write(whole, Whole(table)), Write(blocks, sevens)); err != nil {
			t.Fatal(err)
		}
		if want, got := bytesOf(t, whole), bytesOf(t, blocks); !bytes.Equal(want, got) {
			t.Errorf("%s: %d bytes in blocks, %d whole, and not the same", ending, len(got), len(want))
		}
		if err := Write(failed, failing); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", ending, err)
		}
		if _, err := os.Stat(failed); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file is left after an error (%v)", ending, err)
		}
	}
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLastBlockOfOne reads a Parquet file whose last block has one trial.
func TestLastBlockOfOne(t *testing.T) {
	want := sample(1025)
	path := filepath.Join(t.TempDir(), "d.parquet")
	if err := Write(path, Whole(want)); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, Options{Trials: want.Symbols, Choice: "c", Grouped: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, noSource); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWriteOrderAndBytes(t *testing.T) {
	dir := t.TempDir()
	table := sample(3)
	first := map[string][]byte{}
	for range 2 {
		for _, name := range []string{"d.csv", "d.parquet"} {
			path := filepath.Join(dir, name)
			if err := Write(path, Whole(table)); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if before := first[name]; before != nil && !bytes.Equal(before, data) {
				t.Errorf("%s: the same table gave other bytes", name)
			}
			first[name] = data
		}
	}
	if !strings.HasPrefix(string(first["d.csv"]), "subject,rt,c,theta\n\"b, the \"\"second\"\"\",") {
		t.Errorf("CSV begins %.60q", first["d.csv"])
	}
	file, err := parquet.OpenFile(bytes.NewReader(first["d.parquet"]), int64(len(first["d.parquet"])))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, column := range file.Root().Columns() {
		names = append(names, column.Name())
	}
	if diff := cmp.Diff([]string{"subject", "rt", "c", "theta"}, names); diff != "" {
		t.Error(diff)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("%d files in the folder (%v), want the two written", len(left), err)
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	err := Write(filepath.Join(dir, "none", "d.csv"), Whole(sample(1)))
	if err == nil || !strings.HasSuffix(err.Error(), filepath.Join("none", "d.csv")+": cannot be written: no such file or directory") {
		t.Errorf("got %v", err)
	}
	if err := Write(os.DevNull, Whole(sample(1))); err != nil {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s was replaced by a file", os.DevNull)
	}
}

type typed struct {
	Subj   int64    `parquet:"subj_idx"`
	RT     float32  `parquet:"rt"`
	Choice bool     `parquet:"response"`
	Theta  *float64 `parquet:"theta,optional"`
	Cond   string   `parquet:"cond,dict"`
	Many   []int32  `parquet:"many"`
	Day    int32    `parquet:"day,date"`
}

func typedFile(t testing.TB) []byte {
	t.Helper()
	theta := 1.5
	var b bytes.Buffer
	if err := parquet.Write(&b, []typed{
		{3, 0.5, true, &theta, "lower", []int32{1, 2}, 1}, {4, 0.25, false, nil, "upper", nil, 2}, {3, 0.75, true, &theta, "upper", nil, 3},
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParquetTypes(t *testing.T) {
	data := typedFile(t)
	o := Options{Trials: []string{"rt"}, Choice: "c", Grouped: true}
	got, err := ReadParquet("d.parquet", bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		t.Fatal(err)
	}
	want := &Table{
		Symbols: []string{"rt"}, Columns: [][]float64{{0.5, 0.25, 0.75}}, ChoiceSymbol: "c", Choice: []float64{1, -1, 1},
		SubjectColumn: "subj_idx", Subjects: []Subject{{"3", []int{0, 2}}, {"4", []int{1}}},
	}
	if diff := cmp.Diff(want, got, noSource); diff != "" {
		t.Error(diff)
	}
	o.Rename = map[string]string{"c": "cond"}
	got, err = ReadParquet("d.parquet", bytes.NewReader(data), int64(len(data)), o)
	if err != nil || got.Choice[0] != -1 || got.Choice[1] != 1 {
		t.Errorf("choice as text: %v, %v", got, err)
	}
}

// TestParquetExtra reads columns that the model does not use, and the column of deadlines.
func TestParquetExtra(t *testing.T) {
	table := sample(20)
	path := filepath.Join(t.TempDir(), "d.parquet")
	if err := Write(path, Whole(table)); err != nil {
		t.Fatal(err)
	}
	o := Options{Trials: table.Symbols[:1], Choice: "c", Extra: []string{table.Symbols[1]}, Deadline: Deadline{Column: table.Symbols[0]}}
	got, err := Read(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := got.Extra[0].Numbers(); !ok || !slices.Equal(x, table.Columns[1]) || !slices.Equal(got.Deadlines, table.Columns[0]) {
		t.Errorf("extra column %v, want %v; deadlines %v, want %v", got.Extra[0].Texts, table.Columns[1], got.Deadlines, table.Columns[0])
	}
}

func TestParquetErrors(t *testing.T) {
	data := typedFile(t)
	for symbol, want := range map[string]string{
		"theta": `row 2, column "theta": empty: want a number`,
		"cond":  `row 1, column "cond": "lower" is not a number`,
		"many":  `column "many": is nested: want one value a row`,
		"day":   `column "day": holds DATE: want numbers or text`,
		"none":  `no column for none: the columns are subj_idx, rt, response, theta, cond, many, day`,
	} {
		_, err := ReadParquet("d.parquet", bytes.NewReader(data), int64(len(data)), Options{Trials: []string{"rt", symbol}})
		if err == nil || err.Error() != "d.parquet: "+want {
			t.Errorf("%s:\n got %v\nwant d.parquet: %s", symbol, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                             "empty: want a Parquet file",
		"PAR1PAR1":                     "not a Parquet file: too short",
		"rt,c\n1,1\n1,1\n":             "not a Parquet file, or cut short: it does not end in PAR1",
		"PAR1\x00\xff\xff\xff\xffPAR1": "damaged Parquet file: its footer is longer than the file",
	} {
		_, err := ReadParquet("d.parquet", strings.NewReader(text), int64(len(text)), ddm)
		if err == nil || err.Error() != "d.parquet: "+want {
			t.Errorf("%q: got %v, want d.parquet: %s", text, err, want)
		}
	}
}

// TestParquetResponses checks that for a model without choice a column of booleans counts as responses, and a nested column is ignored.
func TestParquetResponses(t *testing.T) {
	type odd struct {
		Response []int32 `parquet:"response,list"`
		RT       float64 `parquet:"rt"`
	}
	var nested bytes.Buffer
	if err := parquet.Write(&nested, []odd{{[]int32{1}, 0.5}, {[]int32{1, 2}, 0.75}}); err != nil {
		t.Fatal(err)
	}
	for want, data := range map[int][]byte{2: typedFile(t), 0: nested.Bytes()} {
		got, err := ReadParquet("d.parquet", bytes.NewReader(data), int64(len(data)), Options{Trials: []string{"rt"}})
		if err != nil || len(got.Pooled) != want {
			t.Errorf("%d responses pooled, %v: want %d", len(got.Pooled), err, want)
		}
	}
}

// TestParquetDamage checks that one wrong byte anywhere gives a table or an error, never a panic.
func TestParquetDamage(t *testing.T) {
	whole := typedFile(t)
	for i := range whole {
		for _, flip := range []byte{0x01, 0xff} {
			data := bytes.Clone(whole)
			data[i] ^= flip
			ReadParquet("d.parquet", bytes.NewReader(data), int64(len(data)), Options{Trials: []string{"rt"}, Choice: "c", Grouped: true})
		}
		ReadParquet("d.parquet", bytes.NewReader(whole[:i]), int64(i), ddm)
	}
}

func FuzzReadParquet(f *testing.F) {
	f.Add(typedFile(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadParquet("f", bytes.NewReader(data), int64(len(data)), Options{Trials: []string{"rt"}, Choice: "c", Grouped: true})
		if err == nil && (table.N() == 0 || len(table.Choice) != table.N()) {
			t.Fatalf("%d trials, %d choices", table.N(), len(table.Choice))
		}
	})
}
