package trials

import "errors"

// strange is a column of choices that holds a text which is no choice, such as "left". All texts of the column are collected, so that the
// error can name them.
type strange struct {
	first error // the error for the first text that is no choice; it wraps open
	open  *Unclear
	texts responseCounts
}

// postpone returns err at once, unless it is about a text that is no choice. Then [collector.finish] returns it.
func (c *collector) postpone(err error, cells []Cell) error {
	var open *Unclear
	if !errors.As(err, &open) || open.Question != WhichChoice || open.Labels == nil {
		return err
	}
	c.strange = &strange{first: err, open: open}
	c.strange.texts.add(cells[c.plan.choice])
	return nil
}

// error returns the error, with the texts of the column, most frequent first. A column with too many texts has no list.
func (s *strange) error() error {
	if len(s.texts) > mostResponses {
		return s.first
	}
	s.open.Labels = s.texts.labels()
	return s.first
}
