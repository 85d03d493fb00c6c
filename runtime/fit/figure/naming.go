package figure

import (
	"fmt"
	"slices"
)

// Naming returns the data's own name of a choice, such as key = left; "" if the data have the model's numbers. It may be nil.
type Naming func(choice float64) string

// Of returns the name of a choice for a title.
func (n Naming) Of(choice float64) string {
	if n != nil && n(choice) != "" {
		return n(choice)
	}
	return fmt.Sprintf("choice %v", choice)
}

// left returns the part of an axis label that says which trials have negative times; "" if there are no choices.
func (n Naming) left(choice, predicted []float64) string {
	numbered := slices.Contains(choice, 0) || slices.Contains(predicted, 0)
	switch {
	case choice == nil:
		return ""
	case numbered:
		return ", negative for " + n.Of(0)
	case n != nil && n(-1) != "":
		return ", negative for " + n(-1)
	}
	return ", negative at the lower boundary"
}
