package program

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"likc/runtime/model/ssm"
)

// conversation is a running process of the program, with its input and output. It handles one request at a time.
type conversation struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *lastWords    // the end of the process's standard error
	silence time.Duration // the longest time that the process may take for the next line of an answer
	silent  atomic.Bool   // whether the process was killed because it took longer
	waited  sync.Once     // end waits for the process only once
	status  string        // how the process ended, in words
}

// longestLine is the largest length of a line of an answer, in bytes: a line holds at most two numbers.
const longestLine = 4096

// endTime is how long a process may run after its input has ended.
const endTime = 2 * time.Second

// start starts a command in the system's shell.
func start(command string, silence time.Duration) (*conversation, error) {
	c := &conversation{command: shell(command), said: &lastWords{}, silence: silence}
	c.command.Stderr = c.said
	c.command.WaitDelay = endTime
	var err error
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, longestLine)
	return c, c.command.Start()
}

// ask sends a request and reads its answer. After an error the conversation is over.
func (c *conversation) ask(request []byte, ask ssm.Request, rt, choice []float64) error {
	watch := time.AfterFunc(c.silence, func() {
		c.silent.Store(true)
		c.kill()
	})
	defer watch.Stop()
	sent := make(chan struct{})
	go func() { // writes while the answer is read, because a program may answer before it has read the whole request
		defer close(sent)
		c.in.Write(request) // an error is ignored, because reading the answer then fails with a better message
	}()
	earliest := ask.Model.Earliest(ask.Theta)
	for i := range rt {
		line, err := c.line()
		watch.Reset(c.silence)
		switch {
		case err != nil:
			return fmt.Errorf("%w after %d of %d trials", err, i, len(rt))
		case line == "":
			return fmt.Errorf("answered %d trials, want %d", i, len(rt))
		}
		if rt[i], choice[i], err = parseTrial(ask.Model, earliest, line); err != nil {
			return fmt.Errorf("trial %d of %d is %.60q: %w", i+1, len(rt), line, err)
		}
	}
	line, err := c.line()
	switch {
	case err != nil:
		return fmt.Errorf("%w before the empty line after %d trials", err, len(rt))
	case line != "":
		return fmt.Errorf("answered more than the %d trials that were asked for, or no empty line after them", len(rt))
	}
	<-sent
	return nil
}

// line reads a line of an answer.
func (c *conversation) line() (string, error) {
	line, err := c.out.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("answered a line of more than %d bytes", longestLine)
	case err != nil && c.silent.Load():
		return "", fmt.Errorf("said nothing for %v", c.silence)
	case err != nil:
		return "", errors.New("ended")
	}
	return string(bytes.TrimSpace(line)), nil
}

// kill ends the process and its child processes at once.
func (c *conversation) kill() { killGroup(c.command) }

// end closes the input and waits until the process has ended. It returns how the process ended, as the end of an error message, such as
// " (exit status 1): out of memory"; "" if there is nothing to say.
func (c *conversation) end() string {
	c.waited.Do(func() {
		c.in.Close()
		last := time.AfterFunc(endTime, c.kill)
		defer last.Stop()
		go io.Copy(io.Discard, c.out) // the process must not wait for its output to be read
		err := c.command.Wait()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
			c.status = fmt.Sprintf(" (exit status %d)", exit.ExitCode())
		}
		if text := c.said.line(); text != "" {
			c.status += ": " + text
		}
	})
	return c.status
}

// lastWords keeps the last bytes of a process's standard error.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// mostWords is the largest number of bytes that lastWords keeps.
const mostWords = 4096

func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b[max(0, len(b)-mostWords):]...)
	w.text = w.text[max(0, len(w.text)-mostWords):]
	return len(b), nil
}

// line returns the last line that is not empty, without control characters.
func (w *lastWords) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(string(w.text))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
}

// number parses a number, which white space may surround.
func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}
