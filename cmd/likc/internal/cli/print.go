package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Count is a number of things: 1 chain, 2 chains.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// FigureOf writes a number, or a dash where it is undefined.
func FigureOf(format string, x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// Tiers lists counts in the order of cost.
func Tiers(counts map[string]int) string {
	var parts []string
	for _, name := range []string{"constant", "tabulated", "streaming", "other"} {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
		}
	}
	return strings.Join(parts, ", ")
}
