package csrc

import (
	"fmt"
	"regexp"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// style chooses names for C that are neither keywords nor macros, nor in the C library.
var style = &plan.Style{
	Target:   expr.C,
	Reserved: reserved,
	Allowed:  func(name string) bool { return !macro.MatchString(name) },
	Clean:    clean,
	Ending:   "_v",
	Join:     func(first, second string) string { return first + "_" + second },
	Results: func(n *plan.Names, outs int) []plan.Ref {
		list := make([]plan.Ref, outs)
		sum := n.Number("sum")
		for i := range list {
			list[i] = plan.Ref{Kind: plan.Cell, Name: sum, Index: i}
		}
		return list
	},
}

// Names returns a scope in which the reserved names are taken, so that no value of a model gets such a name.
func Names() *plan.Names { return plan.NewNames(style) }

// reserved are names that no value of a model may have: keywords of C and C++, macros that some compilers predefine, names of
// the headers, and local names of the printed functions.
var reserved = strings.Fields(`
	auto break case char const continue default do double else enum extern float for goto if inline int long register
	restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
	alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran
	and and_eq bitand bitor catch char16_t char32_t char8_t class compl concept const_cast consteval constinit decltype
	delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator or or_eq private
	protected public reinterpret_cast requires static_cast template this throw try typeid typename using virtual wchar_t
	xor xor_eq unix linux i386 sun vax mips sparc hpux far near pascal cdecl complex imaginary main I
	size_t ptrdiff_t int64_t uint64_t uintptr_t errno stdin stdout stderr signgam environ offsetof assert
	malloc free calloc realloc abort exit memcpy memset memcmp snprintf printf
	acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 frexp ilogb ldexp log log10
	log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma gamma ceil floor nearbyint rint
	lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma
	j0 j1 jn y0 y1 yn drem finite significand scalb pow10 sincos abs labs llabs div ldiv index rindex
	fpclassify isfinite isinf isnan isnormal signbit isgreater isless isunordered exception double_t float_t
	lanes total below is_finite is_nan same from_bits ordered unordered compensated add sum_of least choose_error group take_group
	bind_group error message cells space d g i j k n p q theta grad loglik out side column columns rest
	guard refused sharing shared data names space value kinds upto_lane line rank bits_of check_columns wrong fail no_memory new_cells`)

// macro matches names that headers like to define as macros or that C reserves for itself.
var macro = regexp.MustCompile(`^(_.*|[A-Z][A-Z0-9_]+|.*__.*)$`)

// identifier matches the names that C allows.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// clean returns name without leading underscores and double ones, which belong to the C compiler; a name that is no
// identifier becomes x.
func clean(name string) string {
	name = strings.ReplaceAll(strings.Trim(name, "_"), "__", "_")
	if !identifier.MatchString(name) || strings.Contains(name, "__") {
		return "x"
	}
	return name
}

// ref returns the C expression of a number to which a plan refers.
func (u *unit) ref(r plan.Ref) string {
	switch r.Kind {
	case plan.Literal:
		return number(r.Num)
	case plan.AtNode:
		return r.Name + "[k]"
	case plan.Cell:
		return subscript(r.Name, r.Index)
	case plan.OfData:
		return "d->" + r.Name
	case plan.OfGroup:
		return "d->" + u.GroupNames[r.Group] + "." + r.Name
	case plan.Repeated:
		n := "(double)" + u.size(r.Group)
		if x := u.ref(*r.Of); x != "1.0" {
			return "(" + n + " * " + x + ")"
		}
		return n
	}
	return r.Name
}

// refs returns the C text of each reference.
func (u *unit) refs(list []plan.Ref) []string {
	var texts []string
	for _, r := range list {
		texts = append(texts, u.ref(r))
	}
	return texts
}

// size returns the C expression of the number of trials of a group, the trials with one choice.
func (u *unit) size(group int) string { return "d->" + u.GroupNames[group] + ".n" }

// subscript returns an element of an array.
func subscript(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }
