package main

import (
	"strings"
	"testing"
)

func TestExamine(t *testing.T) {
	long := strings.Repeat("word ", 26) + "end."
	page := "# A heading that says much\n\n" + long + " A short one, after `likc fit --formula 'v ~ 1'`, of 3 trials. Matzke et al. (2013) is one.\n" +
		"\n```sh\nlikc fit wants # no prose\n```\n\n| a | .5 / .6 |\n\n- One alone.\n"
	r := examine(page)
	if r.sentences != 4 || len(r.long) != 1 || r.numbers != 2 {
		t.Errorf("%d sentences, %d long, %d numbers; want 4, 1, 2", r.sentences, len(r.long), r.numbers)
	}
	var names []string
	for _, h := range r.tics {
		names = append(names, h.name)
	}
	if got := strings.Join(names, ", "); got != "tuple, leading zero, leading zero, alone" {
		t.Errorf("tics %s", got)
	}
	if r.tics[3].line != 11 {
		t.Errorf("line %d, want 11", r.tics[3].line)
	}
}

// TestTics: every tic is found in an example, and in no example of good style.
func TestTics(t *testing.T) {
	for name, text := range map[string]string{
		"alone": "Trials of one condition alone.", "wants": "A formula wants a link.", "says": "It says little.", "takes": "The commands that take races.",
		"per": "0.1 nats a trial", "those": "Those that remain.", "goes on": "It goes on.", "beside": "Beside the density.", "anew": "Drawn anew.",
		"brings about": "It brings about a run.", "stands in for": "It stands in for the density.", "holds": "Intervals that hold the truth.",
		"tuple": "0.9 / 0.8", "leading zero": "by .37", "error": "error over the density's",
	} {
		found := false
		for _, h := range examine(text).tics {
			found = found || h.name == name
		}
		if !found {
			t.Errorf("%s is not found in %q", name, text)
		}
	}
	for _, text := range []string{"The only trial.", "0.89 of 90 intervals contain the truth.", "It reports what it needs per trial."} {
		if r := examine(text); len(r.tics) > 0 {
			t.Errorf("%q: %v", text, r.tics)
		}
	}
}

func TestExceptions(t *testing.T) {
	all := []exception{{"docs/a.md", "says"}, {"docs/evidence/", "numbers"}}
	if !allowed(all, "docs/a.md", "says") || allowed(all, "docs/a.md", "alone") || !allowed(all, "docs/evidence/b.md", "numbers") || allowed(all, "docs/b.md", "numbers") {
		t.Error("exceptions are not told apart by page and tic")
	}
}

func TestFails(t *testing.T) {
	for text, want := range map[string]bool{
		"One alone.": false, strings.Repeat("One alone. ", failTics+1): true, strings.Repeat("A line.\n", failLines+1): true,
		strings.Repeat(strings.Repeat("word ", 26)+"end. ", 3): true,
	} {
		if got := examine(text).fails("page.md", nil); got != want {
			t.Errorf("%.40q fails: %v, want %v", text, got, want)
		}
	}
}
