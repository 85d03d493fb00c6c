package likc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors are groups of packages, the lowest first. A package may import packages of its own floor and of the floors below.
var floors = [][]string{
	{"likc/runtime/num/**", "likc/runtime/sys/**"}, {"likc/compiler/**"}, {"likc/runtime/model/**"}, {"likc/runtime/fit/**"},
	{"likc/search/find/**", "likc/search/teach/**", "likc/search/study/**"}, {"likc/search/work/**"}, {"likc/cmd/**"},
}

// floor returns the index of a package's floor, or -1 for packages of other modules and packages of this module that are on no floor.
func floor(name string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool { return matchAny(rooms, name) })
}

// policy has further rules for imports. Packages are given as patterns of path.Match, with ** for any depth. A package that matches from,
// and is not among except, must not import a package that matches never. The module is called likc
// here, whatever its path is.
var policy = []struct {
	from, never string
	except      []string // packages that may
	why         string
}{
	{from: "likc/**", never: "likc", why: "the root is the face for other modules: only examples and tests import it"},
	{from: "likc/**", never: "github.com/dave/jennifer/**", except: []string{"likc/compiler/emit/gosrc"}, why: "one package prints Go"},
	{from: "likc/**", never: "github.com/mmcloughlin/avo/**", except: []string{"likc/compiler/emit/goasm", "likc/compiler/emit/goasm/*", "likc/runtime/num/*/asm", "likc/runtime/model/neural/*/asm"}, why: "only the assembly emitter and the kernel generators print assembly"},
	{from: "likc/**", never: "github.com/alecthomas/participle/**", except: []string{"likc/compiler/syntax", "likc/runtime/fit/formula", "likc/compiler/source"}, why: "one package parses models, one formulas, and one holds what both share"},
	{from: "likc/**", never: "github.com/pelletier/go-toml/**", except: []string{"likc/search/work/recipe"}, why: "one package reads pipelines' settings"},
	{from: "likc/**", never: "github.com/vbauerster/mpb/**", except: []string{"likc/runtime/fit/progress"}, why: "one package looks at terminals and draws bars"},
	{from: "likc/**", never: "os/exec", except: []string{"likc/compiler/build", "likc/search/work/bench", "likc/compiler/emit/text/texttest", "likc/runtime/model/load", "likc/runtime/model/program", "likc/search/work/pipeline", "likc/search/work/slurm", "likc/cmd/**"}, why: "few places start programs"},
	{from: "likc/**", never: "text/template", except: []string{"likc/runtime/num/*/asm", "likc/testdata/typed"}, why: "its templates call methods by name, so that the linker leaves out no method: use github.com/DataDog/datadog-agent/pkg/template/text"},
	{from: "likc/**", never: "html/template", why: "as text/template"},
	{from: "likc/**", never: "plugin", except: []string{"likc/runtime/model/plugins"}, why: "one package opens plugins"},
	{from: "likc/**", never: "likc/runtime/model/plugins", except: []string{"likc/cmd/likc"}, why: "the linker leaves out nothing of a program that can open plugins"},
	{from: "likc/**", never: "likc/search/work/slurm", except: []string{"likc/cmd/**"}, why: "engines and pipelines know no batch system by name"},
	{from: "likc/search/work/slurm", never: "likc/search/work/recipe", why: "a queue runs any units"},
	{from: "likc/search/work/cluster", never: "likc/search/work/recipe", why: "an engine does any units"},
	{from: "likc/**", never: "likc/search/teach/teacher", except: []string{"likc/cmd/**"}, why: "it trains; to use a teacher runtime/model/neural is enough"},
	{from: "likc/**", never: "likc/search/teach/backprop", except: []string{"likc/search/teach/*"}, why: "only training runs networks backwards"},
	{from: "likc/search/study/judge", never: "likc/search/find/objective", why: "a proxy that shares structure with the search loss cannot also be the judge"},
	{from: "likc/search/find/evolve", never: "likc/search/find/objective", why: "evolution knows nothing of likelihoods"},
	{from: "likc/search/find/evolve", never: "likc/search/teach/teacher", why: "evolution knows nothing of likelihoods"},
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Standard                           bool
}

// TestImportPolicy checks the imports of all packages, without their tests, against floors and policy. Generated packages and their tests
// may import only the standard library.
func TestImportPolicy(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages", len(packages))
	}
	for _, p := range packages {
		level := floor(p.ImportPath)
		if level < 0 && (match("likc/runtime/**", p.ImportPath) || match("likc/search/**", p.ImportPath)) {
			t.Errorf("%s stands in no room", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if above := floor(imported); level >= 0 && above > level {
				t.Errorf("%s imports %s, which stands on a floor above", p.ImportPath, imported)
			}
		}
		for _, rule := range policy {
			if !match(rule.from, p.ImportPath) || matchAny(rule.except, p.ImportPath) {
				continue
			}
			for _, imported := range p.Imports {
				if match(rule.never, imported) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, rule.why)
				}
			}
		}
		for _, imported := range append(p.TestImports, p.XTestImports...) {
			if match("likc/runtime/**", p.ImportPath) && match("likc/search/**", imported) {
				t.Errorf("a test of %s imports %s: the runtime is tested without the search", p.ImportPath, imported)
			}
		}
		if match("likc/generated/*", p.ImportPath) && p.ImportPath != "likc/generated/all" {
			for _, imported := range append(append(p.Imports, p.TestImports...), p.XTestImports...) {
				if first, _, _ := strings.Cut(imported, "/"); first == "likc" || strings.Contains(first, ".") {
					t.Errorf("%s imports %s: generated packages stand alone", p.ImportPath, imported)
				}
			}
		}
	}
}

