package rowwise

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/text"

	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/runtime/num/elementary"
	"likc/templates"
)

// Go prints a Go package that imports only the standard library, as package gosrc does for models that are expressions.
func Go(m Source, cfg emit.Config, cases []Case) ([]emit.File, error) {
	s, cfg, err := begin(m, cfg, cases)
	if err != nil {
		return nil, err
	}
	d := goDialect()
	names := d.names(len(s.calls))
	columns, restarts := s.identifiers(names)
	pg := s.newPage(cfg, cases, columns, restarts)
	if err := pg.program(s, d, columns, names); err != nil {
		return nil, err
	}
	for _, name := range pg.fixed() {
		pg.Parts = append(pg.Parts, strings.TrimSpace(templates.Text(name)))
	}
	if len(pg.Program.Kinds) > 0 {
		pg.Parts = append(pg.Parts, exponentials()...)
	}
	pg.Parts = append(pg.Parts, pg.Program.Locals...)
	files, err := pg.goTeacher()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"lik.go", "lik_test.go", "bench_test.go", "example_test.go", "README.md"} {
		data, err := pg.fill(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, emit.File{Name: name, Data: data})
	}
	files = append(files, pg.source()...)
	if pg.Process != nil {
		more, err := pg.goFiles()
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if cfg.Module != "" {
		files = append(files, emit.File{Name: "go.mod", Data: []byte("module " + cfg.Module + "\n\ngo 1.24\n")})
	}
	return files, nil
}

// exponentials returns the source of package elementary, its functions unexported: expNeg and log.
func exponentials() (parts []string) {
	for _, text := range elementary.Source() {
		_, body, _ := strings.Cut(text, "import \"math\"\n")
		parts = append(parts, strings.NewReplacer("ExpNeg", "expNeg", "func Log", "func log", "// Log", "// log").Replace(strings.TrimSpace(body)))
	}
	return parts
}

// begin prepares a model for printing, and fills in the defaults of the configuration.
func begin(m Source, cfg emit.Config, cases []Case) (*sheet, emit.Config, error) {
	s, err := newSheet(m)
	if err != nil {
		return nil, cfg, err
	}
	if len(cases) == 0 {
		return nil, cfg, fmt.Errorf("the log density was finite at none of the trials and parameters that were drawn to test it")
	}
	cfg.Model = m.Model
	if cfg.Text == "" {
		cfg.Source, cfg.Hash = m.Name, ""
	}
	cfg, err = cfg.Complete()
	return s, cfg, err
}

// goDialect returns the functions that write Go.
func goDialect() dialect {
	return dialect{
		target: expr.Go, math: "math.",
		names: func(calls int) *plan.Names {
			n := gosrc.Names()
			n.Reserve(strings.Fields(`LogDensities evaluate prepare byPerson gathered first each logDensity fresh order person params
				ddm ddmSdv fullDdm angle passage partials outside waves switchTime
				node gauss3 gauss4 gauss5 gauss6 gauss8 gauss12 gauss16 panelOrder legendre legendreTwice legendreLess panel panelChange mostPanels keptPanels negligible
				lattice newLattice average window startSums startRules windowMean pieceRules`)...)
			for i := range calls {
				n.Reserve(fmt.Sprint("kind", i), fmt.Sprint("slopes", i))
			}
			return n
		},
		define: func(name, value string) string { return name + " := " + value },
		number: goNumber,
		field:  func(column string) string { return "d." + column + "[i]" },
		param:  func(j int) string { return fmt.Sprintf("theta[%d]", j) },
		slope:  func(call, arg int) string { return fmt.Sprintf("slopes%d[%d]", call, arg) },
		invoke: func(call int, result string, d density, args []string) []string {
			return []string{
				fmt.Sprintf("var slopes%d [%d]float64", call, len(args)-2),
				fmt.Sprintf("%s := kind%d.logDensity(%s, &slopes%d)", result, call, strings.Join(args, ", "), call),
			}
		},
	}
}

