//go:build unix

package program

import (
	"bufio"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"likc/runtime/model/ssm"
)

// model is a process whose trials a program draws.
var model = &ssm.Model{Name: "m", Params: []ssm.Param{{Name: "v"}, {Name: "t"}}, Choices: []float64{1, -1}, Onset: "t", Outside: true}

// draw draws five trials by a command.
func draw(t *testing.T, command string, silence time.Duration) (rt, choice []float64, err error) {
	t.Helper()
	p := New(command, silence)
	defer p.Close()
	rt, choice = make([]float64, 5), make([]float64, 5)
	err = p.Draw(t.Context(), ssm.Request{Model: model, Seed: 7, Theta: []float64{1.5, 0.25}}, rt, choice)
	return rt, choice, err
}

// TestDraw checks that a program gets the documented request, and that Draw returns its answer.
func TestDraw(t *testing.T) {
	const honest = `while read -r line; do echo "$line" >&2
		test "$line" = '{"n":5,"seed":7,"theta":{"t":0.25,"v":1.5}}' || exit 3
		printf '0.5,1\n 0.75 , -1\r\n1e0,1.0\n1.25,-1\n2,+1\n\n'; done`
	rt, choice, err := draw(t, honest, time.Minute)
	if err != nil || !slices.Equal(rt, []float64{0.5, 0.75, 1, 1.25, 2}) || !slices.Equal(choice, []float64{1, -1, 1, -1, 1}) {
		t.Errorf("%v, %v, %v", rt, choice, err)
	}
}

// TestColumns checks that a program gets the other trial columns.
func TestColumns(t *testing.T) {
	p := New(`while read -r line; do case $line in *'"columns":{"x":[1,-2.5]}'*) printf '0.5,1\n0.5,1\n\n';; *) echo "$line" >&2; exit 1;; esac; done`, time.Minute)
	defer p.Close()
	rt, choice := make([]float64, 2), make([]float64, 2)
	ask := ssm.Request{Model: model, Theta: []float64{1, 0.25}, Columns: map[string][]float64{"x": {1, -2.5}}}
	if err := p.Draw(t.Context(), ask, rt, choice); err != nil {
		t.Error(err)
	}
}

// TestLies checks that each fault of a program gives a one-line error that describes it.
func TestLies(t *testing.T) {
	const four = `0.5,1\n0.5,1\n0.5,1\n0.5,1\n`
	answer := func(text string) string { return `while read -r line; do printf -- '` + text + `'; done` }
	for _, c := range []struct{ name, command, want string }{
		{"too few", answer(four + `\n`), `answered 4 trials, want 5`},
		{"none", answer(`\n`), `answered 0 trials, want 5`},
		{"too many", answer(four + `0.5,1\n0.5,1\n\n`), `answered more than the 5 trials that were asked for, or no empty line after them`},
		{"no number", answer(four + `soon,1\n\n`), `trial 5 of 5 is "soon,1": the response time is not a positive number of seconds`},
		{"NaN", answer(`nan,1\n` + four + `\n`), `trial 1 of 5 is "nan,1": the response time is not a positive number of seconds`},
		{"infinite", answer(`inf,1\n` + four + `\n`), `trial 1 of 5 is "inf,1": the response time is not a positive number of seconds`},
		{"overflow", answer(`1e999,1\n` + four + `\n`), `trial 1 of 5 is "1e999,1": the response time is not a positive number of seconds`},
		{"negative", answer(`-0.5,1\n` + four + `\n`), `trial 1 of 5 is "-0.5,1": the response time is not a positive number of seconds`},
		{"zero", answer(`0,1\n` + four + `\n`), `trial 1 of 5 is "0,1": the response time is not a positive number of seconds`},
		{"empty rt", answer(`,1\n` + four + `\n`), `trial 1 of 5 is ",1": the response time is not a positive number of seconds`},
		{"before the onset", answer(`0.2,1\n` + four + `\n`), `trial 1 of 5 is "0.2,1": the response time is not after the onset, 0.25 s`},
		{"at the onset", answer(`0.25,1\n` + four + `\n`), `trial 1 of 5 is "0.25,1": the response time is not after the onset, 0.25 s`},
		{"other choice", answer(`0.5,0\n` + four + `\n`), `trial 1 of 5 is "0.5,0": the choice is none of 1, -1`},
		{"word choice", answer(`0.5,upper\n` + four + `\n`), `trial 1 of 5 is "0.5,upper": the choice is none of 1, -1`},
		{"no choice", answer(`0.5\n` + four + `\n`), `trial 1 of 5 is "0.5": the choice is none of 1, -1`},
		{"NaN choice", answer(`0.5,nan\n` + four + `\n`), `trial 1 of 5 is "0.5,nan": the choice is none of 1, -1`},
		{"three fields", answer(`0.5,1,1\n` + four + `\n`), `trial 1 of 5 is "0.5,1,1": the choice is none of 1, -1`},
		{"semicolon", answer(`0.5;1\n` + four + `\n`), `trial 1 of 5 is "0.5;1": the response time is not a positive number of seconds`},
		{"header", answer(`rt,choice\n` + four + `\n`), `trial 1 of 5 is "rt,choice": the response time is not a positive number of seconds`},
		{"JSON", answer(`[[0.5,1]]\n` + four + `\n`), `trial 1 of 5 is "[[0.5,1]]": the response time is not a positive number of seconds`},
		{"control characters", answer(`\033[2J,1\n`), `trial 1 of 5 is "\x1b[2J,1": the response time is not a positive number of seconds`},
		{"invalid UTF-8", answer(`\377\376,1\n`), `trial 1 of 5 is "\xff\xfe,1": the response time is not a positive number of seconds`},
		{"long line", `read -r line; while :; do printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; done`, `answered a line of more than 4096 bytes after 0 of 5 trials`},
		{"endless", `yes 0.5,1`, `answered more than the 5 trials that were asked for, or no empty line after them`},
		{"chatty", `read -r line; echo Loading model; printf '` + four + `0.5,1\n\n'`, `trial 1 of 5 is "Loading model": the response time is not a positive number of seconds`},
		{"ends at once", `exit 0`, `ended after 0 of 5 trials`},
		{"ends with a status", `exit 7`, `ended after 0 of 5 trials (exit status 7)`},
		{"ends midway", `read -r line; printf '` + four + `'; echo first >&2; echo 'ValueError: no such theta' >&2; exit 1`, `ended after 4 of 5 trials (exit status 1): ValueError: no such theta`},
		{"ends within a line", `read -r line; printf '0.5'`, `ended after 0 of 5 trials`},
		{"ends before the empty line", `read -r line; printf '` + four + `0.5,1\n'`, `ended before the empty line after 5 trials`},
		{"killed", `read -r line; kill -9 $$`, `ended after 0 of 5 trials`},
		{"is not there", `nosuchprogram`, `ended after 0 of 5 trials (exit status 127): `},
		{"bad shell", `if`, `ended after 0 of 5 trials (exit status 2): `},
		{"closes its output", `exec >&-; sleep 60`, `ended after 0 of 5 trials`},
		{"hangs", `read -r line; sleep 60`, `said nothing for 300ms after 0 of 5 trials`},
		{"hangs midway", `read -r line; printf '` + four + `'; sleep 60`, `said nothing for 300ms after 4 of 5 trials`},
		{"never reads, hangs", `sleep 60`, `said nothing for 300ms after 0 of 5 trials`},
		{"hangs deaf to signals", `trap '' INT TERM HUP; read -r line; sleep 60; sleep 60`, `said nothing for 300ms after 0 of 5 trials`},
		{"buffers for ever", `cat > /dev/null`, `said nothing for 300ms after 0 of 5 trials`},
		{"heeds no seed", `n=1; while read -r line; do n=$((n+1)); printf "$n,1\n$n,1\n$n,1\n$n,1\n$n,1\n\n"; done`,
			`the same request got other trials the second time: want all random numbers from a generator that "seed" begins`},
		{"answers once", `read -r line; printf '` + four + `0.5,1\n\n'`, `ended after 0 of 5 trials`},
		{"traceback", `read -r line; printf 'Traceback (most recent call last):\n  File "m.py"\nKeyError: \033[31mb\033[0m\n\n' >&2; exit 1`, `ended after 0 of 5 trials (exit status 1): KeyError:  [31mb [0m`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			silence := time.Minute
			if strings.HasPrefix(c.want, "said") {
				silence = 300 * time.Millisecond
			}
			began := time.Now()
			_, _, err := draw(t, c.command, silence)
			if err == nil || !strings.Contains(err.Error(), ": "+c.want) || strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			if strings.HasSuffix(c.want, ": ") {
				return
			}
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v\nsays more than %s", err, c.want)
			}
			if past := time.Since(began); past > 30*time.Second {
				t.Errorf("took %v", past)
			}
		})
	}
}

