package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// TestAdvice: if data leave a question open, the error names the flags that decide it.
func TestAdvice(t *testing.T) {
	model := &catalog.Model{Model: &expr.Model{Trials: []string{"rt", "x"}, Choice: "resp"}}
	for _, c := range []struct{ text, only, want string }{
		{"rt,resp\n1,1\n", "", `no column for x: the columns are rt, resp (name one with --column x=NAME)`},
		{"x,resp\n1,1\n", "", `no column for rt: the columns are x, resp (name one with --rt NAME)`},
		{"rt,x\n1,1\n", "", `no column for resp: the columns are rt, x (name one with --choice NAME)`},
		{"rt,x,resp\n1,1,1\n", "a", `no column for subject: the columns are rt, x, resp (name one with --subject NAME)`},
		{"rt,x,resp,id\n1,1,1,a\n1,1,-1,b\n", "",
			`column "id" names 2 subjects (fit all together with (1 | id) in a --formula, each with --subject id, one with --only ID, or all as one person with --pool)`},
		{"rt,x,resp\n500,1,1\n600,1,-1\n", "",
			`column "rt": the median is 550: are these milliseconds? want seconds (give --unit ms, or --unit s if they are seconds)`},
		{"rt,x,resp\n1,1,left\n", "",
			`row 1 (line 2), column "resp": "left" is not a choice: want +1/-1, 1/0 or upper/lower (say what the column holds, as in --response left=-1,right=1; 1 is the upper boundary)`},
		{"rt,x,resp\n1,1,R\n1,1,L\n,1,late\n,1,late\n1,1,L\n1,1,R\n1,1,L\n", "",
			`row 1 (line 2), column "resp": "R" is not a choice: want +1/-1, 1/0 or upper/lower (the column holds L, R, late: say what each means, as in --response L=-1,R=1,late=none; 1 is the upper boundary, none is no response)`},
		{"rt,x,resp\n1,1,error\n1,1,correct\n", "",
			`row 1 (line 2), column "resp": "error" is not a choice: want +1/-1, 1/0 or upper/lower (the column holds correct, error: say what each means, as in --response error=-1,correct=1; 1 is the upper boundary)`},
		{"rt,x,resp\n,1,1\n", "",
			`row 1 (line 2), column "rt": empty: want a number (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`},
		{"rt,x,resp\n-999,1,1\n", "",
			`column "rt": 1 of 1 rows hold -999 (no response), the first is row 1 (line 2) (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`},
		{"rt,x,resp\n1,x,1\n", "", `row 1 (line 2), column "x": "x" is not a number`},
	} {
		path := filepath.Join(t.TempDir(), "d.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		f := DataFlags{File: path, Only: c.only, Careful: true}
		if _, err := f.Read(model, io.Discard); err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	var open *trials.Unclear
	if err := advise(errors.New("other"), model); errors.As(err, &open) || err.Error() != "other" {
		t.Errorf("another error became %v", err)
	}
}