// program sets the printed program and the columns that it reads.
func (pg *page) program(s *sheet, d dialect, columns map[string]string, names *plan.Names) error {
	switch {
	case s.process != nil:
		pg.Program = s.networks()
		var err error
		if pg.Process, err = s.numerical(s.process, d); err != nil {
			return err
		}
		for _, j := range s.process.Columns {
			pg.ProcessColumns = append(pg.ProcessColumns, pg.Arguments[j])
		}
	case s.teacher != nil:
		pg.Program = s.networks()
	default:
		pg.Program = s.print(d, columns, names)
	}
	pg.keep(columns)
	return pg.Program.check(s.Name)
}

// goTeacher adds the code that evaluates a teacher, and returns the file with its weights; no file for other models.
func (pg *page) goTeacher() ([]emit.File, error) {
	if pg.Teacher == nil {
		return nil, nil
	}
	code, err := pg.fill("teacher.go")
	if err != nil {
		return nil, err
	}
	pg.Parts = append(pg.Parts, strings.TrimSpace(string(code)))
	weights, err := pg.Teacher.goWeights(pg.Config)
	return []emit.File{weights}, err
}

// identifiers reserves identifiers for the trial columns, for the choice, and for the columns that restart states.
func (s *sheet) identifiers(names *plan.Names) (columns map[string]string, restarts []string) {
	columns = map[string]string{}
	for _, name := range s.Trials {
		columns[name] = names.Declare(name)
	}
	if s.Choice != "" {
		columns[s.Choice] = names.Declare(s.Choice)
	}
	for _, name := range s.restarts {
		restarts = append(restarts, names.Declare(name))
	}
	return columns, restarts
}

// page holds the values that the templates use.
type page struct {
	emit.Config
	Cases          []Case
	Model          *expr.Model
	Header         []string // comment lines at the top of the files
	Conventions    []string // sentences on the conventions of the densities, such as units
	Again          string   // the model in a command that prints the package again
	Program        *program
	Teacher        *Teacher // the networks of a teacher; nil for other models
	Process        *Process // the process with a numerical density; nil for other models
	ProcessColumns []string // the trial columns on which the process depends
	Parts          []string // sources of fixed functions
	Stateful       bool     // whether the model has states
	Choice         string   // the identifier of the choice; "" for a model without choice
	Codes          string   // the allowed codes of the choice, in words
	Choices        int      // number of choices, coded 0, 1, …; 0 for two boundaries
	Dim            int      // number of parameters
	WrongChoice    string   // the condition that a choice is none of the codes
	BadChoice      string   // choices that the tests expect to be refused
	Labels         []string // the names of all columns in the model
	Arguments      []string // identifiers of the trial columns and the choice
	Restarts       []string // identifiers of the columns that restart states and are neither trial columns nor the choice
	AllColumns     []string // Arguments, then Restarts
	AllArguments   []string // Arguments, then with states the participants' numbers and Restarts
	Starts         []restart
	Checks         []string // calls that check single columns
	PositiveIndex  []int    // the indexes of the positive trial columns
	Fields         []string // the columns that a dataset stores
	Kept           []string // the Fields that the caller gives; the others are computed
	BindArgs       string   // the arguments that bind columns, such as c.columns[0], c.choice
	DensityArgs    string   // the arguments that evaluate trial i, such as c.columns[0][i], c.choice[i]

	Caps       string // the package name in capitals, for C
	CheckKinds string // for C: a letter for each column, which says how check_columns checks it
}

// restart is a list of columns at which some states start again from their first value.
type restart struct {
	Mask uint64   // one bit: the list's index among all such lists
	Set  []string // identifiers of the columns
}

