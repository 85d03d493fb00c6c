package source

import (
	"strings"
	"testing"
)

func TestFlaw(t *testing.T) {
	for _, c := range []struct {
		text, what string
		at         int
	}{
		{"", "", 0},
		{"é \ufffd is a letter too", "", 0},
		{"\ufffd\xff", "byte 0xff is not UTF-8", 3},
		{"é\x00", "NUL byte, expected text", 2},
	} {
		if what, at := Flaw(c.text); what != c.what || at != c.at {
			t.Errorf("%q: %q at %d, want %q at %d", c.text, what, at, c.what, c.at)
		}
	}
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("é", 100)
	if got := Quote(long); got != `"`+strings.Repeat("é", 20)+`..."` {
		t.Errorf("a long token is quoted %s", got)
	}
	if got := Quote("a\nb"); got != `"a\nb"` {
		t.Errorf("two lines are quoted %s", got)
	}
}
