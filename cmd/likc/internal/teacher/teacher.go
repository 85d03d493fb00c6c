// Package teacher holds the commands of likc teacher, which train, show, copy, examine and evaluate neural likelihoods.
package teacher

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/neural"
	"likc/runtime/num/notation"
	"likc/search/teach/corpus"
	"likc/search/teach/rows"
	"likc/search/teach/teacher"

	"github.com/spf13/cobra"
)

// NewTeacher returns the command teacher.
func NewTeacher() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "teacher",
		Short: "Train, show and examine neural likelihoods",
		Long: "Train, show and examine teachers (neural likelihoods). A teacher is a folder: weights.bin, teacher.json (settings, seed, banks with their sums, losses), gate.json once it has\n" +
			"been examined, and MANIFEST.sha256, which sha256sum -c reads too. It learns from simulated trials alone.",
	}, newTeacherTrain(), newTeacherShow(), newTeacherCopy(), newTeacherGate(), newTeacherScore())
}

// showFlags are the flags of likc teacher show.
type showFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// newTeacherShow returns the command teacher show.
func newTeacherShow() *cobra.Command {
	return cli.Command(&showFlags{}, &cobra.Command{
		Use:   "show TEACHER",
		Short: "What a teacher was trained on, and what its losses say",
		Long: `Describe a teacher: its process, seed and number of simulated trials, its banks, and its losses. TEACHER is a folder, or the
name of a teacher that comes with likc.

  likc teacher show angle
  likc teacher show my-teacher --json`,
		Args: cli.Exactly("TEACHER"),
	})
}

// Run prints a description of a teacher.
func (f *showFlags) Run(cmd *cobra.Command, args []string) error {
	folder, err := cli.FolderOrCommitted(args[0])
	if err != nil {
		return fmt.Errorf("%s: not a teacher: %w", args[0], err)
	}
	o, err := neural.Open(folder)
	if err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), o.Record)
	}
	if err := printTeacher(cmd.OutOrStdout(), args[0], &o.Record); err != nil {
		return err
	}
	if o.Gate == nil {
		fmt.Fprintln(cmd.OutOrStdout(), "not examined: likc teacher gate does that")
	}
	return nil
}

// copyFlags are the flags of likc teacher copy.
type copyFlags struct {
	Dir   string    `flag:"output,o" value:"DIR|FILE.onnx" required:"teacher copy: -o DIR is missing" help:"DIR or FILE.onnx to write, which must not exist"`
	Model simulator `flag:"model" value:"MODEL" help:"the process of a network in the ONNX format: {known}, or a .lik file (default: the one that the file tells)"`
}

// newTeacherCopy returns the command teacher copy.
func newTeacherCopy() *cobra.Command {
	return cli.Command(&copyFlags{}, &cobra.Command{
		Use:   "copy TEACHER|NETWORK -o DIR|FILE.onnx",
		Short: "Copy a teacher after checking it against its sums, make one of a network's weights, or write ONNX",
		Long: `Copy a teacher, after checking its files against their SHA-256 sums. NETWORK is a file with a likelihood approximation network
(LAN) of a process that likc simulates: in the format lan-mlp-json/1, or in ONNX, with a name that ends in .onnx. The copy is then
a teacher with these weights, and its parameters have the ranges that the network was trained on. It has passed no gate; likc
teacher gate examines it.

An ONNX file maps one row, the parameters in the order of likc models, then rt and the choice, to the log density, as in HSSM: a fully
connected network of tanh or sigmoid. --model names its process. The ranges are that process's, so the network must be trained on these.
With -o FILE.onnx a teacher of kind lan is written as such a file.

  likc teacher copy lan_ddm.json -o lan
  likc teacher copy ddm.onnx --model ddm -o lan
  likc teacher copy lan -o mine.onnx
  likc fit lan --data trials.csv`,
		Args: cli.Exactly("TEACHER|NETWORK"),
	})
}

// Run copies a teacher.
func (f *copyFlags) Run(_ *cobra.Command, args []string) error {
	from, err := cli.FolderOrCommitted(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if f.Model == "" {
		return teacher.Copy(from, f.Dir, nil)
	}
	of, err := cli.ReadProcess(string(f.Model))
	if err != nil {
		return err
	}
	return teacher.Copy(from, f.Dir, of)
}

// scoreFlags are the flags of likc teacher score.
type scoreFlags struct {
	Bank    string `flag:"bank" value:"DIR" required:"teacher score: needs --bank BANK and -o DIR" help:"DIR of a bank of role search-rows (required)"`
	Dir     string `flag:"output,o" value:"DIR" required:"teacher score: needs --bank BANK and -o DIR" help:"DIR to write; rows that are there are replaced (required)"`
	Ungated bool   `flag:"ungated" help:"take a teacher that has not passed its gate; rows.json says so"`
}

// newTeacherScore returns the command teacher score.
func newTeacherScore() *cobra.Command {
	return cli.Command(&scoreFlags{}, &cobra.Command{
		Use:   "score TEACHER --bank BANK -o DIR",
		Short: "Write a teacher's log densities of a bank's upper-boundary trials: what the search learns from",
		Long: `Write rows.parquet (group, parameters, rt, target), rows.json (bank and teacher, with their sums) and MANIFEST.sha256,
which sha256sum -c reads too. A teacher without a gate that it passed is refused.`,
		Args: cli.Exactly("TEACHER"),
	})
}

// Run scores the trials of a bank and writes the rows.
func (f *scoreFlags) Run(cmd *cobra.Command, args []string) error {
	if err := rows.Writable(f.Dir); err != nil {
		return err
	}
	r, err := rows.ScoreBy(args[0], f.Bank, f.Ungated)
	if err != nil {
		return err
	}
	if err := rows.Write(filepath.Clean(f.Dir), r); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d groups of %d trials, scored by a %s teacher\n", f.Dir, r.Groups, r.Trials, r.Teacher.Kind)
	return nil
}

// took returns the text of a duration in seconds, or "" for 0: the duration is unknown for a teacher that was read from its folder.
func took(seconds float64, work string) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f s%s", seconds, work)
}

// printTeacher describes a teacher in a few lines.
func printTeacher(w io.Writer, dir string, r *neural.Record) error {
	fmt.Fprintf(w, "%s: %s teacher of %s, seed %d, %d simulated trials%s\n", dir, r.Kind, r.Model, r.Seed, r.Simulated, took(r.Seconds, " of training"))
	for _, b := range r.Banks {
		s, err := corpus.BankSettings(b)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Fprintf(w, "  bank     %s, %s × %s, seed %d, %s, sha256 %.12s…\n",
			s.Role, notation.Count(s.Subjects, "subject"), notation.Count(s.Trials, "trial"), s.Seed, s.Scheme, b.Sum)
	}
	for _, h := range r.Stages {
		if len(h.Train) == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-8s %s, loss %.4f in training, %.4f in validation%s\n",
			h.Name, notation.Count(len(h.Train), "epoch"), h.Train[h.Best], h.BestLoss, took(h.Seconds, ""))
	}
	if len(r.Report) > 0 {
		fmt.Fprintf(w, "  %s\n", strings.Join(r.Report, "\n  "))
	}
	return nil
}
