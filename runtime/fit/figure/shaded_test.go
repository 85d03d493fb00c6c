package figure

import (
	"bytes"
	"strings"
	"testing"
)

// TestBroken: a long text is broken at a space, and a bar across that space is divided.
func TestBroken(t *testing.T) {
	word := strings.Repeat("x", widest-10)
	p := Passage{Text: word + " second third", Shades: []Shade{{From: 0, To: 5}, {From: 60, To: widest, Row: 1, Dark: 1}}}
	lines := p.broken()
	if len(lines) != 2 || lines[0].Text != word+" second " || lines[1].Text != "third" {
		t.Fatalf("%+v", lines)
	}
	if len(lines[0].Shades) != 2 || lines[0].Shades[1] != (Shade{From: 60, To: widest - 2, Row: 1, Dark: 1}) {
		t.Errorf("bars of the first line: %+v", lines[0].Shades)
	}
	if len(lines[1].Shades) != 1 || lines[1].Shades[0] != (Shade{From: 0, To: 2, Row: 1, Dark: 1}) {
		t.Errorf("bars of the second line: %+v", lines[1].Shades)
	}
	choice := Passage{Text: strings.Repeat("z ", widest), Shades: []Shade{{From: widest - 20, To: 2 * widest}, {From: 0, To: widest - 21}}}
	if lines := choice.broken(); len(lines[0].Text) != widest-20 {
		t.Errorf("the first line has %d letters, want %d, between two bars", len(lines[0].Text), widest-20)
	}
	long := Passage{Text: strings.Repeat("y", widest+3)}
	if lines := long.broken(); len(lines) != 2 || len(lines[1].Text) != 3 {
		t.Errorf("a word that is too long: %+v", lines)
	}
}

// TestShadedTexts: the figure has the titles, the words, and a bar with the shade's opacity.
func TestShadedTexts(t *testing.T) {
	f, err := ShadedTexts([]Shaded{{"first", []Passage{{"one two", []Shade{{4, 7, 0, 1}}}}}, {"second", []Passage{{Text: "three"}}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">first<", ">second<", ">one<", ">two<", ">three<", "#0072B2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the figure has no %s", want)
		}
	}
}
