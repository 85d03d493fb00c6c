package bound

import (
	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/runtime/model/catalog"
)

// Packages prints the packages that are linked into this program. It returns each model's files by the model's name. Under the name
// all it returns the registry, the list of packages that runtime/model/load uses. The files belong into the module's folder generated.
func Packages(module string, models []*catalog.Model) (map[string][]emit.File, error) {
	packages := map[string][]emit.File{}
	var entries []gosrc.Entry
	for _, m := range models {
		u, err := compiler.Compile(m.Model, compiler.Options{})
		if err != nil {
			return nil, err
		}
		cfg := emit.Config{Package: m.Name, Source: m.Origin.File, Text: m.Origin.Text, ISA: emit.AutoISA}
		if packages[m.Name], err = u.Files(gosrc.Emitter{}, cfg); err != nil {
			return nil, err
		}
		entries = append(entries, gosrc.Entry{Name: m.Name, Trials: len(m.Trials), Choice: m.Choice != ""})
	}
	registry, err := gosrc.Registry(module, entries)
	packages["all"] = []emit.File{registry}
	return packages, err
}
