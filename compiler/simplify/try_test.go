package simplify

import (
	"os"
	"strings"
	"testing"
)

func TestOne(t *testing.T) {
	for _, text := range strings.Split(os.Getenv("TRY"), ";") {
		if text == "" {
			continue
		}
		r := Simplify(parse(t, text), Options{})
		t.Logf("%-40s %-30s %v %v", text, r.Expr, r.Fired, r.Dropped)
	}
}
