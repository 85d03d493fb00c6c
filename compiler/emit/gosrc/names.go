package gosrc

import (
	"go/token"
	"math"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// style chooses names for Go that are neither keywords, nor predeclared, nor imported packages, nor names of the API.
var style = &plan.Style{
	Target:   expr.Go,
	Reserved: reserved,
	Allowed:  func(name string) bool { return token.IsIdentifier(name) && !assembler.MatchString(name) },
	Clean: func(name string) string {
		if !token.IsIdentifier(name) && !token.IsKeyword(name) {
			return "x"
		}
		return name
	},
	Ending: "_",
	Join:   func(first, second string) string { return first + title(second) },
	Results: func(n *plan.Names, outs int) []plan.Ref {
		var list []plan.Ref
		for range outs {
			list = append(list, plan.Ref{Kind: plan.Local, Name: n.Number("s")})
		}
		return list
	},
}

// Names returns a scope in which the reserved names are taken, so that no value of a model gets such a name.
func Names() *plan.Names { return plan.NewNames(style) }

// reserved are names that no value of a model may have: those of Go, the imports, the API, and local variables of the printed
// functions.
var reserved = strings.Fields(`
	any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64
	imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true
	uint uint16 uint32 uint64 uint8 uintptr
	init main math fmt errors
	Dim Params Lower Upper Data NewData LogDensity N LogLik LogLikGrad Likelihood Candidates
	UseTables tables tabulate
	Engine Portable AVX2 AVX512 Use engine fastest detect
	trials newTrials compensated spread checkColumns checkPositive checkNonNegative checkChoice checkNumbered checkTrials wrongLength
	logLikAt logLikGradAt logDensityAt binding integral chebyshev
	d g i n p q r err theta grad logLik side take columns _`)

// assembler matches names that assembly cannot use for variables: the registers of x86, the pseudo-registers, and
// the constants of textflag.h.
var assembler = regexp.MustCompile(`^([ABCD][HLX]|(SI|DI|BP|SP)B?|R([89]|1[0-5])B?|[FKM][0-7]|[XYZ]([0-9]|[12][0-9]|3[01])|` +
	`[C-G]S|SS|[GIL]DTR|[CD]R([0-9]|1[0-5])|TR[0-7]|TASK|MSW|TLS|FP|PC|SB|g|MAXREG|` +
	`NOPROF|DUPOK|NOSPLIT|RODATA|NOPTR|WRAPPER|NEEDCTXT|TLSBSS|NOFRAME|REFLECTMETHOD|TOPFRAME|ABIWRAPPER)$`)

// single is the name suffix of a value that is printed once. lanes are the four suffixes of a value that is printed for four
// trials.
var (
	single = []string{""}
	lanes  = []string{"A", "B", "C", "D"}
)

// title returns name with a capital first letter, for the second word of an identifier.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// identifiers returns names as Go code.
func identifiers(names []string) []jen.Code {
	var list []jen.Code
	for _, name := range names {
		list = append(list, jen.Id(name))
	}
	return list
}

// ref returns the Go expression of a number to which a plan refers.
func (u *unit) ref(r plan.Ref) jen.Code {
	switch r.Kind {
	case plan.Literal:
		return literal(r.Num)
	case plan.AtNode:
		return jen.Id(r.Name).Index(jen.Id("i"))
	case plan.OfData:
		return jen.Id("d").Dot(r.Name)
	case plan.OfGroup:
		return jen.Id("d").Dot(u.GroupNames[r.Group]).Dot(r.Name)
	case plan.Repeated:
		n := jen.Float64().Call(u.size(r.Group))
		switch product := jen.Add(n).Op("*").Add(u.ref(*r.Of)); {
		case r.Of.Kind != plan.Literal:
			return jen.Parens(product)
		case r.Of.Num != 1:
			return product
		}
		return n
	}
	return jen.Id(r.Name)
}

// refs returns the Go code of each reference.
func (u *unit) refs(list []plan.Ref) []jen.Code {
	var code []jen.Code
	for _, r := range list {
		code = append(code, u.ref(r))
	}
	return code
}

// size returns the Go expression of the number of trials of a group, the trials with one choice.
func (u *unit) size(group int) *jen.Statement {
	return jen.Id("d").Dot(u.GroupNames[group]).Dot("n")
}

// literal returns the Go expression of a number. Negative zero, infinities and NaN have no literal and become calls.
func literal(x float64) jen.Code {
	switch {
	case math.IsNaN(x):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(x, 0):
		sign := 1
		if x < 0 {
			sign = -1
		}
		return jen.Qual("math", "Inf").Call(jen.Lit(sign))
	case x == 0 && math.Signbit(x):
		return jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))
	}
	return jen.Id(expr.Literal(x))
}
