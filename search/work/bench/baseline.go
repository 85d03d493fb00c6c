package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
)

//go:embed baseline.c.txt
var programText string

// compileProgram compiles a model, written in C as one would by hand and with the fastest flags, to a program that times itself.
func compileProgram(ctx context.Context, m *catalog.Model) (*build.Artifact, error) {
	files, err := csrc.AsWritten(m.Model)
	if err != nil {
		return nil, err
	}
	var kept []emit.File
	for _, f := range files {
		if f.Name == csrc.AsWrittenName+".c" || f.Name == csrc.AsWrittenName+".h" {
			kept = append(kept, f)
		}
	}
	kept = append(kept, emit.File{Name: "baseline.c", Data: mainOf(m)})
	return build.CompileC(ctx, kept, build.COptions{Kind: build.ProgramKind, Native: true, Fast: true})
}

// mainOf returns the C main function that reads a model's trials and points, and times its evaluations.
func mainOf(m *catalog.Model) []byte {
	columns, choice := len(m.Trials), 0
	if m.Choice != "" {
		choice = 1
	}
	var arguments []string
	for j := range columns + choice {
		arguments = append(arguments, fmt.Sprintf("columns[%d]", j))
	}
	return []byte(strings.NewReplacer("@COLUMNS@", strconv.Itoa(columns), "@CHOICE@", strconv.Itoa(choice),
		"@ARGUMENTS@", strings.Join(arguments, ", ")).Replace(programText))
}

// program is a running C program that holds the trials.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	value   float64 // the log-likelihood at the first parameter vector
}

// start starts a program and sends it the trials and the parameter vectors. clock is "cpu" or "wall", the clock with which the program
// measures its times.
func start(ctx context.Context, path, clock string, columns [][]float64, choice []float64, thetas [][]float64) (*program, error) {
	c := exec.CommandContext(ctx, path, strconv.Itoa(len(columns[0])), strconv.Itoa(len(thetas)), clock)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &program{command: c, in: in, out: bufio.NewReader(out)}
	w := bufio.NewWriterSize(in, 1<<16)
	arrays := append(append([][]float64{}, columns...), choice) // an empty array if the model has no choice
	for _, x := range append(arrays, thetas...) {
		binary.Write(w, binary.NativeEndian, x) // an error shows below, because then the program gives no answer
	}
	w.Flush()
	if p.value, err = p.number(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// number reads one line of the program's output as a number.
func (p *program) number() (float64, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the C program ended: %w", err)
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	if err != nil {
		return 0, fmt.Errorf("the C program says %q", strings.TrimSpace(line))
	}
	return x, nil
}

// timed returns the program as an entry to time. The program measures its times itself.
func (p *program) timed(name string, what timing.What) timing.Entry {
	return timing.Entry{Name: name, WarmUp: 1, Evaluate: func(count int) (time.Duration, error) {
		if _, err := fmt.Fprintf(p.in, "%s %d\n", what, count); err != nil {
			return 0, err
		}
		ns, err := p.number()
		return time.Duration(ns), err
	}}
}

// close ends the program.
func (p *program) close() {
	p.in.Close()
	p.command.Wait()
}
