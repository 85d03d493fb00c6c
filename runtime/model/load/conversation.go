package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"likc/templates/harness/serve"
)

// call is a question to the other process that waits for its answer.
type call struct {
	frame  []byte // the question
	answer []byte // the payload of the answer
	failed error
	done   chan struct{}
}

// connect begins the conversation with a process: it reads the process's greeting and the names of its likelihoods. questions is the
// process's input and answers its output; end waits for the process and returns how it ended.
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
		return nil, fmt.Errorf("the harness has sent no greeting after %v", greetTime)
	}
	return h, h.learnNames()
}

// listen passes answers to the waiting calls until the stream ends. Then all waiting calls fail with the reason.
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
			break // the stream does not follow the protocol
		}
		if status != 0 {
			c.failed = errors.New(string(payload))
		}
		c.answer = append(c.answer[:0], payload...)
		c.done <- struct{}{}
	}
	h.fail(h.end())
}

// fail ends the conversation: all waiting and later calls fail with the error `why`.
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

// begin returns a call for a question with the operation op. The caller appends the payload to the call's frame, calls ask, and then
// free.
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

// free makes a finished call available for reuse.
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
	if err != nil { // the process has ended or is ending; listen learns the reason
		h.out.Close()
	}
	<-c.done
	return c.failed
}

// learnNames asks for the names of the likelihoods.
func (h *harness) learnNames() error {
	c := h.begin(serve.Names)
	defer h.free(c)
	if err := h.ask(c); err != nil {
		return err
	}
	b := c.answer
	for n := readUint32(&b); n > 0; n-- {
		size := min(int(readUint32(&b)), len(b))
		h.names = append(h.names, string(b[:size]))
		b = b[size:]
	}
	return nil
}

// readUint32 removes a number from the front of an answer and returns it.
func readUint32(b *[]byte) uint32 {
	if len(*b) < 4 {
		*b = nil
		return 0
	}
	v := binary.LittleEndian.Uint32(*b)
	*b = (*b)[4:]
	return v
}
