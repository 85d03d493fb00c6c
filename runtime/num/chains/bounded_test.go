package chains

import (
	"io"
	"os"
	"strings"
	"testing"
)

// ones is an endless input that consists of the digit 1.
type ones struct{}

func (ones) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = '1'
	}
	return len(into), nil
}

func TestLineIsBounded(t *testing.T) {
	for begin, want := range map[string]string{
		"":          "d.csv:1: a line of more than 8 MiB, the most that is read",
		"# ":        "d.csv:1: a line of more than 8 MiB, the most that is read",
		"a\n1\n0.":  "d.csv:3: a line of more than 8 MiB, the most that is read",
		"a,b\n1,2,": "d.csv:2: a line of more than 8 MiB, the most that is read",
	} {
		_, err := Read(io.MultiReader(strings.NewReader(begin), ones{}), "d.csv")
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", begin, err)
		}
	}
}

// TestStreamIsBounded reads draws from a pipe that never ends.
func TestStreamIsBounded(t *testing.T) {
	for _, begin := range []string{"a\n", "# Diagonal elements of inverse mass matrix:\n"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			block := strings.Repeat("1\n", 1<<15)
			if begin[0] == '#' {
				block = strings.Repeat("# 1\n", 1<<15)
			}
			_, err := io.WriteString(w, begin)
			for err == nil {
				_, err = io.WriteString(w, block)
			}
			w.Close()
		}()
		_, err = Read(r, "pipe")
		r.Close()
		if err == nil || !strings.HasSuffix(err.Error(), ": more than 5000000 numbers, the most that are read from a pipe or a device: write them to a file") {
			t.Errorf("%q: %v", begin, err)
		}
	}
}
