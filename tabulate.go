package likc

import "embed"

//go:embed runtime/tabulate/table.go runtime/tabulate/piece.go runtime/tabulate/kept.go
var tabulate embed.FS

// Tabulate returns the source text of package tabulate, a string a file, which emitted packages carry with them.
func Tabulate() []string {
	var texts []string
	for _, name := range []string{"table.go", "piece.go", "kept.go"} {
		text, err := tabulate.ReadFile("runtime/tabulate/" + name)
		if err != nil {
			panic(err) // it is embedded above
		}
		texts = append(texts, string(text))
	}
	return texts
}
