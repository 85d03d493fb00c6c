package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// colour is a text with methods.
type colour string

func (colour) Choices() []string { return []string{"red", "blue"} }

// even is a number with a check.
type even int

func (n even) Check() error {
	if n%2 != 0 {
		return fmt.Errorf("%d: want an even number", n)
	}
	return nil
}

// sampler is a group.
type sampler struct {
	Chains int    `flag:"chains" default:"4" in:"[1,1000]" help:"Markov chains"`
	Seed   uint64 `flag:"seed,s" default:"1" help:"seed"`
	Old    bool   `flag:"old" help:"old"`
}

type example struct {
	Delta   float64       `flag:"delta" in:"(0,1)" help:"delta"`
	Share   float64       `flag:"share" in:"[0,1]" want:"a share from {in}" help:"share"`
	Shares  []float64     `flag:"shares" list:"comma" default:"0.5,1e-05" in:"[0,1]" most:"3" help:"shares"`
	Names   []string      `flag:"name" help:"names"`
	Time    time.Duration `flag:"time" value:"TIME" in:"[1s,1h]" help:"longest TIME to wait"`
	Kind    string        `flag:"kind" one:"a,b" help:"a or b"`
	Colour  colour        `flag:"colour" default:"red" help:"colour: {choices}"`
	Pairs   even          `flag:"pairs" help:"pairs"`
	Evals   int64         `flag:"evals" in:"[1,1000000000000]" help:"evaluations"`
	NoFlag  int
	sampler `but:"chains.default=2 | old.drop=true | seed.flag=first-seed"`
}

func find(t *testing.T, s any, name string) *Setting {
	t.Helper()
	all := Of(s)
	i := slices.IndexFunc(all, func(one *Setting) bool { return one.Name == name })
	if i < 0 {
		t.Fatalf("no setting %s", name)
	}
	return all[i]
}

// Settings come in the order of fields, and those of a group with the changes of the embedding struct.
func TestOf(t *testing.T) {
	var e example
	SetDefaults(&e)
	var names []string
	for _, s := range Of(&e) {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "delta share shares name time kind colour pairs evals chains first-seed" {
		t.Errorf("settings are %s", got)
	}
	if e.Chains != 2 || e.Seed != 1 || e.Colour != "red" || !slices.Equal(e.Shares, []float64{0.5, 1e-5}) {
		t.Errorf("defaults %+v", e)
	}
	if got := find(t, &e, "time").Help(); got != "longest `TIME` to wait" {
		t.Errorf("help %q", got)
	}
	if got := find(t, &e, "colour").Help(); got != "colour: red, blue" {
		t.Errorf("help %q", got)
	}
	e = example{Shares: []float64{1}}
	e.Chains = 7
	if SetDefaults(&e); e.Chains != 7 || len(e.Shares) != 1 {
		t.Errorf("a default replaced a value: %+v", e)
	}
}

// A change of a setting that the group does not have is a mistake of the program.
func TestChangeOfNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Of(&struct {
		sampler `but:"chain.default=2"`
	}{})
}

// Each value that is set is checked by its tags; errors name the bounds.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"delta", "0.5", ""},
		{"delta", "1", "1: want a number between 0 and 1"},
		{"delta", "NaN", "NaN: want a number between 0 and 1"},
		{"share", "1", ""},
		{"share", "NaN", "NaN: want a share from 0 to 1"},
		{"share", "-1e-300", "-1e-300: want a share from 0 to 1"},
		{"shares", "0,0.5,2", "2: want 0 to 1"},
		{"shares", "0,0,0,0", "4 values: want at most 3"},
		{"time", "59m", ""},
		{"time", "2h", "2h0m0s: want 1s to 1h"},
		{"kind", "b", ""},
		{"kind", "c", "c: want one of a, b"},
		{"colour", "green", "green: want one of red, blue"},
		{"pairs", "3", "3: want an even number"},
		{"evals", "0", "0: want 1 to 1000000000000"},
		{"evals", "9000000000000000000", "9000000000000000000: want 1 to 1000000000000"},
		{"chains", "-1", "-1: want 1 to 1000"},
	} {
		var e example
		s := find(t, &e, c.name)
		if err := s.Set(c.text); err != nil {
			t.Errorf("%s %s: %v", c.name, c.text, err)
		}
		if got := fmt.Sprint(s.Check()); got != c.want && !(c.want == "" && got == "<nil>") {
			t.Errorf("%s %s: %s, want %q", c.name, c.text, got, c.want)
		}
	}
}

