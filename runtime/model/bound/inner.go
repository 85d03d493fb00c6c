package bound

import (
	"context"

	"likc/compiler/binding"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
)

// inner evaluates a model without building a package. The result is the log density of the model `model`, minus log Z, the log of the
// density's integral. It is evaluated at the values of the binding function, which corrects the parameters of a calibrated model.
type inner struct {
	model *expr.Model
	at    *binding.Map // the binding function; nil if the parameters are the model's own
	z     *logZ        // computes log Z; nil for a model that is not normalised
	mixed bool         // whether log Z is the last parameter of the inner model, instead of being subtracted
}

func innerOf(m *expr.Model) (*inner, error) {
	if !m.Normalise {
		return &inner{model: m}, nil
	}
	parts, err := normal.Of(m)
	if err != nil {
		return nil, err
	}
	integral, err := newExpression(context.Background(), catalog.OfExpression(parts.Integral), Ready)
	if err != nil {
		return nil, err
	}
	n, err := newNormalised(parts, nil, integral)
	if err != nil {
		return nil, err
	}
	x := &inner{model: parts.Bare, z: n.shared}
	if m.Binding != nil {
		x.at = binding.Of(m)
	}
	if parts.Mixed != nil {
		x.model, x.mixed = parts.Mixed, true
	}
	return x, nil
}

// params returns the parameters at which the inner model is evaluated, and the number to subtract from its log density.
func (x *inner) params(theta []float64) (at []float64, less float64) {
	if x.z == nil {
		return theta, 0
	}
	at = append(make([]float64, 0, len(theta)+2), theta...)
	if x.at != nil {
		at = at[:x.at.Out()]
		x.at.At(x.at.NewTrace(), theta, at)
	}
	less = x.z.at(at, nil)
	if x.mixed {
		return append(at, less), 0
	}
	return at, less
}
