package load

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"likc/runtime/model/kernel"
	"likc/templates/harness/serve"
)

// These are the longest times that a process may take to greet, and to end when its questions end.
const (
	greetTime = 20 * time.Second
	endTime   = 2 * time.Second
)

// errClosed is the error of a harness that does not answer because it was closed.
var errClosed = errors.New("harness: closed")

// harness is a [Set] of likelihoods whose code runs in another process. Package serve defines the protocol: questions and answers, which
// have tags because several are under way at once.
type harness struct {
	names []string     // names of the likelihoods
	end   func() error // waits for the process, and returns how it ended

	writing sync.Mutex     // held while a question is written
	out     io.WriteCloser // the process's standard input

	mu      sync.Mutex       // guards the fields below
	waiting map[uint32]*call // calls that wait for their answer, by the question's tag
	last    uint32           // tag of the last question
	broken  error            // the reason why the process no longer answers; nil while it does
	idle    []*call          // finished calls for reuse
}

// StartHarness starts a harness, a program that compiler/build made. The program ends at Close, or with this process. If it ends earlier,
// the values of its likelihoods are NaN, and Err gives the reason.
func StartHarness(path string) (Set, error) {
	command := exec.Command(path)
	said := &errorOutput{}
	command.Stderr = said
	questions, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	end := sync.OnceValue(func() error { return wait(command, said) })
	h, err := connect(questions, answers, end)
	if err != nil {
		command.Process.Kill()
		end()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// wait waits for a process whose streams have ended. It kills the process if it does not end, and returns how it ended.
func wait(command *exec.Cmd, said *errorOutput) error {
	timer := time.AfterFunc(endTime, func() { command.Process.Kill() })
	defer timer.Stop()
	err := command.Wait()
	if text := firstLine(said.String()); text != "" {
		return fmt.Errorf("harness: ended: %s", text)
	}
	if err != nil {
		return fmt.Errorf("harness: ended: %w", err)
	}
	return errors.New("harness: ended")
}

// Names returns the names of the set's likelihoods.
func (h *harness) Names() []string { return append([]string(nil), h.names...) }

// Err returns the reason why the process no longer answers; nil while it does.
func (h *harness) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.broken
}

// Bind sends the data to the process.
func (h *harness) Bind(name string, columns [][]float64, choice []float64) (kernel.Sum, error) {
	if err := checkLengths(columns, choice); err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	trials := len(choice)
	if len(columns) > 0 {
		trials = len(columns[0])
	}
	c := h.begin(serve.Bind)
	c.frame = serve.AppendText(c.frame, name)
	c.frame = binary.LittleEndian.AppendUint32(c.frame, uint32(len(columns)))
	c.frame = binary.LittleEndian.AppendUint32(c.frame, uint32(trials))
	if choice != nil {
		c.frame = append(c.frame, 1)
	} else {
		c.frame = append(c.frame, 0)
	}
	for _, column := range columns {
		c.frame = serve.AppendFloats(c.frame, column...)
	}
	c.frame = serve.AppendFloats(c.frame, choice...) // the large frame is not kept for other calls
	if err := h.ask(c); err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	id := readUint32(&c.answer)
	return &remote{harness: h, id: id, dim: int(readUint32(&c.answer))}, nil
}

// Close ends the process, by force if it does not end by itself.
func (h *harness) Close() error {
	h.fail(errClosed)
	h.out.Close()
	h.end()
	return nil
}

// errorOutput stores the beginning of a process's standard error, because the output of a crashing Go program begins with the reason.
type errorOutput struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *errorOutput) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 4096
	t.text.Write(b[:min(len(b), max(0, most-t.text.Len()))])
	return len(b), nil
}

func (t *errorOutput) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
