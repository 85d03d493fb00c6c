// Package harness holds the text that stands around a batch of compiled candidates: the module file, the two mains (a
// process that serves evaluations, and a plugin) and the source of package serve, which the process copies.
package harness

import _ "embed"

// Module is the placeholder of the module's path in the texts below.
const Module = "MODULE"

// GoMod is the module file. The module requires nothing, so that it builds without a network.
//
//go:embed gomod.txt
var GoMod string

// Process is package main of the process.
//
//go:embed process.txt
var Process string

// Plugin is package main of the plugin.
//
//go:embed plugin.txt
var Plugin string

// Serve is the source of package serve.
//
//go:embed serve/serve.go
var Serve string