// newPage returns the values that the templates use, except those that depend on the printed program.
func (s *sheet) newPage(cfg emit.Config, cases []Case, columns map[string]string, restarts []string) *page {
	pg := &page{Config: cfg, Cases: cases, Model: s.Model, Teacher: s.teacher, Stateful: len(s.states) > 0, Choice: columns[s.Choice], Choices: s.Choices, Dim: len(s.Params),
		Codes: "+1 or -1", BadChoice: "0, 2", Restarts: restarts, Again: "model.lik#" + s.Name}
	pg.Text = strings.TrimRight(cfg.Text, "\n")
	if pg.Text == "" {
		pg.Again = s.Name
	}
	if s.Choice == "" {
		pg.Choice = ""
	}
	if s.Choices > 0 {
		pg.Codes, pg.BadChoice = fmt.Sprintf("0 to %d", s.Choices-1), fmt.Sprintf("-1, %d", s.Choices)
	}
	var bind, density []string
	for j, name := range s.Trials {
		id := columns[name]
		pg.Labels, pg.Arguments = append(pg.Labels, name), append(pg.Arguments, id)
		bind, density = append(bind, fmt.Sprintf("c.columns[%d]", j)), append(density, fmt.Sprintf("c.columns[%d][i]", j))
		switch {
		case s.MayBeZero(name):
			pg.Checks = append(pg.Checks, fmt.Sprintf("checkNonNegative(%q, %s)", name, id))
		case s.IsPositive(name):
			pg.Checks = append(pg.Checks, fmt.Sprintf("checkPositive(%q, %s)", name, id))
		default:
			continue
		}
		pg.PositiveIndex = append(pg.PositiveIndex, j)
	}
	if s.Choice != "" {
		id := columns[s.Choice]
		pg.Labels, pg.Arguments = append(pg.Labels, s.Choice), append(pg.Arguments, id)
		bind, density = append(bind, "c.choice"), append(density, "c.choice[i]")
		if s.Choices > 0 {
			pg.Checks = append(pg.Checks, fmt.Sprintf("checkNumbered(%q, %d, %s)", s.Choice, s.Choices, id))
			pg.WrongChoice = fmt.Sprintf("!(%s >= 0 && %s < %d) || %s != math.Trunc(%s)", id, id, s.Choices, id, id)
		} else {
			pg.Checks = append(pg.Checks, fmt.Sprintf("checkChoice(%q, %s)", s.Choice, id))
			pg.WrongChoice = fmt.Sprintf("%s != 1 && %s != -1", id, id)
		}
	}
	pg.AllColumns = append(slices.Clone(pg.Arguments), restarts...)
	pg.AllArguments = slices.Clone(pg.Arguments)
	pg.Labels = append(pg.Labels, s.restarts...)
	if pg.Stateful {
		pg.AllArguments = append(append(pg.AllArguments, "person"), restarts...)
		bind = append(bind, "c.person")
		for k := range s.restarts {
			bind = append(bind, fmt.Sprintf("c.blocks[%d]", k))
		}
	}
	pg.Starts = s.starts(columns, restarts)
	pg.BindArgs, pg.DensityArgs = strings.Join(bind, ", "), strings.Join(density, ", ")
	pg.Header, pg.Conventions = s.header(cfg)
	return pg
}

// starts returns the columns at which states start again, for each list of states with the same columns.
func (s *sheet) starts(columns map[string]string, restarts []string) (all []restart) {
	for i, set := range s.sets {
		r := restart{Mask: 1 << i}
		for _, name := range set {
			if k := slices.Index(s.restarts, name); k >= 0 {
				r.Set = append(r.Set, restarts[k])
			} else {
				r.Set = append(r.Set, columns[name])
			}
		}
		all = append(all, r)
	}
	return all
}

// keep sets the columns that a dataset stores.
func (pg *page) keep(columns map[string]string) {
	for _, name := range pg.Program.Columns {
		pg.Kept = append(pg.Kept, columns[name])
	}
	pg.Fields = append(slices.Clone(pg.Kept), pg.Program.Data...)
}

