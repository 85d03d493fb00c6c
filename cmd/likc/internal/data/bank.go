package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/study/bank"

	"github.com/spf13/cobra"
)

// NewBank returns the command bank.
func NewBank() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "bank",
		Short: "Make, verify and show banks of simulated subjects",
		Long: "Make, verify or show a bank of simulated subjects. A bank is a folder: subjects.parquet (true parameters), trials.parquet (subject, rt, choice, and columns on which\n" +
			"trials depend), bank.json (settings) and MANIFEST.sha256, which sha256sum -c reads too. Banks of different roles share no subject.",
	}, newBankMake(), newBankVerify(), newBankShow())
}

// makeFlags are the flags of the command bank make.
type makeFlags struct {
	Role     string  `flag:"role" value:"ROLE" help:"what the bank is for: ROLE decides its size and its subjects (required)"`
	Model    process `flag:"model" value:"MODEL" help:"whose trials: {known}, a .lik file that writes a process down or leaves it to --exec, or a model whose trials depend on --data"`
	Seed     uint64  `flag:"seed" default:"1" help:"seed: the same one gives the same bytes"`
	Subjects int     `flag:"subjects" in:"[1,16777216]" help:"number of subjects (default: the role's)"`
	Trials   int     `flag:"trials" in:"[1,100000000]" help:"most trials a subject keeps (default: the role's)"`
	Threads  int     `flag:"threads" in:"[1,4096]" help:"threads; any number gives the same bytes"`
	Dir      string  `flag:"output,o" value:"DIR" required:"bank make: -o DIR is missing" help:"DIR to write the bank to; a bank that is there is replaced (required)"`
	JSON     bool    `flag:"json" help:"print JSON, as show does"`
	cli.ColumnFlags
	schemeFlags
	cli.ExecFlags
}

// process is the name of a process that can be simulated.
type process string

// Known lists the processes that come with likc.
func (process) Known() []string { return ssm.Names() }

func newBankMake() *cobra.Command {
	return cli.Command(&makeFlags{Model: process(ssm.DDM.Name), Threads: runtime.GOMAXPROCS(0)}, &cobra.Command{
		Use:         "make --role ROLE -o DIR",
		Annotations: cli.KeepsWork,
		Short:       "Simulate a bank: parameters uniform over the model's ranges, trials at each",
		Long: "Simulate a bank at the paper's size, unless --subjects or --trials say otherwise.\n\n" +
			"A model whose trials depend on columns, or on the trials before them, takes these from --data FILE, a row a trial. Each simulated subject gets the\n" +
			"rows of one participant, in turn. The bank keeps the columns, so that likc judge can fit its subjects.\n\nRoles:\n" + roleTable(),
		Args: cli.Exactly(),
	})
}

// Run simulates a bank and writes it.
func (f *makeFlags) Run(cmd *cobra.Command, _ []string) error {
	simulate, err := f.simulation(cmd)
	if err != nil {
		return err
	}
	if err := bank.Writable(f.Dir); err != nil {
		return err
	}
	release, err := store.Lock(f.Dir)
	if err != nil {
		return err
	}
	defer release()
	b, err := simulate(cmd.Context())
	if errors.Is(err, context.Canceled) {
		return errors.New("bank make: interrupted, nothing is written; give the same command again")
	}
	if err != nil {
		return err
	}
	if err := bank.Write(f.Dir, b); err != nil {
		return err
	}
	return printBank(cmd.OutOrStdout(), f.Dir, b, f.JSON)
}

// simulation returns the function that simulates the bank.
func (f *makeFlags) simulation(cmd *cobra.Command) (func(context.Context) (*bank.Bank, error), error) {
	if f.Role == "" {
		return nil, cli.Usagef("--role: missing; want one of %s", strings.Join(bank.RoleNames(), ", "))
	}
	p, m, err := cli.ReadSimulated(string(f.Model))
	if err != nil {
		return nil, err
	}
	if m != nil {
		return f.inOrder(cmd, m)
	}
	if name := cli.FirstGiven(cmd, "data", "subject"); name != "" {
		return nil, cli.Usagef("--%s: trials of %s depend on no columns; leave it out", name, p.Name)
	}
	s, err := f.settings(p)
	return func(ctx context.Context) (*bank.Bank, error) { return bank.Make(ctx, s, f.Threads) }, err
}

