package posterior

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Prior is a density over one parameter, on the parameter's own scale. On a range that is narrower than its support it
// is truncated: the constant that truncation adds is left out, as it moves neither draws nor modes. The zero Prior is
// uniform over the range.
type Prior struct {
	family   *family
	a, b     float64
	constant float64 // log of the normalising constant over the whole support
}

// family is one row of the table of priors.
type family struct {
	name    string
	args    []string // names of the arguments, with their synonyms after a bar
	support [2]float64
	check   func(a, b float64) string // what is wrong with the arguments, or ""
	norm    func(a, b float64) float64
	density func(x, a, b float64) (value, slope float64) // log density but for the constant, and its derivative
}

var families = []family{
	{"uniform", []string{"low|lower", "high|upper"}, [2]float64{math.Inf(-1), math.Inf(1)},
		func(a, b float64) string { return unless(a < b, "low must be below high") },
		func(a, b float64) float64 { return -math.Log(b - a) },
		func(x, a, b float64) (float64, float64) { return 0, 0 }},
	{"normal", []string{"mean|mu", "sd|sigma"}, [2]float64{math.Inf(-1), math.Inf(1)},
		func(_, sd float64) string { return unless(sd > 0, "sd must be positive") },
		func(_, sd float64) float64 { return -math.Log(sd) - math.Log(2*math.Pi)/2 },
		func(x, mean, sd float64) (float64, float64) { z := (x - mean) / sd; return -z * z / 2, -z / sd }},
	{"halfnormal", []string{"sd|sigma"}, [2]float64{0, math.Inf(1)},
		func(sd, _ float64) string { return unless(sd > 0, "sd must be positive") },
		func(sd, _ float64) float64 { return -math.Log(sd) + math.Log(2/math.Pi)/2 },
		func(x, sd, _ float64) (float64, float64) { z := x / sd; return -z * z / 2, -z / sd }},
	{"halfcauchy", []string{"scale|beta"}, [2]float64{0, math.Inf(1)},
		func(scale, _ float64) string { return unless(scale > 0, "scale must be positive") },
		func(scale, _ float64) float64 { return math.Log(2 / (math.Pi * scale)) },
		func(x, scale, _ float64) (float64, float64) {
			return -math.Log1p(x / scale * x / scale), -2 * x / (scale*scale + x*x)
		}},
	{"gamma", []string{"shape|alpha", "rate|beta"}, [2]float64{0, math.Inf(1)},
		func(shape, rate float64) string {
			return unless(shape > 0 && rate > 0, "shape and rate must be positive")
		},
		func(shape, rate float64) float64 { return shape*math.Log(rate) - logGamma(shape) },
		func(x, shape, rate float64) (float64, float64) {
			return (shape-1)*math.Log(x) - rate*x, (shape-1)/x - rate
		}},
	{"beta", []string{"alpha|a", "beta|b"}, [2]float64{0, 1},
		func(a, b float64) string { return unless(a > 0 && b > 0, "alpha and beta must be positive") },
		func(a, b float64) float64 { return logGamma(a+b) - logGamma(a) - logGamma(b) },
		func(x, a, b float64) (float64, float64) {
			return (a-1)*math.Log(x) + (b-1)*math.Log1p(-x), (a-1)/x - (b-1)/(1-x)
		}},
	{"exponential", []string{"rate|lambda"}, [2]float64{0, math.Inf(1)},
		func(rate, _ float64) string { return unless(rate > 0, "rate must be positive") },
		func(rate, _ float64) float64 { return math.Log(rate) },
		func(x, rate, _ float64) (float64, float64) { return -rate * x, -rate }},
	{"weibull", []string{"shape|alpha", "scale|beta"}, [2]float64{0, math.Inf(1)},
		func(shape, scale float64) string {
			return unless(shape > 0 && scale > 0, "shape and scale must be positive")
		},
		func(shape, scale float64) float64 { return math.Log(shape / scale) },
		func(x, shape, scale float64) (float64, float64) {
			power := math.Pow(x/scale, shape)
			return (shape-1)*math.Log(x/scale) - power, (shape - 1 - shape*power) / x
		}},
}