// TestInterrupt checks that a request ends at once when the context ends, whatever the program is doing.
func TestInterrupt(t *testing.T) {
	p := New("sleep 60", time.Minute)
	defer p.Close()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	began := time.Now()
	err := p.Draw(ctx, ssm.Request{Model: model, Theta: []float64{1, 0.25}}, make([]float64, 5), make([]float64, 5))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// TestOneResponse checks that for a model without choice the lines of an answer hold only rt.
func TestOneResponse(t *testing.T) {
	one := &ssm.Model{Name: "m", Params: []ssm.Param{{Name: "v"}}, Choices: []float64{1}, Outside: true}
	for line, ok := range map[string]bool{"0.5": true, "0.5,1": true, "0.5,0": false} {
		if _, _, err := parseTrial(one, 0, line); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzTrial checks that every accepted line gives a trial that is possible under the model.
func FuzzTrial(f *testing.F) {
	for _, line := range []string{"0.5,1", "", ",", "nan,nan", "0x1p-2,1", "1e309,-1", "0.3,1,", " 1 , 1 "} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		rt, choice, err := parseTrial(model, 0.25, line)
		if err == nil && !(rt > 0.25 && rt <= math.MaxFloat64 && (choice == 1 || choice == -1)) {
			t.Errorf("%q: %v, %v", line, rt, choice)
		}
	})
}

// FuzzAsk: no answer panics or takes more bytes than its trials, and trials that are taken are those of the model.
func FuzzAsk(f *testing.F) {
	for _, answer := range []string{"0.5,1\n0.75,-1\n\n", "0.5,1\n0.75,-1\n0.8,1\n\n", "0.5,1\n", "", "\n\n\n", strings.Repeat("0", longestLine+1), "0.5,1\r\n 2 , -1\r\n\r\n"} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		c := &conversation{in: nowhere{}, out: bufio.NewReaderSize(strings.NewReader(answer), longestLine), silence: time.Hour}
		rt, choice := make([]float64, 2), make([]float64, 2)
		err := c.ask(nil, ssm.Request{Model: model, Theta: []float64{1, 0.25}}, rt, choice)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if strings.Count(answer, "\n") < 3 {
			t.Errorf("%q answers two trials", answer)
		}
		for i := range rt {
			if !(rt[i] > 0.25 && rt[i] <= math.MaxFloat64 && (choice[i] == 1 || choice[i] == -1)) {
				t.Errorf("%q: trial %d is %v, %v", answer, i, rt[i], choice[i])
			}
		}
	})
}

// nowhere is the input of a program that reads nothing.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }
