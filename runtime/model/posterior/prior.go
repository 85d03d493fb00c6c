package posterior

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/num/notation"
)

// Prior is a density over one parameter, on the parameter's own scale. If the parameter's range is narrower than the prior's support, the
// prior is truncated. The constant that truncation adds to the log density is omitted, because it changes neither draws nor modes.
// The zero Prior is uniform over the range.
type Prior struct {
	family   *family
	args     arguments
	constant float64 // log of the normalising constant over the whole support
}

// IsFlat reports whether the prior is the zero Prior, uniform over the range.
func (p *Prior) IsFlat() bool { return p.family == nil }

// LogDensity returns the log density at x, normalised over the whole support, and its derivative. x must lie in Support.
func (p *Prior) LogDensity(x float64) (value, slope float64) {
	if p.family == nil {
		return 0, 0
	}
	value, slope = p.family.density(x, &p.args)
	return value + p.constant, slope
}

// Support returns the interval where the density is positive.
func (p *Prior) Support() (low, high float64) {
	if p.family == nil {
		return math.Inf(-1), math.Inf(1)
	}
	return p.family.support(&p.args)
}

// Mass returns the share of the prior that lies between two numbers, from 0 to 1; 1 for the zero Prior.
func (p *Prior) Mass(low, high float64) float64 {
	from, to := p.Support()
	low, high = max(low, from), min(high, to)
	switch {
	case p.family == nil:
		return 1
	case !(low < high):
		return 0
	}
	below, beyond := 0.0, 0.0 // P(X ≤ low) and P(X > high)
	if low > from {
		var above float64
		if below, above = p.family.tails(low, &p.args); above < 0.5 { // low is in the upper tail: differences of P(X > x) are accurate
			if high < to {
				_, beyond = p.family.tails(high, &p.args)
			}
			return max(above-beyond, 0)
		}
	}
	if high < to {
		upTo, above := p.family.tails(high, &p.args)
		if upTo < 0.5 { // high is in the lower tail: differences of P(X ≤ x) are accurate
			return max(upTo-below, 0)
		}
		beyond = above
	}
	return max(1-below-beyond, 0)
}

// String writes the prior as ParsePrior reads it.
func (p Prior) String() string {
	if p.family == nil {
		return "uniform"
	}
	text := p.family.name + "("
	for i, arg := range p.family.args {
		name, _, _ := strings.Cut(arg, "|")
		text += name + "=" + strconv.FormatFloat(p.args[i], 'g', -1, 64) + ","
	}
	return strings.TrimSuffix(text, ",") + ")"
}

// otherNames maps other programs' names of families to likc's. Names are in the form that plain returns.
var otherNames = map[string]string{"truncatednormal": "truncnormal", "student": "studentt"}

// plain removes the characters that are optional in the name of a family.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// ParsePrior reads a prior: a name and its arguments, by position or by name. Case, hyphens and underscores of the name do
// not matter.
//
//	uniform                       flat over the parameter's range (the default)
//	uniform(low, high)
//	normal(mean, sd)
//	truncnormal(mean, sd, low, high)   or truncated_normal; low may be -inf, high inf
//	lognormal(mu, sigma)          mean and sd of the logarithm
//	student_t(nu, mu, sigma)
//	cauchy(location, scale)
//	halfnormal(sd)
//	halfcauchy(scale)
//	gamma(shape, rate)            or gamma(mean=1.5, sd=0.75)
//	beta(alpha, beta)
//	exponential(rate)
//	weibull(shape, scale)
func ParsePrior(text string) (Prior, error) {
	name, inside, hasArgs := strings.Cut(strings.TrimSpace(text), "(")
	name = plain(name)
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if name == "uniform" && !hasArgs {
		return Prior{}, nil
	}
	i := slices.IndexFunc(families, func(f family) bool { return plain(f.name) == name })
	if i < 0 {
		return Prior{}, fmt.Errorf("prior %q: %q is none of %s", text, name, FamilyNames())
	}
	f := &families[i]
	inside, closed := strings.CutSuffix(strings.TrimSpace(inside), ")")
	if !hasArgs || !closed {
		return Prior{}, fmt.Errorf("prior %q: write %s", text, f.usage())
	}
	args, err := f.parseArgs(inside)
	if err != nil {
		return Prior{}, fmt.Errorf("prior %q: %w", text, err)
	}
	p := Prior{family: f, args: args}
	if wrong := f.check(&p.args); wrong != "" {
		return Prior{}, fmt.Errorf("prior %q: %s", text, wrong)
	}
	p.constant = f.norm(&p.args)
	return p, nil
}

// FamilyNames lists the names of all families of priors.
func FamilyNames() string {
	names := make([]string, len(families))
	for i := range families {
		names[i] = families[i].name
	}
	return strings.Join(names, ", ")
}

// usage returns the syntax of the family, such as normal(mean, sd).
func (f *family) usage() string {
	names := make([]string, len(f.args))
	for i, arg := range f.args {
		names[i], _, _ = strings.Cut(arg, "|")
	}
	return f.name + "(" + strings.Join(names, ", ") + ")"
}

// parseArgs parses the numbers between the parentheses.
func (f *family) parseArgs(inside string) (args arguments, err error) {
	fields := strings.Split(inside, ",")
	if len(fields) != len(f.args) {
		return args, fmt.Errorf("%s where %s has %d", notation.Count(len(fields), "argument"), f.usage(), len(f.args))
	}
	var given [len(args)]string
	for i, field := range fields {
		key, number, named := strings.Cut(field, "=")
		if !named {
			key, number = "", field
		}
		given[i] = strings.ToLower(strings.TrimSpace(key))
		if args[i], err = f.parseNumber(strings.TrimSpace(number)); err != nil {
			return args, err
		}
	}
	if given == [len(args)]string{} {
		return args, nil
	}
	return f.byName(given, args)
}

// parseNumber parses a number; it accepts an infinite one only for a family whose ends may be infinite.
func (f *family) parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) && f.name != "truncnormal" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return x, nil
}

// byName returns named arguments in the order of the family's. gamma may also be given by its mean and sd.
func (f *family) byName(given [4]string, args arguments) (placed arguments, err error) {
	if in, ok := placeArguments(f.args, given, args); ok {
		return in, nil
	}
	if in, ok := placeArguments([]string{"mean|mu", "sd|sigma"}, given, args); ok && f.name == "gamma" {
		mean, sd := in[0], in[1]
		if !(mean > 0 && sd > 0) {
			return args, fmt.Errorf("mean and sd must be positive")
		}
		return arguments{mean / sd * mean / sd, mean / sd / sd}, nil
	}
	return args, fmt.Errorf("arguments %q are not those of %s", given[:len(f.args)], f.usage())
}

// placeArguments returns args in the order of names, if each name is given exactly once; otherwise ok is false.
func placeArguments(names []string, given [4]string, args arguments) (placed arguments, ok bool) {
	for i, name := range names {
		k := slices.IndexFunc(given[:len(names)], func(g string) bool {
			return g != "" && slices.Contains(strings.Split(name, "|"), g)
		})
		if k < 0 {
			return placed, false
		}
		placed[i] = args[k]
	}
	return placed, true
}
