package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestUnpack checks that files are unpacked once, and that other files under the same name get a folder of their own.
func TestUnpack(t *testing.T) {
	t.Setenv(CacheVariable, t.TempDir())
	one := fstest.MapFS{"a.txt": {Data: []byte("first")}, "below/b.txt": {Data: []byte("second")}}
	dir, err := Unpack("one", one)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "below", "b.txt"))
	if err != nil || string(text) != "second" {
		t.Errorf("%q, %v", text, err)
	}
	mark := filepath.Join(dir, "mark")
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := Unpack("one", one)
	if _, gone := os.Stat(mark); again != dir || err != nil || gone != nil {
		t.Errorf("%s, then %s, %v, %v", dir, again, err, gone)
	}
	other, err := Unpack("one", fstest.MapFS{"a.txt": {Data: []byte("changed")}})
	if err != nil || other == dir {
		t.Errorf("other files are in %s too, %v", other, err)
	}
}

// TestCacheThatCannotBe: the error says what to set.
func TestCacheThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(CacheVariable, file)
	if _, err := Cache("data"); err == nil || !strings.Contains(err.Error(), "set LIKC_CACHE to a folder that can be written") {
		t.Errorf("got %v", err)
	}
}
