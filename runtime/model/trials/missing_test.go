package trials

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

var stops = Options{Trials: []string{"rt", "ssd"}, Positive: []string{"rt", "ssd"}, Choice: "c", Choices: 2, Missing: map[string]float64{"rt": 1, "ssd": 1000, "c": 0}}

// Empty cells, NA and -999 get the value that the model declares for a missing value of that column.
func TestMissing(t *testing.T) {
	o := stops
	o.Unit, o.MinRT, o.MaxRT = Milliseconds, 0.3, 0.9
	table := read(t, "rt,ssd,c\n500,NA,1\n,200,0\n-999,250,\nNA,300,NaN\n200,,1\n700,100,1\n", o)
	if !slices.Equal(table.Columns[0], []float64{0.5, 1, 1, 1, 0.7}) || !slices.Equal(table.Columns[1], []float64{1000, 0.2, 0.25, 0.3, 0.1}) {
		t.Errorf("times %v, delays %v", table.Columns[0], table.Columns[1])
	}
	if !slices.Equal(table.Choice, []float64{1, 0, 0, 0, 1}) {
		t.Errorf("choices %v", table.Choice)
	}
	if want := map[string]int{"rt": 3, "ssd": 2, "c": 2}; !maps.Equal(table.Source.Filled, want) || table.Source.Used != 5 {
		t.Errorf("%+v, want filled %v", table.Source, want)
	}
}

// If the file has no column of choices, response times determine which of two choices a row has. A text that usually means a missing
// value may be named as a response.
func TestChoiceFollows(t *testing.T) {
	table := read(t, "rt,stop_signal_delay\n0.5,-999\n-999,0.2\n,\n0.6,0.3\n", stops)
	if !slices.Equal(table.Choice, []float64{1, 0, 0, 1}) || !slices.Equal(table.Columns[1], []float64{1000, 0.2, 1000, 0.3}) {
		t.Errorf("choices %v, delays %v", table.Choice, table.Columns[1])
	}
	o := stops
	o.Rename, o.Responses = map[string]string{"c": "inhibited"}, map[string]float64{"1": 0, "0": 1, "-999": 1}
	table = read(t, "rt,ssd,inhibited\n0.5,-999,-999\n-999,0.2,1\n0.6,0.3,0\n", o)
	if !slices.Equal(table.Choice, []float64{1, 0, 1}) {
		t.Errorf("choices %v", table.Choice)
	}
}

