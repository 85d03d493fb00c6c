package trials

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Source says what was read, and what of it is used.
type Source struct {
	File    string             `json:"file"`              // as the user named it
	SHA256  string             `json:"sha256"`            // SHA-256 of the file's bytes, in hexadecimal; "" for trials from no file
	Rows    int                `json:"rows"`              // data rows of the file
	Used    int                `json:"used"`              // trials
	Omitted int                `json:"omitted,omitempty"` // number of trials on which nobody responded by the deadline
	Go      float64            `json:"go,omitempty"`      // the only choice that a response can have; 0 for both
	Dropped map[string]int     `json:"dropped"`           // rows that are not used, by why; empty for none
	Filled  map[string]int     `json:"filled,omitempty"`  // empty cells for which the model says what they stand for, by symbol
	Columns map[string]string  `json:"columns"`           // the file's column of each symbol, and of the subject
	Coding  map[string]float64 `json:"coding,omitempty"`  // choices by the texts that stand for them: +1 or -1
	Unit    Unit               `json:"unit,omitempty"`    // unit of the response times in the file; they are used in seconds
	Subject string             `json:"subject,omitempty"` // the column of the subjects
}

// Why rows are dropped.
const (
	otherSubject  = "of other subjects"
	otherResponse = "of other responses"
	incomplete    = "with a missing value"
	tooFast       = "faster than %v s"
	tooSlow       = "slower than %v s"
)

// Cut is the trials that were dropped for their response times alone, on one side.
type Cut struct {
	Why    string // they were dropped: slower than 3 s
	Trials int
	Of     int  // trials before those of either side were dropped
	Slow   bool // they are too slow, not too fast
}

// Cuts are the trials that were dropped for their response times.
func (s *Source) Cuts() (all []Cut) {
	of := s.Rows
	for _, why := range slices.Sorted(maps.Keys(s.Dropped)) {
		slow := isCut(why, tooSlow)
		if slow || isCut(why, tooFast) {
			all = append(all, Cut{Why: why, Trials: s.Dropped[why], Slow: slow})
		} else {
			of -= s.Dropped[why]
		}
	}
	for i := range all {
		all[i].Of = of
	}
	return all
}

// isCut reports whether a reason is of a form such as tooSlow.
func isCut(why, form string) bool {
	begin, _, _ := strings.Cut(form, "%")
	return strings.HasPrefix(why, begin)
}

// String is the number of trials, and why: 71 of 2000 trials (3.55 %) dropped, slower than 3 s.
func (c Cut) String() string {
	return fmt.Sprintf("%d of %d trials (%.3g %%) dropped, %s", c.Trials, c.Of, 100*c.Share(), c.Why)
}

// Share is the share of the trials that were dropped.
func (c Cut) Share() float64 { return float64(c.Trials) / float64(c.Of) }

// dropped lists why rows are dropped, and how many: 3 faster than 0.2 s, 2 slower than 4 s.
func (s *Source) dropped() string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(s.Dropped)) {
		all = append(all, fmt.Sprintf("%d %s", s.Dropped[why], why))
	}
	return strings.Join(all, ", ")
}
