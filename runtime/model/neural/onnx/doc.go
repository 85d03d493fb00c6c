// Package onnx reads and writes likelihood approximation networks in the ONNX format, in which programs exchange networks. The graph maps
// one row, the parameters, then rt in seconds and the choice, to the log density of that trial. Its nodes must make a fully connected
// network: matrix products, sums, tanh and the sigmoid, and nodes that change no number. A network that likc writes also has its model, the
// names and ranges of its parameters, and its floor as metadata.
package onnx
