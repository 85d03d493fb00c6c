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
	"likc/runtime/model/ssm"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/study/bank"

	"github.com/spf13/cobra"
)

func NewBank() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "bank",
		Short: "Make, verify and show banks of simulated subjects",
		Long: "A bank is a folder: subjects.parquet (true parameters), trials.parquet (subject, rt, choice), bank.json (settings) and\n" +
			"MANIFEST.sha256, which sha256sum -c reads too. Banks of different roles share no subject.",
	}, newBankMake(), newBankVerify(), newBankShow())
}

func newBankMake() *cobra.Command {
	var (
		role, model, dir string
		seed             uint64
		subjects, most   int
		threads          int
		how              schemeFlags
		asJSON           bool
	)
	cmd := &cobra.Command{
		Use:   "make --role ROLE -o DIR",
		Short: "Simulate a bank: parameters uniform over the model's ranges, trials at each",
		Long:  "Make simulates a bank at the paper's size, unless --subjects or --trials say otherwise.\n\nRoles:\n" + roleTable(),
		Args:  cli.Exactly(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if role == "" {
				return cli.Usagef("--role: missing; want one of %s", strings.Join(bank.RoleNames(), ", "))
			}
			if dir == "" {
				return cli.Usagef("bank make: -o DIR is missing")
			}
			s, err := bankSettings(cmd, role, model, how, seed, subjects, most)
			if err != nil {
				return err
			}
			if err := bank.Writable(dir); err != nil {
				return err
			}
			release, err := store.Lock(dir)
			if err != nil {
				return err
			}
			defer release()
			b, err := makeBank(cmd.Context(), s, threads)
			if err != nil {
				return err
			}
			if err := bank.Write(dir, b); err != nil {
				return err
			}
			return printBank(cmd.OutOrStdout(), dir, b, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&role, "role", "", "what the bank is for: `ROLE` decides its size and its subjects (required)")
	f.StringVar(&model, "model", ssm.DDM.Name, "simulator: "+strings.Join(ssm.Names(), ", "))
	f.Uint64Var(&seed, "seed", 1, "seed: the same one gives the same bytes")
	f.IntVar(&subjects, "subjects", 0, "number of subjects (default: the role's)")
	f.IntVar(&most, "trials", 0, "most trials a subject keeps (default: the role's)")
	f.IntVar(&threads, "threads", runtime.GOMAXPROCS(0), "threads; any number gives the same bytes")
	f.StringVarP(&dir, "output", "o", "", "`DIR` to write the bank to; a bank that is there is replaced (required)")
	f.BoolVar(&asJSON, "json", false, "print JSON, as show does")
	how.add(cmd)
	return cmd
}

// bankSettings are the role's, with what the flags change.
func bankSettings(cmd *cobra.Command, role, model string, how schemeFlags, seed uint64, subjects, most int) (bank.Settings, error) {
	s, err := bank.NewSettings(role, model, "", seed)
	if err != nil {
		return s, cli.Usage(err)
	}
	scheme, err := how.scheme(model)
	if err != nil {
		return s, err
	}
	if s, err = bank.NewSettings(role, model, how.name, seed); err != nil {
		return s, cli.Usage(err)
	}
	s.Step = scheme.Step
	if cmd.Flags().Changed("subjects") {
		if err := cli.Within("--subjects", subjects, 1, bank.MaxSubjects); err != nil {
			return s, err
		}
		s.Subjects = subjects
	}
	if cmd.Flags().Changed("trials") {
		if err := cli.Within("--trials", most, 1, maxSimulated); err != nil {
			return s, err
		}
		s.SetTrials(most)
	}
	if err := s.Check(); err != nil {
		return s, cli.Usage(err)
	}
	return s, nil
}

func makeBank(ctx context.Context, s bank.Settings, threads int) (*bank.Bank, error) {
	if err := cli.Within("--threads", threads, 1, cli.MaxThreads); err != nil {
		return nil, err
	}
	b, err := bank.Make(ctx, s, threads)
	if errors.Is(err, context.Canceled) {
		return nil, errors.New("bank make: interrupted, nothing is written; give the same command again")
	}
	return b, err
}

func roleTable() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range bank.Roles() {
		fmt.Fprintf(w, "  %s\t%d × %d trials\t%s\n", r.Name, r.Subjects, r.Trials, r.Purpose)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// verdictOf is what verify says of one bank, and its --json form.
type verdictOf struct {
	Bank     string   `json:"bank"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

func newBankVerify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify DIR…",
		Short: "Check banks against their SHA-256 sums and settings; name the files that differ",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("bank verify: wants the folder of a bank, or several")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, dirs []string) error {
			var failed error
			verdicts := []verdictOf{}
			for _, dir := range dirs {
				b, err := bank.Verify(place(dir))
				failed = errors.Join(failed, err)
				verdicts = append(verdicts, newVerdict(dir, err))
				if err == nil && !asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: as its manifest says: %s\n", dir, sizeOf(b))
				}
			}
			if asJSON {
				if err := cli.PrintJSON(cmd.OutOrStdout(), verdicts); err != nil {
					return err
				}
			}
			return failed
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newVerdict(dir string, err error) verdictOf {
	v := verdictOf{Bank: dir, OK: err == nil, Problems: []string{}}
	if err != nil {
		v.Problems = strings.Split(err.Error(), "\n")
	}
	return v
}

// place is the folder of a bank that comes with likc, or the name itself, of a folder.
func place(name string) string {
	if dir, err := cli.FolderOrCommitted(name); err == nil {
		return dir
	}
	return name
}

func newBankShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "Settings, parameters, choices and response times of a bank",
		Long:  "Show sums up the bank in DIR, or a bank that comes with likc, as test-60.",
		Args:  cli.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bank.Open(place(args[0]))
			if err != nil {
				return err
			}
			if asJSON {
				return printBank(cmd.OutOrStdout(), args[0], b, true)
			}
			return showBank(cmd.OutOrStdout(), args[0], b)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// sizeOf says how much a bank holds.
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
