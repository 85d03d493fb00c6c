package trials

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Response is one of the responses in a file, with its number of used trials.
type Response struct {
	Column string // name of the column of responses
	Label  string // the text in the file
	Trials int
}

// mostResponses is the largest number of different values in a column of responses. A column with more holds something else.
const mostResponses = 10

// responseColumn returns the column of responses for a model without choice, which treats all responses alike: the column that the user
// named, or else one with a usual name of choices. It is -1 if there is none and none is needed.
func (p *plan) responseColumn(o Options, taken map[int]string) (int, error) {
	n := need{symbol: o.Choice, given: o.ResponseColumn, aliases: choiceAliases}
	if n.given != "" {
		return p.find(n, nil)
	}
	found := p.where(func(name string) bool { return slices.Contains(choiceAliases, plain(name)) })
	found = slices.DeleteFunc(found, func(c int) bool { return taken[c] != "" })
	switch {
	case o.Response == "" && len(found) == 0:
		return -1, nil
	case o.Response == "":
		return found[0], nil
	case len(found) > 1:
		return 0, n.unclear("columns %q and %q could both be the responses", p.names[found[0]], p.names[found[1]])
	}
	return p.only(n, "no column of responses", found)
}

// otherResponse returns the reason why a row is dropped because of its response; "" if it is not dropped.
func (c *collector) otherResponse(cells []Cell) string {
	if c.Response == "" {
		return ""
	}
	if sameResponse(responseLabel(cells[c.plan.response]), c.Response) {
		c.answered = true
		return ""
	}
	c.refused.add(cells[c.plan.response])
	return otherResponse
}

// sameResponse reports whether two labels mean the same response: the same text, or the same number.
func sameResponse(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && x == y
}

// responseLabel returns the response that a cell holds, as a text; 1.0 becomes 1.
func responseLabel(from Cell) string {
	if x, err := number(from); err == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return visible(from.label())
}

// responseCode returns the code in table.Labels of a row's response, as the file writes it. It is the code of "" if the row has no
// response, or the file no column of choices.
func (c *collector) responseCode(cells []Cell, omitted bool) uint32 {
	if omitted || c.silent || c.plan.choice < 0 {
		return c.table.Labels.code("")
	}
	from := cells[c.plan.choice]
	code, known := c.texts[from.text]
	if from.kind != textCell {
		code, known = c.numbers[from.number]
	}
	if known {
		return code
	}
	code = c.table.Labels.code(strings.Clone(responseLabel(from)))
	if from.kind == textCell {
		c.texts[strings.Clone(from.text)] = code
	} else {
		c.numbers[from.number] = code
	}
	return code
}

// responseCounts counts the trials of each response, until there are too many different ones.
type responseCounts map[string]int

func (r *responseCounts) add(from Cell) {
	if *r == nil {
		*r = responseCounts{}
	}
	if !isMissing(from) && len(*r) <= mostResponses {
		(*r)[strings.Clone(responseLabel(from))]++
	}
}

// list returns the responses, most frequent first; nil if there is only one, or if there are too many for a column of responses.
func (r responseCounts) list(p *plan) []Response {
	if len(r) < 2 || len(r) > mostResponses {
		return nil
	}
	var all []Response
	for _, label := range r.labels() {
		all = append(all, Response{p.names[p.response], label, r[label]})
	}
	return all
}

// labels returns the responses' texts, most frequent first.
func (r responseCounts) labels() []string {
	all := sortedKeys(r)
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(r[b], r[a]) })
	return all
}

// String writes the number of trials and the response, such as 40 of -1.
func (r Response) String() string { return fmt.Sprintf("%d of %s", r.Trials, r.Label) }
