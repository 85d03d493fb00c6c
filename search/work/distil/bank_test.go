package distil

import (
	"context"
	"testing"

	"likc/runtime/model/catalog"
)

// TestSlowSubjects: no subject misses a trial, also of processes whose slow drifts or opening boundaries often take longer than a bank holds.
// Where nobody does, the bank is that of package bank.
func TestSlowSubjects(t *testing.T) {
	for _, name := range []string{"exwald", "angle", "weibull"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r := &run{Settings: Settings{Seed: 11, Subjects: 200, Threads: 1}, model: m}
		made, err := r.simulate(context.Background(), 0, 200, 500)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.bank(context.Background(), 0, 500)
		if err != nil || len(b.Subjects) != 200 {
			t.Fatalf("%s: %v, %v", name, b, err)
		}
		slow := 0
		for i, s := range made.Subjects {
			if s.Dropped > 0 {
				slow++
			}
			if b.Subjects[i].Dropped > 0 || len(b.Subjects[i].RT) != 500 {
				t.Errorf("%s: %d trials of subject %d are missing", name, b.Subjects[i].Dropped, i)
			}
		}
		if same := b.Subjects[199].ID == made.Subjects[199].ID; same != (slow == 0) || (name == "weibull") != (slow == 0) {
			t.Errorf("%s: %d subjects are slow; the same bank: %v", name, slow, same)
		}
	}
}
