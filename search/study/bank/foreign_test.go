package bank

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreignFiles returns the files of a bank that another program made, by name.
func foreignFiles() map[string]string {
	return map[string]string{
		"bank.json":    `{"role": "gate-100", "model": "m.lik"}`,
		"m.lik":        "model m { trial rt choice c in {0, 1, 2} param b in [0, 2] param t in [0.1, 0.5] support t < rt }",
		"subjects.csv": "t,subject,b\n0.25,anna,1\n0.5,ben,1.5\n",
		"trials.csv":   "subject,choice,rt\nben,2,0.75\nanna,0,0.5\nben,1,1.5\nanna,1,30\n",
	}
}

func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if text != "" {
			put(t, dir, name, text)
		}
	}
	return dir
}

// TestForeign: the bank of another program is read with the model's ranges, and with the subjects in their order. Late trials are
// dropped.
func TestForeign(t *testing.T) {
	b, err := Open(writeFiles(t, foreignFiles()))
	if err != nil {
		t.Fatal(err)
	}
	want := []Subject{
		{ID: 0, Theta: []float64{1, 0.25}, RT: []float64{0.5}, Choice: []float64{0}, Dropped: 1},
		{ID: 1, Theta: []float64{1.5, 0.5}, RT: []float64{0.75, 1.5}, Choice: []float64{2, 1}},
	}
	if d := cmp.Diff(want, b.Subjects); d != "" {
		t.Error(d)
	}
	s := b.Settings
	if s.Role != "gate-100" || s.Model != "m" || !strings.HasPrefix(s.Text, "model m {") || s.Scheme != "exec" || s.Subjects != 2 || s.Trials != 2 ||
		!cmp.Equal(s.Params, []Range{{"b", 0, 2}, {"t", 0.1, 0.5}}) || b.Counts != (Counts{Kept: 3, Dropped: 1}) {
		t.Errorf("%+v, %+v", s, b.Counts)
	}
	if _, err := Verify(writeFiles(t, foreignFiles())); err == nil || !strings.Contains(err.Error(), "a bank of another program") {
		t.Error(err)
	}
}

// TestForeignUpper: a bank for searches has only trials of the upper boundary. A subject with too few of them is reflected.
func TestForeignUpper(t *testing.T) {
	files := foreignFiles()
	files["bank.json"] = `{"role": "search-rows", "model": "m.lik"}`
	files["m.lik"] = "model m { trial rt choice c param b in [-2, 2] param t in [0.1, 0.5] support t < rt lower { b = -b } }"
	files["trials.csv"] = "subject,choice,rt\nben,-1,0.75\nanna,1,0.5\nben,-1,1.5\nben,1,0.9\nanna,-1,2\n"
	b, err := Open(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	want := []Subject{
		{ID: 0, Theta: []float64{1, 0.25}, RT: []float64{0.5}, Choice: []float64{1}},
		{ID: 1, Theta: []float64{-1.5, 0.5}, RT: []float64{0.75, 1.5}, Choice: []float64{1, 1}, Reflected: true},
	}
	if d := cmp.Diff(want, b.Subjects); d != "" {
		t.Error(d)
	}
}

// TestForeignBuiltin: a bank may name a process that comes with likc, and have tables that likc wrote.
func TestForeignBuiltin(t *testing.T) {
	dir := saved(t, "test-60", 4, 30)
	want, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	remove(t, dir, ManifestFile)
	put(t, dir, SettingsFile, `{"role": "test-60", "model": "ddm"}`)
	got, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Subjects, got.Subjects); d != "" {
		t.Error(d)
	}
}

