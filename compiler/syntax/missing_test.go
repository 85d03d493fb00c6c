package syntax

import (
	"maps"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	const text = "model m { trial rt missing 1 trial d positive missing 1e3 trial x missing -2 trial missing choice c in {0, 1} missing 0 param p in [0, 1] loglik = p*rt*missing }" +
		" model n { use m }"
	models, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if want := map[string]float64{"rt": 1, "d": 1000, "x": -2, "c": 0}; !maps.Equal(m.Missing, want) || len(m.Trials) != 4 {
			t.Errorf("%s: %v, want %v; trials %v", m.Name, m.Missing, want, m.Trials)
		}
		again, err := Read("f", strings.NewReader(Format(m)))
		if err != nil || !again[0].Equal(m) {
			t.Errorf("printed and read again: %v\n%s", err, Format(m))
		}
	}
	for text, want := range map[string]string{
		"trial d positive missing 0 loglik = x":     `3:28: missing 0 of a positive trial, expected a number above 0`,
		"trial d nonnegative missing -1 loglik = x": `3:32: missing -1 of a nonnegative trial, expected 0 or a number above 0`,
		"trial d missing p loglik = x":              `3:19: unexpected "p", expected a number`,
		"choice c in {0, 1} missing 2":              `3:30: missing "2", expected one of the choices {0, 1}`,
		"choice c missing 0 loglik = x":             `3:12: unexpected "missing", expected a declaration or "}"`,
	} {
		if _, err := Read("f.lik", strings.NewReader(inModel(text))); err == nil || err.Error() != "f.lik:"+want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestNonnegative: printed text and calls distinguish a column that may be 0 from one that must be positive.
func TestNonnegative(t *testing.T) {
	const text = "model m { trial rt trial d nonnegative missing 0 param p in [0, 1] loglik = p*rt*d } model n { use m } " +
		"model o { trial rt trial d positive param p in [0, 1] loglik = m(p) + log(d) }"
	models, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range models {
		if m.MayBeZero("d") != (i < 2) || !m.IsPositive("d") || m.MayBeZero("rt") {
			t.Errorf("%s: positive %v, of which may be 0 %v", m.Name, m.Positive, m.Zero)
		}
		again, err := Read("f", strings.NewReader(Format(m)))
		if err != nil || !again[0].Equal(m) {
			t.Errorf("printed and read again: %v\n%s", err, Format(m))
		}
	}
	if models[0].Equal(models[2]) {
		t.Error("models with different columns are equal")
	}
	const wrong = "model o { trial rt trial d positive param p in [0, 1] loglik = p*log(d) } model m { trial rt trial d nonnegative param p in [0, 1] loglik = o(p) }"
	if _, err := Read("f", strings.NewReader(wrong)); err == nil || !strings.Contains(err.Error(), "may be 0 here") {
		t.Errorf("a column that may be 0 passed for a positive one: %v", err)
	}
}
