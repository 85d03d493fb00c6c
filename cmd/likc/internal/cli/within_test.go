package cli

import (
	"math"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Within("-n", 1, 1, 3), ""},
		{Within("-n", 3, 1, 3), ""},
		{Within("-n", 4, 1, 3), "-n 4: want 1 to 3"},
		{Within("-n", math.MinInt, 0, 3), "-n -9223372036854775808: want 0 to 3"},
		{Within("--dt", math.NaN(), 0.1, 0.5), "--dt NaN: want 0.1 to 0.5"},
		{Within("--time", 3*time.Hour, 0, time.Hour), "--time 3h0m0s: want 0s to 1h0m0s"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
			if _, usage := c.err.(UsageError); !usage {
				t.Errorf("%s: not an error of usage", got)
			}
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
