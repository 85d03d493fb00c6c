package trials

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Source describes the file that was read, and the part of it that is used.
type Source struct {
	File    string             `json:"file"`              // the file, as the user named it
	SHA256  string             `json:"sha256"`            // SHA-256 of the file's bytes, in hexadecimal; "" for trials from no file
	Rows    int                `json:"rows"`              // data rows of the file
	Used    int                `json:"used"`              // number of trials
	Omitted int                `json:"omitted,omitempty"` // number of trials on which nobody responded by the deadline
	Go      float64            `json:"go,omitempty"`      // the only choice that a response can have, +1 or -1; 0 if it can have both
	Dropped map[string]int     `json:"dropped"`           // numbers of rows that are not used, by reason; empty for none
	Filled  map[string]int     `json:"filled,omitempty"`  // for each symbol, the number of empty cells for which the model declares a value
	Columns map[string]string  `json:"columns"`           // the file's column of each symbol, and of the subject
	Coding  map[string]float64 `json:"coding,omitempty"`  // the choice for each code in the file
	Unit    Unit               `json:"unit,omitempty"`    // unit of the response times in the file; they are used in seconds
	Subject string             `json:"subject,omitempty"` // the column of the subjects
}

// NameOf returns the data's own name of a choice of the model: the column and the texts that stand for the choice, such as key = left. It
// returns "" if the data have the model's own numbers, or if there is no such choice in the data. symbol is the model's symbol of the choice.
func (s *Source) NameOf(symbol string, choice float64) string {
	var texts []string
	own := true
	for _, text := range slices.Sorted(maps.Keys(s.Coding)) {
		own = own && text == strconv.FormatFloat(s.Coding[text], 'g', -1, 64)
		if s.Coding[text] == choice {
			texts = append(texts, text)
		}
	}
	if own || texts == nil {
		return ""
	}
	return s.Columns[symbol] + " = " + strings.Join(texts, " or ")
}

// These are the reasons to drop rows.
const (
	otherSubject  = "of other subjects"
	otherResponse = "of other responses"
	incomplete    = "with a missing value"
	tooFast       = "faster than %v s"
	tooSlow       = "slower than %v s"
)

// Cut describes the trials that were dropped because their response times are too short, or too long.
type Cut struct {
	Why    string // the reason, such as slower than 3 s
	Trials int
	Of     int  // number of trials before any were dropped for their response times
	Slow   bool // whether they are too slow; otherwise too fast
}

// Cuts returns the trials that were dropped for their response times.
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

// isCut reports whether a reason has a form such as tooSlow.
func isCut(why, form string) bool {
	begin, _, _ := strings.Cut(form, "%")
	return strings.HasPrefix(why, begin)
}

// String writes the number of trials and the reason, such as 71 of 2000 trials (3.55 %) dropped, slower than 3 s.
func (c Cut) String() string {
	return fmt.Sprintf("%d of %d trials (%.3g %%) dropped, %s", c.Trials, c.Of, 100*c.Share(), c.Why)
}

// Share returns the share of the trials that were dropped.
func (c Cut) Share() float64 { return float64(c.Trials) / float64(c.Of) }

// dropped lists the numbers of dropped rows by reason, such as 3 faster than 0.2 s, 2 slower than 4 s.
func (s *Source) dropped() string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(s.Dropped)) {
		all = append(all, fmt.Sprintf("%d %s", s.Dropped[why], why))
	}
	return strings.Join(all, ", ")
}
