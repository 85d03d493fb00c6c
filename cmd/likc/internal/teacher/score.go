package teacher

import (
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/neural"
	"likc/search/bank"
	"likc/search/teacher/gate"
	"likc/search/teacher/rows"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newTeacherScore() *cobra.Command {
	var bankDir, dir string
	var ungated bool
	cmd := &cobra.Command{
		Use:   "score TEACHER --bank BANK -o DIR",
		Short: "Write a teacher's log densities of a bank's upper-boundary trials: what the search learns from",
		Long: `Score writes rows.parquet (group, parameters, rt, target), rows.json (bank and teacher, with their sums) and MANIFEST.sha256,
which sha256sum -c reads too. A teacher without a gate that it passed is refused.`,
		Args: cli.Exactly("TEACHER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if bankDir == "" || dir == "" {
				return cli.Usagef("teacher score: wants --bank BANK and -o DIR")
			}
			if err := rows.Writable(dir); err != nil {
				return err
			}
			r, err := scoreRows(args[0], bankDir, ungated)
			if err != nil {
				return err
			}
			if err := rows.Write(filepath.Clean(dir), r); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d groups of %d trials, scored by a %s teacher\n", dir, r.Groups, r.Trials, r.Teacher.Kind)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&bankDir, "bank", "", "`DIR` of a bank of role search-rows (required)")
	f.StringVarP(&dir, "output", "o", "", "`DIR` to write; rows that are there are replaced (required)")
	f.BoolVar(&ungated, "ungated", false, "take a teacher that has not passed its gate; rows.json says so")
	return cmd
}

func scoreRows(dir, bankDir string, ungated bool) (*rows.Rows, error) {
	o, err := neural.Open(dir)
	if err != nil {
		return nil, err
	}
	_, refused := gate.Admitted(dir, o)
	if refused != nil && !ungated {
		return nil, refused
	}
	b, err := bank.Open(bankDir)
	if err != nil {
		return nil, err
	}
	if b.Settings.Model != o.Model {
		return nil, fmt.Errorf("%s: a bank of %s, but the teacher is of %s", bankDir, b.Settings.Model, o.Model)
	}
	r, err := rows.Score(o, b, rows.Source{Kind: o.Kind, Sum: o.Sum, Gated: refused == nil})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bankDir, err)
	}
	return r, nil
}
