package frame

import (
	"fmt"
	"slices"
)

// Sides divides trials by their choice. For each of the possible choices, it returns the response times in ascending order. It returns an
// error for columns of different lengths, an rt that is not in (0, longest], or an unknown choice. The error names the first such trial,
// counted from 1.
func Sides(choices, rt, choice []float64, longest float64) ([][]float64, error) {
	if len(rt) != len(choice) {
		return nil, fmt.Errorf("bind trials: %d response times but %d choices", len(rt), len(choice))
	}
	sides := make([][]float64, len(choices))
	for i, x := range rt {
		if !(x > 0) || x > longest {
			return nil, fmt.Errorf("trial %d: rt %v is not positive and finite", i+1, x)
		}
		side := slices.Index(choices, choice[i])
		if side < 0 {
			return nil, fmt.Errorf("trial %d: choice %v is %s", i+1, choice[i], noneOf(choices))
		}
		sides[side] = append(sides[side], x)
	}
	for _, side := range sides {
		slices.Sort(side)
	}
	return sides, nil
}

// noneOf returns the words of an error about a choice that is none of choices.
func noneOf(choices []float64) string {
	if choices[0] == 0 {
		return fmt.Sprintf("none of 0 to %d", len(choices)-1)
	}
	return "neither 1 nor -1"
}
