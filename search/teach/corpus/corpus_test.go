package corpus

import (
	"context"
	"math"
	"strings"
	"testing"

	"likc/search/study/bank"
)

func made(t *testing.T, seed uint64) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("teacher-train", "ddm", "exact", seed)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 41
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSplitBySubject(t *testing.T) {
	b := made(t, 1)
	c, err := New(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Train) != 30 || len(c.Validation) != 11 {
		t.Errorf("%d subjects train and %d validate", len(c.Train), len(c.Validation))
	}
	trials := 0
	for i, s := range append(c.Train, c.Validation...) {
		trials += len(s.RT[0]) + len(s.RT[1])
		if s.Theta[0] != b.Subjects[i].Theta[0] {
			t.Errorf("subject %d is another", i)
		}
	}
	if trials != b.Counts.Kept || c.Trials != trials {
		t.Errorf("%d trials of %d", trials, b.Counts.Kept)
	}
}

func TestEarlyTrialsAreRefused(t *testing.T) {
	b := made(t, 1)
	b.Subjects[7].RT[3] = b.Subjects[7].Theta[3]
	if _, err := New(b); err == nil || !strings.Contains(err.Error(), "subject 7") {
		t.Errorf("got %v", err)
	}
}

func TestHash(t *testing.T) {
	b := made(t, 1)
	first := Hash(b)
	if again := Hash(made(t, 1)); again != first {
		t.Error("the same bank has two hashes")
	}
	if other := Hash(made(t, 2)); other == first {
		t.Error("two banks have one hash")
	}
	b.Subjects[40].RT[19] = math.Nextafter(b.Subjects[40].RT[19], 1)
	if Hash(b) == first {
		t.Error("a changed response time is not seen")
	}
}
