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

// childFolder is the environment variable that makes the test program write banks to a folder, until it is killed.
const childFolder = "LIKC_TEST_BANK_FOLDER"

// TestMain runs the tests or, if the environment names a folder, writes two banks to it in turn.
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

// TestKill kills a program that writes banks to one folder in a loop, at random moments. Each time, the folder then holds one of
// the two banks, or is reported as incomplete or missing. The next Write replaces it.
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
	span := 30 * time.Millisecond // the moments lie within this time; it is adapted to the speed of the machine
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

// kill starts the program that writes banks, and kills it `after` it has begun to write.
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
