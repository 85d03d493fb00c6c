package audit

import (
	"regexp"
	"testing"
)

func TestSettingsHaveBounds(t *testing.T) {
	good := Settings{Guesses: Guesses{From: 0.1, To: 0.3}, Shares: []float64{0, 0.01}, Sample: 1000}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *Settings){
		`^window \[0\.3 0\.3\]: want FROM,TO`: func(s *Settings) { s.Guesses.From = 0.3 },
		`^window \[0\.1 1e\+09\]: want`:       func(s *Settings) { s.Guesses.To = 1e9 },
		`^after-onset and --of-onset: want`:   func(s *Settings) { s.Guesses.AfterOnset, s.Guesses.OfOnset = true, true },
		`^sample 99: want 100 to`:             func(s *Settings) { s.Sample = 99 },
		`^sample 10000001: want 100 to`:       func(s *Settings) { s.Sample = 10_000_001 },
		`^guesses 0: want`:                    func(s *Settings) { s.Shares = []float64{0, 0} },
		`^guesses 1: want`:                    func(s *Settings) { s.Shares = []float64{0, 1} },
		`^guesses: 101 shares`:                func(s *Settings) { s.Shares = make([]float64, 101) },
	} {
		s := good
		change(&s)
		if err := s.Check(); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
