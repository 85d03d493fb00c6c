// Package harness holds the text that stands around a batch of compiled candidates: the module file, the two mains (a
// program that serves evaluations, the harness, and a plugin) and the source of package serve, which the harness copies.
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
