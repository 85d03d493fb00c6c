package hierarchy

import "fmt"

// Form is the parameterisation of group effects: how the coordinates that the sampler moves determine the coefficients of levels.
type Form string

// These are the forms. With Centred, a coordinate is the coefficient of a level: mean plus offset. With NonCentred, it is the offset
// divided by its spread. Auto chooses for each level and effect, by the information in their data; see Prepare.
const (
	Auto       Form = "auto"
	Centred    Form = "centred"
	NonCentred Form = "non-centred"
)

// ParseForm parses the name of a form.
func ParseForm(name string) (Form, error) {
	switch f := Form(name); f {
	case Auto, Centred, NonCentred:
		return f, nil
	}
	return "", fmt.Errorf("%q: want auto, centred or non-centred", name)
}

// share returns how far coordinates are centred before the data are considered: 0 is non-centred, 1 is centred.
func (f Form) share() float64 {
	if f == Centred {
		return 1
	}
	return 0
}
