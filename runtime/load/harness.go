package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"likc/runtime/likelihood"
	"likc/templates/harness/serve"
)

// How long a process may take to greet, and to end when its questions end.
const (
	greetTime = 20 * time.Second
	endTime   = 2 * time.Second
)

// errClosed is why a set does not answer after Close.
var errClosed = errors.New("harness: closed")

// harness is a set whose code is in another process, with which it speaks as package serve says.
type harness struct {
	names []string
	end   func() error // waits for the process, and says how it ended

	writing sync.Mutex
	out     io.WriteCloser

	mu      sync.Mutex
	waiting map[uint32]*call
	last    uint32
	broken  error   // why nothing is answered any more
	idle    []*call // for reuse
}

// call is a question that waits for its answer.
type call struct {
	frame  []byte // the question
	answer []byte // the payload of the answer
	failed error
	done   chan struct{}
}

// StartHarness starts a process made by compiler/build. It ends with Close, or with this process. When it ends before, or is
// killed, the values of its likelihoods are NaN, and Err says why.
func StartHarness(path string) (Set, error) {
	command := exec.Command(path)
	said := &tail{}
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
	var once sync.Once
	var ended error
	h, err := connect(questions, answers, func() error {
		once.Do(func() { ended = wait(command, said) })
		return ended
	})
	if err != nil {
		command.Process.Kill()
		command.Wait()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// wait waits for a process whose streams have ended, kills it if it lingers, and says how it ended.
func wait(command *exec.Cmd, said *tail) error {
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

// connect begins the conversation over a pair of streams.
func connect(questions io.WriteCloser, answers io.Reader, end func() error) (*harness, error) {
	h := &harness{end: end, out: questions, waiting: map[uint32]*call{}}
	in := bufio.NewReaderSize(answers, 1<<16)
	greeted := make(chan error, 1)
	go func() {
		greeting := make([]byte, len(serve.Greeting))
		if _, err := io.ReadFull(in, greeting); err != nil || string(greeting) != serve.Greeting {
			greeted <- errors.New("not a harness that likc made, or of another version: build it again")
			return
		}
		greeted <- nil
		h.listen(in)
	}()
	select {
	case err := <-greeted:
		if err != nil {
			return nil, err
		}
	case <-time.After(greetTime):
		return nil, errors.New("the harness does not greet")
	}
	return h, h.learnNames()
}

// listen hands answers to those that wait, until the stream ends; then it tells them why.
func (h *harness) listen(in *bufio.Reader) {
	var buffer []byte
	for {
		tag, status, payload, err := serve.ReadFrame(in, buffer)
		if err != nil {
			break
		}
		buffer = payload[:0]
		h.mu.Lock()
		c := h.waiting[tag]
		delete(h.waiting, tag)
		h.mu.Unlock()
		if c == nil {
			break // not this protocol
		}
		if status != 0 {
			c.failed = errors.New(string(payload))
		}
		c.answer = append(c.answer[:0], payload...)
		c.done <- struct{}{}
	}
	h.fail(h.end())
}

// fail ends the conversation.
func (h *harness) fail(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken = why
	}
	for tag, c := range h.waiting {
		delete(h.waiting, tag)
		c.failed = h.broken
		c.done <- struct{}{}
	}
}

// begin takes a call for a question; the caller appends the payload to its frame, asks, and puts the call back with free.
func (h *harness) begin(op byte) *call {
	h.mu.Lock()
	defer h.mu.Unlock()
	var c *call
	if n := len(h.idle); n > 0 {
		c, h.idle = h.idle[n-1], h.idle[:n-1]
	} else {
		c = &call{done: make(chan struct{}, 1)}
	}
	c.failed = nil
	c.frame = serve.BeginFrame(c.frame[:0], 0, op)
	return c
}

func (h *harness) free(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle, c)
}

// ask sends a question and waits for its answer.
func (h *harness) ask(c *call) error {
	if len(c.frame) > serve.MaxFrame {
		return fmt.Errorf("harness: a question of %d bytes is too large", len(c.frame))
	}
	h.mu.Lock()
	if h.broken != nil {
		defer h.mu.Unlock()
		return h.broken
	}
	h.last++
	binary.LittleEndian.PutUint32(c.frame[4:], h.last)
	h.waiting[h.last] = c
	h.mu.Unlock()

	serve.EndFrame(c.frame)
	h.writing.Lock()
	_, err := h.out.Write(c.frame)
	h.writing.Unlock()
	if err != nil { // the process is gone, or going: listen will say why
		h.out.Close()
	}
	<-c.done
	return c.failed
}

func (h *harness) learnNames() error {
	c := h.begin(serve.Names)
	defer h.free(c)
	if err := h.ask(c); err != nil {
		return err
	}
	b := c.answer
	for n := take(&b); n > 0; n-- {
		size := min(int(take(&b)), len(b))
		h.names = append(h.names, string(b[:size]))
		b = b[size:]
	}
	return nil
}

// take cuts a number from the front of an answer.
func take(b *[]byte) uint32 {
	if len(*b) < 4 {
		*b = nil
		return 0
	}
	v := binary.LittleEndian.Uint32(*b)
	*b = (*b)[4:]
	return v
}

// Names lists the set.
func (h *harness) Names() []string { return append([]string(nil), h.names...) }

// Err says why the process no longer answers.
func (h *harness) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.broken
}

// Bind sends the data over.
func (h *harness) Bind(name string, columns [][]float64, choice []float64) (likelihood.Likelihood, error) {
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
	id := take(&c.answer)
	return &remote{harness: h, id: id, dim: int(take(&c.answer))}, nil
}

// Close ends the process, by force if it does not end by itself.
func (h *harness) Close() error {
	h.fail(errClosed)
	h.out.Close()
	h.end()
	return nil
}

// tail keeps the beginning of what a process says on standard error; a Go program's last words begin with the reason.
type tail struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 4096
	t.text.Write(b[:min(len(b), max(0, most-t.text.Len()))])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