func unless(ok bool, what string) string {
	if ok {
		return ""
	}
	return what
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// LogDensity returns the log density at x, normalised over the whole support, and its derivative. x must lie in Support.
func (p *Prior) LogDensity(x float64) (value, slope float64) {
	if p.family == nil {
		return 0, 0
	}
	value, slope = p.family.density(x, p.a, p.b)
	return value + p.constant, slope
}

// Support is where the density is positive.
func (p *Prior) Support() (low, high float64) {
	switch {
	case p.family == nil:
		return math.Inf(-1), math.Inf(1)
	case p.family.name == "uniform":
		return p.a, p.b
	}
	return p.family.support[0], p.family.support[1]
}

// String is the form that ParsePrior reads.
func (p Prior) String() string {
	if p.family == nil {
		return "uniform"
	}
	text := p.family.name + "("
	for i, arg := range p.family.args {
		name, _, _ := strings.Cut(arg, "|")
		text += name + "=" + strconv.FormatFloat([]float64{p.a, p.b}[i], 'g', -1, 64) + ","
	}
	return strings.TrimSuffix(text, ",") + ")"
}

// ParsePrior reads a prior: a name and its arguments, by position or by name.
//
//	uniform                       flat over the parameter's range (the default)
//	uniform(low, high)
//	normal(mean, sd)
//	halfnormal(sd)                also half-normal, half_normal
//	halfcauchy(scale)
//	gamma(shape, rate)            or gamma(mean=1.5, sd=0.75)
//	beta(alpha, beta)
//	exponential(rate)
//	weibull(shape, scale)
func ParsePrior(text string) (Prior, error) {
	name, inside, hasArgs := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(name)))
	if name == "uniform" && !hasArgs {
		return Prior{}, nil
	}
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return Prior{}, fmt.Errorf("prior %q: %q is none of %s", text, name, familyNames())
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
	p := Prior{family: f, a: args[0], b: args[1]}
	if wrong := f.check(p.a, p.b); wrong != "" {
		return Prior{}, fmt.Errorf("prior %q: %s", text, wrong)
	}
	p.constant = f.norm(p.a, p.b)
	return p, nil
}

func familyNames() string {
	names := make([]string, len(families))
	for i := range families {
		names[i] = families[i].name
	}
	return strings.Join(names, ", ")
}

// usage is how to write the family: normal(mean, sd).
func (f *family) usage() string {
	names := make([]string, len(f.args))
	for i, arg := range f.args {
		names[i], _, _ = strings.Cut(arg, "|")
	}
	return f.name + "(" + strings.Join(names, ", ") + ")"
}

// parseArgs reads the numbers between the parentheses.
func (f *family) parseArgs(inside string) (args [2]float64, err error) {
	fields := strings.Split(inside, ",")
	if len(fields) != len(f.args) {
		return args, fmt.Errorf("%d arguments where %s has %d", len(fields), f.usage(), len(f.args))
	}
	var given [2]string
	for i, field := range fields {
		key, number, named := strings.Cut(field, "=")
		if !named {
			key, number = "", field
		}
		given[i] = strings.ToLower(strings.TrimSpace(key))
		args[i], err = strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || math.IsNaN(args[i]) || math.IsInf(args[i], 0) {
			return args, fmt.Errorf("%q is not a number", strings.TrimSpace(number))
		}
	}
	if given == [2]string{} {
		return args, nil
	}
	return f.byName(given, args)
}

// byName puts named arguments in their places. gamma may also be given by its mean and sd.
func (f *family) byName(given [2]string, args [2]float64) (placed [2]float64, err error) {
	if in, ok := place(f.args, given, args); ok {
		return in, nil
	}
	if in, ok := place([]string{"mean|mu", "sd|sigma"}, given, args); ok && f.name == "gamma" {
		mean, sd := in[0], in[1]
		if !(mean > 0 && sd > 0) {
			return args, fmt.Errorf("mean and sd must be positive")
		}
		return [2]float64{mean / sd * mean / sd, mean / sd / sd}, nil
	}
	return args, fmt.Errorf("arguments %q are not those of %s", given[:len(f.args)], f.usage())
}

func place(names []string, given [2]string, args [2]float64) (placed [2]float64, ok bool) {
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
