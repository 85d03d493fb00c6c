#!/bin/sh
# assemble.sh FOLDER: builds the npm package FOLDER/npm and the page FOLDER/likc.html, which holds the program and needs no server.
set -eu
mkdir -p "$1/npm"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
go=${GO:-go}
GOOS=js GOARCH=wasm "$go" build -trimpath -ldflags '-s -w' -o "$out/npm/likc.wasm" .
cp "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" "$out/npm/"
cp "$("$go" env GOROOT)/LICENSE" "$out/npm/wasm_exec.LICENSE" 2>/dev/null || true
cp page/index.mjs page/package.json ../../LICENSE "$out/npm/"
awk -v go="$out/npm/wasm_exec.js" -v module="$out/npm/index.mjs" -v program="gzip -9 -n -c '$out/npm/likc.wasm' | base64 | tr -d '\n'" '
	function put(command,  line) { while ((command | getline line) > 0) print line; close(command) }
	/ id="go">/ { print "<script type=\"text/plain\" id=\"go\">"; put("cat " "\"" go "\""); print "</script>"; next }
	/ id="module">/ { print "<script type=\"text/plain\" id=\"module\">"; put("cat " "\"" module "\""); print "</script>"; next }
	/ id="program">/ { print "<script type=\"text/plain\" id=\"program\">"; put(program); print "</script>"; next }
	{ print }' page/page.html >"$out/likc.html"
