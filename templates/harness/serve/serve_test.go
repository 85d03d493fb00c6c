package serve

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// slope is Σ θ·x, with faults on demand.
type slope struct{ sum float64 }

func (s slope) Dim() int { return 1 }

func (s slope) LogLik(theta []float64) float64 {
	if theta[0] == 13 {
		panic("thirteen")
	}
	return theta[0] * s.sum
}

func (s slope) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = s.sum
	return s.LogLik(theta)
}

var batch = map[string]Candidate{
	"slope": func(columns [][]float64, choice []float64) (any, error) {
		if len(columns) != 1 {
			return nil, errors.New("want one column")
		}
		s := slope{}
		for i, x := range columns[0] {
			s.sum += x * choice[i]
		}
		return s, nil
	},
	"other": func([][]float64, []float64) (any, error) { return 3, nil },
}

// ask serves the frames of one conversation and returns the payloads of the answers by tag, errors with a leading "!".
func ask(t *testing.T, frames ...[]byte) map[uint32]string {
	t.Helper()
	answers := map[uint32]string{}
	toServer, questions := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		err := Serve(toServer, out, batch)
		out.CloseWithError(errors.Join(io.EOF, err))
	}()
	in := bufio.NewReader(fromServer)
	if greeting, err := in.ReadString('\n'); err != nil || greeting != Greeting {
		t.Fatalf("greeting %q, %v", greeting, err)
	}
	for _, f := range frames {
		EndFrame(f)
		if _, err := questions.Write(f); err != nil {
			t.Fatal(err)
		}
		tag, status, payload, err := ReadFrame(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		answers[tag] = strings.Repeat("!", int(status)) + string(payload)
	}
	questions.Close()
	return answers
}

func bindFrame(tag uint32, name string, column, choice []float64) []byte {
	b := AppendText(BeginFrame(nil, tag, Bind), name)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(column)))
	return AppendFloats(AppendFloats(append(b, 1), column...), choice...)
}

func evaluation(tag uint32, op byte, id uint32, theta ...float64) []byte {
	return AppendFloats(binary.LittleEndian.AppendUint32(BeginFrame(nil, tag, op), id), theta...)
}

func TestServe(t *testing.T) {
	got := ask(t,
		BeginFrame(nil, 1, Names),
		bindFrame(2, "slope", []float64{1, 2, 4}, []float64{1, 1, -1}),
		evaluation(3, Value, 1, 3),
		evaluation(4, Grad, 1, -2),
		evaluation(5, Value, 1, 13),
		evaluation(6, Value, 1, math.Inf(1)),
		bindFrame(7, "absent", nil, nil),
		bindFrame(8, "other", nil, nil),
		evaluation(9, Value, 7, 1),
		evaluation(10, Value, 1),
		bindFrame(11, "slope", []float64{1, 2}, []float64{1})[:40],
		binary.LittleEndian.AppendUint32(BeginFrame(nil, 12, Free), 1),
		evaluation(13, Value, 1, 3),
		BeginFrame(nil, 14, 99),
	)
	for tag, want := range map[uint32]string{
		1:  "\x02\x00\x00\x00\x05\x00\x00\x00other\x05\x00\x00\x00slope",
		2:  "\x01\x00\x00\x00\x01\x00\x00\x00",
		3:  string(AppendFloats(nil, -3)),
		4:  string(AppendFloats(nil, 2, -1)),
		5:  "!the candidate panics: thirteen",
		6:  string(AppendFloats(nil, math.Inf(-1))),
		7:  `!no candidate "absent"`,
		8:  `!candidate "other" gives int, which is not a likelihood`,
		9:  "!no bound data 7",
		10: "!the question ends early",
		11: "!the question ends early",
		12: "",
		13: "!no bound data 1",
		14: "!no operation 99",
	} {
		if got[tag] != want {
			t.Errorf("answer %d is %q, want %q", tag, got[tag], want)
		}
	}
}

func TestServeEndsOnNonsense(t *testing.T) {
	for _, text := range []string{"hello, is this HTTP?", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x05"} {
		if err := Serve(strings.NewReader(text), io.Discard, batch); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	if err := Serve(strings.NewReader(""), io.Discard, batch); err != nil {
		t.Errorf("an end at a frame's border: %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(Bind, bindFrame(2, "slope", []float64{1, 2}, []float64{1, 1})[HeaderSize:])
	f.Add(Value, evaluation(3, Value, 1, 3)[HeaderSize:])
	f.Fuzz(func(t *testing.T, op byte, payload []byte) {
		s := &server{candidates: batch, bound: map[uint32]likelihood{1: slope{2}}, out: io.Discard}
		b, err := s.answer(nil, op, bytes.Clone(payload))
		if err == nil && len(b) > 8*(len(payload)+8) {
			t.Errorf("%d bytes answer %d", len(b), len(payload))
		}
	})
}
