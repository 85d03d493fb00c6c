package trials

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// repeated returns a reader of n bytes that repeats a text.
func repeated(text string, n int64) io.Reader {
	return io.LimitReader(&loop{text: strings.Repeat(text, 1+(1<<16)/len(text))}, n)
}

type loop struct {
	text string
	at   int
}

func (l *loop) Read(into []byte) (int, error) {
	n := copy(into, l.text[l.at:])
	l.at = (l.at + n) % len(l.text)
	return n, nil
}

// TestBounds reads files that are nearly endless. Each gives a one-line error that names the limit, and needs little memory.
func TestBounds(t *testing.T) {
	const endless = 1 << 40
	for name, test := range map[string]struct {
		begin, then, want string
	}{
		"header": {"rt,c,", "x,", "header: line 1: more than 100000 columns, the most that are read"},
		"name":   {"rt,c,", "x", "header: line 1: a cell of more than 1 MiB, the most that is read"},
		"cell":   {"rt,c\n0.5,1\n0.", "1", "row 2: line 3: a cell of more than 1 MiB, the most that is read"},
		"quote": {"rt,c\n0.5,1\n\"0.5", ",1\n", "row 2: line 3: a quoted cell of more than 1 MiB, the most that is read: " +
			"is a quote opened and never closed?"},
		"columns":    {"rt,c\n0.5,1\n0.5", ",1", "row 2: line 3: more than 100000 columns, the most that are read"},
		"semicolons": {"rt;c\n0.5;1\n0.5", ";1", "row 2: line 3: more than 100000 columns, the most that are read"},
		"row":        {"rt,c\n0.5,1\n0.5", "," + strings.Repeat("1", 1000), "row 2: line 3: a row of more than 8 MiB, the most that is read"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadCSV("d.csv", io.MultiReader(strings.NewReader(test.begin), repeated(test.then, endless)), ddm)
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != "d.csv: "+test.want {
			t.Errorf("%s:\n got %v\nwant d.csv: %s", name, err, test.want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 100<<20 {
			t.Errorf("%s: %d MiB were allocated", name, taken>>20)
		}
	}
}

// TestBoundsAreWide reads files that are just within the limits.
func TestBoundsAreWide(t *testing.T) {
	wide := "rt,c" + strings.Repeat(",x", maxColumns-2)
	names := strings.Split(wide, ",")
	for i := 2; i < len(names); i++ {
		names[i] = fmt.Sprint("x", i)
	}
	for name, text := range map[string]string{
		"columns": strings.Join(names, ",") + "\n0.5,1" + strings.Repeat(",1", maxColumns-2) + "\n",
		"cell":    "rt,c,x\n0.5,1," + strings.Repeat("a", maxCell-1) + "\n",
		"quoted":  "rt,c,x\n0.5,1,\"" + strings.Repeat("a,\n\"\"", (maxCell-10)/5) + "\"\n",
		"row":     "rt,c,a,b,d,e,f,g,h\n0.5,1" + strings.Repeat(","+strings.Repeat("a", maxCell-1), 7) + "\n",
		"rows":    "rt,c\n" + strings.Repeat("0.5,1\n", maxRow/4),
	} {
		if table, err := ReadCSV("d.csv", strings.NewReader(text), ddm); err != nil || table.Columns[0][0] != 0.5 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnpackingIsBounded checks that a compressed file that is extremely repetitive is refused, and that a smaller one is read.
func TestUnpackingIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.csv.gz")
	write := func(begin string, then io.Reader) {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		io.WriteString(z, begin)
		io.Copy(z, then)
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("rt,c\n0.5,1\n", repeated("\n", freeUnpacked+1<<20))
	if _, err := Read(path, ddm); err == nil || !strings.Contains(err.Error(), "unpacks to more than 250 times its size") {
		t.Errorf("a file of empty lines: %v", err)
	}
	write("rt,c\n0.5,1\n", repeated("\n", freeUnpacked-1<<20))
	if _, err := Read(path, ddm); err != nil {
		t.Errorf("a smaller one: %v", err)
	}
}

func TestParquetIsBounded(t *testing.T) {
	type trial struct {
		RT     float64 `parquet:"rt"`
		Choice int64   `parquet:"c"`
		ID     string  `parquet:"id"`
	}
	grouped := ddm
	grouped.Grouped = true
	file := func(rows ...trial) *bytes.Reader {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[trial](&b, parquet.Compression(&zstd.Codec{}), parquet.SkipPageBounds("id"))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes())
	}
	long := strings.Repeat("a", 3*maxCell)
	many := make([]trial, 3_000_000)
	for i := range many {
		many[i] = trial{0.5, 1, "a"}
	}
	for want, f := range map[string]*bytes.Reader{
		`d: column "id": a cell of more than 1 MiB, the most that is read`:                                               file(trial{0.5, 1, long}, trial{0.5, 1, "b"}),
		`d: row 3, column "id": a cell of more than 1 MiB, the most that is read`:                                        file(trial{0.5, 1, "a"}, trial{0.5, 1, "b"}, trial{0.5, 1, long}, trial{0.5, 1, "b"}),
		`d: unpacks to more than 250 times its size, the most that is read: write it without compression if it is yours`: file(many...),
	} {
		if _, err := ReadParquet("d", f, f.Size(), grouped); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestTrialsTakeLittle checks the memory of a trial: its response time, choice, row and label have 28 bytes, and growing
// columns may have a quarter more capacity.
func TestTrialsTakeLittle(t *testing.T) {
	const n = 1 << 18
	path := filepath.Join(t.TempDir(), "trials.csv")
	if err := os.WriteFile(path, []byte("rt,c\n"+strings.Repeat("0.5,1\n0.75,0\n", n/2)), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Read(path, ddm)
	if err != nil {
		t.Fatal(err)
	}
	bytes := 8*(cap(table.Columns[0])+cap(table.Choice)+cap(table.Rows)) + 4*cap(table.Labels.codes)
	if each := float64(bytes) / n; table.N() != n || each > 28*1.25 {
		t.Errorf("%d trials take %.1f bytes each", table.N(), each)
	}
}