// inOrder returns the function that simulates the bank of a model whose trials depend on columns or on one another. Such trials are simulated
// in the order of the data.
func (f *makeFlags) inOrder(cmd *cobra.Command, m *catalog.Model) (func(context.Context) (*bank.Bank, error), error) {
	sequence, _ := m.Sequence()
	if f.Data == "" {
		return nil, cli.NeedsColumns(m, sequence)
	}
	if cmd.Flags().Changed("trials") {
		return nil, cli.Usagef("--trials: not with --data, each row of which is a trial with its columns")
	}
	p, drawn := sequence.Process()
	if name := cli.FirstGiven(cmd, "scheme", "dt"); name != "" && !drawn {
		return nil, cli.Usagef("--%s: %s draws choices alone; leave it out", name, m.Name)
	}
	cli.NoteGiven(cmd.ErrOrStderr(), m, sequence)
	given, err := f.ReadColumns(m, sequence, nil)
	if err != nil {
		return nil, err
	}
	o := &bank.InOrder{Model: m, Given: given, Subject: f.Subject}
	s, err := o.Settings(f.Role, string(f.Scheme), f.Seed)
	if err != nil {
		return nil, cli.Usage(err)
	}
	if drawn {
		scheme, err := f.schemeOf(p)
		if err != nil {
			return nil, err
		}
		s.Step = scheme.Step
	}
	if f.Subjects > 0 {
		s.Subjects = f.Subjects
	}
	if err := s.Check(); err != nil {
		return nil, cli.Usage(err)
	}
	return func(ctx context.Context) (*bank.Bank, error) { return o.Make(ctx, s, f.Threads) }, nil
}

// settings returns the settings of the role, changed by the flags.
func (f *makeFlags) settings(m *ssm.Model) (bank.Settings, error) {
	s, err := bank.SettingsOf(f.Role, m, "", f.Seed)
	if err != nil {
		return s, cli.Usage(err)
	}
	scheme, err := f.schemeOf(m)
	if err != nil {
		return s, err
	}
	if s, err = bank.SettingsOf(f.Role, m, string(f.Scheme), f.Seed); err != nil {
		return s, cli.Usage(err)
	}
	s.Step = scheme.Step
	if f.Subjects > 0 {
		s.Subjects = f.Subjects
	}
	if f.Trials > 0 {
		s.SetTrials(f.Trials)
	}
	if err := s.Check(); err != nil {
		return s, cli.Usage(err)
	}
	return s, nil
}

// roleTable returns a table of the roles that a bank can have, as text for a help page.
func roleTable() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range bank.Roles() {
		fmt.Fprintf(w, "  %s\t%d × %d trials\t%s\n", r.Name, r.Subjects, r.Trials, r.Purpose)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// verification is the result of verify for one bank, in its --json form.
type verification struct {
	Bank     string   `json:"bank"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

// verifyFlags are the flags of the command bank verify.
type verifyFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

func newBankVerify() *cobra.Command {
	return cli.Command(&verifyFlags{}, &cobra.Command{
		Use:   "verify DIR…",
		Short: "Check banks against their SHA-256 sums and settings; name the files that differ",
		Args:  cli.Some("the folder of a bank, or several"),
	})
}

// Run verifies banks. It returns an error if a bank differs from its manifest.
func (f *verifyFlags) Run(cmd *cobra.Command, dirs []string) error {
	var failed error
	verdicts := []verification{}
	for _, dir := range dirs {
		b, err := bank.Verify(bankFolder(dir))
		verdict := verification{Bank: dir, OK: err == nil, Problems: []string{}}
		if err != nil {
			verdict.Problems = strings.Split(err.Error(), "\n")
		} else if !f.JSON {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: as its manifest says: %s\n", dir, sizeOf(b))
		}
		failed, verdicts = errors.Join(failed, err), append(verdicts, verdict)
	}
	if f.JSON {
		if err := cli.PrintJSON(cmd.OutOrStdout(), verdicts); err != nil {
			return err
		}
	}
	return failed
}

// bankFolder returns the folder of a bank that comes with likc, or else the name, which is a folder.
func bankFolder(name string) string {
	if dir, err := cli.FolderOrCommitted(name); err == nil {
		return dir
	}
	return name
}

// showFlags are the flags of the command bank show.
type showFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

func newBankShow() *cobra.Command {
	return cli.Command(&showFlags{}, &cobra.Command{
		Use:   "show DIR",
		Short: "Settings, parameters, choices and response times of a bank",
		Long:  "Sum up the bank in DIR, or a bank that comes with likc, as test-60.",
		Args:  cli.Exactly("DIR"),
	})
}

// Run prints a description of a bank.
func (f *showFlags) Run(cmd *cobra.Command, args []string) error {
	b, err := bank.Open(bankFolder(args[0]))
	if err != nil {
		return err
	}
	if f.JSON {
		return printBank(cmd.OutOrStdout(), args[0], b, true)
	}
	return showBank(cmd.OutOrStdout(), args[0], b)
}

// sizeOf returns a sentence with the size of a bank.
func sizeOf(b *bank.Bank) string {
	text := fmt.Sprintf("%s, %s, %s (%d dropped", b.Settings.Role, notation.Count(len(b.Subjects), "subject"), notation.Count(b.Counts.Kept, "trial"), b.Counts.Dropped)
	if b.Settings.UpperOnly {
		text += fmt.Sprintf(", %s reflected", notation.Count(b.Counts.Reflected, "subject"))
	}
	return text + ")"
}

// printBank prints one line, or the summary as JSON.
func printBank(w io.Writer, dir string, b *bank.Bank, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprintf(w, "%s: %s\n", dir, sizeOf(b))
		return err
	}
	return cli.PrintJSON(w, struct {
		Bank string `json:"bank"`
		bank.Summary
	}{dir, bank.Describe(b)})
}
