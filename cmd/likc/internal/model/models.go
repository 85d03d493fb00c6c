package model

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/interrupt"
	"likc/search/teach/gate"

	"github.com/spf13/cobra"
)

// modelsFlags are the flags of the command models.
type modelsFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// NewModels makes the command that lists the models.
func NewModels() *cobra.Command {
	return cli.Command(&modelsFlags{}, &cobra.Command{
		Use:   "models [MODEL…]",
		Short: "List every model that comes with likc, or describe some",
		Example: `  likc models
  likc models ddm`,
		Long: `List what may stand for MODEL by name. MODEL may also be a .lik file, FILE#NAME for one model of several,
FRONT.jsonl#LINE for an expression of a front, or the folder of a teacher. With MODEL it describes that model: the range and
meaning of each parameter, the choices and columns of its data, its simulator and its origin.

Kinds:
  exact    the exact density of a process
  formula  an expression that stands in for the density of the process that simulates its data: it ranks people, and its
           intervals may mislead
  closed   another expression: the density of a process of the same name, or of something that nothing simulates
  teacher  a neural likelihood of a process; likc simulate and likc bank take the process itself
  process  simulates trials; its likelihood is to be learned, by likc teacher train

Choices are the codes that data have for them; models of one response have none. The column "honest" is of formulas that were judged
on simulated subjects: up to how many trials a subject their errors are about as small as those of the density that they stand
in for, and their intervals hold the truth about as often as they say, with 95% certainty; undecided: the subjects were too few to say;
no: they rank people and do not measure them. Described, or with --json, such a model has the figures of every parameter with their
bounds, and a teacher those of its gate.`,
	})
}

// Run lists all models, or describes those named.
func (f *modelsFlags) Run(cmd *cobra.Command, args []string) error {
	all, err := modelsOf(args)
	if err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); {
	case f.JSON:
		return cli.PrintJSON(w, listed(all))
	case len(args) > 0:
		return describeModels(w, all)
	default:
		return printModels(w, all)
	}
}

// modelsOf opens the models that the arguments name, or all built-in models if there are no arguments.
func modelsOf(args []string) ([]*catalog.Model, error) {
	if len(args) == 0 {
		all, err := catalog.All()
		if err != nil {
			return nil, err
		}
		learners, err := catalog.Learners()
		if err != nil {
			return nil, err
		}
		processes, err := catalog.Processes()
		return slices.Concat(all, learners, processes), err
	}
	all := make([]*catalog.Model, len(args))
	for i, arg := range args {
		var err error
		if all[i], err = interrupt.WhileReading(func() (*catalog.Model, error) { return catalog.Open(arg) }); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// entry is a model in the list's JSON form.
type entry struct {
	Name      string          `json:"name"`
	Kind      catalog.Kind    `json:"kind"`
	About     string          `json:"about"`
	Params    []entryParam    `json:"params"`
	Trials    []string        `json:"trials"`
	Choices   []float64       `json:"choices"`
	Simulator bool            `json:"simulator"`
	Process   string          `json:"process,omitempty"` // process that simulates the model's trials
	Schemes   []string        `json:"schemes,omitempty"` // schemes of the simulator, the default one first
	Cites     string          `json:"cites,omitempty"`
	Judged    *catalog.Judged `json:"judged,omitempty"`
	Gate      *entryGate      `json:"gate,omitempty"` // gate of a teacher
}

type entryParam struct {
	Name    string  `json:"name"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Meaning string  `json:"meaning,omitempty"`
}

// entryGate holds the results of a teacher's gate, the test of its accuracy.
type entryGate struct {
	Verdict string             `json:"verdict"`
	Figures map[string]float64 `json:"figures"` // measured figures by their names in gate.json

	summary string // one line
}

// gateOf returns the report of a teacher that was examined, nil for another model.
func gateOf(m *catalog.Model) *entryGate {
	t, ok := m.Teacher()
	if !ok || t.Gate == nil {
		return nil
	}
	r, err := gate.Admitted(m.Name, t)
	if err != nil {
		return &entryGate{Verdict: err.Error()}
	}
	g := &entryGate{Verdict: r.Verdict(), Figures: map[string]float64{}, summary: r.Verdict() + ": " + r.Summary()}
	for _, f := range r.Figures {
		if f.Value != nil {
			g.Figures[f.Name] = *f.Value
		}
	}
	return g
}

func listed(all []*catalog.Model) []entry {
	list := make([]entry, len(all))
	for i, m := range all {
		e := entry{Name: m.Name, Kind: m.Origin.Kind, About: m.About(), Trials: m.Trials, Choices: append([]float64{}, m.Codes()...)}
		for _, p := range m.Params {
			e.Params = append(e.Params, entryParam{p.Name, p.Lower, p.Upper, m.Meaning(p.Name)})
		}
		e.Cites = m.Cites()
		if s, ok := m.Simulator(); ok {
			e.Simulator, e.Process, e.Schemes = true, s.Process.Name, s.Process.SchemeNames()
		}
		if s, ok := m.Sequence(); ok {
			e.Simulator = true
			if p, drawn := s.Process(); drawn {
				e.Process, e.Schemes = p.Name, p.SchemeNames()
			}
		}
		if s, ok := m.Session(); ok {
			e.Simulator, e.Process, e.Schemes = true, s.Name, []string{"exact"}
		}
		if j, ok := m.Judged(); ok {
			e.Judged = j
		}
		e.Gate = gateOf(m)
		list[i] = e
	}
	return list
}

// choicesOf lists the codes of a model's choices.
func choicesOf(e entry) string {
	if len(e.Choices) == 0 {
		return "-"
	}
	var words []string
	for _, c := range e.Choices {
		words = append(words, fmt.Sprint(c))
	}
	return strings.Join(words, " ")
}

// honestOf returns a text with the largest number of trials a subject for which a formula is known to be honest.
func honestOf(e entry) string {
	if e.Kind != catalog.Formula || e.Judged == nil {
		return "-"
	}
	return e.Judged.Where()
}

func printModels(w io.Writer, all []*catalog.Model) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tkind\tparameters\tsimulator\tchoices\thonest\torigin\twhat it is")
	for _, e := range listed(all) {
		params := ""
		for i, p := range e.Params {
			if i > 0 {
				params += " "
			}
			params += p.Name
		}
		simulator := e.Process
		if simulator == "" {
			simulator = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Name, e.Kind, params, simulator, choicesOf(e), honestOf(e), cmp.Or(e.Cites, "-"), e.About)
	}
	return t.Flush()
}
