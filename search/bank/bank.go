// Package bank keeps banks of simulated subjects on disk: parameters drawn
// uniformly from the model's ranges, trials simulated at them, a role that says
// what the bank is for, and SHA-256 sums that say whether it is still the same.
//
// A bank is a folder of four files:
//
//	subjects.parquet   a row a subject: subject, the true parameters (doubles,
//	                   one column each), trials, dropped, reflected
//	trials.parquet     a row a trial: subject, rt (double, seconds), choice (+1/-1)
//	bank.json          the settings from which the same bytes can be made again
//	MANIFEST.sha256    the sums of the other three, as sha256sum writes them
//
// Parameters and response times are multiples of 2⁻³⁰ s (or unit), about one
// nanosecond: rt - t is then exact in floating point, and the files are half as
// large as with bits that no clock would measure.
package bank

import "likc/runtime/store"

// The files of a bank.
const (
	ManifestFile = store.ManifestFile
	SettingsFile = "bank.json"
	SubjectsFile = "subjects.parquet"
	TrialsFile   = "trials.parquet"
)

// Bank is a set of simulated subjects.
type Bank struct {
	Settings Settings
	Counts   Counts
	Subjects []Subject
}

// Subject is one parameter set and its trials.
type Subject struct {
	ID     int       // distinct within the bank's group: test-60 has 0 to 59, holdout-90 has 60 to 149
	Theta  []float64 // the true parameters, in the model's order
	RT     []float64 // response times in seconds
	Choice []float64 // +1 upper, -1 lower

	Dropped   int  // simulated trials that were not finite or not in (0, 20) s
	Reflected bool // whether Theta is the reflection of the parameters drawn, and Choice relabelled with it
}

// Counts are what came of the settings.
type Counts struct {
	Kept      int `json:"kept"`      // trials in the bank
	Dropped   int `json:"dropped"`   // simulated trials that were not finite or not in (0, 20) s
	Reflected int `json:"reflected"` // subjects replaced by their reflection
}

// count adds up over the subjects.
func count(subjects []Subject) Counts {
	var c Counts
	for _, s := range subjects {
		c.Kept += len(s.RT)
		c.Dropped += s.Dropped
		if s.Reflected {
			c.Reflected++
		}
	}
	return c
}
