package recipe

import (
	"errors"
	"fmt"
	"slices"
)

// searchRole is the role of banks that searches learn from.
const searchRole = "search-rows"

// seed is that of a bank of rows, which decides its subjects, whatever their number; 0 if it is not known here.
func (b Bank) seed() uint64 {
	switch {
	case b.Path == searchRole: // comes with the program, and is of seed 1
		return 1
	case b.Path != "":
		return 0
	}
	return max(1, b.Seed)
}

func (r *Recipe) checkUngrouped() (string, error) {
	if r.Search == nil || r.Search.Ungrouped == nil {
		return "", nil
	}
	u := r.Search.Ungrouped
	if u.FirstSeed == 0 {
		u.FirstSeed = r.Search.FirstSeed
	}
	if u.Seeds < 1 {
		return "search.ungrouped.seeds", fmt.Errorf("%d: want at least one search", u.Seeds)
	}
	if key, err := r.bank("search.ungrouped.bank", u.Bank); err != nil {
		return key, err
	}
	if b := r.Banks[u.Bank]; b.Role != "" && (b.Role != searchRole || b.Trials != 1) {
		return "search.ungrouped.bank", fmt.Errorf("%q: want a bank of role %s with trials = 1", u.Bank, searchRole)
	}
	return "", nil
}

// checkBeside is about what stands beside the sweep.
func (r *Recipe) checkBeside() (string, error) {
	for _, t := range []struct {
		key   string
		there bool
		check func() (string, error)
	}{{"screen", r.Screen != nil, r.checkScreen}, {"refit", r.Refit != nil, r.checkRefit}, {"new_rows", r.NewRows != nil, r.checkNewRows}} {
		switch {
		case !t.there:
			continue
		case r.Sweep == nil:
			return t.key, errors.New("there is no table for it to stand beside: add [sweep]")
		}
		if key, err := t.check(); err != nil {
			return key, err
		}
	}
	return "", nil
}

func (r *Recipe) checkScreen() (string, error) {
	if r.Screen.Bank == r.Judge.Bank {
		return "screen.bank", fmt.Errorf("%q: the judge has it; want other subjects", r.Screen.Bank)
	}
	return r.bank("screen.bank", r.Screen.Bank)
}

func (r *Recipe) checkRefit() (string, error) {
	if r.Refit.Bank == "" {
		r.Refit.Bank = r.Judge.Bank
	}
	switch {
	case r.Refit.Bank != r.Judge.Bank:
		return "refit.bank", fmt.Errorf("%q: want the judge's, %q", r.Refit.Bank, r.Judge.Bank)
	case len(r.Refit.Also) > 0:
		return "refit.also", errors.New("only forms of the searches are fitted again; name models in judge.also")
	case slices.Equal(r.Refit.effective().sampler(), r.Judge.effective().sampler()):
		return "refit", errors.New("the fits are the judge's: want longer chains")
	}
	return "", nil
}

func (r *Recipe) checkNewRows() (string, error) {
	const key = "new_rows.bank"
	if r.Teacher == nil {
		return "new_rows", errors.New("there is no teacher to score them: add [teacher]")
	}
	if key, err := r.bank(key, r.NewRows.Bank); err != nil {
		return key, err
	}
	b := r.Banks[r.NewRows.Bank]
	if b.Role != "" && b.Role != searchRole {
		return key, fmt.Errorf("%q: of role %s; want %s", r.NewRows.Bank, b.Role, searchRole)
	}
	for _, searched := range r.searchBanks() {
		if b == searched || b.seed() != 0 && b.seed() == searched.seed() {
			return key, fmt.Errorf("%q: searches see its subjects; want another seed", r.NewRows.Bank)
		}
	}
	return "", nil
}

// searchBanks are the banks that searches learn from.
func (r *Recipe) searchBanks() []Bank {
	banks := []Bank{{Path: searchRole}}
	if r.Search.Rows != "" {
		banks[0] = r.Banks[r.Search.Rows]
	}
	if u := r.Search.Ungrouped; u != nil {
		banks = append(banks, r.Banks[u.Bank])
	}
	return banks
}
