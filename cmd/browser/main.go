//go:build js && wasm

// Command browser is likc for browsers and node: a WebAssembly program with exact densities, their simulators and the No-U-Turn sampler.
// It sets the global function likcCall(name, arguments, watch). The arguments and the result are JSON. The result is {"value": …} or
// {"error": "…"}. index.mjs makes functions of these calls.
package main

import (
	"encoding/json"
	"syscall/js"
)

func main() {
	js.Global().Set("likcCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		watch := func(text []byte) {}
		if len(args) > 2 && args[2].Type() == js.TypeFunction {
			watch = func(text []byte) { args[2].Invoke(string(text)) }
		}
		value, err := Call(args[0].String(), []byte(args[1].String()), watch)
		reply := map[string]any{"value": value}
		if err != nil {
			reply = map[string]any{"error": err.Error()}
		}
		text, err := json.Marshal(reply)
		if err != nil { // a figure is not a number, for which JSON has no word
			text, _ = json.Marshal(map[string]any{"error": err.Error()})
		}
		return string(text)
	}))
	select {}
}
