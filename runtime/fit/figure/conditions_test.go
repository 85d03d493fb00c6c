package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// The quantiles equal R's quantile(x, c(.1, .3, .5, .7, .9)) of 1 to 6.
func TestQuantileColumn(t *testing.T) {
	rt := []float64{6, 9, 1, 2, 8, 3, 4, 5}
	choice := []float64{1, -1, 1, 1, -1, 1, 1, 1}
	c := columnOf(rt, choice, 1)
	if c == nil || c.probability != 0.75 {
		t.Fatalf("%+v", c)
	}
	for k, want := range []float64{1.5, 2.5, 3.5, 4.5, 5.5} {
		if !(math.Abs(c.quantiles[k]-want) <= 1e-12) {
			t.Errorf("quantile %v is %v, want %v", levels[k], c.quantiles[k], want)
		}
	}
	if columnOf(rt, choice, -1) != nil {
		t.Error("two trials have quantiles")
	}
	if all := columnOf(rt, nil, 1); all == nil || all.probability != 1 {
		t.Errorf("without choices: %+v", all)
	}
}

func TestConditions(t *testing.T) {
	rt, choice := []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1}, []float64{1, 1, 1, 1, 1, -1}
	all := []Condition{{"easy", rt, choice, rt, choice, true}, {"hard", rt, choice, rt, choice, false}}
	for _, draw := range []func([]Condition) (*Figure, error){func(all []Condition) (*Figure, error) { return Conditions(all, nil) }, QuantileProbability} {
		f, err := draw(all)
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil || !strings.Contains(svg.String(), "response time (s)") {
			t.Errorf("%v", err)
		}
	}
	if _, err := QuantileProbability([]Condition{{Name: "few", RT: rt[:2], Choice: choice[:2], PredictedRT: rt, PredictedChoice: choice}}); err == nil {
		t.Error("quantiles of two trials were drawn")
	}
}
