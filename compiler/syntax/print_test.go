package syntax

import "testing"

func TestPrintExample(t *testing.T) {
	t.Log("\n" + Format(read(t, expr2)))
}
