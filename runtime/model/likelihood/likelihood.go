// Package likelihood defines the interface of a likelihood over a bound dataset. It also has the tests that every likelihood must pass,
// whether it is interpreted, compiled, tabulated or served by another process.
package likelihood

// Likelihood is the log-likelihood of a dataset as a function of the parameters. Interfaces are structural: generated
// packages implement it without importing it. It is safe for concurrent use.
type Likelihood interface {
	// Dim is the number of parameters.
	Dim() int

	// LogLik is the log density summed over trials: -Inf outside the support, NaN where the density itself is. theta has
	// length Dim, in the model's order.
	LogLik(theta []float64) float64

	// LogLikGrad returns what LogLik does and overwrites grad, of length Dim, with the gradient, zero where the value is -Inf.
	LogLikGrad(theta, grad []float64) float64
}