// TestPolicyOfTheLibrary: a program that imports likc stays small. Templates of Go's library call methods by name, so that the linker would leave out no
// method. Figures come with megabytes of fonts, and Parquet with megabytes of libraries.
func TestPolicyOfTheLibrary(t *testing.T) {
	seen := importedBy(t, "likc")
	for _, never := range []string{"text/template", "html/template", "plugin", "likc/runtime/fit/figure", "net/http", "github.com/parquet-go/parquet-go"} {
		if seen[never] {
			t.Errorf("likc comes with %s", never)
		}
	}
	if !seen["likc/runtime/fit"] {
		t.Error("likc comes without likc/runtime/fit: imports are not followed")
	}
}

// onlySlurm matches names of Slurm's commands and variables.
var onlySlurm = regexp.MustCompile(`\b(sbatch|squeue|scontrol|sacct|scancel)\b|\b(SLURM|SBATCH)_[A-Z]|MaxArraySize`)

// onlyStore matches calls that make, rename or lock files in a way that only package store should.
var onlyStore = regexp.MustCompile(`\bos\.(Rename|CreateTemp|MkdirTemp)\(|\bFlock\(|LockFileEx|\bRenameat2?\(`)

// TestWordsOfOnePackage reads the sources of the program: only package store may rename and lock files, and only package slurm may name
// Slurm's commands. Tests and tools/mutants, which writes only temporary files, are not read.
func TestWordsOfOnePackage(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			filepath.Dir(path) == filepath.Join("runtime", "sys", "store") || filepath.Dir(path) == filepath.Join("tools", "mutants") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := onlyStore.Find(text); found != nil {
			t.Errorf("%s: %s…: package store writes files and folders, and locks them", path, found)
		}
		slurm := filepath.Dir(path) == filepath.Join("search", "work", "slurm")
		flags := filepath.Dir(path) == filepath.Join("cmd", "likc", "internal", "remote") // this package has flags of commands with their help
		if found := onlySlurm.Find(text); found != nil && !slurm && !flags {
			t.Errorf("%s: %s: only search/work/slurm knows Slurm's words", path, found)
		}
		read++
		return err
	})
	if err != nil || read < 100 {
		t.Errorf("%d sources read, %v", read, err)
	}
}

// TestOneLoop: of the packages that fit simulated subjects, only search/study has a loop over subjects: truth, trials, fit, comparison. Package
// bank may have one too, because it fits nothing.
func TestOneLoop(t *testing.T) {
	loops := regexp.MustCompile(`\b(units\.(Do|Run)|workers\.(Do|Try))\(`)
	var found []string
	for _, room := range []string{"search/study", "search/teach/gate"} {
		err := filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if loops.Match(text) {
				found = append(found, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"search/study/bank/make.go", "search/study/check.go"}; !slices.Equal(found, want) {
		t.Errorf("loops in %v, want them in %v alone", found, want)
	}
}

// TestJudgeIsIndependent follows imports: no path leads from the judge to the objective of the search.
func TestJudgeIsIndependent(t *testing.T) {
	seen := importedBy(t, "likc/search/study/judge")
	if seen["likc/search/find/objective"] {
		t.Error("likc/search/study/judge reaches likc/search/find/objective")
	}
}

// importedBy returns the packages that a package imports, directly or by others.
func importedBy(t *testing.T, path string) map[string]bool {
	t.Helper()
	imports := map[string][]string{}
	for _, p := range list(t) {
		imports[p.ImportPath] = p.Imports
	}
	seen := map[string]bool{}
	var walk func(string)
	walk = func(p string) {
		for _, q := range imports[p] {
			if !seen[q] {
				seen[q] = true
				walk(q)
			}
		}
	}
	walk(path)
	return seen
}

// list returns all packages of the module and their dependencies, with the module renamed to likc.
func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Standard", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	path, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	// The policy calls the module likc.
	out = bytes.ReplaceAll(out, append([]byte(`"`), bytes.TrimSpace(path)...), []byte(`"likc`))
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// match reports whether a package matches a pattern of the policy, in which /** stands for a package and all packages below
// it.
func match(pattern, name string) bool {
	if prefix, deep := strings.CutSuffix(pattern, "/**"); deep {
		return name == prefix || strings.HasPrefix(name, prefix+"/")
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

func matchAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if match(p, name) {
			return true
		}
	}
	return false
}
