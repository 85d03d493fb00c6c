package gosrc_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/syntax"
	"likc/testdata"
)

// few are the models whose packages this test builds without LIKC_LONG. All built-in models have a package in the folder generated, of which
// another test says that it is what the printer writes, and whose own tests run with all others.
var few = []string{"drift", "entangled", "expr2", "found31", "sharing", "lognormal"}

// TestAssembledPackages vets and tests packages with assembly, and builds them as for machines without it.
func TestAssembledPackages(t *testing.T) {
	folder := module(t)
	assembled := 0
	names, least := testdata.ModelNames(), 8
	if os.Getenv("LIKC_LONG") == "" {
		names, least = few, 5
	}
	for _, name := range names {
		text, _ := testdata.Model(name)
		models, err := syntax.Read(name+".lik", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, whole := range []bool{false, true} {
			if whole && os.Getenv("LIKC_LONG") == "" {
				continue
			}
			u, err := compiler.Compile(models[0], compiler.Options{NoSeparate: whole})
			if err != nil {
				t.Fatal(err)
			}
			cfg := config(u)
			cfg.ISA = emit.AutoISA
			if cfg.Package = "p" + name; whole {
				cfg.Package += "whole"
			}
			files, err := gosrc.Emitter{}.Emit(u.Program, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(files, func(f emit.File) bool { return f.Name == "lik_amd64.s" }) {
				assembled++
			}
			write(t, filepath.Join(folder, cfg.Package), files...)
		}
	}
	if assembled < least {
		t.Errorf("only %d packages have assembly", assembled)
	}
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "-vet=off", "./...")
	goCommand(t, folder, "vet", "-tags", "purego", "./...")
	t.Setenv("GOARCH", "arm64")
	goCommand(t, folder, "vet", "./...")
}

// TestEnginesAreNoted: lik.go says which loops have assembly, and why the others have none.
func TestEnginesAreNoted(t *testing.T) {
	for text, want := range map[string]string{
		"loglik = exp(v*rt)":       "// sums: AVX-512, AVX2, Go\n",
		"loglik = log(cosh(v*rt))": "// sums: Go; assembly: cosh: no lane sequence\n",
		"loglik = v*rt":            "const fastest = Portable\n",
	} {
		models, err := syntax.Read("test.lik", strings.NewReader("model test {\n trial rt\n param v in [0, 1]\n "+text+"\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		u := compile(t, models[0])
		cfg := config(u)
		cfg.ISA = emit.AutoISA
		files, err := gosrc.Emitter{}.Emit(u.Program, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(files[0].Data, []byte(want)) {
			t.Errorf("%s: no %q in\n%s", text, want, files[0].Data)
		}
	}
}
