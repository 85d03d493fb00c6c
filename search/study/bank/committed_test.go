package bank

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
)

const committed = "../../../testdata/banks"

// TestCommitted: the committed banks have the paper's sizes, and this simulator makes the same trials from their settings. On
// other processors than amd64, which fuse multiplications and additions, a trial may differ.
func TestCommitted(t *testing.T) {
	for folder, subjects := range map[string]int{
		"teacher-train": 15000, "search-rows": 800, "screen-40": 40,
		"test-60": 60, "holdout-90": 90, "test-60-euler": 60, "holdout-90-euler": 90,
	} {
		t.Run(folder, func(t *testing.T) {
			b, err := Verify(filepath.Join(committed, folder))
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Subjects) != subjects {
				t.Errorf("%d subjects", len(b.Subjects))
			}
			if runtime.GOARCH != "amd64" {
				t.Skip("simulated on amd64")
			}
			if b.Settings.Scheme == "euler" && os.Getenv("LIKC_LONG") == "" {
				b.Settings.Subjects, b.Subjects = 4, b.Subjects[:4]
				b.Counts = count(b.Subjects)
			}
			again, err := Make(context.Background(), b.Settings, runtime.GOMAXPROCS(0))
			if err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(b, again) {
				t.Error("the settings make another bank now")
			}
		})
	}
}

// TestCommittedSizes: the repository stays small.
func TestCommittedSizes(t *testing.T) {
	total := int64(0)
	err := filepath.WalkDir(committed, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			total += info.Size()
		}
		return err
	})
	if err != nil || total > 6_000_000 {
		t.Errorf("%d bytes, %v", total, err)
	}
}

// TestEulerComesLate: at the same parameters, the committed Euler trials are slower on average than the exact ones, because the
// scheme misses excursions between its steps. The theory predicts the effect of boundaries moved outwards by 0.5826 √dt
// (Siegmund, Sequential Analysis, 1985).
func TestEulerComesLate(t *testing.T) {
	moved, predicted, n := 0.0, 0.0, 0.0
	for _, role := range []string{"test-60", "holdout-90"} {
		exact, err := Open(filepath.Join(committed, role))
		if err != nil {
			t.Fatal(err)
		}
		euler, err := Open(filepath.Join(committed, role+"-euler"))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range exact.Subjects {
			if s.Dropped+euler.Subjects[i].Dropped > 0 {
				continue // the mean below is that of all trials
			}
			moved += mean(euler.Subjects[i].RT) - mean(s.RT)
			predicted += meanTime(s.Theta, 0.5826*sqrtStep) - meanTime(s.Theta, 0)
			n++
		}
	}
	t.Logf("late by %.5f s, predicted %.5f s, %v subjects", moved/n, predicted/n, n)
	if got, want := moved/n, predicted/n; n < 100 || got < want/2 || got > want*1.5 {
		t.Errorf("Euler trials are %.4f s late, want about %.4f s (%v subjects)", got, want, n)
	}
}

var sqrtStep = math.Sqrt(0.001)

func mean(x []float64) float64 { return stat.Mean(x, nil) }

// meanTime returns the mean decision time by Wald's identity, E τ = (E V(τ) - V(0))/v. The boundaries are moved outwards by more.
func meanTime(theta []float64, more float64) float64 {
	v, b, start := theta[0], theta[1]+more, theta[1]*(2*theta[2]-1)
	upper := (1 - math.Exp(-2*v*(start+b))) / (1 - math.Exp(-4*v*b))
	return (b*(2*upper-1) - start) / v
}

func BenchmarkOpen(b *testing.B) {
	for _, folder := range []string{"test-60", "teacher-train"} {
		b.Run(folder, func(b *testing.B) {
			for b.Loop() {
				if _, err := Open(filepath.Join(committed, folder)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
