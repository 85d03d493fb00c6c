//go:build unix

package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test program be started again as a process to be killed: it begins the file that the environment names,
// locks it, says so and waits.
func TestMain(m *testing.M) {
	path := os.Getenv("LIKC_TEST_STORE")
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := Create(path)
	if err == nil {
		_, err = fmt.Fprint(f, "half")
	}
	if err == nil {
		_, err = Lock(path)
	}
	fmt.Println("ready", err)
	time.Sleep(time.Hour)
}

// begin starts a process that writes a file at path, and returns once it holds the lock.
func begin(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LIKC_TEST_STORE="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	said := make([]byte, 64)
	if n, err := out.Read(said); err != nil || !strings.Contains(string(said[:n]), "<nil>") {
		t.Fatalf("%q, %v", said[:n], err)
	}
	return cmd
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// The unfinished file of a live process stays, and so does its lock. Once the process is killed, the next writer removes both.
func TestHiddenFilesOfKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "F.csv")
	put(t, filepath.Join(dir, ".F.csv.5"), "mine")
	put(t, filepath.Join(dir, ".F.csv.likc-x"), "mine")
	cmd := begin(t, path)
	clearFolder(dir)
	if got := list(t, dir); len(got) != 4 {
		t.Skip("no locks here, or too much: ", got)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("the lock of a live process: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if err := WriteFile(filepath.Join(dir, "other"), text("x")); err != nil { // writes another file in the same folder
		t.Fatal(err)
	}
	if got := fmt.Sprint(list(t, dir)); got != "[.F.csv.5 .F.csv.likc-x other]" {
		t.Errorf("left: %s", got)
	}
	release, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	put(t, path, "old")
	err := WriteFile(path, func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("new", 1e6))
		return errors.New("no more")
	})
	if err == nil || err.Error() != path+": no more" || get(t, path) != "old" || len(list(t, filepath.Dir(path))) != 1 {
		t.Errorf("%v: %v", err, list(t, filepath.Dir(path)))
	}
	err = WriteFile(filepath.Join(path, "g"), text("x"))
	if err == nil || strings.Contains(err.Error(), mark) {
		t.Errorf("the error names a hidden file: %v", err)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, want := range []string{"one", "two"} { // the first time the target is not there
		if err := WriteChecked(filepath.Join(dir, "link"), text(want)); err != nil {
			t.Fatal(err)
		}
		if got := get(t, filepath.Join(dir, "real")); got != want {
			t.Errorf("the target holds %q", got)
		}
		if data, err := ReadChecked(filepath.Join(dir, "link")); err != nil || string(data) != want {
			t.Errorf("%q, %v", data, err)
		}
	}
	if info, _ := os.Lstat(filepath.Join(dir, "link")); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "loop"), text("x")); err == nil {
		t.Error("a link to itself was written")
	}
}

// Pipes and devices are written directly, and are not replaced by files.
func TestPipesAndDevices(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	if err := WriteChecked(pipe, text("through")); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "through" {
		t.Errorf("read %q", s)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 || len(list(t, filepath.Dir(pipe))) != 1 {
		t.Errorf("the pipe is now %v, %v", info.Mode(), list(t, filepath.Dir(pipe)))
	}
	if err := WriteFile(os.DevNull, text("x")); err != nil || Waiting() {
		t.Errorf("%v, waiting %v", err, Waiting())
	}
	if err := WriteFile("/dev/full", text("x")); err == nil || err.Error() != "/dev/full: no space left on device" {
		if _, there := os.Stat("/dev/full"); there == nil {
			t.Errorf("/dev/full: %v", err)
		}
	}
}

func TestPermissionsFollowTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077} {
		old := syscall.Umask(mask)
		dir := t.TempDir()
		err := errors.Join(WriteChecked(filepath.Join(dir, "f"), text("x")),
			network.Update(filepath.Join(dir, "net"), map[string][]byte{"weights": {1}, "record": {2}}))
		log, lerr := OpenLog(filepath.Join(dir, "log"))
		if lerr == nil {
			err = errors.Join(err, log.Keep(0), log.Append([]byte("x\n")), log.Close())
		}
		folder, ferr := NewFolder(filepath.Join(dir, "folder"))
		if ferr == nil {
			err = errors.Join(err, folder.WriteFile("g", text("x")), folder.Replace(filepath.Join(dir, "folder")))
			folder.Discard()
		}
		syscall.Umask(old)
		if err := errors.Join(err, lerr, ferr); err != nil {
			t.Fatal(err)
		}
		for name, all := range map[string]os.FileMode{"f": 0o666, "f.sha256": 0o666, "net": 0o777, "net/weights": 0o666,
			"log": 0o666, "log.sha256": 0o666, "folder": 0o777, "folder/g": 0o666} {
			info, err := os.Stat(filepath.Join(dir, name))
			if want := all &^ os.FileMode(mask); err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s is %v, want %v", mask, name, info.Mode().Perm(), want)
			}
		}
	}
}

// One flipped bit is an error that names the file; a file without a sum is read as it is.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.jsonl")
	content := "{\"a\":1}\n{\"b\":22}\n{\"c\":3}\n"
	if err := WriteChecked(path, text(content)); err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(content) {
		bad := []byte(content)
		bad[bit/8] ^= 1 << (bit % 8)
		put(t, path, string(bad))
		if _, err := ReadChecked(path); err == nil || !strings.HasPrefix(err.Error(), path+": differs from F.jsonl.sha256") {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
	put(t, path, content[:9])
	if _, err := ReadChecked(path); err == nil {
		t.Error("a file that was cut at a line was read")
	}
	if err := os.Remove(path + SumEnding); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadChecked(path); err != nil || string(data) != content[:9] {
		t.Errorf("without a sum: %q, %v", data, err)
	}
}

// While a writer replaces a file again and again, readers see whole files that agree with their sums.
func TestReadersNeverFailWhileAFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.jsonl")
	write := func(i int) error {
		return WriteChecked(path, text(strings.Repeat(fmt.Sprintf("{\"i\":%d}\n", i), 1+i%50)))
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				data, err := ReadChecked(path)
				first, _, _ := strings.Cut(string(data), "\n")
				if err != nil || strings.Count(string(data), first+"\n") != strings.Count(string(data), "\n") {
					t.Errorf("%v: %.40q", err, data)
					return
				}
			}
		})
	}
	for i := range 40 {
		if err := write(i); err != nil {
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}

// A kill between the renames of a checked file leaves it readable.
func TestKillBetweenFileAndSum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.jsonl")
	if err := WriteChecked(path, text("old\n")); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(path, SumOf([]byte("new\n")), SumOf([]byte("old\n"))); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"old\n", "new\n"} { // killed before the file's rename, and after it
		put(t, path, content)
		if data, err := ReadChecked(path); err != nil || string(data) != content {
			t.Errorf("%q, %v", data, err)
		}
	}
}
