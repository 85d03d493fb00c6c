package report

import (
	"strings"
	"testing"
)

func TestContents(t *testing.T) {
	page := `<p>x</p><section><h2>What <i>was</i> done?</h2></section><section><h2>Checks</h2></section>`
	few := `<p>x</p><section id="what-was-done"><h2>What <i>was</i> done?</h2></section><section id="checks"><h2>Checks</h2></section>`
	if got := string(withContents([]byte(page))); got != few {
		t.Errorf("a short page is %s, want %s", got, few)
	}
	const head = `<section><h2>Checks</h2></section>`
	want := `<nav class="contents" aria-label="Contents"><a href="#checks">Checks</a> · <a href="#checks-2">Checks</a> · <a href="#checks-3">Checks</a> · ` +
		`<a href="#checks-4">Checks</a></nav>` + "\n" + `<section id="checks"><h2>Checks</h2></section><section id="checks-2"><h2>Checks</h2></section>` +
		`<section id="checks-3"><h2>Checks</h2></section><section id="checks-4"><h2>Checks</h2></section>`
	if got := string(withContents([]byte(head + head + head + head))); got != want {
		t.Errorf("the page is %s, want %s", got, want)
	}
}

// The methods paragraph states that a is half the separation.
func TestConventions(t *testing.T) {
	for notes, want := range map[string]string{
		"a is HALF the distance between the boundaries (Stan, brms use the whole), z is relative to it": "Parameter a is half the distance between the boundaries (Stan, brms use the whole).",
		"a is HALF the distance between the boundaries, z is relative to it":                            "Parameter a is half the distance between the boundaries.",
		"times are in seconds": "",
	} {
		p := &paragraph{}
		p.conventions(modelCard{Notes: notes})
		if got := strings.Join(p.sentences, " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
