// Package program lets external programs, in any language, draw the trials of a model. A program reads requests from standard input, one on
// each line, and answers on standard output. A request is an object of JSON:
//
//	{"n": 1000, "seed": 7, "theta": {"v": 1, …}, "columns": {"x1": [ … n values … ]}}
//
// columns exists only for a model with trial columns besides response times. The answer is n lines rt,choice and an empty line. rt is in
// seconds and the choice has the model's code; for a model without choice, a line holds only rt. All random numbers must come from seed, so
// that the same request gets the same answer. A program must end when its standard input ends.
package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"likc/runtime/model/ssm"
)

// Program is a command that draws trials. It is started for each worker that needs it, in the current folder, by the system's shell. It
// implements [ssm.Program].
type Program struct {
	command string
	silence time.Duration // the longest time without a line of an answer

	mu      sync.Mutex
	asked   bool            // whether Draw was ever called
	idle    []*conversation // running processes that wait for a request
	closed  bool            // whether Close was called
	same    sync.Once       // tests once whether equal requests get equal answers
	sameErr error           // the result of that test
}

// Silence is the default of the longest time that a program may take for the next line of an answer.
const Silence = 60 * time.Second

// New returns the program of a command, which is started when it is first needed.
func New(command string, silence time.Duration) *Program {
	return &Program{command: command, silence: silence}
}

// fail returns an error that names the command.
func (p *Program) fail(format string, values ...any) error {
	return fmt.Errorf("--exec %q: %w", p.command, fmt.Errorf(format, values...))
}

// Draw fills rt, in seconds, and choice with trials that the command draws for the request ask. Its errors describe what is wrong with an
// answer.
func (p *Program) Draw(ctx context.Context, ask ssm.Request, rt, choice []float64) error {
	if len(rt) == 0 {
		return ctx.Err()
	}
	p.same.Do(func() { p.sameErr = p.tryTwice(ctx, ask) })
	if p.sameErr != nil {
		return p.sameErr
	}
	return p.draw(ctx, ask, rt, choice)
}

// triedTrials is the number of trials that are drawn twice to test whether a program uses its seed.
const triedTrials = 5

// tryTwice asks for a few trials twice, and reports different answers.
func (p *Program) tryTwice(ctx context.Context, ask ssm.Request) error {
	n := triedTrials
	if ask.Columns != nil {
		columns := map[string][]float64{}
		for name, c := range ask.Columns {
			n = min(n, len(c))
			columns[name] = c[:n]
		}
		ask.Columns = columns
	}
	var all [2][]float64
	for k := range all {
		rt, choice := make([]float64, n), make([]float64, n)
		if err := p.draw(ctx, ask, rt, choice); err != nil {
			return err
		}
		all[k] = append(rt, choice...)
	}
	if !slices.Equal(all[0], all[1]) {
		return p.fail(`the same request got other trials the second time: want all random numbers from a generator that "seed" begins`)
	}
	return nil
}

// draw sends a request to an idle process of the program, or starts a new one, and reads the answer.
func (p *Program) draw(ctx context.Context, ask ssm.Request, rt, choice []float64) error {
	request, err := encode(ask, len(rt))
	if err != nil {
		return p.fail("%w", err)
	}
	c, err := p.acquire()
	if err != nil {
		return p.fail("%w", err)
	}
	stop := context.AfterFunc(ctx, c.kill)
	err = c.ask(request, ask, rt, choice)
	if !stop() && ctx.Err() != nil {
		c.end()
		return ctx.Err()
	}
	if err != nil {
		return p.fail("%s%s", err, c.end())
	}
	p.release(c)
	return nil
}

// encode writes a request as a line.
func encode(ask ssm.Request, n int) ([]byte, error) {
	theta := map[string]float64{}
	for j, param := range ask.Model.Params {
		theta[param.Name] = ask.Theta[j]
	}
	text, err := json.Marshal(struct {
		N       int                  `json:"n"`
		Seed    uint64               `json:"seed"`
		Theta   map[string]float64   `json:"theta"`
		Columns map[string][]float64 `json:"columns,omitempty"`
	}{n, ask.Seed, theta, ask.Columns})
	return append(text, '\n'), err
}

// acquire returns an idle process of the program, or starts a new one.
func (p *Program) acquire() (*conversation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("is closed")
	}
	p.asked = true
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	return start(p.command, p.silence)
}

// release makes a process available for the next request.
func (p *Program) release(c *conversation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.end()
		return
	}
	p.idle = append(p.idle, c)
}

// Asked reports whether the program was ever asked for trials.
func (p *Program) Asked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Close ends all processes of the program.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		c.end()
	}
	p.idle, p.closed = nil, true
}

// parseTrial reads a line of an answer as a trial of the model.
func parseTrial(m *ssm.Model, earliest float64, line string) (rt, choice float64, err error) {
	first, second, two := strings.Cut(line, ",")
	if rt, err = number(first); err != nil || !(rt > 0 && rt <= math.MaxFloat64) {
		return 0, 0, errors.New("the response time is not a positive number of seconds")
	}
	if rt <= earliest {
		return 0, 0, fmt.Errorf("the response time is not after the onset, %v s", earliest)
	}
	if !m.HasChoice() && !two {
		return rt, m.Choices[0], nil
	}
	if choice, err = number(second); err != nil || !slices.Contains(m.Choices, choice) {
		return 0, 0, fmt.Errorf("the choice is none of %s", codes(m.Choices))
	}
	return rt, choice, nil
}

func codes(choices []float64) string {
	var texts []string
	for _, c := range choices {
		texts = append(texts, fmt.Sprint(c))
	}
	return strings.Join(texts, ", ")
}
