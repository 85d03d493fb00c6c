package expr_test

import (
	"math"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// TestReferenceValues compares operators with values from tables. The names are those that existing models use, so neither names nor values
// may change.
func TestReferenceValues(t *testing.T) {
	header := header(t)
	inf, nan := math.Inf(1), math.NaN()
	cases := []struct {
		text    string
		x, y, z float64
		want    float64
	}{
		{"add(x, y)", 1, 2, 0, 3},
		{"sub(x, y)", 1, 2, 0, -1},
		{"mul(x, y)", 3, 2, 0, 6},
		{"div(x, y)", 3, 2, 0, 1.5},
		{"neg(x)", 3, 0, 0, -3},
		{"square(x)", -3, 0, 0, 9},
		{"pow(x, y)", 2, -2, 0, 0.25},
		{"exp(x)", 1, 0, 0, math.E},
		{"exp(x)", -inf, 0, 0, 0},
		{"log(x)", 10, 0, 0, math.Ln10},
		{"sqrt(x)", 2, 0, 0, math.Sqrt2},
		{"abs(x)", -2, 0, 0, 2},
		{"inv(x)", 4, 0, 0, 0.25},
		{"fma(x, y, z)", 2, 3, 4, 10},
		{"fma(x, x, z)", 1 + 0x1p-30, 0, -1 - 0x1p-29, 0x1p-60}, // the value when rounded only once
		{"log1p(x)", 1e-20, 0, 0, 1e-20},
		{"expm1(x)", 1e-20, 0, 0, 1e-20},
		{"erf(x)", 0.5, 0, 0, 0.5204998778130465},
		{"erfc(x)", 2, 0, 0, 0.004677734981047266},
		{"normcdf(x)", 1.959963984540054, 0, 0, 0.975},
		{"normcdf(x)", -10, 0, 0, 7.619853024160527e-24},
		{"tanh(x)", 1, 0, 0, 0.7615941559557649},
		{"sinh(x)", 1, 0, 0, 1.1752011936438014},
		{"cosh(x)", 1, 0, 0, 1.5430806348152437},
		{"sin(x)", 1, 0, 0, 0.8414709848078965},
		{"cos(x)", 1, 0, 0, 0.5403023058681398},
		{"atan(x)", 1, 0, 0, math.Pi / 4},
		{"cbrt(x)", -27, 0, 0, -3},
		{"sigmoid(x)", 0, 0, 0, 0.5},
		{"sigmoid(x)", -1000, 0, 0, 0},
		{"logit(x)", 0.75, 0, 0, 1.0986122886681098},
		{"softplus(x)", 0, 0, 0, math.Ln2},
		{"softplus(x)", 1000, 0, 0, 1000},
		{"softplus(x)", -50, 0, 0, 1.9287498479639178e-22},
		{"logaddexp(x, y)", 1000, 1000, 0, 1000 + math.Ln2},
		{"logaddexp(x, y)", -inf, -inf, 0, -inf},
		{"logaddexp(x, y)", -inf, 3, 0, 3},
		{"min(x, y)", 1, 2, 0, 1},
		{"max(x, y)", 1, 2, 0, 2},
		{"min(x, y)", 1, nan, 0, nan},
		{"max(x, y)", nan, 1, 0, nan},
		{"sign(x)", -0.5, 0, 0, -1},
		{"sign(x)", 0, 0, 0, 0},
		{"sign(x)", nan, 0, 0, nan},
		{"less(x, y)", 1, 2, 0, 1},
		{"less(x, y)", 2, 2, 0, 0},
		{"less(x, y)", nan, 2, 0, 0},
		{"log_normcdf(x)", -2, 0, 0, -3.7831843336820319},
		{"inverse_mills(x)", -2, 0, 0, 2.3732155328228409},
		{"log1mexp(x)", -2, 0, 0, -0.14541345786885906},
		{"(x <= y)", 2, 2, 0, 1},
		{"(x <= y)", 3, 2, 0, 0},
		{"(x <= y)", nan, 2, 0, 0},
		{"(x < y and y < z)", 1, 2, 3, 1},
		{"(x < y and y < z)", 1, 2, 2, 0},
		{"(x < y or y < z)", 2, 2, 3, 1},
		{"(x < y or y < z)", 2, 2, 2, 0},
		{"(x < y and y < z or z < x)", 2, 2, 1, 1},
		{"(x < y and (y < z or z < x))", 2, 2, 1, 0},
		{"if(x < y, 2*x, z)", 1, 2, nan, 2},
		{"if(x < y, 2*x, z)", nan, 2, 5, 5},
		{"if((x + 1)*2 <= y, x, z)", 1, 4, 5, 1},
		{"lgamma(x)", 5, 0, 0, 3.1780538303479458},
		{"lgamma(x)", 0.5, 0, 0, 0.57236494292470008},
		{"lgamma(x)", -1.5, 0, 0, nan},
		{"digamma(x)", 1, 0, 0, -0.57721566490153287},
		{"digamma(x)", 0.25, 0, 0, -4.2274535333762655},
		{"digamma(x)", -1.5, 0, 0, nan},
	}
	tried := map[expr.Op]bool{}
	for _, c := range cases {
		m, err := syntax.ParseExpr(c.text, header)
		if err != nil {
			t.Error(err)
			continue
		}
		tried[m.LogLik.Op] = true
		got, _ := expr.NewTape(letters, m.LogLik).Eval(nil, []float64{c.x, c.y, c.z})
		same := got[0] == c.want || got[0] != got[0] && c.want != c.want
		if !same && !(math.Abs(got[0]/c.want-1) < 1e-14) {
			t.Errorf("%s at %v, %v, %v = %v, want %v", c.text, c.x, c.y, c.z, got[0], c.want)
		}
	}
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		if !tried[op] {
			t.Error("no reference value")
		}
	})
}
