// Package harness holds the fixed files of the Go module around a batch of compiled candidates: the module file, the main package of the
// harness, which is a program that serves evaluations, the main package of a plugin, and the source of package serve, which the harness uses.
package harness

import _ "embed"

// Module is the placeholder of the module's path in the texts below.
const Module = "MODULE"

// GoMod is the module file. The module requires nothing, so that it builds without a network.
//
//go:embed gomod.txt
var GoMod string

// ServeMain is package main of the harness.
//
//go:embed servemain.txt
var ServeMain string

// PluginMain is package main of the plugin.
//
//go:embed pluginmain.txt
var PluginMain string

// Serve is the source of package serve.
//
//go:embed serve/serve.go
var Serve string
