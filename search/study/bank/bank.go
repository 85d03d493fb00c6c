// Package bank simulates subjects and stores them on disk. Their parameters are uniform over the model's ranges. A bank has a role,
// which says what it may be used for, and SHA-256 sums, which show whether it has changed.
//
// A bank is a folder of four files:
//
//	subjects.parquet   one row per subject: subject, the true parameters (doubles,
//	                   one column each), trials, dropped, reflected
//	trials.parquet     one row per trial: subject, rt (double, seconds), choice (+1 and -1,
//	                   or 0, 1, …; 1 in all rows of a model of one response); without rt
//	                   for models of choices only
//	bank.json          the settings; they make the same bytes again
//	MANIFEST.sha256    the sums of the other three, in the format of sha256sum
//
// The trials of some models depend on columns or on one another. A bank of such a model has these columns in trials.parquet too:
// see [Design]. To make the same bytes again, its settings need the data file whose SHA-256 sum they hold.
//
// Banks of other programs can be read too. The bank.json of such a bank has only its role and its model, as {"role": "gate-100",
// "model": "m.lik"}, with the .lik file in the same folder. The folder also has the tables subjects (subject and the parameters)
// and trials (subject, rt, choice), as .parquet, .csv or .csv.gz. It has no manifest.
//
// Parameters and response times are rounded to multiples of 2⁻³⁰ of their unit; for times this is about a nanosecond. Then rt - t
// is exact in floating point, and the files are half as large, because they do not store digits that no clock measures.
package bank

import "likc/runtime/sys/store"

// These are the files of a bank.
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

// Subject is one parameter vector and its trials.
type Subject struct {
	ID     int       // number of the subject, distinct within the bank's group: see Role
	Theta  []float64 // the true parameters, in the model's order
	RT     []float64 // response times in seconds
	Choice []float64 // codes of the choices: +1 upper and -1 lower, or 0, 1, …; always 1 for a model of one response

	Columns [][]float64 // the columns of the bank's design, with a value for each trial; nil without a design

	Dropped   int  // number of simulated trials that were not finite or not in (0, 20) s
	Reflected bool // whether Theta is the reflection of the parameters that were drawn, with the choices exchanged
}

// Counts are the totals over a bank's subjects.
type Counts struct {
	Kept      int `json:"kept"`      // number of trials in the bank
	Dropped   int `json:"dropped"`   // number of simulated trials that were not finite or not in (0, 20) s
	Reflected int `json:"reflected"` // number of subjects that were replaced by their reflection
}

// count returns the totals over the subjects.
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
