package fit

import (
	"errors"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
)

func TestInterpretedModelIsNoted(t *testing.T) {
	why := errors.New("build: no Go")
	m, err := catalog.Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		builtin bool
		why     error
		want    string
	}{
		{false, why, "likc: note: expr2 is interpreted, which takes many times as long for a long model: build: no Go\n"},
		{true, why, ""},
		{false, nil, ""},
	} {
		var got strings.Builder
		m.Origin.Builtin = c.builtin
		noteInterpreted(&got, m, c.why)
		if got.String() != c.want {
			t.Errorf("%+v: %q", c, got.String())
		}
	}
}
