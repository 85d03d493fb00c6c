package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// The arguments of a flag of numbers set it to the same numbers, to the last digit.
func TestNumbers(t *testing.T) {
	read := func(args ...string) (x []float64, again []string, err error) {
		x = []float64{7}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Var(NewNumbers(&x), "x", "")
		err = flags.Parse(args)
		return x, FlagArgs(flags.Lookup("x")), err
	}
	want := []float64{1. / 3, 1e-9, 0, 2}
	got, again, err := read("--x=0.3333333333333333, 1e-9", "--x=0,2")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if got, _, err = read(again...); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q: %v, %v", again, got, err)
	}
	if got, _, _ = read(); !slices.Equal(got, []float64{7}) {
		t.Errorf("without the flag: %v", got)
	}
	if _, _, err = read("--x=1,two"); err == nil {
		t.Error("a word is a number")
	}
}
