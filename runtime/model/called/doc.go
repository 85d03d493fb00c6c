// Package called evaluates models that are made of calls and states. [Map] computes the arguments of a called density at each trial.
// They are expressions of parameters, trial columns and states. States are numbers that participants carry from trial to trial.
//
// Expressions are computed for blocks of trials at a time. Only the states are computed trial by trial:
//
//	forward:  s' = A·s + b      if the states after a trial are linear in those before it; otherwise operation by operation
//	reverse:  μ  = Jᵀ·ν + β     ν are adjoints of the states after the trial, β derivatives through the trial's own arguments
//
// A, b, J (the Jacobian of s' in s) and β are again columns, one number for each trial. Package diff derives their expressions.
package called
