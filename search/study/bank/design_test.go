package bank

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"

	"github.com/google/go-cmp/cmp"
)

// paid returns a model with data of two participants, who have 50 and 30 trials in blocks of ten.
func paid(t *testing.T, model string) *InOrder {
	t.Helper()
	m, err := catalog.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	of, ok := m.Sequence()
	if !ok {
		t.Fatalf("%s: its trials depend on parameters alone", model)
	}
	var b strings.Builder
	b.WriteString("subject,block,ra,rb\n")
	for i := range 80 {
		fmt.Fprintf(&b, "p%d,b%d,%d,%d\n", i/50, i/10, (i*7%10)/3%2, i*i%5%2)
	}
	given, err := trials.ReadCSV("paid.csv", strings.NewReader(b.String()), trials.Options{Trials: of.Needed(), Labels: len(m.Restarts()), Persons: true})
	if err != nil {
		t.Fatal(err)
	}
	return &InOrder{Model: m, Given: given}
}

func (o *InOrder) made(t *testing.T, subjects, threads int) *Bank {
	t.Helper()
	s, err := o.Settings("test-60", "", 5)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	b, err := o.Make(t.Context(), s, threads)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDesign: a bank of a learning model is the same on any number of threads, and after it was written and read. Subjects have
// the columns of the participants in turn, and the reward that follows from their choice.
func TestDesign(t *testing.T) {
	for _, model := range []string{"rl_ddm", "rl_softmax"} {
		o := paid(t, model)
		b := o.made(t, 5, 1)
		if again := o.made(t, 5, 3); !cmp.Equal(b, again) {
			t.Errorf("%s: another bank on three threads", model)
		}
		dir := filepath.Join(t.TempDir(), "bank")
		if err := Write(dir, b); err != nil {
			t.Fatal(err)
		}
		read, err := Verify(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(b, read) {
			t.Errorf("%s: the bank that is read differs: %s", model, cmp.Diff(b, read))
		}
		if want := []string{"reward", "block", "ra", "rb"}; !cmp.Equal(b.Settings.Design.Columns, want) {
			t.Fatalf("%s: columns %v, want %v", model, b.Settings.Design.Columns, want)
		}
		seen := map[float64]int{}
		for i, s := range b.Subjects {
			rows := []int{50, 30}[i%2]
			if len(s.RT) != rows || len(s.Choice) != rows {
				t.Fatalf("%s: subject %d has %d trials, want %d", model, i, len(s.RT), rows)
			}
			for k, c := range s.Choice {
				row := k + 50*(i%2)
				ra, rb := float64((row*7%10)/3%2), float64(row*row%5%2)
				reward := ra
				if c < 0 {
					reward = rb
				}
				seen[c]++
				if s.Columns[0][k] != reward || s.Columns[2][k] != ra || s.Columns[3][k] != rb {
					t.Fatalf("%s: subject %d, trial %d: choice %v has the columns %v, %v, %v; want %v, %v, %v", model, i, k+1, c,
						s.Columns[0][k], s.Columns[2][k], s.Columns[3][k], reward, ra, rb)
				}
				if x := s.RT[k] / grid; x != math.Trunc(x) || !(s.RT[k] < Latest) {
					t.Fatalf("%s: response time %v is not on the grid below %d s", model, s.RT[k], Latest)
				}
			}
		}
		if seen[1] < 20 || seen[-1] < 20 {
			t.Errorf("%s: choices %v, want many of both", model, seen)
		}
	}
}

// TestDrawsAgain: a response that is too late for a bank is drawn again, and counted as dropped.
func TestDrawsAgain(t *testing.T) {
	o := paid(t, "rl_ddm")
	s, err := o.Settings("test-60", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 4
	s.Params[1].Upper, s.Params[2] = 1e-6, Range{"a", 2.4, 2.5} // without drift, decisions take a² = 6 s in the mean, and one in about thirty takes 20 s
	b, err := o.Make(t.Context(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if b.Counts.Kept != 160 || b.Counts.Dropped < 1 || b.Counts.Dropped > 20 {
		t.Errorf("counts %+v, want 160 trials kept and some dropped", b.Counts)
	}
	s.Params[2] = Range{"a", 2.4e4, 2.5e4}
	if _, err = o.Make(t.Context(), s, 2); err == nil || !strings.Contains(err.Error(), "rl_ddm: subject ") || !strings.Contains(err.Error(), "1000 responses in turn are not in 0 to 20 s") {
		t.Errorf("a subject that never answers: %v", err)
	}
}

// TestDesignRefused: settings with an impossible design are errors of one line.
func TestDesignRefused(t *testing.T) {
	o := paid(t, "rl_ddm")
	for _, c := range []struct {
		change func(s *Settings)
		want   string
	}{
		{func(s *Settings) { s.Role, s.UpperOnly = SearchRows, true }, "role search-rows: keeps trials of the upper boundary alone, and trials of rl_ddm depend on columns"},
		{func(s *Settings) { s.Simulated++ }, "want all 50 trials of a design"},
		{func(s *Settings) { s.Design.Columns = []string{"rt"} }, `column "rt": the trials of a bank have another one of that name`},
		{func(s *Settings) { s.Design.Columns = []string{"x", "x"} }, `column "x": the trials`},
		{func(s *Settings) { s.Design.Choices = nil }, "design: the choices are []; want 1 and -1, or 0, 1, …, or 1 alone"},
		{func(s *Settings) { s.Design.Choices = []float64{0, 2} }, "design: the choices are [0 2]"},
		{func(s *Settings) { s.Design.Columns = make([]string, 1001) }, "design: it has 1001 columns; want at most 1000"},
		{func(s *Settings) { s.Params[0].Upper = s.Params[0].Lower }, "the range of alpha is empty"},
	} {
		s, err := o.Settings("test-60", "", 1)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	b := o.made(t, 2, 1)
	if _, err := b.Settings.Process(); err == nil {
		t.Error("a bank with a design has a process")
	}
	if err := b.Settings.CheckModel("folder", "rl_ddm", ""); err == nil || !strings.HasPrefix(err.Error(), "folder: a bank of rl_ddm: its trials depend on") {
		t.Errorf("a teacher takes it: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Make(ctx, b.Settings, 1); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
