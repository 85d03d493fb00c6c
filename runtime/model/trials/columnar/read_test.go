package columnar

import (
	"bytes"
	"errors"
	"testing"
)

// TestFooterFitsTheFile checks the length of the footer. A Parquet file begins with four letters, and ends with its footer, the footer's
// length and four letters.
func TestFooterFitsTheFile(t *testing.T) {
	for footer, ok := range map[byte]bool{0: true, 5: true, 6: false, 200: false} {
		file := append([]byte("PAR1"), 1, 2, 3, 4, 5, footer, 0, 0, 0)
		file = append(file, "PAR1"...)
		if err := checkFooter(bytes.NewReader(file), int64(len(file))); (err == nil) != ok {
			t.Errorf("a footer of %d bytes in a file with 5: %v", footer, err)
		}
	}
	broken := errors.New("the disk does not answer")
	if err := checkFooter(brokenReader{broken}, 100); !errors.Is(err, broken) {
		t.Errorf("a disk that does not answer: %v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) ReadAt([]byte, int64) (int, error) { return 0, r.err }
