package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// count is a number of things: 1 chain, 2 chains.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// figureOf writes a number, or a dash where it is undefined.
func figureOf(format string, x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// tiers lists counts in the order of cost.
func tiers(counts map[string]int) string {
	var parts []string
	for _, name := range []string{"constant", "tabulated", "streaming", "other"} {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
		}
	}
	return strings.Join(parts, ", ")
}
