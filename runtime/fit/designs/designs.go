// Package designs has studies whose true parameters are known: what a user gives to likc fit, and how parameters and trials come
// about. Tests simulate a study, fit it as its user would, and compare every cell and contrast with the truth, on the scale of the
// parameters themselves.
//
//	Design ─Draw─▶ Study {Table, At(param, cell), Contrasts} ─likc fit─▶ cells.csv, likc contrast ─▶ is the truth inside the interval?
//
// True values are drawn anew for each study, from ranges in which real participants lie, and not from the priors of the fit: so
// intervals cover too seldom where the priors are too narrow.
package designs

import "math"

// Design is a study: the arguments of likc fit, the columns of its data, and how its parameters come about.
type Design struct {
	Name  string
	Model string   // model that is fitted, as likc fit names it
	From  string   // the process that simulates the trials, as likc names it; "" for Model
	Args  []string // arguments of likc fit, behind the model and the data
	Long  bool     // its fit takes more than some seconds: it is left to the long suite

	People  int // participants; one has no column id
	Trials  int // number of trials of each participant in each combination of the factors
	Factors []Factor
	Groups  []Grouping
	Numbers []Number
	Params  []Param    // parameters of the process, in its order
	Asked   []Contrast // beside the cells

	Lapses    float64 // share of trials whose time is uniform on [0, LapseEnd] seconds, and whose choices are equally frequent
	Deadline  float64 // seconds after which a response is withheld; 0 for none
	Withheld  float64 // the choice that participants make by not responding, as in go/no-go tasks; 0 for none
	Signalled bool    // a quarter of the trials has a stop signal, in a column ssd
}

// LapseEnd is the end of the window of lapses, in seconds: hardly any response comes later.
const LapseEnd = 15.0

// Factor is a column of labels whose levels are crossed within each participant, or of which each participant has one.
type Factor struct {
	Name    string
	Levels  []string
	Between bool
}

// Grouping is a column of labels beside the participants: of trials, such as items, or of participants, such as schools.
type Grouping struct {
	Name     string
	Levels   int
	OfPeople bool
}

// Number is a column of numbers, normal over the trials.
type Number struct {
	Name     string
	Mean, SD float64
}

// Param says how a parameter comes about. Its value in each combination of the levels of By is uniform on [Low, High]; slopes and
// offsets are added on the scale of its link.
type Param struct {
	Name      string
	Low, High float64
	Link      Link
	By        []string // factors
	Slopes    []Slope
	Offsets   []Offset
}

// Slope is the coefficient of a column of numbers: uniform on [-Most, Most] for each unit of the column.
type Slope struct {
	Column string
	Most   float64
	Fixed  float64 // the coefficient itself, where it is not 0: an offset
}

// Offset says that levels of a grouping differ: by normal offsets with a standard deviation that is uniform on [Low, High]. With
// Of, a column of numbers, the offsets are of its slope; with Of, a factor, each of its levels has its own.
type Offset struct {
	By        string
	Of        string
	Low, High float64
}

// Contrast is a difference of two cells of a parameter, for the population.
type Contrast struct {
	Param string
	A, B  map[string]string // levels of the factors
}

// Link is the scale on which slopes and offsets are added; its zero value is the parameter's own.
type Link struct {
	Log       bool
	Low, High float64 // ends of a logit; equal for none
}

// To returns the place of a parameter on the scale of the link.
func (l Link) To(x float64) float64 {
	switch {
	case l.Log:
		return math.Log(x)
	case l.Low < l.High:
		return math.Log((x - l.Low) / (l.High - x))
	}
	return x
}

// From returns the parameter whose place on the scale of the link is eta.
func (l Link) From(eta float64) float64 {
	switch {
	case l.Log:
		return math.Exp(eta)
	case l.Low < l.High:
		return l.Low + (l.High-l.Low)/(1+math.Exp(-eta))
	}
	return eta
}
