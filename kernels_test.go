package likc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKernelsAreUpToDate runs the generators of the packages with kernels in temporary folders and compares every byte that
// they write with the committed file.
func TestKernelsAreUpToDate(t *testing.T) {
	// the number of files that the generator of each package in runtime writes
	for pkg, want := range map[string]int{"num/vec": 5, "model/neural/lan": 2, "model/neural/network": 2, "model/neural/spline": 2, "num/gemm": 2, "num/polynomial": 2} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join("runtime", pkg)
			temporary := t.TempDir()
			program, folder := filepath.Join(temporary, "generator"), filepath.Join(temporary, filepath.Base(pkg)) // avo names the package by the folder
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			generator, arguments := directive(t, source)
			run(t, source, "go", append([]string{"build", "-o", program}, generator...)...)
			run(t, folder, program, arguments...)
			written, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(written) != want {
				t.Errorf("%d files are written, want %d", len(written), want)
			}
			for _, f := range written {
				if !bytes.Equal(read(t, filepath.Join(folder, f.Name())), read(t, filepath.Join(source, f.Name()))) {
					t.Errorf("%s: not what its generator writes: run make generate", f.Name())
				}
			}
		})
	}
}

// directive returns the go:generate line of a folder, "go run <generator> <arguments>", in its two parts.
func directive(t *testing.T, folder string) (generator, arguments []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, after, found := strings.Cut(string(read(t, file)), "\n//go:generate go run ")
		if !found {
			continue
		}
		line, _, _ := strings.Cut(after, "\n")
		words := strings.Fields(line)
		flags := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
		return words[:flags], words[flags:]
	}
	t.Fatalf("%s: no go:generate line", folder)
	return nil, nil
}

func run(t *testing.T, folder, program string, arguments ...string) {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
