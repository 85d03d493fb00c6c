package report

import (
	"os/exec"
	"testing"
)

// A shell reads back what quoted wrote.
func TestQuoted(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, arg := range []string{"--preset=cavanagh-full", "--formula=v ~ 1 + (1 | subj_idx)", "--lapse=beta(1,20)", "it's", "$HOME", "", "a\\b\"c"} {
		out, err := exec.Command(sh, "-c", "printf %s "+quoted(arg)).Output()
		if err != nil || string(out) != arg {
			t.Errorf("%s: the shell reads %q, %v", quoted(arg), out, err)
		}
	}
}
