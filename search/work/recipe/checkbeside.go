package recipe

import (
	"errors"
	"fmt"
	"slices"

	"likc/search/study/bank"
)

// subjects returns the role and seed of a bank, which determine its subjects. For a bank that exists already, they are known only if
// it is distributed with the program under its role's name: its seed is 1.
func (b Bank) subjects() (role string, seed uint64, known bool) {
	if b.Path == "" {
		return b.Role, max(1, b.Seed), true
	}
	_, err := bank.RoleNamed(b.Path)
	return b.Path, 1, err == nil
}

// shares reports whether two banks are known to have subjects in common.
func (b Bank) shares(other Bank) bool {
	role, seed, known := b.subjects()
	otherRole, otherSeed, otherKnown := other.subjects()
	return b == other || known && otherKnown && role == otherRole && seed == otherSeed
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
	if b := r.Banks[u.Bank]; b.Role != bank.SearchRows || b.Trials != 1 { // settings of an existing bank are unknown
		return "search.ungrouped.bank", fmt.Errorf("%q: want a bank to make, of role %s with trials = 1", u.Bank, bank.SearchRows)
	}
	return "", nil
}

// checkCompared checks the tables [screen], [refit] and [new_rows], whose results are compared with the sweep's.
func (r *Recipe) checkCompared() (string, error) {
	for _, t := range []struct {
		key   string
		given bool // whether the recipe has the table
		check func() (string, error)
	}{{"screen", r.Screen != nil, r.checkScreen}, {"refit", r.Refit != nil, r.checkRefit}, {"new_rows", r.NewRows != nil, r.checkNewRows}} {
		switch {
		case !t.given:
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
	const key = "screen.bank"
	if key, err := r.bank(key, r.Screen.Bank); err != nil {
		return key, err
	}
	if r.Banks[r.Screen.Bank].shares(r.Banks[r.Judge.Bank]) {
		return key, fmt.Errorf("%q: the judge has its subjects; want others", r.Screen.Bank)
	}
	return "", nil
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
	if b.Role != "" && b.Role != bank.SearchRows {
		return key, fmt.Errorf("%q: of role %s; want %s", r.NewRows.Bank, b.Role, bank.SearchRows)
	}
	if slices.ContainsFunc(r.searchBanks(), b.shares) {
		return key, fmt.Errorf("%q: searches see its subjects; want another seed", r.NewRows.Bank)
	}
	return "", nil
}

// searchBanks returns the banks from which searches learn.
func (r *Recipe) searchBanks() []Bank {
	banks := []Bank{{Path: bank.SearchRows}}
	if r.Search.Rows != "" {
		banks[0] = r.Banks[r.Search.Rows]
	}
	if u := r.Search.Ungrouped; u != nil {
		banks = append(banks, r.Banks[u.Bank])
	}
	return banks
}
