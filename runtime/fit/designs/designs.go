// Package designs has studies with known true parameters. It holds the arguments and data of likc fit for each, and simulates
// parameters and trials. Tests simulate a study, fit it as its user would, and compare every cell and contrast with the truth, on
// the scale of the parameters themselves.
//
//	Design ─Draw─▶ Study {Table, At(param, cell), Contrasts} ─likc fit─▶ cells.csv, likc contrast ─▶ is the truth inside the interval?
//
// The true values of each study are drawn from ranges that are typical of real participants, not from the priors of the fit. So
// intervals cover too rarely if the priors are too narrow.
package designs

import "math"

// Design describes a study: the arguments of likc fit, the columns of its data, and how its true parameters are drawn.
type Design struct {
	Name  string
	Model string   // name of the model to fit
	From  string   // name of the process that simulates the trials; "" for Model
	Args  []string // arguments of likc fit after the model and the data
	Long  bool     // whether the fit takes more than a few seconds, so that only the long test suite runs it

	People  int        // number of participants; with one, there is no column id
	Trials  int        // number of trials of each participant in each combination of the factors
	Factors []Factor   // columns of labels with effects of their own
	Groups  []Grouping // columns of labels with random effects, besides the participants
	Numbers []Number   // columns of numbers
	Params  []Param    // parameters of the simulated process, in its order
	Asked   []Contrast // contrasts to test, besides the cells

	Lapses    float64 // share of trials that are lapses, with times uniform on [0, LapseEnd] seconds and equally frequent choices
	Deadline  float64 // seconds after which there is no response; 0 for none
	Withheld  float64 // the choice that participants express by not responding, as in go/no-go tasks; 0 for none
	Signalled bool    // whether a quarter of the trials has a stop signal, with its delay in the column ssd
}

// LapseEnd is the end of the window of lapses, in seconds. Almost no response comes later.
const LapseEnd = 15.0

// Factor is a column of labels. If Between is false, each participant has trials with each level; otherwise each participant has
// one level.
type Factor struct {
	Name    string
	Levels  []string
	Between bool
}

// Grouping is a column of labels with random effects, besides the participants. Its levels are sets of trials, such as items, or,
// with OfPeople, sets of participants, such as schools.
type Grouping struct {
	Name     string
	Levels   int  // number of levels
	OfPeople bool // whether the levels are sets of participants
}

// Number is a column of numbers, normal over the trials.
type Number struct {
	Name     string
	Mean, SD float64
}

// Param says how a true parameter is drawn. For each combination of the levels of By, its value is uniform on [Low, High]. Slopes
// and offsets are added on the scale of its link.
type Param struct {
	Name      string
	Low, High float64
	Link      Link     // the scale on which slopes and offsets are added
	By        []string // names of the factors on which the value depends
	Slopes    []Slope  // effects of columns of numbers
	Offsets   []Offset // differences between participants, or between levels of other groupings
}

// Slope is the coefficient of a column of numbers. It is uniform on [-Most, Most], per unit of the column.
type Slope struct {
	Column string
	Most   float64 // largest absolute value of the coefficient
	Fixed  float64 // the coefficient itself, as for an offset() term that the fit knows; 0 for a random coefficient
}

// Offset makes a parameter differ between the levels of a grouping. The offsets are normal with a standard deviation that is uniform
// on [Low, High]. If Of is a column of numbers, they are offsets of its slope; if Of is a factor, each of its levels has its own
// offsets.
type Offset struct {
	By        string  // name of the grouping; id for participants
	Of        string  // the column whose effect differs between the levels; "" for the parameter itself
	Low, High float64 // range of the standard deviation
}

// Contrast is a difference of two cells of a parameter, for the population.
type Contrast struct {
	Param string
	A, B  map[string]string // the levels of the factors in each cell
}

// Link is the scale on which slopes and offsets are added. The zero value is the parameter's own scale.
type Link struct {
	Log       bool    // whether the link is the logarithm
	Low, High float64 // ends of a logit's range; both 0 for no logit
}

// To returns a parameter's value on the scale of the link.
func (l Link) To(x float64) float64 {
	switch {
	case l.Log:
		return math.Log(x)
	case l.Low < l.High:
		return math.Log((x - l.Low) / (l.High - x))
	}
	return x
}

// From returns the parameter whose value on the scale of the link is eta.
func (l Link) From(eta float64) float64 {
	switch {
	case l.Log:
		return math.Exp(eta)
	case l.Low < l.High:
		return l.Low + (l.High-l.Low)/(1+math.Exp(-eta))
	}
	return eta
}
