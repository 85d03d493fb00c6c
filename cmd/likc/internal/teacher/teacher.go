// Package teacher is likc teacher: neural likelihoods are trained, shown, copied, examined and asked.
package teacher

import (
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/neural"
	"likc/search/teacher"
	"strings"

	"github.com/spf13/cobra"
)

func NewTeacher() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "teacher",
		Short: "Train, show and examine neural likelihoods",
		Long: "A teacher is a folder: weights.bin, teacher.json (settings, seed, banks with their sums, losses), gate.json once it has\n" +
			"been examined, and MANIFEST.sha256, which sha256sum -c reads too. It learns from simulated trials alone.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("teacher %s: no such command; likc teacher --help lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTeacherTrain(), newTeacherShow(), newTeacherCopy(), newTeacherGate(), newTeacherScore())
	return cmd
}

func newTeacherShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "What a teacher was trained on, and what its losses say",
		Args:  cli.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := neural.Open(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), o.Record)
			}
			if err := printTeacher(cmd.OutOrStdout(), args[0], &o.Record); err != nil {
				return err
			}
			if o.Gate == nil {
				fmt.Fprintln(cmd.OutOrStdout(), "not examined: likc teacher gate does that")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// took is a time that is known while a teacher is trained, and not when its folder is read.
func took(seconds float64, of string) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f s%s", seconds, of)
}

// printTeacher says what a teacher is in a few lines.
func printTeacher(w io.Writer, dir string, r *neural.Record) error {
	fmt.Fprintf(w, "%s: %s teacher of %s, seed %d, %d simulated trials%s\n", dir, r.Kind, r.Model, r.Seed, r.Simulated, took(r.Seconds, " of training"))
	for _, b := range r.Banks {
		s, err := teacher.BankSettings(b)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Fprintf(w, "  bank     %s, %d subjects × %d trials, seed %d, %s, sha256 %.12s…\n",
			s.Role, s.Subjects, s.Trials, s.Seed, s.Scheme, b.Sum)
	}
	for _, h := range r.Stages {
		if len(h.Train) == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-8s %d epochs, loss %.4f in training, %.4f in validation%s\n",
			h.Name, len(h.Train), h.Train[h.Best], h.BestLoss, took(h.Seconds, ""))
	}
	if len(r.Report) > 0 {
		fmt.Fprintf(w, "  %s\n", strings.Join(r.Report, "\n  "))
	}
	return nil
}
