package gosrc

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// constants prints the number, names and ranges of the parameters:
//
//	const Dim = 4
//	var Params = [Dim]string{"v", "a", "z", "t"}
//	var Lower = [Dim]float64{-3, 0.3, 0.1, 0}
//	var Upper = [Dim]float64{3, 2.5, 0.9, 2}
func (u *unit) constants() []jen.Code {
	var names, lower, upper []jen.Code
	for _, p := range u.Parameters() {
		names = append(names, jen.Lit(p.Name))
		lower = append(lower, literal(p.Lower))
		upper = append(upper, literal(p.Upper))
	}
	dim := func(element *jen.Statement) *jen.Statement { return jen.Index(jen.Id("Dim")).Add(element) }
	return []jen.Code{
		jen.Comment("Dim is the number of parameters.").Line().Const().Id("Dim").Op("=").Lit(len(u.Parameters())),
		jen.Comment("Params names the parameters, in the order of theta.").Line().
			Var().Id("Params").Op("=").Add(dim(jen.String()).Values(names...)),
		jen.Comment("Lower holds the lower ends of the ranges in which the model was made to be used.").Line().
			Var().Id("Lower").Op("=").Add(dim(jen.Float64()).Values(lower...)),
		jen.Comment("Upper holds the upper ends.").Line().
			Var().Id("Upper").Op("=").Add(dim(jen.Float64()).Values(upper...)),
	}
}

// methods prints the methods of a bound dataset:
//
//	func (d *Data) N() int { return d.n }
//	func (d *Data) Dim() int { return Dim }
//	func (d *Data) LogLik(theta []float64) float64 { … }
//	func (d *Data) LogLikGrad(theta, grad []float64) float64 { … }
func (u *unit) methods() []jen.Code {
	code := []jen.Code{
		u.method("N is the number of trials.", "N").Params().Int().Block(jen.Return(jen.Id("d").Dot("n"))),
		u.method("Dim is the number of parameters.", "Dim").Params().Int().Block(jen.Return(u.dim)),
	}
	if u.Binding == nil {
		return append(code, u.method(logLikDoc, "LogLik").
			Params(theta).Float64().Block(append(u.lengths("theta"), u.print(u.Evaluate(u.Value))...)...), u.logLikGrad())
	}
	return slices.Concat(code, u.boundMethods(), []jen.Code{
		u.method("logLikAt is LogLik at values of the binding function, then log Z.", "logLikAt").
			Params(theta).Float64().Block(u.print(u.Evaluate(u.Value))...),
		u.method("logLikGradAt is logLikAt, and overwrites grad with its derivatives with respect to these values.", "logLikGradAt").
			Params(both).Float64().Block(u.print(u.Evaluate(u.Both))...),
	})
}

// Doc comments of the printed package's methods.
const (
	logLikDoc     = "LogLik is the sum of the log densities of the trials at theta (length Dim, else it panics); -Inf outside the support."
	logLikGradDoc = "LogLikGrad is LogLik, and overwrites grad (length Dim, else it panics) with its gradient; zero where the sum is -Inf."
)

// Parameters of the printed methods.
var (
	theta = jen.Id("theta").Index().Float64()
	both  = jen.List(jen.Id("theta"), jen.Id("grad")).Index().Float64()
)

// method prints the beginning of a method of a bound dataset, up to its parameters.
func (u *unit) method(doc, name string) *jen.Statement {
	return u.doc(doc).Func().Params(jen.Id("d").Op("*").Id(u.types.data)).Id(name)
}

// logLikGrad prints the method LogLikGrad.
func (u *unit) logLikGrad() jen.Code {
	return u.method(logLikGradDoc, "LogLikGrad").
		Params(both).Float64().Block(append(u.lengths("theta", "grad"), u.print(u.Evaluate(u.Both))...)...)
}

// lengths prints the checks of a caller's slices:
//
//	if len(theta) != Dim {
//		panic(wrongLength("theta", len(theta), Dim))
//	}
func (u *unit) lengths(names ...string) []jen.Code {
	var code []jen.Code
	for _, name := range names {
		n := jen.Len(jen.Id(name))
		wrong := jen.Id("wrongLength").Call(jen.Lit(name), n, u.dim)
		code = append(code, jen.If(jen.Add(n).Op("!=").Add(u.dim)).Block(jen.Panic(wrong)))
	}
	return code
}

// doc returns the beginning of a declaration: its comment, or nothing in a batch, which is many programs in one package.
func (u *unit) doc(text string) *jen.Statement {
	if u.short() {
		return jen.Null()
	}
	return jen.Comment(text).Line()
}
