package teacher

import (
	"context"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/neural"
	"likc/runtime/store"
	"likc/search/bank"
	"likc/search/teacher"
	"likc/search/teacher/gate"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// gateFlags are those of likc teacher gate.
type gateFlags struct {
	bank, network, dir, figures string
	settings                    gate.Settings
	asJSON                      bool
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
	flags.BoolVar(&f.asJSON, "json", false, "print gate.json")
	return cmd
}

func (f *gateFlags) run(cmd *cobra.Command, dir string) error {
	if f.settings.Uncrossed && f.network != "" {
		return cli.Usagef("teacher gate: --lan names a network, and --uncrossed says that there is none")
	}
	if f.settings.Recovery < 0 || f.settings.Crossed < 3 || f.settings.Threads < 1 {
		return cli.Usagef("teacher gate: want --recovery 0 or more, --crossed 3 or more, --threads 1 or more")
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
	b, err := gateBank(cmd.Context(), f.bank, o, f.settings.Threads)
	if err != nil {
		return err
	}
	if used, err := trained(o, b); err != nil {
		return err
	} else if used {
		return fmt.Errorf("%s: trained the teacher: examine it on another bank", f.bank)
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

// gateBank opens a bank, or simulates the gate's.
func gateBank(ctx context.Context, name string, o *neural.Teacher, threads int) (*bank.Bank, error) {
	if _, err := os.Stat(name); err == nil || name != gate.Role {
		return bank.Open(name)
	}
	s, err := bank.NewSettings(gate.Role, o.Model, "", 1)
	if err != nil {
		return nil, err
	}
	return bank.Make(ctx, s, threads)
}

// trained reports whether the teacher learned from the bank.
func trained(o *neural.Teacher, b *bank.Bank) (bool, error) {
	for _, used := range o.Banks {
		s, err := teacher.BankSettings(used)
		if err != nil {
			return false, err
		}
		if s.Role == b.Settings.Role && s.Seed == b.Settings.Seed {
			return true, nil
		}
	}
	return false, nil
}

// write writes the report and the plots.
func (f *gateFlags) write(dir string, o *neural.Teacher, e *gate.Examination) error {
	text, err := e.Encode()
	if err != nil {
		return err
	}
	figures := f.figures
	if f.dir == "" {
		if err := teacher.Examined(dir, text); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(f.dir, 0o777); err != nil {
			return fmt.Errorf("%s: %w", f.dir, cli.Plain(err))
		}
		put := func(w io.Writer) error { _, err := w.Write(text); return err }
		if err := store.WriteFile(filepath.Join(f.dir, gate.File), put); err != nil {
			return err
		}
		if figures == "" {
			figures = f.dir
		}
	}
	if figures == "" {
		return nil
	}
	return writeGatePlots(figures, o, e)
}

func writeGatePlots(dir string, o *neural.Teacher, e *gate.Examination) error {
	plots, err := e.Plots(o.Stages)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%s: %w", dir, cli.Plain(err))
	}
	for _, p := range plots {
		if err := store.WriteFile(filepath.Join(dir, p.Name+".svg"), p.WriteSVG); err != nil {
			return err
		}
	}
	return nil
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
	if e.Pass && len(e.Lacks) == 0 {
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