// fixed returns the names of the fixed texts that lik.go needs.
func (pg *page) fixed() (list []string) {
	add := func(name string) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, k := range pg.Program.Kinds {
		for _, part := range k.parts {
			add("density/" + part + ".go.txt")
		}
	}
	add("fixed/length.go.txt")
	add("fixed/columns.go.txt")
	for _, c := range pg.Checks {
		for call, name := range map[string]string{"checkPositive(": "positive", "checkNonNegative(": "nonnegative", "checkChoice(": "choice", "checkNumbered(": "numbered"} {
			if strings.HasPrefix(c, call) {
				add("fixed/" + name + ".go.txt")
			}
		}
	}
	return list
}

// header returns the comment lines at the top of the files, and the lines that state the conventions of the densities, such as
// units.
func (s *sheet) header(cfg emit.Config) (lines, conventions []string) {
	lines = []string{"model " + s.Name}
	for _, st := range s.states {
		lines = append(lines, "  state "+st.Name+" = "+st.Start.String()+", then "+st.Next.String())
	}
	values := map[string]*expr.Expr{}
	for i, c := range s.calls {
		var args []string
		for j, a := range c.Args {
			args = append(args, c.Of.Params[j].Name+" = "+a.String())
		}
		name := fmt.Sprintf("density%d", i)
		values[c.Symbol] = expr.Var(name)
		lines = append(lines, "  "+name+" = "+c.Of.Name+"("+strings.Join(args, ", ")+")")
		if about := s.kinds[i].about; !slices.Contains(conventions, about) {
			conventions = append(conventions, about)
		}
	}
	for _, name := range append(slices.Clone(s.Trials), s.Choice) {
		if x, ok := s.Missing[name]; ok {
			conventions = append(conventions, "A missing "+name+" is written as "+expr.Literal(x)+".")
		}
	}
	switch {
	case s.process != nil:
		lines = append(lines, "  numerical density of a process")
		conventions = append(conventions, "Densities are computed numerically; likc check says how exactly.")
	case s.teacher != nil:
		lines = append(lines, fmt.Sprintf("  networks of %d and %d weights", s.teacher.Shape.Count(), s.teacher.Class.Count()))
	default:
		lines = append(lines, "  loglik = "+expr.Substitution(values).Map(s.logLik).String())
	}
	return cfg.Say(conventions...).Header(lines), conventions
}

// source returns a file with the model's text, or no file for a model without text, such as a built-in exact density.
func (pg *page) source() []emit.File {
	if pg.Text == "" {
		return nil
	}
	return []emit.File{{Name: "model.lik", Data: []byte(pg.Text + "\n")}}
}

// functions are the functions that templates call. Templates call no methods.
var functions = template.FuncMap{
	"float": bare(goNumber), "floats": goFloats, "ints": goInts, "join": strings.Join, "assign": goAssign,
	"number": bare(cNumber), "numbers": cNumbers, "integers": integers, "allColumns": allColumns, "literal": isLiteral,
	"codes": (*expr.Model).Codes, "lawName": Law.Name, "lawNumber": Law.Number, "moving": Functions.Moving, "varies": (*Process).Varies,
	"isTilt": (*Process).IsTilt, "count": Network.Count, "macro": Network.Caps, "marked": (*Teacher).Marked, "outputs": (*Teacher).Outputs,
	"units": (*Teacher).Units, "widest": (*Teacher).Widest,
}

// fill executes a template, and formats the result if it is Go.
func (pg *page) fill(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(functions).Parse(templates.Text("rowwise/" + name + ".txt"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, pg); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".go") {
		return b.Bytes(), nil
	}
	return format.Source(b.Bytes())
}

// goAssign prints one assignment to several variables.
func goAssign(list []carry) string {
	var left, right []string
	for _, c := range list {
		left, right = append(left, c.Name), append(right, c.Value)
	}
	return strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
}
