package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingTime checks that a model is refused if its density would use the number that replaces a missing response time.
func TestMissingTime(t *testing.T) {
	for text, want := range map[string]string{
		"choice c in {0, 1} missing 0 loglik = if(c <= 0, log(p), -p*rt)":                  "",
		"choice c in {0, 1} missing 1 loglik = if(c <= 0, -p*rt, log(p))":                  "",
		"choice c in {0, 1} missing 0 loglik = -p*rt":                                      "m.lik: model m: trial rt missing 1: the density of choice 0 depends on rt",
		"choice c in {0, 1} missing 0 let q = p*rt loglik = if(rt < 0, log(p), -q)":        "the density of choice 0 depends on rt",
		"choice c in {0, 1} missing 0 support p < rt loglik = if(c <= 0, log(p), log(rt))": "the density of choice 0 depends on rt",
		"choice c in {0, 1} loglik = if(c <= 0, log(p), -p*rt)":                            "trial rt missing 1: no choice is declared for trials without a response",
		"loglik = -p*rt": "no choice is declared for trials without a response",
	} {
		path := filepath.Join(t.TempDir(), "m.lik")
		if err := os.WriteFile(path, []byte("model m { trial rt missing 1 param p in [0.1, 1] "+text+" }"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
