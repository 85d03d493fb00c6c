package sweep

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// Screen describes how often verdicts by posterior modes agree with verdicts by the full posterior.
type Screen struct {
	Judge Judge       `json:"judge"` // judge of the screen
	Rows  []ScreenRow `json:"rows"`  // a row for each λ
	All   ScreenRow   `json:"all"`
}

// ScreenRow compares the screen with the full posterior.
type ScreenRow struct {
	Lambda finite.Number `json:"lambda"` // NaN for all λ together
	Share  float64       `json:"share"`  // share of the expressions that pass the screen
	judge.Comparison
}

// AddScreen compares the verdicts with those of a screen on the same expressions.
func (r *Result) AddScreen(screen []*judge.Verdict) error {
	by := judgeOf(screen[0])
	if by.Method != "map" {
		return fmt.Errorf("screen: judged by %s: want posterior modes, as likc judge --screen finds them", by)
	}
	s := Screen{Judge: by}
	var full []*judge.Verdict
	for _, group := range groups(r.searches) {
		var verdicts []*judge.Verdict
		for _, search := range group {
			verdicts = append(verdicts, search.verdicts...)
		}
		full = append(full, verdicts...)
		lambda := finite.Number(group[0].Lambda)
		same := slices.DeleteFunc(slices.Clone(screen), func(v *judge.Verdict) bool { return v.Lambda != lambda })
		if len(same) == 0 {
			continue
		}
		row, err := screenRow(lambda, same, verdicts)
		if err != nil {
			return err
		}
		s.Rows = append(s.Rows, row)
	}
	var err error
	if s.All, err = screenRow(finite.Number(math.NaN()), screen, full); err != nil {
		return err
	}
	r.Screen = &s
	return nil
}

func screenRow(lambda finite.Number, screen, full []*judge.Verdict) (ScreenRow, error) {
	c, err := judge.Compare(screen, full)
	if err != nil {
		return ScreenRow{}, fmt.Errorf("screen: λ %v: %w", lambda, err)
	}
	pool := expressions(screen)
	return ScreenRow{Lambda: lambda, Share: share(passing(pool), len(pool)), Comparison: c}, nil
}
