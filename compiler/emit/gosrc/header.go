package gosrc

import (
	"fmt"

	"likc/compiler/emit"
	"likc/compiler/ir"
)

// header returns the comment lines above the package clause.
func (u *unit) header(cfg emit.Config) []string {
	lines := u.Header(cfg, append([]string{u.counts()}, u.loopNotes()...)...)
	for i, line := range lines {
		if line != "" {
			lines[i] = " " + line
		}
	}
	return lines
}

// counts returns a line with the numbers of operations for each stage, such as before, in and after the loops. The line is printed
// into the file, so that the effect of a change to the optimiser is seen in the diff.
func (u *unit) counts() string {
	r := ir.Describe(u.Program)
	return fmt.Sprintf("prologue %d ops, body %d ops, epilogue %d ops; %s, %s",
		r.PrologueOps, r.BodyOps, r.EpilogueOps, plural(r.Sums, "accumulator"), plural(len(r.Statistics), "statistic"))
}

// plural returns a number with its noun, which gets an s unless the number is 1.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
