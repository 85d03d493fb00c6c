package text

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// language describes a target language, in addition to its column of the operator table and its template.
type language struct {
	ending      string                           // the ending of the file's name
	reserved    string                           // names that no variable may have, in addition to the functions of the operator table
	densities   string                           // names of the language's own densities, which no printed function may have
	nameEnding  string                           // the ending that is added to a name that is already taken
	parentheses [2]string                        // around a sum as an operand, and around arguments
	number      func(x float64) string           // writes a number
	truth       string                           // the code that turns a condition %s into 1 or 0
	unequal     string                           // the sign of inequality
	clean       func(name string) string         // nil: names of the model are names of the language
	index       func(array string, i int) string // element i of an array, counted from 0; nil in languages that print no gradient
	everyCall   []string                         // further arguments that each function of the file has
	arrays      bool                             // functions take only arrays: constants are folded, and both branches of an if are computed
	vectors     bool                             // functions take many trials as vectors, besides those of one
	taped       bool                             // derivatives go through all values, and 0 times one that is undefined is undefined: a value is computed only where a branch needs it
	ownHelpers  bool                             // the functions that operators need bear the file's name, because a program with two of one name is an error
	substitutes bool                             // the template says in words which parameters change at the lower boundary
}

var round = [2]string{"(", ")"}

var languages = map[expr.Target]*language{
	expr.Python: {ending: ".py", everyCall: []string{"xp"}, truth: "_array(xp, %s)", arrays: true, unequal: "!=", nameEnding: "_", parentheses: round, number: withPoint, reserved: `
		False None True and as assert async await break class continue def del elif else except finally for from global if
		import in is lambda nonlocal not or pass raise return try while with yield
		xp numpy math contextlib importlib logpdf float hasattr isinstance getattr str range zip inside known value lower nodes
		_array _special _choose _cbrt _sigmoid _erf _erfc _log_normcdf _inverse_mills _log1mexp _lgamma _digamma
		binding_at binding_inputs binding_log_z binding_logpdf binding_values`},
	expr.Stan: {ending: ".stan", truth: "(%s ? 1.0 : 0.0)", unequal: "!=", nameEnding: "_2", parentheses: round, number: withPoint, clean: letterFirst, vectors: true, taped: true, ownHelpers: true, densities: `
		normal std_normal exp_mod_normal skew_normal student_t cauchy double_exponential skew_double_exponential logistic gumbel lognormal
		chi_square inv_chi_square scaled_inv_chi_square exponential gamma inv_gamma weibull frechet rayleigh loglogistic pareto
		pareto_type_2 wiener beta beta_proportion von_mises uniform`, reserved: `
		for in while repeat until if then else true false target int real complex vector simplex unit_vector ordered
		positive_ordered row_vector matrix corr_matrix cov_matrix cholesky_factor_corr cholesky_factor_cov functions model data
		parameters quantities transformed generated var fvar void return print reject profile array upper lower offset
		multiplier tuple jacobian struct typedef export auto extern static lpdf lpmf lcdf lccdf not_a_number negative_infinity
		e pi n_ sum_ binding_sum binding_codes binding_coefficients binding_degrees binding_i binding_inputs binding_j binding_k binding_log_weights
		chosen choices_ code_ count_ trials_ binding_shifts binding_o binding_places binding_powers binding_product binding_terms binding_times binding_values`},
	expr.R: {ending: ".R", index: func(array string, i int) string { return fmt.Sprintf("%s[[%d]]", array, i+1) }, truth: "as.numeric(%s)", unequal: "!=", nameEnding: "_2", parentheses: round, number: expr.Literal, clean: letterFirst, reserved: `
		if else repeat while function for next break TRUE FALSE NULL Inf NaN NA in ifelse rep_len length suppressWarnings
		inside value lower trials gradient binding_inputs binding_values binding_slopes binding_by`},
	expr.Julia: {ending: ".jl", truth: "ifelse(%s, 1.0, 0.0)", unequal: "!=", nameEnding: "_", parentheses: round, number: withPoint, reserved: `
		baremodule begin break catch const continue do else elseif end export false finally for function global if import let
		local macro module quote return struct true try using while where in isa mutable abstract type Inf NaN pi lower
		eachindex map maximum prod push! sum zip binding_inputs binding_values`},
	expr.JavaScript: {ending: ".mjs", index: fromZero, truth: "(%s ? 1 : 0)", unequal: "!==", nameEnding: "_", parentheses: round, number: expr.Literal, reserved: `
		arguments async await break case catch class const continue debugger default delete do else enum eval export extends
		false finally for function get if implements import in instanceof interface let new null of package private protected
		public return set static super switch this throw true try typeof undefined var void while with yield
		Array Infinity Math NaN Number logpdf logpdf_at log_term log_z binding lower value gradient
		logpdf_grad logpdf_at_grad logpdf_with_grad log_term_grad log_z_grad binding_grad binding_slopes binding_by
		BINDING_PLACES BINDING_DEGREES BINDING_COEFFICIENTS BINDING_TIMES BINDING_LOG_WEIGHTS binding_inputs binding_values`},
	expr.Rust: {ending: ".rs", index: fromZero, truth: "(if %s { 1.0 } else { 0.0 })", unequal: "!=", nameEnding: "_", parentheses: round, number: withPoint, reserved: `
		abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in
		let loop macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof
		union unsafe unsized use virtual where while yield f64 std usize logpdf logpdf_at log_term log_z binding lower value gradient
		logpdf_grad logpdf_at_grad logpdf_with_grad log_term_grad log_z_grad binding_grad binding_slopes binding_by
		BINDING_PLACES BINDING_DEGREES BINDING_COEFFICIENTS BINDING_TIMES BINDING_LOG_WEIGHTS binding_inputs binding_values`},
	expr.LaTeX: {ending: ".tex", truth: `\mathbf{1}\left[%s\right]`, unequal: `\ne`, nameEnding: "'", parentheses: [2]string{`\left(`, `\right)`}, number: powersOfTen, clean: mathematical, substitutes: true},
}

