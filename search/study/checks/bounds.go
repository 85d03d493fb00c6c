package checks

import "fmt"

// Bounds of settings that checks share.
const (
	MostTrials = 1_000_000 // of a simulated dataset
	MostChains = 1000
	MostDraws  = 1_000_000 // of a chain, and of its warm-up
)

// Bound is a setting and the range that it must lie in.
type Bound struct {
	Name             string
	Value, Low, High int
}

// InRange reports the first setting that lies outside its range. The error begins with the setting's name.
func InRange(bounds ...Bound) error {
	for _, b := range bounds {
		if b.Value < b.Low || b.Value > b.High {
			return fmt.Errorf("%s %d: want %d to %d", b.Name, b.Value, b.Low, b.High)
		}
	}
	return nil
}
