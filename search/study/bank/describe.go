package bank

import (
	"math"
	"slices"
	"strconv"

	"likc/runtime/num/statistic"
)

// Summary describes a bank in a few numbers.
type Summary struct {
	Settings
	Counts
	First   int            `json:"first_subject"` // number of the first subject
	Last    int            `json:"last_subject"`  // number of the last subject
	Fewest  int            `json:"fewest_trials"` // the smallest number of trials of a subject
	Most    int            `json:"most_trials"`   // the largest number of trials of a subject
	Theta   []Spread       `json:"theta"`
	Choice  map[string]int `json:"choice"`   // number of trials for each boundary, "upper" and "lower", or for each number of a choice; null for models of one response
	RT      *Quantiles     `json:"rt"`       // quantiles of all response times; null for trials without times
	RTUpper *Quantiles     `json:"rt_upper"` // quantiles of responses at the upper boundary; null if there are none
	RTLower *Quantiles     `json:"rt_lower"` // quantiles of responses at the lower boundary; null if there are none
}

// Spread compares the true values of one parameter with its range.
type Spread struct {
	Range
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Quantiles are quantiles of response times, in seconds, interpolated linearly between order statistics.
type Quantiles struct {
	Min float64 `json:"min"`
	Q10 float64 `json:"q10"`
	Q25 float64 `json:"q25"`
	Q50 float64 `json:"q50"`
	Q75 float64 `json:"q75"`
	Q90 float64 `json:"q90"`
	Max float64 `json:"max"`
}

// Share returns the fraction of trials with a choice, given by its key in Choice.
func (s Summary) Share(choice string) float64 { return float64(s.Choice[choice]) / float64(s.Kept) }

// Describe returns the summary of a bank.
func Describe(b *Bank) Summary {
	s := Summary{
		Settings: b.Settings, Counts: b.Counts,
		First: b.Subjects[0].ID, Last: b.Subjects[len(b.Subjects)-1].ID, Fewest: math.MaxInt,
	}
	var upper, lower []float64
	numbered := map[string]int{}
	for _, subject := range b.Subjects {
		s.Fewest, s.Most = min(s.Fewest, len(subject.RT)), max(s.Most, len(subject.RT))
		for i, rt := range subject.RT {
			numbered[strconv.Itoa(int(subject.Choice[i]))]++
			if subject.Choice[i] > 0 {
				upper = append(upper, rt)
			} else {
				lower = append(lower, rt)
			}
		}
	}
	for j, p := range b.Settings.Params {
		s.Theta = append(s.Theta, spread(b.Subjects, j, p))
	}
	s.Choice = map[string]int{"upper": len(upper), "lower": len(lower)}
	s.RTUpper, s.RTLower = quantiles(upper), quantiles(lower)
	s.RT = quantiles(append(upper, lower...))
	switch codes, err := b.Settings.Choices(); {
	case err != nil:
	case len(codes) == 1:
		s.Choice, s.RTUpper, s.RTLower = nil, nil, nil
	case codes[0] == 0:
		s.Choice, s.RTUpper, s.RTLower = numbered, nil, nil
	}
	if !b.Settings.HasTimes() {
		s.RT, s.RTUpper, s.RTLower = nil, nil, nil
	}
	return s
}

func spread(subjects []Subject, j int, p Range) Spread {
	s := Spread{Range: p, Min: math.Inf(1), Max: math.Inf(-1)}
	for _, subject := range subjects {
		x := subject.Theta[j]
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
		s.Mean += x / float64(len(subjects))
	}
	return s
}

// quantiles sorts rt and returns its quantiles; nil if rt is empty.
func quantiles(rt []float64) *Quantiles {
	if len(rt) == 0 {
		return nil
	}
	slices.Sort(rt)
	at := func(p float64) float64 { return statistic.Quantile(rt, p) }
	return &Quantiles{at(0), at(0.1), at(0.25), at(0.5), at(0.75), at(0.9), at(1)}
}