func fromZero(array string, i int) string { return fmt.Sprintf("%s[%d]", array, i) }

// style chooses names that are neither reserved nor functions of the operator table.
func (l *language) style(target expr.Target, stem string) *plan.Style {
	reserved := strings.Fields(l.reserved)
	for _, op := range expr.Ops() {
		if s := l.spelling(op, target, stem); s.Kind == expr.Function || s.Kind == expr.Local {
			reserved = append(reserved, s.Text)
		}
	}
	return &plan.Style{Target: target, Reserved: reserved, Allowed: func(string) bool { return true }, Clean: l.clean, Ending: l.nameEnding}
}

// spelling returns an operator's spelling in a file whose functions' names begin with the stem.
func (l *language) spelling(op expr.Op, target expr.Target, stem string) expr.Spelling {
	s := op.In(target)
	if l.ownHelpers {
		s.Text, s.Body = strings.ReplaceAll(s.Text, "likc_", stem+"_"), strings.ReplaceAll(s.Body, "likc_", stem+"_")
	}
	return s
}

// function returns the beginning of the names of a file's functions, so that none is that of a density of the language's own.
func (l *language) function(name string) string {
	if slices.Contains(strings.Fields(l.densities), name) {
		return name + l.nameEnding
	}
	return name
}

// withPoint writes a number with a decimal point, for languages in which 1/2 is 0 or 2^-1 is an error.
func withPoint(x float64) string {
	s := expr.Literal(x)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// powersOfTen writes a number as 1.5 \cdot 10^{-7}.
func powersOfTen(x float64) string {
	mantissa, exponent, found := strings.Cut(expr.Literal(x), "e")
	if !found {
		return mantissa
	}
	n, _ := strconv.Atoi(exponent) // no error: expr.Literal has written the exponent
	return fmt.Sprintf(`{%s \cdot 10^{%d}}`, mantissa, n)
}

// letterFirst makes name begin with a letter, for languages in which names must.
func letterFirst(name string) string {
	if strings.HasPrefix(name, "_") {
		name = "x" + name
	}
	return strings.TrimRight(name, "_")
}

// greek matches names that LaTeX writes as Greek letters.
var greek = regexp.MustCompile(`^([aA]lpha|[bB]eta|[gG]amma|[dD]elta|epsilon|zeta|eta|[tT]heta|kappa|[lL]ambda|mu|nu|xi|[pP]i|rho|[sS]igma|tau|[pP]hi|chi|[pP]si|[oO]mega)$`)

// numberedName matches a name that ends in a number, its index.
var numberedName = regexp.MustCompile(`^([A-Za-z]+)_?([0-9]+)$`)

// mathematical returns a name in LaTeX: Greek letters, single letters in italics, longer names upright, and a number at the end
// as an index.
func mathematical(name string) string {
	if m := numberedName.FindStringSubmatch(name); m != nil {
		return mathematical(m[1]) + "_{" + m[2] + "}"
	}
	switch {
	case greek.MatchString(name):
		return `\` + name
	case len(name) == 1:
		return name
	}
	return `\mathrm{` + strings.ReplaceAll(name, "_", `\_`) + `}`
}
