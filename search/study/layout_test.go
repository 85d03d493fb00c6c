package study

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"likc/runtime/model/ssm"
)

// The columns of a layout: values are crossed, and values between participants are the same in all trials of a participant.
func TestLayout(t *testing.T) {
	l := Layout{Subjects: 4, Trials: 6, Within: []string{"cond=low, high", "dose=0,1,2.5", "x=normal(3,0.1)"}, Between: []string{"group=a,b"}}
	table, err := l.table("who", ssm.NewRand(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows != 24 || len(table.Columns) != 5 {
		t.Fatalf("%d rows, %d columns", table.Rows, len(table.Columns))
	}
	who, group, cond, dose, x := table.Columns[0], table.Columns[1], table.Columns[2], table.Columns[3], table.Columns[4]
	if who.Name != "who" || who.Numeric[5] != 0 || who.Numeric[6] != 1 || who.Numeric[23] != 3 {
		t.Errorf("participants %v", who)
	}
	if !slices.Equal(group.Labels[5:13], []string{"a", "b", "b", "b", "b", "b", "b", "a"}) {
		t.Errorf("between participants: %v", group.Labels)
	}
	seen := map[string]map[float64]int{"low": {}, "high": {}}
	for row := range 6 {
		seen[cond.Labels[row]][dose.Numeric[row]]++
	}
	if want := map[float64]int{0: 1, 1: 1, 2.5: 1}; !reflect.DeepEqual(seen["low"], want) || !reflect.DeepEqual(seen["high"], want) {
		t.Errorf("combinations in six trials: %v", seen)
	}
	if mean := sum(x.Numeric) / 24; !(math.Abs(mean-3) < 0.1) { // five standard errors
		t.Errorf("drawn column has the mean %v", mean)
	}
}

// A study may have a million trials, and not one more participant.
func TestMostTrials(t *testing.T) {
	for subjects, want := range map[int]bool{1000: true, 1001: false} {
		l := Layout{Subjects: subjects, Trials: 1000}
		if table, err := l.table("who", ssm.NewRand(1, 2)); (err == nil) != want || want && len(table.Columns[0].Numeric) != 1_000_000 {
			t.Errorf("%d participants: %v", subjects, err)
		}
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
