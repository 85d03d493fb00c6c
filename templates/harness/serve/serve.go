// Package serve answers questions about a batch of likelihoods over a pair of streams. It is copied into the harness that
// build makes around compiled candidates, and speaks to the client in runtime/model/load.
//
// The server first writes Greeting. Then both sides write frames, little-endian: a uint32 length of what follows, a uint32
// tag that the answer repeats, a byte, and a payload. In a question the byte is an operation, in an answer 0, or 1 for an
// error whose payload is its text. Answers come in the order in which they are ready.
//
//	Names  –                                                → count uint32, each: length uint32, text
//	Bind   name (length uint32, text), columns uint32,      → id uint32, dim uint32
//	       trials uint32, 0 or 1 (has choice), float64s
//	Value  id uint32, theta float64s                        → float64
//	Grad   id uint32, theta float64s                        → float64, gradient float64s
//	Free   id uint32                                        → –
package serve

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"sync"
)

// Greeting opens the stream of answers and tells the version of the protocol.
const Greeting = "likc-serve 1\n"

// Operations.
const (
	Names byte = iota + 1
	Bind
	Value
	Grad
	Free
)

// HeaderSize is the size of a frame before its payload, MaxFrame the greatest length that a frame may state.
const (
	HeaderSize = 9
	MaxFrame   = 1<<31 - 1

	maxColumns = 1 << 16
)

// Candidate binds data: one slice a trial column, then the choice (nil where the model has none).
type Candidate = func(columns [][]float64, choice []float64) (any, error)

type likelihood interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
}

type server struct {
	candidates map[string]Candidate

	mu    sync.RWMutex
	bound map[uint32]likelihood
	next  uint32

	writing sync.Mutex
	out     io.Writer
}

// Serve answers until r ends.
func Serve(r io.Reader, w io.Writer, candidates map[string]Candidate) error {
	s := &server{candidates: candidates, bound: map[uint32]likelihood{}, out: w}
	if _, err := io.WriteString(w, Greeting); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		tag, op, payload, err := ReadFrame(in, nil)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		go s.reply(tag, op, payload)
	}
}

// ReadFrame reads one frame; its payload lies in buffer, if there is room.
func ReadFrame(in *bufio.Reader, buffer []byte) (tag uint32, op byte, payload []byte, err error) {
	head, err := in.Peek(HeaderSize)
	if err != nil {
		if len(head) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, 0, nil, err
	}
	length := binary.LittleEndian.Uint32(head)
	tag, op = binary.LittleEndian.Uint32(head[4:]), head[8]
	if length < HeaderSize-4 || length > MaxFrame {
		return 0, 0, nil, fmt.Errorf("frame of %d bytes: not this protocol", length)
	}
	in.Discard(HeaderSize)
	n := int(length) - (HeaderSize - 4)
	if n > cap(buffer) {
		buffer = make([]byte, n)
	}
	payload = buffer[:n]
	if _, err := io.ReadFull(in, payload); err != nil {
		return 0, 0, nil, io.ErrUnexpectedEOF
	}
	return tag, op, payload, nil
}

// BeginFrame appends the header of a frame to an empty b; EndFrame sets its length when the payload is complete.
func BeginFrame(b []byte, tag uint32, op byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, tag)
	return append(b, op)
}

// EndFrame sets the length of a frame.
func EndFrame(b []byte) { binary.LittleEndian.PutUint32(b, uint32(len(b)-4)) }

// AppendText appends a text with its length.
func AppendText(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

// AppendFloats appends float64s.
func AppendFloats(b []byte, values ...float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// reply answers one question. A candidate that panics answers with an error and harms no other.
func (s *server) reply(tag uint32, op byte, payload []byte) {
	b, err := s.answer(BeginFrame(nil, tag, 0), op, payload)
	if err != nil {
		b = append(BeginFrame(nil, tag, 1), err.Error()...)
	}
	EndFrame(b)
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out.Write(b) // the client's end is gone if this fails, and then the stream of questions ends too
}

func (s *server) answer(b []byte, op byte, payload []byte) (_ []byte, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the candidate panics: %v", panicked)
		}
	}()
	q := &question{rest: payload}
	switch op {
	case Names:
		b = s.names(b)
	case Bind:
		b, err = s.bind(b, q)
	case Value, Grad:
		b, err = s.evaluate(b, op, q)
	case Free:
		id := q.number()
		s.mu.Lock()
		delete(s.bound, id)
		s.mu.Unlock()
	default:
		err = fmt.Errorf("no operation %d", op)
	}
	return b, err
}

func (s *server) names(b []byte) []byte {
	names := make([]string, 0, len(s.candidates))
	for name := range s.candidates {
		names = append(names, name)
	}
	sort.Strings(names)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(names)))
	for _, name := range names {
		b = AppendText(b, name)
	}
	return b
}

func (s *server) bind(b []byte, q *question) ([]byte, error) {
	name := string(q.take(int(q.number())))
	columns := make([][]float64, 0, 4)
	count, trials := int(q.number()), int(q.number())
	hasChoice := q.take(1)
	q.short = q.short || count > maxColumns
	for ; count > 0 && !q.short; count-- {
		columns = append(columns, q.floats(trials))
	}
	var choice []float64
	if len(hasChoice) == 1 && hasChoice[0] == 1 {
		choice = q.floats(trials)
	}
	candidate, known := s.candidates[name]
	switch {
	case q.short:
		return b, errShort
	case !known:
		return b, fmt.Errorf("no candidate %q", name)
	}
	made, err := candidate(columns, choice)
	if err != nil {
		return b, err
	}
	lik, ok := made.(likelihood)
	if !ok {
		return b, fmt.Errorf("candidate %q gives %T, which is not a likelihood", name, made)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.bound[s.next] = lik
	b = binary.LittleEndian.AppendUint32(b, s.next)
	return binary.LittleEndian.AppendUint32(b, uint32(lik.Dim())), nil
}

func (s *server) evaluate(b []byte, op byte, q *question) ([]byte, error) {
	id := q.number()
	s.mu.RLock()
	lik := s.bound[id]
	s.mu.RUnlock()
	if lik == nil {
		return b, fmt.Errorf("no bound data %d", id)
	}
	theta := q.floats(lik.Dim())
	if q.short {
		return b, errShort
	}
	if op == Value {
		return AppendFloats(b, lik.LogLik(theta)), nil
	}
	grad := make([]float64, len(theta))
	b = AppendFloats(b, lik.LogLikGrad(theta, grad))
	return AppendFloats(b, grad...), nil
}

var errShort = errors.New("the question ends early")

// question is a payload being read. Short reads give zeros and are remembered.
type question struct {
	rest  []byte
	short bool
}

func (q *question) take(n int) []byte {
	if n < 0 || n > len(q.rest) {
		q.short = true
		return nil
	}
	taken := q.rest[:n]
	q.rest = q.rest[n:]
	return taken
}

func (q *question) number() uint32 {
	if b := q.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (q *question) floats(n int) []float64 {
	b := q.take(8 * n)
	if b == nil && n > 0 {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}
