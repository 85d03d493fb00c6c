package teacher

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/neural"
	"likc/search/teach/gate"
	"likc/search/teach/teacher"

	"github.com/spf13/cobra"
)

// gateFlags are those of likc teacher gate.
type gateFlags struct {
	bank, network, dir, figures string
	settings                    gate.Settings
	asJSON, ungated             bool
}

func newTeacherGate() *cobra.Command {
	f := gateFlags{settings: gate.DefaultSettings()}
	cmd := &cobra.Command{
		Use:   "gate TEACHER",
		Short: "Examine a teacher on subjects that did not train it; exit 0 if it may teach, 1 if not",
		Long: `Gate measures a teacher's calibration, predictions, choices, mass and recovery of parameters, each against its threshold. The
report goes into the teacher's folder, from which likc search reads it, or with -o to another one, with plots.

A teacher is admitted by the whole gate alone: 100 subjects of role ` + gate.Role + `, the settings' defaults or more, and a cross-check
with a network that was trained independently, which likc teacher train --kind lan can make. Less is reported, and status 1.`,
		Args: cli.Exactly("TEACHER"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.bank, "bank", gate.Role, "bank `DIR` of subjects to examine on; "+gate.Role+": simulated, seed 1")
	flags.StringVar(&f.network, "lan", "", "`FILE` of an independently trained network (lan-mlp-json/1) to cross-check with")
	flags.BoolVar(&f.settings.Uncrossed, "uncrossed", false, "there is no independently trained network: admit without a cross-check, and say so")
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for gate.json and plots (default: gate.json into the teacher's folder)")
	flags.StringVar(&f.figures, "figures", "", "`DIR` for the plots, with or without -o")
	flags.IntVar(&f.settings.Recovery, "recovery", f.settings.Recovery, "subjects whose parameters are estimated; 0: none")
	flags.IntVar(&f.settings.Crossed, "crossed", f.settings.Crossed, "trials a subject on which log densities are compared")
	flags.Uint64Var(&f.settings.Seed, "seed", f.settings.Seed, "seed of the teacher's draws")
	flags.IntVar(&f.settings.Threads, "threads", runtime.GOMAXPROCS(0), "threads; any number gives the same report")
	flags.BoolVar(&f.ungated, "ungated", false, "exit 0 whatever the figures are; gate.json says whether the teacher passes")
	flags.BoolVar(&f.asJSON, "json", false, "print gate.json")
	return cmd
}

func (f *gateFlags) run(cmd *cobra.Command, dir string) error {
	if f.settings.Uncrossed && f.network != "" {
		return cli.Usagef("teacher gate: --lan names a network, and --uncrossed says that there is none")
	}
	if err := errors.Join(
		cli.Within("--recovery", f.settings.Recovery, 0, 1<<24),
		cli.Within("--crossed", f.settings.Crossed, 3, 1<<24),
		cli.Within("--threads", f.settings.Threads, 1, cli.MaxThreads)); err != nil {
		return cli.Usage(err)
	}
	o, err := neural.Open(dir)
	if err != nil {
		return err
	}
	if err := f.checkFolders(); err != nil {
		return err
	}
	network, err := f.readNetwork()
	if err != nil {
		return err
	}
	b, err := gate.OpenBank(cmd.Context(), f.bank, o, f.settings.Threads)
	if err != nil {
		return err
	}
	if b.Settings.Role != gate.Role && f.dir == "" {
		return cli.Usagef("%s: role %s admits no teacher: name a folder for the report with -o", f.bank, b.Settings.Role)
	}
	e, err := gate.Examine(cmd.Context(), gate.Of(o), b, network, f.settings)
	if err != nil {
		return err
	}
	if err := f.write(dir, o, e); err != nil {
		return err
	}
	return f.report(cmd.OutOrStdout(), dir, e)
}

// checkFolders reports a folder to write to that is a file, before anything is measured.
func (f *gateFlags) checkFolders() error {
	for _, dir := range []string{f.dir, f.figures} {
		if at, err := os.Stat(dir); err == nil && !at.IsDir() {
			return fmt.Errorf("%s: is a file, want a folder", dir)
		}
	}
	return nil
}

// readNetwork reads the network to cross-check with; nil for none.
func (f *gateFlags) readNetwork() (*gate.Network, error) {
	if f.network == "" {
		return nil, nil
	}
	return gate.ReadNetwork(f.network)
}

// write writes the report into the teacher's folder, or with the plots to the folders that are named.
func (f *gateFlags) write(dir string, o *neural.Teacher, e *gate.Examination) error {
	figures := cmp.Or(f.figures, f.dir)
	if f.dir != "" {
		if err := e.Write(f.dir); err != nil {
			return err
		}
	} else {
		text, err := e.Encode()
		if err != nil {
			return err
		}
		if err := teacher.Examined(dir, text); err != nil {
			return err
		}
	}
	if figures == "" {
		return nil
	}
	return e.WritePlots(figures, o.Stages)
}

// report prints the figures; the error names those that failed.
func (f *gateFlags) report(w io.Writer, dir string, e *gate.Examination) error {
	if f.asJSON {
		if err := cli.PrintJSON(w, e.Report); err != nil {
			return err
		}
	} else if err := printGate(w, dir, &e.Report); err != nil {
		return err
	}
	if e.Pass && len(e.Lacks) == 0 || f.ungated {
		return nil
	}
	if !e.Pass {
		return fmt.Errorf("%s: does not pass: %s", dir, strings.Join(e.Failed(), "; "))
	}
	return fmt.Errorf("%s: passes what was run, which is too little to admit it: %s", dir, strings.Join(e.Lacks, "; "))
}

func printGate(w io.Writer, dir string, r *gate.Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "figure\tvalue\twanted\t\n")
	for _, f := range r.Figures {
		value, wanted, verdict := "-", "", f.Note
		if f.Value != nil {
			value = fmt.Sprintf("%.4f", *f.Value)
		}
		if f.Threshold != nil {
			wanted, verdict = fmt.Sprintf("below %v", *f.Threshold), "passes"
			if f.Above {
				wanted = fmt.Sprintf("above %v", *f.Threshold)
			}
			if !f.Pass {
				verdict = strings.TrimSpace("FAILS " + f.Note)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Name, value, wanted, verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Pass && len(r.Lacks) == 0 {
		fmt.Fprintf(w, "%s: %s\n", dir, r.Verdict())
	}
	return nil
}
