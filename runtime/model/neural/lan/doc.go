// Package lan evaluates likelihood approximation networks: small fully
// connected networks whose output is the log joint density of a response time
// and a choice, given parameters (Fengler et al., eLife 2021;10:e65074). It
// computes the output summed over trials and its gradient with respect to the parameters.
//
// Trials are processed in blocks of 32, one in each lane of a vector. A block passes through all layers while it is in cache. Each
// layer's product, bias and tanh are one kernel (AVX-512, AVX2, or portable Go). The contribution of parameters and choice to the
// first layer is the same for all trials of a choice, so it is computed once per evaluation.
package lan

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go
