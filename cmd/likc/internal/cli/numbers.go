package cli

import (
	"strconv"
	"strings"
)

// Numbers is the value of a flag that takes numbers with commas between them. Unlike pflag's own it writes all their digits.
type Numbers struct {
	to  *[]float64
	set bool // whether what to has was given, and is no default
}

// NewNumbers is a flag's value that is kept in to, which has the default.
func NewNumbers(to *[]float64) *Numbers { return &Numbers{to: to} }

// Set takes numbers in place of the default, or after those that were given before.
func (n *Numbers) Set(text string) error {
	return n.take(strings.Split(text, ","), n.set)
}

func (n *Numbers) take(texts []string, after bool) error {
	var all []float64
	if after {
		all = *n.to
	}
	for _, text := range texts {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return err
		}
		all = append(all, x)
	}
	*n.to, n.set = all, true
	return nil
}

// Append, Replace and GetSlice make it a [pflag.SliceValue].
func (n *Numbers) Append(text string) error     { return n.take([]string{text}, true) }
func (n *Numbers) Replace(texts []string) error { return n.take(texts, false) }
func (n *Numbers) GetSlice() (texts []string) {
	for _, x := range *n.to {
		texts = append(texts, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return texts
}

// String writes the numbers.
func (n *Numbers) String() string { return "[" + strings.Join(n.GetSlice(), ",") + "]" }

// Type is what the help calls the value.
func (n *Numbers) Type() string { return "floats" }