// Check of a struct checks every setting, and accepts a default that means that no value is given.
func TestCheckAll(t *testing.T) {
	var e example
	SetDefaults(&e)
	if err := Check(&e); err != nil {
		t.Error(err)
	}
	if e.Chains = 0; fmt.Sprint(Check(&e)) != "chains 0: want 1 to 1000" {
		t.Error(Check(&e))
	}
	e.Chains, e.Share = 3, math.Inf(1)
	if fmt.Sprint(Check(&e)) != "share +Inf: want a share from 0 to 1" {
		t.Error(Check(&e))
	}
}

// The first Set of a list replaces its default, and later calls append. Texts returns the texts that Set was given.
func TestLists(t *testing.T) {
	var e example
	SetDefaults(&e)
	shares, names := find(t, &e, "shares"), find(t, &e, "name")
	for _, text := range []string{"0.25", " 1 ,0.1"} {
		if err := shares.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := shares.Texts(); !slices.Equal(got, []string{"0.25", "1", "0.1"}) {
		t.Errorf("shares %q", got)
	}
	for _, text := range []string{"a,b", ""} {
		if err := names.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(e.Names, []string{"a,b", ""}) {
		t.Errorf("names %q", e.Names)
	}
	if err := shares.Set("1,x"); err == nil || len(e.Shares) != 3 {
		t.Errorf("error %v, shares %v", err, e.Shares)
	}
}

// The arguments that Given returns give the same values when they are read.
func TestGiven(t *testing.T) {
	e := example{Shares: []float64{0.1, 1e21}, Names: []string{"a", "b"}, Time: 90 * time.Second}
	e.Seed = math.MaxUint64
	want := "--shares 0.1 --shares 1e+21 --name a --name b --time 1m30s --first-seed 18446744073709551615"
	args := Given(&e)
	if got := strings.Join(args, " "); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	var read example
	all := map[string]*Setting{}
	for _, s := range Of(&read) {
		all[s.Name] = s
	}
	for i := 0; i < len(args); i += 2 {
		if err := all[strings.TrimPrefix(args[i], "--")].Set(args[i+1]); err != nil {
			t.Error(err)
		}
	}
	if fmt.Sprint(read) != fmt.Sprint(e) {
		t.Errorf("read %+v, want %+v", read, e)
	}
}

// FuzzSet checks that every value that Set accepts can be written, and that reading and writing it again gives the same text.
func FuzzSet(f *testing.F) {
	f.Add("0.5", "3", "1s")
	f.Fuzz(func(t *testing.T, number, whole, duration string) {
		var e example
		for name, text := range map[string]string{"delta": number, "shares": number, "chains": whole, "first-seed": whole, "time": duration} {
			s := find(t, &e, name)
			if s.Set(text) != nil {
				continue
			}
			written := s.Texts()
			var again example
			other := find(t, &again, name)
			for _, text := range written {
				if err := other.Set(text); err != nil {
					t.Errorf("%s %q: written as %q: %v", name, text, written, err)
				}
			}
			if got := other.Texts(); !slices.Equal(got, written) {
				t.Errorf("%s %q: %q, then %q", name, text, written, got)
			}
			if err := s.Check(); err != nil && strings.TrimSpace(err.Error()) == "" {
				t.Error(errors.New("an error without words"))
			}
		}
	})
}
