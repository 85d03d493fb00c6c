package rows

import (
	"fmt"

	"likc/runtime/model/neural"
	"likc/search/study/bank"
	"likc/search/teach/gate"
)

// ScoreBy returns the rows of the bank in bankDir, scored by the teacher in the folder dir. It refuses a teacher that has not passed
// its gate, unless ungated is set. The rows record whether it had passed.
func ScoreBy(dir, bankDir string, ungated bool) (*Rows, error) {
	o, err := neural.Open(dir)
	if err != nil {
		return nil, err
	}
	_, refused := gate.Admitted(dir, o)
	if refused != nil && !ungated {
		return nil, refused
	}
	b, err := bank.Open(bankDir)
	if err != nil {
		return nil, err
	}
	if err := b.Settings.CheckModel(bankDir, o.Model, o.Text); err != nil {
		return nil, err
	}
	r, err := Score(o, b, Source{Kind: o.Kind, Sum: o.Sum, Gated: refused == nil})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bankDir, err)
	}
	return r, nil
}
