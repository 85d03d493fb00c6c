// Package called evaluates models that are made of calls and states. [Map] computes the arguments of a called density at each trial.
// They are expressions of parameters, trial columns and states. States are numbers that participants carry from trial to trial.
//
// Expressions are computed for blocks of trials at a time. Only the states are computed trial by trial:
//
//	forward:  s' = A·s + b      where the states after a trial are linear in those before it, else operation by operation
//	reverse:  μ  = Jᵀ·ν + β     ν are adjoints of the states after the trial, β derivatives that come from the trial's own arguments
//
// A, b, J and β are columns again. Package diff derives the derivatives.
package called
