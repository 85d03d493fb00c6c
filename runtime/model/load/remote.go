package load

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"likc/templates/harness/serve"
)

// remote is a likelihood in another process.
type remote struct {
	harness *harness
	id      uint32                // number of the likelihood in the other process
	dim     int                   // number of parameters
	failed  atomic.Pointer[error] // the first reason why a value could not be computed; nil if there was none
}

// Dim returns the number of parameters.
func (r *remote) Dim() int { return r.dim }

// LogLik returns the log-likelihood; NaN if the process does not answer.
func (r *remote) LogLik(theta []float64) float64 { return r.evaluate(serve.Value, theta, nil) }

// LogLikGrad returns the log-likelihood and its gradient; NaN and zeros if the process does not answer.
func (r *remote) LogLikGrad(theta, grad []float64) float64 {
	return r.evaluate(serve.Grad, theta, grad)
}

// Err returns the first reason why a value could not be computed; nil if there was none.
func (r *remote) Err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return r.harness.Err()
}

// Close tells the process to release the data.
func (r *remote) Close() error {
	c := r.harness.begin(serve.Free)
	defer r.harness.free(c)
	c.frame = binary.LittleEndian.AppendUint32(c.frame, r.id)
	return r.harness.ask(c)
}

func (r *remote) evaluate(op byte, theta, grad []float64) float64 {
	clear(grad)
	c := r.harness.begin(op)
	defer r.harness.free(c)
	c.frame = binary.LittleEndian.AppendUint32(c.frame, r.id)
	c.frame = serve.AppendFloats(c.frame, theta...)
	err := r.harness.ask(c)
	if err == nil && len(c.answer) != 8*(1+len(grad)) {
		err = fmt.Errorf("harness: %d bytes answer, want %d", len(c.answer), 8*(1+len(grad)))
	}
	if err != nil {
		first := err // makes err itself stay on the stack
		r.failed.CompareAndSwap(nil, &first)
		return math.NaN()
	}
	for i := range grad {
		grad[i] = number(c.answer[8*(i+1):])
	}
	return number(c.answer)
}

// number decodes the number at the front of an answer.
func number(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
