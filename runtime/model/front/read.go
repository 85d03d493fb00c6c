package front

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/num/finite"
	"likc/runtime/sys/store"
)

// MaxLine is the length of the longest allowed line, in bytes.
const MaxLine = 1 << 20

// Headers returns the model of a line, without an expression. model is its name, and text its definition; text is "" for a built-in model.
type Headers func(model, text string) (*expr.Model, error)

// ReadFile reads a front from a file, and checks it against the sum in FILE.sha256 if that exists.
func ReadFile(path string, headers Headers) ([]Line, error) {
	f, err := store.OpenChecked(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f, headers)
}

// ErrNone is the error that a front has no expression.
var ErrNone = errors.New("no expression")

// Read reads a front and parses its expressions. name is the file's name for errors, which are NAME:LINE: what. Empty lines are
// skipped. If there is no expression, the error wraps ErrNone.
func Read(name string, r io.Reader, headers Headers) ([]Line, error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 1<<16), MaxLine)
	known := map[string]*expr.Model{}
	var lines []Line
	at := 0
	for scan.Scan() {
		at++
		text := bytes.TrimSpace(scan.Bytes())
		if len(text) == 0 {
			continue
		}
		l, err := parse(text, known, headers)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, at, err)
		}
		l.File, l.At = name, at
		lines = append(lines, l)
	}
	if err := scan.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d bytes", name, at+1, MaxLine)
	} else if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at+1, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNone)
	}
	return lines, nil
}

// parse parses one line, and its expression with the header that the line names.
func parse(text []byte, known map[string]*expr.Model, headers Headers) (Line, error) {
	l, err := decode(text)
	if err != nil {
		return l, err
	}
	switch {
	case l.Expr == "":
		return l, errors.New(`no "expr": want the expression, as in {"expr":"…","model":"ddm"}`)
	case l.Size < 0:
		return l, fmt.Errorf("\"size\": %d: want the number of nodes", l.Size)
	case l.Model == "":
		return l, errors.New(`no "model": want the name of the model that the expression is of, as in {"expr":"…","model":"ddm"}`)
	}
	err = l.Parse(func(model, text string) (header *expr.Model, err error) {
		if header = known[model+text]; header == nil {
			header, err = headers(model, text)
			known[model+text] = header
		}
		return header, err
	})
	if err == nil && l.Size == 0 {
		l.Size = l.Parsed.LogLik.Size()
	}
	return l, err
}

// Parse parses the line's expression with the header of its model.
func (l *Line) Parse(headers Headers) error {
	header, err := headers(l.Model, l.Text)
	if err != nil {
		return err
	}
	if l.Parsed, err = syntax.ParseExpr(l.Expr, header); err != nil {
		return err
	}
	l.Parsed.Normalise = l.Normalise
	return nil
}

// decode decodes the fields of a line; a missing loss or λ becomes NaN.
func decode(text []byte) (Line, error) {
	l := Line{Loss: finite.Number(math.NaN()), Lambda: finite.Number(math.NaN())}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, explain(err)
	}
	if err := json.Unmarshal(text, &l.Rest); err != nil {
		return l, explain(err)
	}
	maps.DeleteFunc(l.Rest, func(name string, _ json.RawMessage) bool {
		return slices.ContainsFunc(fieldNames, func(field string) bool { return strings.EqualFold(field, name) })
	})
	return l, nil
}

// explain rewrites an error of package json in a user's words.
func explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("want a JSON object, got a %s", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("field %q: got a %s, want %s", wrong.Field, wrong.Value, wrong.Type)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at column %d: %s", syntax.Offset, err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// fieldNames lists the fields of a Line in JSON.
var fieldNames = func() (names []string) {
	t := reflect.TypeFor[Line]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}()
