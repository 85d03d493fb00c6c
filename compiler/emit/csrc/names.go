package csrc

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// scope hands out C identifiers that are free: neither keywords nor macros, nor in the C library, nor taken before.
type scope struct{ taken map[string]bool }

// reserved are the names that no model may take: keywords of C and C++, macros that some compilers predefine, names of
// the headers, and what the printed functions call their own.
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
	bind_group sums grad_sums error message cells space d g i j k n p q theta grad loglik out side column columns rest
	guard refused sharing shared data names space value kinds upto_lane line rank bits_of check_columns wrong fail no_memory new_cells`)

// macro matches names that headers like to define as macros or that C reserves for itself.
var macro = regexp.MustCompile(`^(_.*|[A-Z][A-Z0-9_]+|.*__.*)$`)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// newScope returns a scope in which only the reserved names are taken.
func newScope() *scope {
	s := &scope{taken: map[string]bool{}}
	for _, name := range reserved {
		s.taken[name] = true
	}
	return s
}

// inner returns a scope in which everything taken here is taken.
func (s *scope) inner() *scope {
	c := &scope{taken: make(map[string]bool, len(s.taken))}
	for name := range s.taken {
		c.taken[name] = true
	}
	return c
}

// name takes the identifier nearest to want: itself, or with a suffix; t0, t1, … for no name.
func (s *scope) name(want string) string {
	if want == "" {
		return s.first(numbered("t"))
	}
	return s.first(stems(want))
}

// first takes the first free name of a sequence that never ends.
func (s *scope) first(candidates iter.Seq[string]) string {
	for name := range candidates {
		if !s.taken[name] && !macro.MatchString(name) {
			s.taken[name] = true
			return name
		}
	}
	panic("csrc: no free name")
}

// stems yields want, want_v, want_2, want_3 and so on; what is no identifier counts as x, and leading underscores go.
func stems(want string) iter.Seq[string] {
	want = strings.ReplaceAll(strings.Trim(want, "_"), "__", "_")
	if !identifier.MatchString(want) || strings.Contains(want, "__") {
		want = "x"
	}
	return func(yield func(string) bool) {
		if !yield(want) || !yield(want+"_v") {
			return
		}
		for i := 2; yield(want + "_v" + strconv.Itoa(i)); i++ {
		}
	}
}

// numbered yields stem0, stem1, ….
func numbered(stem string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; yield(stem + strconv.Itoa(i)); i++ {
		}
	}
}
