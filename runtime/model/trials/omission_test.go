package trials

import (
	"slices"
	"strings"
	"testing"
)

// With a deadline, a row without a response time or without a choice is an omission, in whatever way the file writes the missing value.
func TestOmissions(t *testing.T) {
	text := "rt,c,by,s\n0.5,1,1000,a\n,,1000,a\n-999,0,800,a\nNA,1,900,b\n0.7,,900,b\n0.8,0,900,b\n"
	o := Options{Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "c", Subject: "s", Deadline: Deadline{Seconds: 1.5}, MinRT: 0.1, MaxRT: 0.75}
	table, err := ReadCSV("d.csv", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(table.Columns[0], []float64{0.5, 1.5, 1.5, 1.5, 1.5}) || !slices.Equal(table.Choice, []float64{1, Omitted, Omitted, Omitted, Omitted}) {
		t.Errorf("times %v, choices %v", table.Columns[0], table.Choice)
	}
	if table.Source.Omitted != 4 || table.Source.Used != 5 || len(table.Subjects[1].Rows) != 2 {
		t.Errorf("%+v, subjects %v", table.Source, table.Subjects)
	}
	o.Deadline, o.Unit, o.MinRT, o.MaxRT = Deadline{Column: "by"}, Milliseconds, 0, 0
	text = strings.NewReplacer("0.5", "500", "0.7", "700", "0.8", "800").Replace(text)
	if table, err = ReadCSV("d.csv", strings.NewReader(text), o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(table.Columns[0], []float64{0.5, 1, 0.8, 0.9, 0.9, 0.8}) || !slices.Equal(table.Choice, []float64{1, Omitted, Omitted, Omitted, Omitted, -1}) {
		t.Errorf("times %v, choices %v", table.Columns[0], table.Choice)
	}
}

// TestShortDeadline reads data with a deadline below a second.
func TestShortDeadline(t *testing.T) {
	o := ddm
	o.Deadline = Deadline{Seconds: 0.8}
	if table := read(t, "rt,c\n0.5,1\n,\n", o); !slices.Equal(table.Columns[0], []float64{0.5, 0.8}) || table.Choice[1] != Omitted {
		t.Errorf("times %v, choices %v", table.Columns[0], table.Choice)
	}
}

// TestDeadlineColumnComesFirst reads a file with the deadlines in its first column.
func TestDeadlineColumnComesFirst(t *testing.T) {
	o := ddm
	o.Deadline = Deadline{Column: "by"}
	if table := read(t, "by,rt,c\n2,0.5,1\n3,,\n", o); !slices.Equal(table.Columns[0], []float64{0.5, 3}) || !slices.Equal(table.Choice, []float64{1, Omitted}) {
		t.Errorf("times %v, choices %v", table.Columns[0], table.Choice)
	}
}

// TestChoicesComeFirst reads a file with the choices in its first column, and a deadline for all: the choices are kept.
func TestChoicesComeFirst(t *testing.T) {
	o := ddm
	o.Deadline = Deadline{Seconds: 2}
	if table := read(t, "c,rt\n-1,0.5\n1,0.6\n,\n", o); !slices.Equal(table.Choice, []float64{-1, 1, Omitted}) {
		t.Errorf("choices %v", table.Choice)
	}
}

func TestDeadlineRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		text string
		d    Deadline
	}{
		`no column "by" for the deadline; the columns are rt, c`:                                                                                    {"rt,c\n1,1\n", Deadline{Column: "by"}},
		`row 1 (line 2), column "rt": 2 s is after the deadline of 1.5 s: want the deadline at or above all response times, or no time in this row`: {"rt,c\n2,1\n", Deadline{Seconds: 1.5}},
		`row 1 (line 2), column "by": empty: want a number`:                                                                                         {"rt,c,by\n,1,\n", Deadline{Column: "by"}},
		`row 1 (line 2), column "by": -1: want a deadline > 0`:                                                                                      {"rt,c,by\n,1,-1\n", Deadline{Column: "by"}},
		`row 1 (line 2), column "rt": empty: want a number`:                                                                                         {"rt,c\n,1\n", Deadline{}},
	} {
		_, err := ReadCSV("d.csv", strings.NewReader(c.text), Options{Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "c", Deadline: c.d})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", c.text, err, want)
		}
	}
}

// In a go/no-go task all responses have one choice; the file may have a column of choices or not. If there is a deadline, trials of a
// model without choice have choices too.
func TestGo(t *testing.T) {
	o := Options{Trials: []string{"rt"}, Choice: "c", Deadline: Deadline{Seconds: 1}, Go: 1}
	for _, text := range []string{"rt,c\n0.5,1\n,-1\n0.7,1\n,\n", "rt\n0.5\nNA\n0.7\n-999\n", "rt,c\n0.5,upper\n,\n0.7,upper\n,lower\n"} {
		table, err := ReadCSV("d.csv", strings.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Columns[0], []float64{0.5, 1, 0.7, 1}) || !slices.Equal(table.Choice, []float64{1, Omitted, 1, Omitted}) ||
			!slices.Equal(table.Deadlines, []float64{1, 1, 1, 1}) || table.Source.Omitted != 2 || table.Source.Go != 1 {
			t.Errorf("%q: times %v, choices %v, deadlines %v, %+v", text, table.Columns[0], table.Choice, table.Deadlines, table.Source)
		}
	}
	_, err := ReadCSV("d.csv", strings.NewReader("rt,c\n0.5,1\n0.6,-1\n,1\n"), o)
	if want := `d.csv: column "c": 1 of 2 responses are not the choice +1, to which alone a response belongs: `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	o.Choice, o.Go = "", 0
	table, err := ReadCSV("d.csv", strings.NewReader("rt\n0.5\n\"\"\n"), o)
	if err != nil || !slices.Equal(table.Choice, []float64{0, Omitted}) || table.Source.Omitted != 1 {
		t.Errorf("without choice: %v, %+v", err, table)
	}
}
