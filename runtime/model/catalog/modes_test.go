package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHasModes: posteriors can have several modes if those of the process can, or nothing is known of it, also through a call.
func TestHasModes(t *testing.T) {
	const formula = "model g { trial rt positive param v in [0.1, 4] param b in [0.1, 4] loglik = -1.5*log(rt) - (b - v*rt)^2/(2*rt) normalise }\n"
	for text, want := range map[string]bool{
		formula: true,
		formula + "model h { trial rt positive trial x param b in [0.1, 4] param w in [0.1, 1] loglik = g(v = 1 + w*x^2, b = b) }":                      true,
		"model f { trial rt positive param v in [0.1, 4] loglik = log(v) - v*rt }":                                                                      false,
		"model s { trial rt param v in [0.1, 8] param b in [0.1, 4] param t in [0, 1] support t < rt simulator shifted_wald loglik = -v*rt normalise }": false,
	} {
		path, name := filepath.Join(t.TempDir(), "m.lik"), text[strings.LastIndex(text, "model ")+len("model "):][:1]
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if m, err := Open(path + "#" + name); err != nil || m.HasModes() != want {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	if m, err := Open("exwald"); err != nil || !m.HasModes() {
		t.Errorf("exwald: %v", err)
	}
}
