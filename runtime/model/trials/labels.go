package trials

// Labels holds the texts of a column with few different values, such as responses. Each text is stored once, and a row needs four bytes.
type Labels struct {
	texts []string
	codes []uint32          // for each row, the index of its text in texts
	known map[string]uint32 // the index of each text
}

// NewLabels returns the labels of rows.
func NewLabels(rows ...string) *Labels {
	l := &Labels{known: map[string]uint32{}}
	for _, text := range rows {
		l.codes = append(l.codes, l.code(text))
	}
	return l
}

// code returns the index of a text. It adds a text that is new.
func (l *Labels) code(text string) uint32 {
	code, known := l.known[text]
	if !known {
		code = uint32(len(l.texts))
		l.texts, l.known[text] = append(l.texts, text), code
	}
	return code
}

// Len returns the number of rows; 0 for nil.
func (l *Labels) Len() int {
	if l == nil {
		return 0
	}
	return len(l.codes)
}

// At returns the text of a row.
func (l *Labels) At(row int) string { return l.texts[l.codes[row]] }

// ofRows returns the labels of some rows.
func (l *Labels) ofRows(rows []int) *Labels {
	return &Labels{texts: l.texts, codes: pick(l.codes, rows), known: l.known}
}
