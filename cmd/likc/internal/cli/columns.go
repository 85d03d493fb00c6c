package cli

import (
	"strings"

	"likc/runtime/model/catalog"
)

// NeedsColumns says that trials of a model cannot be drawn without columns.
func NeedsColumns(m *catalog.Model, s *catalog.Sequence) error {
	names := s.Needed()
	if len(names) == 0 {
		return Usagef("--data: missing; trials of %s depend on those before them: name a file with a row a trial", m.Name)
	}
	return Usagef("--data: missing; trials of %s depend on columns: name a file with %s", m.Name, strings.Join(names, ", "))
}
