package goasm

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"likc/compiler/emit"
)

// request is one call of an assembled loop; ISA is 2 for AVX-512 and 1 for AVX2.
type request struct {
	Loop, ISA int
	Columns   [][]float64
	Inputs    []float64
}

// assembled is a program that runs assembled loops. A test starts it as another process.
type assembled struct {
	path   string
	detect int // the result of the machine's detect function
}

// link builds loops into a program in a module of its own.
func link(t testing.TB, loops []Loop) assembled {
	t.Helper()
	files, err := Emit(emit.Config{Package: "main", Source: "test.lik"}, loops)
	if err != nil {
		t.Fatal(err)
	}
	return linkFiles(t, loops, files)
}

// linkFiles builds a program from printed files and a main function that calls their loops.
func linkFiles(t testing.TB, loops []Loop, files []emit.File) assembled {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("needs linux/amd64")
	}
	dir := t.TempDir()
	files = append(files, emit.File{Name: "go.mod", Data: []byte("module loops\n\ngo 1.24\n")}, emit.File{Name: "main.go", Data: mainText(loops)})
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"vet", "."}, {"build", "-o", "loops", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath") // with -trimpath Go's cache knows what has not changed since the last run
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
	}
	a := assembled{path: filepath.Join(dir, "loops")}
	a.detect = int(a.run(t, []request{{Loop: -1}})[0][0])
	return a
}

// run calls loops and returns their sums, one slice for each request. A crash of the program fails the test.
func (a assembled) run(t testing.TB, requests []request) [][]float64 {
	t.Helper()
	var in, errors bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(requests); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(a.path)
	cmd.Stdin, cmd.Stderr = &in, &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var results [][]float64
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&results); err != nil {
		t.Fatal(err)
	}
	return results
}

// mainText returns the source of the program's main function. It stores each column at the end of readable memory, with NaN before it, so
// that a read outside the column either crashes or makes the sum NaN.
func mainText(loops []Loop) []byte {
	var b strings.Builder
	b.WriteString(`package main

import (
	"encoding/gob"
	"math"
	"os"
	"syscall"
	"unsafe"
)

type Engine int

const (
	Portable Engine = iota
	AVX2
	AVX512
)

type request struct {
	Loop, ISA int
	Columns   [][]float64
	Inputs    []float64
}

const room = 1 << 16

func guarded() []byte {
	b, err := syscall.Mmap(-1, 0, 2*room, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	if err := syscall.Mprotect(b[room:], syscall.PROT_NONE); err != nil {
		panic(err)
	}
	return b
}

func main() {
	var requests []request
	if err := gob.NewDecoder(os.Stdin).Decode(&requests); err != nil {
		panic(err)
	}
	var memory [][]float64
	for range 20 {
		b := guarded()
		memory = append(memory, unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), room/8))
	}
	var results [][]float64
	for _, r := range requests {
		if r.Loop < 0 {
			results = append(results, []float64{float64(detect())})
			continue
		}
		var columns [][]float64
		for i, c := range r.Columns {
			m := memory[i]
			from := len(m) - len(c)
			for j := max(0, from-20); j < from; j++ {
				m[j] = math.NaN()
			}
			copy(m[from:], c)
			columns = append(columns, m[from:])
		}
		done := make(chan []float64)
		go func() { done <- run(r.Loop, r.ISA, columns, r.Inputs) }() // on a small stack, which a large frame must grow
		results = append(results, <-done)
	}
	if err := gob.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}

func run(loop, isa int, c [][]float64, p []float64) []float64 {
	s := make([]float64, 64)
	switch 10*loop+isa {
`)
	for i, l := range loops {
		var args, sums []string
		for j := range l.Kernel.Columns {
			args = append(args, fmt.Sprintf("c[%d]", j))
		}
		for j := range l.Kernel.Inputs {
			args = append(args, fmt.Sprintf("p[%d]", j))
		}
		for j := range l.Kernel.Outs {
			sums = append(sums, fmt.Sprintf("s[%d]", j))
		}
		for j, isa := range isas {
			fmt.Fprintf(&b, "\tcase %d:\n\t\t%s = %s%s(%s)\n", 10*i+2-j, strings.Join(sums, ", "), l.Name, isa, strings.Join(args, ", "))
		}
	}
	b.WriteString("\t}\n\treturn s\n}\n")
	for _, l := range loops {
		fmt.Fprintf(&b, "\nfunc %sGo(%s) (%s) { panic(%q) }\n", l.Name, l.Parameters(), l.Results(), "not this one")
	}
	return []byte(b.String())
}
