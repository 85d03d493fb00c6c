package report

import (
	"regexp"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	for name, want := range map[string]bool{
		"v": false, "v_Intercept": false, "v_conf[LC]": false, "v_1|subj_sigma": false, "v_conf|subj_sigma[LC]": false, "v_1|who:v_x|who_cor": false,
		"v_1|subj[7]": true, "v_conf[LC]|subj[a b]": true,
	} {
		if isLevel(name) != want {
			t.Errorf("%s is a level: %v", name, !want)
		}
	}
}

func TestMeanings(t *testing.T) {
	for name, want := range map[string]string{
		"v_Intercept":          "v at the first labels, and where numeric columns are 0; on the scale of the link",
		"a_conf[LC]":           "what the label in brackets adds to a, on the scale of the link",
		"v_theta":              "what one unit of theta adds to v, on the scale of the link",
		"v_1|subj_idx_sigma":   "how much the levels of subj_idx differ: a standard deviation",
		"v_conf|who_sigma[LC]": "how much the levels of who differ: a standard deviation",
		"v_1|who:v_x|who_cor":  "how offsets of a group go together",
		"lapse":                "",
	} {
		if got := meaningOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestThreeDigits(t *testing.T) {
	if got, want := threeDigits("normal(mean=0,sd=0.49949091097177284)"), "normal(mean=0,sd=0.499)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNarrowScreens: tables can be scrolled sideways, so that no column is cut on a telephone, and their captions fit the screen.
func TestNarrowScreens(t *testing.T) {
	tables := regexp.MustCompile(`(?s).{0,60}<table`)
	for name, text := range map[string]string{"fitpage.html": fitPageText, "page.html": pageText, "distilled.html": distilledText} {
		for _, before := range tables.FindAllString(text, -1) {
			if !regexp.MustCompile(`<div class="scroll[^"]*">\s*<table$`).MatchString(before) {
				t.Errorf("%s: a table cannot be scrolled: %s", name, before)
			}
		}
	}
	if !strings.Contains(style, "overflow-x:auto") || !strings.Contains(style, ".scroll caption{max-width:calc(100vw") {
		t.Error("style.css lets tables be cut")
	}
}
