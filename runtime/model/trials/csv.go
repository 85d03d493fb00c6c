package trials

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"likc/runtime/num/notation"
)

// headerPeek is the number of bytes in which the header's separator is looked for.
const headerPeek = 64 << 10

// ReadCSV reads CSV with a header from r, one row at a time. name is the file's name for errors. Columns may be separated by commas,
// semicolons or tabs, fields may be quoted, and lines may end in CRLF. A byte order mark is skipped.
func ReadCSV(name string, r io.Reader, o Options) (*Table, error) {
	in := bufio.NewReaderSize(r, headerPeek)
	separator, err := openCSV(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rows := csv.NewReader(bufio.NewReaderSize(newBoundedRows(in, separator), headerPeek))
	rows.Comma, rows.ReuseRecord, rows.FieldsPerRecord = separator, true, -1
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errorf(name, "empty: want a header and a row a trial")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, explain(err))
	}
	c, err := newCollector(name, slices.Clone(header), o)
	if err != nil {
		return nil, err
	}
	if err := c.readRows(rows); err != nil {
		return nil, err
	}
	return c.finish()
}

func (c *collector) readRows(rows *csv.Reader) error {
	cells := make([]Cell, len(c.plan.names))
	for row := 1; ; row++ {
		fields, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", c.file, row, explain(err))
		}
		line, _ := rows.FieldPos(0)
		at := place{row, line}
		if len(fields) != len(cells) {
			return errorf(c.file, "%s: %s where the header has %d", at, notation.Count(len(fields), "value"), len(cells))
		}
		for i, text := range fields {
			cells[i].text = text
		}
		if err := c.add(at, cells); err != nil {
			return err
		}
	}
}

// explain explains a CSV error.
func explain(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	switch {
	case errors.Is(bad.Err, csv.ErrQuote) && bad.Line > bad.StartLine:
		return fmt.Errorf("line %d: a quote is opened and never closed", bad.StartLine)
	case errors.Is(bad.Err, csv.ErrQuote):
		return fmt.Errorf("line %d, character %d: a quoted field does not end as it should (write \"\" for a quote inside)", bad.Line, bad.Column)
	case errors.Is(bad.Err, csv.ErrBareQuote):
		return fmt.Errorf("line %d, character %d: a quote in a field that is not quoted", bad.Line, bad.Column)
	}
	return fmt.Errorf("line %d: %w", bad.Line, bad.Err)
}

// openCSV skips a byte order mark and returns the header's separator. If the file is not CSV, the error says what it is.
func openCSV(in *bufio.Reader) (separator rune, err error) {
	head, err := in.Peek(headerPeek)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return 0, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		in.Discard(3)
		head = head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return 0, errors.New("is UTF-16 text: save it as UTF-8")
	case bytes.HasPrefix(head, []byte("PAR1")):
		return 0, errors.New("is a Parquet file: give it the ending .parquet")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return 0, errors.New("is compressed: unpack it first")
	}
	header, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	if !utf8.Valid(header) && len(head) < headerPeek || bytes.ContainsRune(header, 0) {
		return 0, errors.New("is not text: want CSV with a header, or Parquet with the ending .parquet")
	}
	return separatorOf(header), nil
}

// separatorOf returns the most frequent separator in a header, outside quotes; a comma if there is none.
func separatorOf(header []byte) rune {
	var commas, semicolons, tabs int
	quoted := false
	for _, b := range header {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == ',':
			commas++
		case b == ';':
			semicolons++
		case b == '\t':
			tabs++
		}
	}
	switch most := max(commas, semicolons, tabs); {
	case most == commas:
		return ','
	case most == semicolons:
		return ';'
	}
	return '\t'
}
