package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFileIsBounded(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("how much memory is left is not known here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "sparse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 42
	if err := f.Truncate(size); err != nil {
		t.Skip(err)
	}
	f.Close()
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "would take more") {
		t.Errorf("a file of 4 TiB: %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := ReadFile("/dev/zero"); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
			t.Errorf("a device without an end: %v", err)
		}
	}
	if _, err := ReadFile(dir); err == nil {
		t.Error("a folder was read")
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
