package sweep

import (
	"errors"
	"fmt"

	"likc/search/study/judge"
	"likc/search/teach/rows"
)

// Beside names files with which a sweep is compared, one for each such flag of likc sweep; "" for none.
type Beside struct {
	Long    string `flag:"long" value:"VERDICTS.jsonl" help:"VERDICTS.jsonl on the same forms, fitted with longer chains; an empty file adds nothing"`
	Screen  string `flag:"screen" value:"VERDICTS.jsonl" help:"VERDICTS.jsonl on the same forms by judge --screen"`
	Models  string `flag:"models" value:"VERDICTS.jsonl" help:"VERDICTS.jsonl on known models, to stand beside"`
	HeldOut string `flag:"held-out" value:"VERDICTS.jsonl" help:"VERDICTS.jsonl on TOP.jsonl, on subjects that ranked nothing"`
	Rows    string `flag:"rows" value:"DIR" help:"DIR of rows that no search saw, as teacher score writes them, for squared errors"`
}

// Add reads the files and adds the comparisons. An error begins with the name of the file's flag.
func (r *Result) Add(b Beside) error {
	for _, one := range []struct {
		flag, path string
		add        func([]*judge.Verdict) error
	}{{"long", b.Long, r.AddLong}, {"screen", b.Screen, r.AddScreen}, {"models", b.Models, r.AddModels}, {"held-out", b.HeldOut, r.AddHeldOut}} {
		if one.path == "" {
			continue
		}
		verdicts, err := Verdicts(one.path)
		if one.flag == "long" && errors.Is(err, ErrNone) { // nothing had to be fitted again, so the file is empty
			continue
		}
		if err == nil {
			err = one.add(verdicts)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", one.flag, one.path, err)
		}
	}
	if b.Rows == "" {
		return nil
	}
	given, err := rows.Read(b.Rows)
	if err == nil {
		err = r.AddRows(given)
	}
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	return nil
}
