package simplify

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// ruleCase is a line of testdata/rules.txt.
type ruleCase struct {
	line    string
	sets    Set
	in, out string
	fires   []string
	dropped string
}

func readCases(t *testing.T) []ruleCase {
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []ruleCase
	sets := Default
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "sets: "):
			sets = map[string]Set{"exact": Exact, "default": Default}[line[len("sets: "):]]
			continue
		}
		in, rest, _ := strings.Cut(line, "=>")
		fields := append(strings.Split(rest, ";"), "")
		c := ruleCase{line: line, sets: sets, in: strings.TrimSpace(in), out: strings.TrimSpace(fields[0]),
			fires: strings.Fields(fields[1])}
		c.dropped = strings.TrimSpace(fields[2])
		cases = append(cases, c)
	}
	return cases
}

func TestRules(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range readCases(t) {
		r := Simplify(parse(t, c.in), Options{Sets: c.sets})
		if got := r.Expr.String(); got != c.out {
			t.Errorf("%s: got %s", c.line, got)
		}
		var dropped []string
		for _, d := range r.Dropped {
			dropped = append(dropped, d.String())
		}
		if got := strings.Join(dropped, ", "); got != c.dropped {
			t.Errorf("%s: dropped %s", c.line, got)
		}
		for _, name := range c.fires {
			tested[name] = true
			if name != "-" && !slices.Contains(r.Fired, name) {
				t.Errorf("%s: fired %v", c.line, r.Fired)
			}
		}
	}
	for _, r := range rules {
		if !tested[r.Name] {
			t.Errorf("no case for rule %s: %s", r.Name, r.Doc)
		}
		if r.Doc == "" || r.Set == 0 {
			t.Errorf("rule %s has no doc or set", r.Name)
		}
	}
}
