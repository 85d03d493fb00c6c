package teacher

import (
	"cmp"
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

// gateFlags are the flags of likc teacher gate.
type gateFlags struct {
	Bank    string `flag:"bank" default:"gate-100" value:"DIR" help:"bank DIR of subjects to examine on; gate-100: simulated, seed 1"`
	Network string `flag:"lan" value:"FILE" help:"FILE of an independently trained network (lan-mlp-json/1) to cross-check with"`
	Dir     string `flag:"output,o" value:"DIR" help:"DIR for gate.json and plots (default: gate.json into the teacher's folder)"`
	Figures string `flag:"figures" value:"DIR" help:"DIR for the plots, with or without -o"`
	Ungated bool   `flag:"ungated" help:"exit 0 whatever the figures are; gate.json says whether the teacher passes"`
	JSON    bool   `flag:"json" help:"print gate.json"`
	gate.Settings
	cli.ExecFlags
}

// newTeacherGate returns the command teacher gate.
func newTeacherGate() *cobra.Command {
	f := &gateFlags{Settings: gate.DefaultSettings()}
	f.Threads = runtime.GOMAXPROCS(0)
	return cli.Command(f, &cobra.Command{
		Use:   "gate TEACHER",
		Short: "Examine a teacher on subjects that did not train it; exit 0 if it may teach, 1 if not",
		Long: `Measure a teacher's calibration, predictions, choices, mass and recovery of parameters, each against its threshold. The
report goes into the teacher's folder, from which likc search reads it, or with -o to another one, with plots.

A teacher is admitted by the whole gate alone: 100 subjects of role ` + gate.Role + `, the settings' defaults or more, and a cross-check
with a network that was trained independently, which likc teacher train --kind lan can make. Less is reported, and status 1.`,
		Args: cli.Exactly("TEACHER"),
	})
}

// Run examines a teacher, writes the report and prints it.
func (f *gateFlags) Run(cmd *cobra.Command, args []string) error {
	if f.Uncrossed && f.Network != "" {
		return cli.Usagef("teacher gate: --lan names a network, and --uncrossed says that there is none")
	}
	dir := args[0]
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
	b, err := gate.OpenBank(cmd.Context(), f.Bank, o, f.Threads)
	if err != nil {
		return err
	}
	if b.Settings.Role != gate.Role && f.Dir == "" {
		return cli.Usagef("%s: role %s admits no teacher: name a folder for the report with -o", f.Bank, b.Settings.Role)
	}
	e, err := gate.Examine(cmd.Context(), gate.Of(o), b, network, f.Settings)
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
	for _, dir := range []string{f.Dir, f.Figures} {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("%s: is a file, want a folder", dir)
		}
	}
	return nil
}

// readNetwork reads the network with which the teacher is compared; nil if the flag names none.
func (f *gateFlags) readNetwork() (*gate.Network, error) {
	if f.Network == "" {
		return nil, nil
	}
	return gate.ReadNetwork(f.Network)
}

// write writes the report into the teacher's folder, or with the plots to the folders that are named.
func (f *gateFlags) write(dir string, o *neural.Teacher, e *gate.Examination) error {
	figures := cmp.Or(f.Figures, f.Dir)
	if f.Dir != "" {
		if err := e.Write(f.Dir); err != nil {
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

// report prints the figures. It returns an error that names the figures that failed.
func (f *gateFlags) report(w io.Writer, dir string, e *gate.Examination) error {
	if f.JSON {
		if err := cli.PrintJSON(w, e.Report); err != nil {
			return err
		}
	} else if err := printGate(w, dir, &e.Report); err != nil {
		return err
	}
	if e.Pass && len(e.Lacks) == 0 || f.Ungated {
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
