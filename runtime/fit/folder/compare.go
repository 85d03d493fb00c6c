package folder

import (
	"fmt"
	"slices"

	"likc/runtime/fit/loo"
)

// Compare compares the fits in several folders by PSIS-LOO, the best first. In the rows, fits are named by their folders. It
// returns an error if the fits are of different trials.
func Compare(dirs []string) ([]loo.Row, error) {
	results := make([]*loo.Result, len(dirs))
	var first *Saved
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) {
			return nil, fmt.Errorf("%s: is named twice", dir)
		}
		s, err := Open(dir)
		if err != nil {
			return nil, err
		}
		if results[i], err = s.LOO(); err != nil {
			return nil, err
		}
		if first == nil {
			first = s
		} else if err := first.sameTrials(s); err != nil {
			return nil, err
		}
	}
	return loo.Compare(dirs, results)
}

// sameTrials returns an error if the trials of two fits differ.
func (s *Saved) sameTrials(other *Saved) error {
	if a, b := len(s.Subjects), len(other.Subjects); a != b {
		return fmt.Errorf("%s has %d subjects and %s has %d: only fits of the same trials can be compared", s.Dir, a, other.Dir, b)
	}
	for i, a := range s.Subjects {
		switch b := other.Subjects[i]; {
		case a.Subject != b.Subject:
			return fmt.Errorf("%s and %s: subject %d is %q in one and %q in the other: only fits of the same trials can be compared",
				s.Dir, other.Dir, i+1, a.Subject, b.Subject)
		case a.N != b.N:
			return fmt.Errorf("%s has %d trials and %s has %d: only fits of the same trials can be compared", s.Path(a), a.N, other.Path(b), b.N)
		case !a.SameTrials(&b.Prediction) && (a.Trials == "") != (b.Trials == ""):
			older := s.Path(a)
			if a.Trials != "" {
				older = other.Path(b)
			}
			return fmt.Errorf("%s and %s: the response times or the codes of the choices differ, and an older version of likc fitted %s, which kept no labels: "+
				"if the trials are the same, fit it again", s.Path(a), other.Path(b), older)
		case !a.SameTrials(&b.Prediction):
			return fmt.Errorf("%s and %s were fitted to different response times or choices: only fits of the same trials can be compared",
				s.Path(a), other.Path(b))
		}
	}
	return nil
}
