package figure

import (
	"math"
	"strings"
)

// Strip draws heights from 0 to 1 as a line of `columns` characters. Each character shows the largest height in its part.
func Strip(heights []float64, columns int) string {
	marks := []rune(" ▁▂▃▄▅▆▇█")
	var b strings.Builder
	for c := range columns {
		from, to := c*len(heights)/columns, (c+1)*len(heights)/columns
		top := 0.0
		for _, h := range heights[from:to] {
			top = math.Max(top, h)
		}
		b.WriteRune(marks[int(math.Ceil(top*8-1e-3))])
	}
	return b.String()
}
