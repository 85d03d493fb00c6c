package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Choices says which texts of the data are which choices. It returns "" if the fit does not record them, or if they are the model's own numbers.
func (f *fitted) Choices() string {
	coding := f.Record.Data.Coding
	own := true
	byChoice := map[float64][]string{}
	for _, text := range slices.Sorted(maps.Keys(coding)) {
		choice := coding[text]
		own = own && text == strconv.FormatFloat(choice, 'g', -1, 64)
		byChoice[choice] = append(byChoice[choice], text)
	}
	if own {
		return ""
	}
	_, boundaries := byChoice[-1] // numbered choices begin at 0
	var parts []string
	for _, choice := range slices.Backward(slices.Sorted(maps.Keys(byChoice))) {
		name := "choice " + strconv.FormatFloat(choice, 'g', -1, 64)
		if boundaries {
			name = map[bool]string{true: "upper boundary", false: "lower boundary"}[choice > 0]
		}
		parts = append(parts, name+": "+strings.Join(byChoice[choice], " or "))
	}
	return strings.Join(parts, ", ")
}

// droppedRows says how many rows of the data were left out and why, "" for none.
func (f *fitted) droppedRows() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(f.Record.Data.Dropped)) {
		parts = append(parts, strconv.Itoa(f.Record.Data.Dropped[why])+" "+why)
	}
	return strings.Join(parts, ", ")
}
