package expr

import "slices"

// Lapse says that a share of the trials are lapses: their response times are uniform from 0 to Until, in seconds, and their choices are
// equally frequent.
type Lapse struct{ Probability, Until float64 }

// Binding is a binding function. With one, the log density is evaluated at other parameters than the model's own: each is the
// model's parameter plus a shift, and each shift is a polynomial of the inputs. With a tilt, another polynomial, the log
// density also falls by tilt · (seconds since the onset) before it is normalised. Package binding evaluates the function.
type Binding struct {
	Inputs []*Expr        // functions of the parameters whose values are in [-1, 1], or nearly, over the parameters' ranges
	Shifts []BindingShift // shifts of parameters
	Tilt   []BindingTerm  // nil for no tilt
}

// BindingShift is the polynomial that is added to a parameter.
type BindingShift struct {
	Param string
	Terms []BindingTerm
}

// BindingTerm is a coefficient times a product of Chebyshev polynomials: one for each input, of the given degree.
type BindingTerm struct {
	Coefficient float64
	Degrees     []int
}

// MostDegree is the highest degree of a polynomial in a [BindingTerm].
const MostDegree = 32

// Polynomials returns the polynomials of the shifts in their order, then that of the tilt if there is one.
func (b *Binding) Polynomials() (all [][]BindingTerm) {
	for _, s := range b.Shifts {
		all = append(all, s.Terms)
	}
	if b.Tilt != nil {
		all = append(all, b.Tilt)
	}
	return all
}

// Coefficients returns the number of terms in all polynomials.
func (b *Binding) Coefficients() (n int) {
	for _, p := range b.Polynomials() {
		n += len(p)
	}
	return n
}

func (b *Binding) equal(o *Binding) bool {
	if b == nil || o == nil {
		return b == o
	}
	same := func(x, y []BindingTerm) bool {
		return (x == nil) == (y == nil) && slices.EqualFunc(x, y, func(s, t BindingTerm) bool {
			return s.Coefficient == t.Coefficient && slices.Equal(s.Degrees, t.Degrees)
		})
	}
	return slices.EqualFunc(b.Inputs, o.Inputs, (*Expr).Equal) && same(b.Tilt, o.Tilt) &&
		slices.EqualFunc(b.Shifts, o.Shifts, func(x, y BindingShift) bool { return x.Param == y.Param && same(x.Terms, y.Terms) })
}

func (l *Lapse) equal(o *Lapse) bool { return l == o || l != nil && o != nil && *l == *o }
