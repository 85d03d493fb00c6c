package hierarchy

import (
	"errors"
	"math"
	"sync/atomic"

	"likc/runtime/fit/nuts"
)

// ErrLimit ends chains that need too many gradients.
var ErrLimit = errors.New("the limit on gradients is reached")

// limited is the density from which one chain draws. It returns an error once it has used its share of gradients, or once the density of
// another chain has.
type limited struct {
	nuts.Target
	left    int          // gradients that the target may still compute
	reached *atomic.Bool // whether any chain has reached the limit
}

// limit gives each target an equal share of `all` gradients.
func limit(targets []nuts.Target, all int) {
	reached := new(atomic.Bool)
	for i, t := range targets {
		targets[i] = &limited{t, max(1, all/len(targets)), reached}
	}
}

// LogDensityGrad returns the target's value, or ErrLimit once the share is used up.
func (l *limited) LogDensityGrad(q, grad []float64) (float64, error) {
	if l.left == 0 {
		l.reached.Store(true)
	}
	if l.reached.Load() {
		return math.NaN(), ErrLimit
	}
	l.left--
	return l.Target.LogDensityGrad(q, grad)
}
