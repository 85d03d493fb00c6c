package bank

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const childFolder = "LIKC_TEST_BANK_FOLDER"

// TestMain makes the test program a maker of banks where the environment names
// a folder.
func TestMain(m *testing.M) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		os.Exit(m.Run())
	}
	banks := [2]*Bank{}
	for i := range banks {
		var err error
		if banks[i], err = killedBank(uint64(i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	for i := 0; ; i++ {
		if err := Write(dir, banks[i%2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func killedBank(seed uint64) (*Bank, error) {
	s, err := NewSettings("test-60", "ddm", "exact", seed)
	if err != nil {
		return nil, err
	}
	s.SetTrials(20)
	return Make(context.Background(), s, 1)
}

// TestKill kills a program that writes banks to one folder over and over, at
// random moments, with no chance to clean up: every time the folder holds one
// of the two banks whole, or is named as incomplete, and the next Write mends
// it.
func TestKill(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	want := [2]*Bank{}
	for i := range want {
		var err error
		if want[i], err = killedBank(uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	rounds := 40
	if os.Getenv("LIKC_LONG") != "" {
		rounds = 1000
	}
	r := rand.New(rand.NewPCG(3, 4))
	whole, incomplete := 0, 0
	span := 30 * time.Millisecond // within which the moments lie; wider or narrower where the machine is slow or quick
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), "bank")
		kill(t, dir, time.Duration(r.Int64N(int64(span))))
		got, err := Verify(dir)
		switch {
		case err == nil:
			whole++
			if !cmp.Equal(got, want[0]) && !cmp.Equal(got, want[1]) {
				t.Fatalf("round %d: a mixture of both banks", round)
			}
		case errors.Is(err, ErrIncomplete), errors.Is(err, os.ErrNotExist):
			incomplete++
		default:
			t.Fatalf("round %d: %v", round, err)
		}
		switch {
		case incomplete > 4*(whole+1):
			span = min(2*span, 10*time.Second)
		case whole > 4*(incomplete+1):
			span = max(span/2, time.Millisecond)
		}
		if err := Write(dir, want[0]); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 4 {
			t.Fatalf("round %d: %v is left", round, entries)
		}
		if got, err := Verify(dir); err != nil || !cmp.Equal(got, want[0]) {
			t.Fatalf("round %d: after writing again: %v", round, err)
		}
	}
	t.Logf("%d whole, %d incomplete", whole, incomplete)
	if whole == 0 || incomplete == 0 {
		t.Errorf("%d whole and %d incomplete: the moments are not spread", whole, incomplete)
	}
}

// kill starts the maker and kills it that long after it began to write.
func kill(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the maker ended by itself: %v", err)
	}
}
