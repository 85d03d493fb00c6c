package formula

import (
	"math"
	"testing"
)

func TestContrast(t *testing.T) {
	values := func(c *Condition) float64 {
		switch {
		case c.Name == "v_1|g[3]":
			return 10
		case len(c.Settings) == 2 && c.Settings[0] == (Setting{Pos{1, 3}, "conf", "HC"}) && c.Settings[1].Value == "-1.5":
			return 7
		case len(c.Settings) == 1 && c.Settings[0].Value == "a b":
			return 5
		}
		return 2
	}
	for text, want := range map[string]float64{
		"v[conf=HC, theta=-1.5] - v": 5,
		"-(a + 3)*2 / a":             -5,
		"1 - 2 - 3":                  -4,
		"`v_1|g[3]` / v[x='a b']":    2,
		"--v":                        2,
	} {
		c, err := ParseContrast(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := c.Value(values); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

func TestBadContrasts(t *testing.T) {
	const like = "expected something like v[conf=HC] - v[conf=LC]"
	for text, want := range map[string]string{
		"":                      "1:1: unexpected end, expected a parameter, a number or a sign",
		"v -":                   "1:4: unexpected end, expected a parameter, a number or a sign",
		"v[conf]":               `1:7: unexpected "]", ` + like,
		"v[conf=HC":             "1:10: unexpected end, expected a parameter, a number or a sign",
		"v v":                   `1:3: unexpected "v", ` + like,
		"v[conf=HC, conf=LC]":   `1:12: "conf" is set twice`,
		"v $ 2":                 `1:3: unexpected "$", ` + like,
		"v ~ 1":                 `1:3: unexpected "~", ` + like,
		"v - 1e999":             `1:1: number "1e999" is too large for a float64`,
		"v[conf=HC] - v[conf=]": `1:21: unexpected "]", ` + like,
	} {
		if _, err := ParseContrast(text); err == nil || err.Error() != "formula:"+want {
			t.Errorf("%s\n got %v\nwant formula:%s", text, err, want)
		}
	}
}
