package plugins

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNotAPlugin(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := Open(filepath.Join(dir, "none.so")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	paths := map[string]string{"directory": dir, "empty": write("empty.so", nil), "text": write("text.so", []byte("text"))}
	if self, err := os.Executable(); err == nil && runtime.GOOS == "linux" {
		if data, err := os.ReadFile(self); err == nil {
			paths["cut short"] = write("half.so", data[:len(data)/2])
			paths["changed"] = write("changed.so", data)
			write("changed.so.sha256", []byte(strings.Repeat("0", 64)+"  changed.so\n"))
		}
	}
	for name, path := range paths {
		var bad *Error
		if _, err := Open(path); !errors.As(err, &bad) || bad.Advice == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line of an *Error", name, err)
		}
	}
}

// TestAdvice: the texts of package plugin and the system's loader, as they are known.
func TestAdvice(t *testing.T) {
	for text, want := range map[string]string{
		"plugin: not implemented": "use a harness",
		`plugin.Open("x"): plugin was built with a different version of package internal/abi`: "-race, -trimpath",
		`plugin.Open("x"): plugin already loaded`:                                             "another file",
		`plugin.Open("x"): initialization failure`:                                            "use a harness",
		`plugin.Open("x"): x: invalid ELF header`:                                             "not a plugin",
	} {
		if got := advice(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
}
