package fit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"likc/compiler/build"
	"likc/runtime/model/catalog"
)

func TestInterpretedModelIsNoted(t *testing.T) {
	why := errors.New("build: no space left")
	m, err := catalog.Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		builtin bool
		why     error
		want    string
	}{
		{false, why, "likc: note: expr2 is interpreted, which takes a few times as long: build: no space left\n"},
		{false, fmt.Errorf("two: %w", &build.ToolchainError{Tool: "go", Err: errors.New("not found")}), ""},
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
