package audit

import (
	"fmt"

	"likc/runtime/model/lapse"
	"likc/runtime/sys/settings"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// Settings are everything on which results depend, except the model and the bank.
type Settings struct {
	Guesses Guesses   `json:"guesses"`
	Shares  []float64 `json:"shares"` // shares of guesses, 0 first
	Sample  int       `json:"sample" flag:"sample" default:"100000" in:"[100,10000000]" help:"simulated trials a subject, where there is no exact density"`
	Seed    uint64    `json:"seed" flag:"seed" default:"1" help:"seed of guesses, samples and fits"`
	Lapse   string    `json:"lapse,omitempty" flag:"lapse" value:"P|PRIOR" help:"P|PRIOR: fit the model mixed with lapses, of this probability (0.05) or with this prior of it ('beta(1,20)')"`
}

// mostShares is the largest number of shares of guesses.
const mostShares = 100

// Check returns an error for a setting that is not allowed. Errors begin with the name of its flag.
func (s *Settings) Check() error {
	g := &s.Guesses
	switch {
	case !(g.From > 0 && g.From < g.To && g.To < bank.Latest):
		return fmt.Errorf("window [%v %v]: want FROM,TO in seconds, 0 < FROM < TO < %v", g.From, g.To, bank.Latest)
	case g.AfterOnset && g.OfOnset:
		return fmt.Errorf("after-onset and --of-onset: want one of them")
	case len(s.Shares) > mostShares:
		return fmt.Errorf("guesses: %d shares; want %d at most", len(s.Shares), mostShares)
	}
	if s.Lapse != "" {
		if _, err := lapse.ParseProbability(s.Lapse); err != nil {
			return err
		}
	}
	for i, share := range s.Shares {
		if !(share > 0 && share < 1) && !(share == 0 && i == 0) {
			return fmt.Errorf("guesses %v: want shares between 0 and 1", share)
		}
	}
	return settings.Check(s)
}

// Judge returns the settings of the fits.
func (s Settings) Judge() judge.Settings {
	fits := judge.DefaultSettings()
	fits.Seed = s.Seed
	return fits
}
