package chains

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"likc/runtime/sys/space"
)

// maxLine is the largest allowed length of a line of draws, in bytes: enough for maxColumns numbers. maxStreamed is how
// many numbers are read at most from a pipe or a device, because either may never end.
const (
	maxLine     = 8 << 20
	maxStreamed = 5_000_000
)

// Memory for more numbers is checked after every roomEvery numbers. Each number needs at most roomEach bytes of memory.
const (
	roomEvery = 1 << 20
	roomEach  = 24
)

// rowReader reads lines that are not blank, and knows their line numbers.
type rowReader struct {
	in     *bufio.Reader
	name   string
	line   int
	whole  []byte    // the bytes of the current line read so far
	sum    hash.Hash // the hash of the lines read so far, each with one newline
	summed bool      // whether the comment with the sum was read

	streamed bool // whether the file is a pipe or a device
	numbers  int  // number of numbers read so far
}

func newRowReader(r io.Reader, name string) *rowReader {
	rows := &rowReader{in: bufio.NewReader(r), name: name, sum: sha256.New()}
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		rows.streamed = err == nil && !info.Mode().IsRegular()
	}
	return rows
}

// count adds n to the count of numbers read. It returns an error if there are too many for a pipe, or if memory is short.
func (r *rowReader) count(n int) error {
	looked := r.numbers / roomEvery
	if r.numbers += n; r.streamed && r.numbers > maxStreamed {
		return r.errorf("more than %d numbers, the most that are read from a pipe or a device: write them to a file", maxStreamed)
	}
	if r.numbers/roomEvery == looked {
		return nil
	}
	if err := space.Check(roomEach * uint64(r.numbers)); err != nil {
		return r.errorf("%v", err)
	}
	return nil
}

func (r *rowReader) next() (string, error) {
	for {
		text, err := r.read()
		if err != nil {
			return "", err
		}
		if r.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // the byte order mark of some spreadsheets
		}
		if err := r.check(strings.TrimRight(text, "\r\n")); err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if !isText(text) {
			return "", r.errorf("is not text: want draws as CSV")
		}
		return text, nil
	}
}

// read returns the next line, or io.EOF after the last line.
func (r *rowReader) read() (string, error) {
	r.whole = r.whole[:0]
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		if r.whole = append(r.whole, part...); len(r.whole) > maxLine {
			return "", r.errorf("a line of more than %d MiB, the most that is read", maxLine>>20)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.whole) == 0:
			r.line--
			return "", io.EOF
		case err == nil || errors.Is(err, io.EOF):
			return string(r.whole), nil
		default:
			return "", fmt.Errorf("%s: %w", r.name, err)
		}
	}
}

// check compares the hash of the lines above with the sum, if this line is the comment that holds the sum. Otherwise it adds the line to
// the hash.
func (r *rowReader) check(line string) error {
	if r.summed && strings.TrimSpace(line) != "" {
		return r.errorf("damaged: a line below the SHA-256 sum of the file")
	}
	if want, ok := strings.CutPrefix(line, sumComment); ok {
		r.summed = true
		if got := hex.EncodeToString(r.sum.Sum(nil)); got != strings.TrimSpace(want) {
			return r.errorf("damaged, or changed by hand: the lines above do not have this SHA-256 sum; if you mean the change, remove this line")
		}
	}
	io.WriteString(r.sum, line)
	io.WriteString(r.sum, "\n")
	return nil
}

// isText reports whether a line is text that can be shown on a terminal. Comments, which are never shown, may be in any
// encoding.
func isText(line string) bool {
	if strings.HasPrefix(line, "#") {
		return !strings.ContainsRune(line, 0)
	}
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(c rune) bool { return unicode.IsControl(c) && c != '\t' })
}

func (r *rowReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// fields parses a row and returns its numbers, in the memory of `into`. columns are the names of the columns, for errors.
func (r *rowReader) fields(line string, columns []string, into []float64) ([]float64, error) {
	into = into[:0]
	for field := range strings.SplitSeq(line, ",") {
		v, err := parseNumber(field)
		if err != nil {
			where := fmt.Sprint(len(into) + 1)
			if len(into) < len(columns) {
				where = columns[len(into)]
			}
			return nil, r.errorf("column %s: %q is not a number", where, strings.TrimSpace(field))
		}
		into = append(into, v)
	}
	if len(into) != len(columns) {
		return nil, r.errorf("%d values where the header has %d columns", len(into), len(columns))
	}
	return into, r.count(len(into))
}

// parseNumber reads a decimal, or a missing or infinite value as R, Python and Stan spell them.
func parseNumber(field string) (float64, error) {
	field = strings.Trim(strings.TrimSpace(field), `"`)
	if field == "NA" {
		field = "NaN"
	}
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) { // 1e-400 is 0 and 1e400 is +Inf, which ParseFloat returns
		return v, nil
	}
	return v, err
}

// header returns the column names that the first row holds. It returns an error if the row cannot be a header.
func (r *rowReader) header(line string) ([]string, error) {
	quoted := csv.NewReader(strings.NewReader(line)) // R quotes names, which may hold commas: "theta[1,2]"
	quoted.LazyQuotes = true
	columns, err := quoted.Read()
	if err != nil {
		return nil, r.errorf("the header is not CSV: %v", err)
	}
	if len(columns) > maxColumns {
		return nil, r.errorf("%d columns: want at most %d", len(columns), maxColumns)
	}
	seen := map[string]bool{}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
		switch _, err := strconv.ParseFloat(columns[i], 64); {
		case columns[i] == "":
			return nil, r.errorf("column %d has no name: write draws without row names (row.names = FALSE, index=False)", i+1)
		case err == nil:
			return nil, r.errorf("column %d is headed by the number %q: the first row must name the columns", i+1, columns[i])
		case seen[columns[i]]:
			return nil, r.errorf("column %q is there twice", columns[i])
		}
		seen[columns[i]] = true
	}
	return columns, nil
}