// TestForeignWrong: an error in the bank of another program is one line that names the file, and the row if there is one.
func TestForeignWrong(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"no JSON", "bank.json", "role = gate", `DIR/bank.json: invalid character 'r' looking for beginning of value; want {"role": ROLE, "model": "FILE.lik"}`},
		{"unknown key", "bank.json", `{"role": "gate-100", "modle": "m.lik"}`, `DIR/bank.json: json: unknown field "modle"; want {"role": ROLE, "model": "FILE.lik"}`},
		{"two values", "bank.json", `{"role": "gate-100", "model": "m.lik"} {}`, `DIR/bank.json: more follows the first JSON value; want {"role": ROLE, "model": "FILE.lik"}`},
		{"no model", "bank.json", `{"role": "gate-100"}`, `DIR/bank.json: names no model`},
		{"no role", "bank.json", `{"model": "m.lik"}`, `DIR/bank.json: role "": unknown; there are `},
		{"unknown process", "bank.json", `{"role": "gate-100", "model": "m"}`, `DIR/bank.json: model "m": unknown; there are `},
		{"no such file", "bank.json", `{"role": "gate-100", "model": "n.lik"}`, `DIR/bank.json: model n.lik: no such file or directory`},
		{"a file elsewhere", "bank.json", `{"role": "gate-100", "model": "../m.lik"}`, `DIR/bank.json: model "../m.lik": want a file in the same folder`},
		{"rows of no boundaries", "bank.json", `{"role": "search-rows", "model": "m.lik"}`, `DIR/bank.json: role search-rows: model m: it has the choices 0 to 2; want a model of two boundaries`},
		{"wrong text", "m.lik", "model m { trial rt", `DIR/bank.json: m.lik:1:`},
		{"formula", "m.lik", "model m { trial rt param b in [0, 1] loglik = -b*rt }", `DIR/bank.json: model m: it has a loglik; want a model with evidence, or without both`},
		{"columns", "m.lik", "model m { trial rt trial x param b in [0, 1] }", `DIR/bank.json: model m: its trials have the columns rt, x; want response times and choices alone`},
		{"odd reflection", "m.lik", "model m { trial rt choice c param b in [0, 1] lower { b = 2 - b } }", `DIR/bank.json: model m: lower b = 2 - b; want b, -b or 1 - b where a program draws trials`},
		{"odd onset", "m.lik", "model m { trial rt param b in [0, 1] support b/2 < rt }", `DIR/bank.json: model m: support b / 2 < rt; want one parameter before rt where a program draws trials`},
		{"no subjects", "subjects.csv", "", `DIR: no table subjects: want subjects.parquet, subjects.csv, subjects.csv.gz`},
		{"no trials", "trials.csv", "", `DIR: no table trials: want trials.parquet, trials.csv, trials.csv.gz`},
		{"no parameter", "subjects.csv", "subject,b\nanna,1\n", `DIR/subjects.csv: no column for t`},
		{"no column of subjects", "subjects.csv", "t,b\n0.2,1\n", `DIR/subjects.csv: no column "subject"`},
		{"a subject twice", "subjects.csv", "t,subject,b\n0.25,anna,1\n0.5,ben,1.5\n0.5,anna,1\n", `DIR/subjects.csv: row 3: subject anna again: want one row a subject`},
		{"outside the range", "subjects.csv", "t,subject,b\n0.25,anna,1\n0.5,ben,3\n", `DIR/subjects.csv: row 2, column "b": 3 is outside [0, 2]`},
		{"NaN", "subjects.csv", "t,subject,b\n0.25,anna,NaN\n0.5,ben,1\n", `DIR/subjects.csv: row 1 (line 2), column "b": NaN: want a number`},
		{"unknown subject", "trials.csv", "subject,choice,rt\nben,2,0.75\ncarl,0,0.5\n", `DIR/trials.csv: row 2: subject carl is not in the table subjects`},
		{"unknown choice", "trials.csv", "subject,choice,rt\nben,3,0.75\nanna,0,0.5\n", `DIR/trials.csv: row 1 (line 2), column "choice": "3" is not a choice: want 0 to 2`},
		{"negative rt", "trials.csv", "subject,choice,rt\nben,1,-0.75\nanna,0,0.5\n", `DIR/trials.csv: row 1 (line 2), column "rt": -0.75 is not a response time: want seconds > 0`},
		{"before the onset", "trials.csv", "subject,choice,rt\nben,1,0.4\nanna,0,0.5\n", `DIR/trials.csv: row 1: rt 0.4 of subject ben is not after the onset, 0.5 s`},
		{"milliseconds", "trials.csv", "subject,choice,rt\nben,1,400\nanna,0,500\n", `DIR/trials.csv: column "rt": the median is 450: are these milliseconds? want seconds`},
		{"no rows", "trials.csv", "subject,choice,rt\n", `DIR/trials.csv: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := foreignFiles()
			files[c.file] = c.text
			dir := writeFiles(t, files)
			_, err := Open(dir)
			if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s…", err, want)
			}
		})
	}
}
