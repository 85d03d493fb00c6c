package bench

import "likc/runtime/model/timing"

// PaperTime is a line of the paper's table of evaluation times on N trials, in ns, measured on the authors' machine: of Expression 2,
// of the exact series, and of the LAN.
type PaperTime struct {
	N                 int
	What              timing.What
	Expr2, Exact, LAN float64
}

// PaperModel is the model that the paper times.
const PaperModel = "expr2"

// PaperTimes returns the paper's table.
func PaperTimes() []PaperTime {
	const ms = 1e6
	return []PaperTime{
		{1_000, timing.Value, 0.010 * ms, 0.27 * ms, 0.68 * ms},
		{1_000, timing.Gradient, 0.015 * ms, 0.59 * ms, 1.3 * ms},
		{100_000, timing.Value, 0.057 * ms, 29 * ms, 13 * ms},
		{100_000, timing.Gradient, 0.28 * ms, 76 * ms, 35 * ms},
		{1_000_000, timing.Value, 0.51 * ms, 315 * ms, 161 * ms},
		{1_000_000, timing.Gradient, 2.7 * ms, 905 * ms, 279 * ms},
	}
}
