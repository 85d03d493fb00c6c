package formula

import (
	"slices"
	"testing"
)

func TestColumns(t *testing.T) {
	f, err := Parse("v ~ C(conf) * scale(theta + x) + offset(I0) + theta + (1 + dbs | subj / block)")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Columns(), []string{"conf", "theta", "x", "I0", "dbs", "subj", "block"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