// EMC2 writes Inf for the response time of a trial without a response, and for the delay of a trial without a signal.
func TestInfinityIsMissing(t *testing.T) {
	table := read(t, "rt,ssd\n0.5,Inf\nInf,0.2\n0.6,0.3\ninf,+Inf\n", stops)
	if !slices.Equal(table.Choice, []float64{1, 0, 1, 0}) || !slices.Equal(table.Columns[1], []float64{1000, 0.2, 0.3, 1000}) {
		t.Errorf("choices %v, delays %v", table.Choice, table.Columns[1])
	}
	late := ddm
	late.Deadline = Deadline{Seconds: 0.8}
	if table := read(t, "rt,c\n0.5,1\nInf,1\n", late); !slices.Equal(table.Columns[0], []float64{0.5, 0.8}) || table.Choice[1] != Omitted {
		t.Errorf("times %v, choices %v", table.Columns[0], table.Choice)
	}
	for text, o := range map[string]Options{"rt,c\n-Inf,1\n": late, "rt,ssd\n-Inf,0.2\n": stops, "rt,c\nInf,1\n": ddm} {
		if _, err := ReadCSV("d.csv", strings.NewReader(text), o); err == nil || !strings.Contains(err.Error(), "infinite: want a finite number") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMissingRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"rt,ssd,c\n,0.2,1\n":     `row 1 (line 2), column "c": the choice 1 without a response time: want one, or the choice 0 or none, which mean that nobody responded`,
		"rt,ssd,c\n0.5,0.2,0\n":  `row 1 (line 2), column "c": the choice 0, which means that nobody responded, and yet there is a response time: want another choice, or the time empty, NA or -999`,
		"rt,ssd,c\n0.5,0.2,\n":   `row 1 (line 2), column "c": empty, and yet there is a response time: want a choice, or neither`,
		"rt,ssd,c\n0.5,x,1\n":    `row 1 (line 2), column "ssd": "x" is not a number`,
		"rt,ssd,c\n0.5,-0.1,1\n": `row 1 (line 2), column "ssd": -0.1: want a number > 0, which the model asks of ssd`,
		"rt,ssd,c\n0,0.1,1\n":    `row 1 (line 2), column "rt": 0 is not a response time: want seconds > 0`,
		"rt,ssd,c\n0.5,0.1,2\n":  `row 1 (line 2), column "c": "2" is not a choice: want 0 to 1`,
	} {
		if _, err := ReadCSV("d.csv", strings.NewReader(text), stops); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// DropMissing drops rows that lack a value, and keeps rows in which a missing value has a meaning.
func TestDropMissing(t *testing.T) {
	const text = "rt,theta,c,limit\n1,2,1,3\n,2,1,3\nNA,2,1,3\n-999,2,1,3\n1,,1,3\n1,-999,-1,3\n1,2,,3\n1,2,-999,3\n2,2,-1,\n"
	for name, c := range map[string]struct {
		change  func(o *Options)
		times   []float64
		dropped int
	}{
		"times, columns and choices": {func(*Options) {}, []float64{1, 2}, 7},
		"a column beside":            {func(o *Options) { o.Extra = []string{"limit"} }, []float64{1}, 8},
		"omissions":                  {func(o *Options) { o.Deadline.Seconds = 3 }, []float64{1, 3, 3, 3, 3, 3, 2}, 2},
		"a column of deadlines":      {func(o *Options) { o.Deadline.Column = "limit" }, []float64{1, 3, 3, 3, 3, 3}, 3},
		"a named response":           {func(o *Options) { o.Responses = map[string]float64{"1": 1, "-1": -1, "-999": -1} }, []float64{1, 1, 2}, 6},
		"a meaning":                  {func(o *Options) { o.Missing = map[string]float64{"theta": 0} }, []float64{1, 1, 1, 2}, 5},
	} {
		o := Options{Trials: []string{"rt", "theta"}, Positive: []string{"rt"}, Choice: "c", DropMissing: true}
		c.change(&o)
		table := read(t, text, o)
		if !slices.Equal(table.Columns[0], c.times) || table.Source.Dropped["with a missing value"] != c.dropped || table.Source.Used != len(c.times) {
			t.Errorf("%s: times %v, dropped %v, %d used; want %v, %d dropped", name, table.Columns[0], table.Source.Dropped, table.Source.Used, c.times, c.dropped)
		}
		if len(table.Notes) != 1 || !strings.Contains(table.Notes[0], "of 9 rows dropped, because a value is missing") {
			t.Errorf("%s: notes %q", name, table.Notes)
		}
	}
}

// Every way to write a missing value is recognised in every column that is used. It gives an error that names the row, or the row is dropped.
func TestMissingEverywhere(t *testing.T) {
	o := Options{Trials: []string{"rt", "x"}, Positive: []string{"rt"}, Choice: "c", Subject: "id", Extra: []string{"cond"}}
	for _, missing := range []string{"", "NA", "na", "NaN", "nan", "None", "null", "NULL", "#N/A", "<NA>", "N/A", "n/a", ".", "-999", "-999.0"} {
		for column, row := range map[string]string{"rt": "%,1,1,a,hot", "x": "2,%,1,a,hot", "c": "2,1,%,a,hot", "id": "2,1,1,%,hot", "cond": "2,1,1,a,%"} {
			text := "rt,x,c,id,cond\n1,1,1,a,hot\n" + strings.Replace(row, "%", missing, 1) + "\n3,0,-1,b,cold\n"
			_, err := ReadCSV("d.csv", strings.NewReader(text), o)
			var open *Unclear
			if !errors.As(err, &open) || open.Question != WhatOfMissing || !strings.Contains(err.Error(), `row 2 (line 3)`) || !strings.Contains(err.Error(), `column "`+column+`"`) {
				t.Errorf("%q as %s: %v", missing, column, err)
			}
			drop := o
			drop.DropMissing = true
			table, err := ReadCSV("d.csv", strings.NewReader(text), drop)
			if err != nil || !slices.Equal(table.Columns[0], []float64{1, 3}) || !slices.Equal(table.Rows, []int{1, 3}) || table.Source.Dropped[incomplete] != 1 {
				t.Errorf("%q as %s: %+v, %v", missing, column, table, err)
			}
		}
	}
	kept := read(t, "rt,x,c,id,cond\n1,1,1,none,none\n2,-998,1,0,Null\n", o)
	if !slices.Equal(kept.Extra[0].Texts, []string{"none", "Null"}) || kept.Subjects[0].Label != "none" {
		t.Errorf("%+v", kept)
	}
}

func texts(l *Labels) (all []string) {
	for i := range l.Len() {
		all = append(all, l.At(i))
	}
	return all
}

// Rows are numbered as in the file, including rows that are not used, and labels are the file's texts of the choices.
func TestRowsAndLabels(t *testing.T) {
	o := ddm
	o.MinRT, o.DropMissing = 0.5, true
	table := read(t, "rt,c\n1,0\n0.1,1\n2,1.0\n,1\n3,0\n", o)
	if !slices.Equal(table.Rows, []int{1, 3, 5}) || !slices.Equal(texts(table.Labels), []string{"0", "1", "0"}) {
		t.Errorf("rows %v, labels %q", table.Rows, texts(table.Labels))
	}
	o = Options{Trials: []string{"rt"}, Choice: "c", Responses: map[string]float64{"left": 0, "right": 1}, Deadline: Deadline{Seconds: 2}}
	table = read(t, "rt,c\n1,left\nNA,left\n0.7,right\n", o)
	if !slices.Equal(texts(table.Labels), []string{"left", "", "right"}) {
		t.Errorf("labels %q", texts(table.Labels))
	}
	if table = read(t, "rt\n1\n2\n", Options{Trials: []string{"rt"}}); table.Labels != nil {
		t.Errorf("labels %q of a model without choice", texts(table.Labels))
	}
}
