// Package csrc prints a program as C99: one source file and one header, which need only the C library.
//
// The code works with and without -ffast-math, which lets a C compiler assume that NaN and infinities do not occur. Therefore
// checks of the support and of the data compare bit patterns. Loops add into several sums side by side, so that gcc and clang
// vectorise them under any flags.
package csrc

import (
	"fmt"
	"regexp"

	"likc/compiler/emit"
	"likc/compiler/ir"
)

// Emitter prints C sources.
type Emitter struct{}

var _ emit.Emitter = Emitter{}

// prefixName matches a prefix for the names of a C interface. Names with a leading underscore belong to the compiler.
var prefixName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Emit prints the likelihood of one model for C: NAME.c and NAME.h, where NAME is the configuration's package, Makefile, README.md and
// model.lik. It also prints a program NAME_test.c that checks the configuration's cases and times evaluations. The files are the same
// for the same input. The configuration's module is not used.
func (Emitter) Emit(p *ir.Program, cfg emit.Config) ([]emit.File, error) {
	return emitFiles(p, cfg, false)
}

// emitFiles prints the files of a C package; asWritten selects the variant that [AsWritten] documents.
func emitFiles(p *ir.Program, cfg emit.Config, asWritten bool) ([]emit.File, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if err := CheckPackage(cfg.Package); err != nil {
		return nil, err
	}
	u, err := newUnit(p, cfg.Package, asWritten)
	if err != nil {
		return nil, err
	}
	if err := u.bind(cfg.Binding); err != nil {
		return nil, err
	}
	files := []emit.File{
		{Name: cfg.Package + ".c", Data: u.source(cfg)},
		{Name: cfg.Package + ".h", Data: u.headerFile(cfg)},
		{Name: cfg.Package + "_test.c", Data: u.testFile(cfg)},
	}
	if asWritten {
		return files, nil
	}
	return append(files, u.companions(cfg)...), nil
}

// source prints NAME.c.
func (u *unit) source(cfg emit.Config) []byte {
	var t, code text
	if u.Binding != nil {
		u.bindingTables(&code)
	}
	u.dataTypes(&code)
	u.nodeTables(&code)
	for _, l := range u.Loops {
		u.function(&code, l)
	}
	u.newGroup(&code)
	u.newData(&code)
	u.evaluations(&code)
	u.density(&code)
	if u.Binding != nil {
		u.bindingCode(&code)
	}
	u.flat(&code)
	t.line("/*\n%s */\n", u.about(cfg))
	for _, name := range []string{"math", "stddef", "stdint", "stdio", "stdlib", "string"} {
		t.line("#include <%s.h>", name)
	}
	t.line("\n#include \"%s.h\"\n", u.pkg)
	if u.asWritten {
		u.fixed(&t, "peer.c")
	}
	u.constants(&t)
	u.support(&t, code.b.String())
	t.b.Write(code.b.Bytes())
	return t.bytes()
}

// CheckPackage returns an error if name cannot be the prefix of an interface's names.
func CheckPackage(name string) error {
	if !prefixName.MatchString(name) {
		return fmt.Errorf("package %q: not a C name, letters A to Z and digits", name)
	}
	return nil
}
