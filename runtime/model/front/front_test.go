package front_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const two = `{"expr":"v*a - (rt - t)","size":7,"loss":0.5,"terms":{"mse":0.25,"rho_v":null},"lambda":1,"seed":3,"model":"ddm","tier":"constant","settings":"ab","evaluations":100,"niche":5,"note":{"x":[1,2]}}

{"expr":"exp(z)/(rt - t)","model":"ddm"}
`

var sameNumber = cmp.Comparer(func(a, b finite.Number) bool { return a == b || a != a && b != b })

func TestReadWriteRead(t *testing.T) {
	lines, err := front.Read("F.jsonl", strings.NewReader(two), catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	first, second := lines[0], lines[1]
	if first.Size != 7 || first.Seed != 3 || first.Niche != 5 || first.Lambda != 1 || first.Terms["mse"] != 0.25 || !math.IsNaN(float64(first.Terms["rho_v"])) {
		t.Errorf("first line: %+v", first)
	}
	if second.Size != 6 || !math.IsNaN(float64(second.Loss)) || second.Where() != "F.jsonl:3" {
		t.Errorf("second line: %+v at %s", second, second.Where())
	}
	path := filepath.Join(t.TempDir(), "F.jsonl")
	if err := front.WriteFile(path, lines); err != nil {
		t.Fatal(err)
	}
	again, err := front.ReadFile(path, catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	ignore := cmpopts.IgnoreFields(front.Line{}, "File", "At", "Parsed")
	if d := cmp.Diff(lines, again, ignore, sameNumber, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if text, _ := os.ReadFile(path); !bytes.Contains(text, []byte(`"niche":5,"note":{"x":[1,2]}}`)) {
		t.Errorf("written: %s", text)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 2 {
		t.Errorf("files beside: %v", left)
	}
}

// A flipped bit in a front is an error that names the file; a front without FILE.sha256 is read without a check.
func TestFlippedBits(t *testing.T) {
	lines, err := front.Read("F.jsonl", strings.NewReader(two), catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "F.jsonl")
	if err := front.WriteFile(path, lines); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := 0; bit < 8*len(text); bit += 7 {
		bad := bytes.Clone(text)
		bad[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := front.ReadFile(path, catalog.Headers); err == nil || !strings.HasPrefix(err.Error(), path+": differs from F.jsonl.sha256") {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
	if err := os.WriteFile(path, []byte(two), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".sha256"); err != nil {
		t.Fatal(err)
	}
	if _, err := front.ReadFile(path, catalog.Headers); err != nil {
		t.Error(err)
	}
}

// TestLongLines checks that lines are read up to MaxLine bytes: an expression may be longer than the buffer of a scanner.
func TestLongLines(t *testing.T) {
	line := `{"expr":"v","model":"ddm","size":1}`
	for n, ok := range map[int]bool{70_000: true, front.MaxLine - 1: true, front.MaxLine + 1: false} {
		text := line + strings.Repeat(" ", n-len(line)) + "\n" + line + "\n"
		lines, err := front.Read("F.jsonl", strings.NewReader(text), catalog.Headers)
		if (err == nil) != ok || ok && len(lines) != 2 {
			t.Errorf("a line of %d bytes: %d lines, %v", n, len(lines), err)
		}
	}
}

func TestWriteTermsLast(t *testing.T) {
	for _, l := range []front.Line{{Expr: "v < 1 & a", Model: "ddm"}, {Expr: "v", Terms: map[string]finite.Number{"b": 2, "a": 1}}, {Expr: "v", Terms: map[string]finite.Number{"b": 2}, Niche: 1}} {
		text, err := l.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("{")) - bytes.Count(text, []byte("}")); n != 0 || bytes.Contains(text, []byte(`\u`)) {
			t.Errorf("%s", text)
		}
	}
}

func TestBadLines(t *testing.T) {
	good := `{"expr":"v","model":"ddm"}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "F.jsonl: no expression"},
		{"\n \n", "F.jsonl: no expression"},
		{good + "{", "F.jsonl:2: not JSON at column 1"},
		{good + "\n[1]", "F.jsonl:3: want a JSON object, got a array"},
		{good + `{"expr":3,"model":"ddm"}`, `F.jsonl:2: field "expr": got a number, want string`},
		{`{"expr":"v","model":"ddm","seed":-1}`, `F.jsonl:1: field "seed"`},
		{`{"model":"ddm"}`, `F.jsonl:1: no "expr"`},
		{`{"expr":"v"}`, `F.jsonl:1: no "model"`},
		{`{"expr":"v","model":"ddm","size":-1}`, `F.jsonl:1: "size": -1`},
		{`{"expr":"v","model":"lba"}`, `F.jsonl:1: model "lba": unknown`},
		{`{"expr":"v + q","model":"ddm"}`, "F.jsonl:1: expression:1:5"},
		{`{"expr":"v +","model":"ddm"}`, "F.jsonl:1: expression:1:4"},
		{good + strings.Repeat(" ", front.MaxLine) + good, "F.jsonl:2: the line is longer"},
	} {
		_, err := front.Read("F.jsonl", strings.NewReader(c.text), catalog.Headers)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s…", c.text, err, c.want)
		}
	}
	if _, err := front.ReadFile(filepath.Join(t.TempDir(), "none"), catalog.Headers); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
}

// The header's reflection at the lower boundary is that of the simulator.
func TestHeader(t *testing.T) {
	for _, s := range ssm.Models() {
		m, err := catalog.Header(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		theta := make([]float64, s.Dim())
		for i, p := range s.Params {
			theta[i] = p.Lower + 0.3*(p.Upper-p.Lower)
		}
		want := make([]float64, s.Dim())
		s.Reflect(want, theta)
		got := slices.Clone(theta)
		for _, a := range m.Lower {
			i := s.Index(a.Param)
			v, _ := expr.NewTape(m.ParamNames(), a.Value).Eval(nil, theta)
			got[i] = v[0]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", s.Name, d)
		}
	}
}

func read(t *testing.T, texts ...string) []front.Line {
	t.Helper()
	var b strings.Builder
	for _, e := range texts {
		b.WriteString(`{"expr":"` + e + `","model":"ddm","loss":1}` + "\n")
	}
	lines, err := front.Read("F.jsonl", strings.NewReader(b.String()), catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestGroup(t *testing.T) {
	of := front.Group(read(t, "v*a + z", "z + a*v", "v*a", "a*v + z*1", "(v*a*t)/t"))
	if want := []int{0, 0, 2, 0}; !slices.Equal(of[:4], want) {
		t.Errorf("of %v, want %v", of, want)
	}
}

func TestUnionDoesNotDependOnOrder(t *testing.T) {
	a, b := read(t, "z + v*a", "v*a - z", "exp(v)"), read(t, "v*a + z", "a*exp(v)", "exp(v)")
	one, other := front.Union(a, b), front.Union(b, a)
	var first, second []string
	for _, l := range one {
		first = append(first, l.Expr)
	}
	for _, l := range other {
		second = append(second, l.Expr)
	}
	if len(first) != 4 || !slices.Equal(first, second) {
		t.Errorf("%v and %v", first, second)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(two)
	f.Add(`{"expr":"v","model":"ddm","terms":{"mse":1e999}}`)
	f.Add(`{"expr":"((((","model":"ddm","niche":70000}`)
	f.Add(`{"expr":"-log(1 + exp(-b*c))","model":"m","text":"model m { trial rt choice c param b in [-2, 2] lower { b = -b } }"}`)
	f.Add(`{"expr":"b*x","model":"m","text":"model m { trial x choice c param b in [-2, 2] }"}`)
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := front.Read("F.jsonl", strings.NewReader(text), catalog.Headers)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "F.jsonl:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := front.Write(&b, lines); err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		again, err := front.Read("F.jsonl", &b, catalog.Headers)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if d := cmp.Diff(lines, again, cmpopts.IgnoreFields(front.Line{}, "File", "At", "Parsed", "Rest"), sameNumber, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	})
}
