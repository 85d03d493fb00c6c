package checks

import (
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/finite"
	"likc/search/audit"
	"likc/search/bank"
	"likc/search/judge"
	"math"
)

// judged are forms whose recovery was measured before: they are fitted again with fast guesses alone, and only where they
// recover without.
type judged map[string]*judge.Verdict // by the name of the source

// forms reads the candidates of a file of verdicts, each form once, best first; most of 0 takes all.
func forms(path string, most int, b *bank.Bank) (list []*catalog.Model, known judged, err error) {
	verdicts, err := cli.ReadVerdicts(path)
	if err != nil {
		return nil, nil, err
	}
	judge.Rank(verdicts)
	known = judged{}
	for _, v := range verdicts {
		if most > 0 && len(list) == most {
			break
		}
		if v.Duplicate > 0 || v.Reason != "" || v.Teacher != "" {
			continue
		}
		if v.Bank != b.Settings.Role || v.Scheme != b.Settings.Scheme || v.Method != "nuts" {
			return nil, nil, fmt.Errorf("%s: %s: judged on %s (%s, %s), not on %s (%s, nuts): what was measured must be of the bank that is audited",
				path, v.Model, v.Bank, v.Scheme, v.Method, b.Settings.Role, b.Settings.Scheme)
		}
		src, err := judgedSource(v, b)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", path, v.Model, err)
		}
		if known[src.Name] != nil {
			return nil, nil, fmt.Errorf("%s: %s: two verdicts have this name", path, v.Model)
		}
		list, known[src.Name] = append(list, src), v
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: no form was fitted", path)
	}
	return list, known, nil
}

// judgedSource is the model of a verdict, by a name that files and packages can have.
func judgedSource(v *judge.Verdict, b *bank.Bank) (*catalog.Model, error) {
	if v.Search == nil {
		return cli.ReadModel(v.Model)
	}
	entry, err := v.Again(cli.ReadModel)
	if err != nil {
		return nil, err
	}
	if of := entry.Model.Origin.Line.Model; of != b.Settings.Model {
		return nil, fmt.Errorf("is on %s, and the bank on %s", of, b.Settings.Model)
	}
	return entry.Model.Renamed(v.Model), nil
}

// shares are those to fit a model with.
func (k judged) shares(src *catalog.Model, all []float64) []float64 {
	switch v := k[src.Name]; {
	case v == nil:
		return all
	case v.Pass:
		return all[1:]
	}
	return []float64{}
}

// complete puts the verdict before the recoveries with guesses. A form that recovers without none is not fitted with them.
func (k judged) complete(src *catalog.Model, all []float64, fitted []audit.Recovery) []audit.Recovery {
	v := k[src.Name]
	if v == nil {
		return fitted
	}
	list := append([]audit.Recovery{audit.NewRecovery(0, v)}, fitted...)
	for _, share := range all[len(list):] {
		list = append(list, audit.Recovery{Share: share, WeakestR: finite.Number(math.NaN())})
	}
	return list
}

// bankModel reports whether a model's parameters are those of the bank's simulator.
func (k judged) bankModel(src *catalog.Model, b *bank.Bank) bool {
	if k[src.Name] != nil && !src.Origin.Builtin {
		return true // judgedSource has looked
	}
	return src.Of(b.Settings.Model)
}
