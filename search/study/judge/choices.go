package judge

import (
	"fmt"
	"slices"
	"strings"

	"likc/search/study/bank"
)

// codes returns the codes of the choices of the bank's process; nil for a process with one response.
func codes(b *bank.Bank) []float64 {
	all, err := b.Settings.Choices()
	if err != nil || len(all) == 1 {
		return nil
	}
	return all
}

// checkColumns returns an error if a candidate has columns, or response times, that a bank with a design lacks.
func checkColumns(e Entry, b *bank.Bank) error {
	d := b.Settings.Design
	if d == nil {
		return nil
	}
	time := e.Model.TimeColumn()
	if time >= 0 && d.Untimed {
		return fmt.Errorf("%s reads response times, and trials of %s, from which the bank is simulated, have none", e.Name, b.Settings.Model)
	}
	for j, name := range e.Model.DataColumns() {
		if j != time && !slices.Contains(d.Columns, name) {
			return fmt.Errorf("%s reads the column %s, and the bank has %s", e.Name, name, strings.Join(d.Columns, ", "))
		}
	}
	return nil
}

// checkChoices returns an error if a choice of the bank's trials is not a choice of the model.
func checkChoices(e Entry, b *bank.Bank) error {
	own := e.Model.Codes()
	for _, code := range codes(b) {
		if own != nil && !slices.Contains(own, code) {
			return fmt.Errorf("the choices of %s are %v, and those of %s, from which the bank is simulated, %v", e.Name, own, b.Settings.Model, codes(b))
		}
	}
	return nil
}

// rarest returns the number of trials with the rarest choice; 0 for a process with one response.
func rarest(choice, codes []float64) int {
	least := len(choice)
	for _, code := range codes {
		n := 0
		for _, c := range choice {
			if c == code {
				n++
			}
		}
		least = min(least, n)
	}
	if len(codes) == 0 {
		return 0
	}
	return least
}
