package teacher

import (
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/neural"
	"likc/runtime/store"
	"os"

	"github.com/spf13/cobra"
)

func newTeacherCopy() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "copy TEACHER -o DIR",
		Short: "Copy a teacher after checking it against its sums",
		Args:  cli.Exactly("TEACHER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return cli.Usagef("teacher copy: -o DIR is missing")
			}
			from, err := cli.FolderOrCommitted(args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if _, err := neural.Open(from); err != nil {
				return err
			}
			return copyFolder(from, dir)
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "`DIR` to write, which must not exist")
	return cmd
}

// copyFolder copies a folder, whole or not at all.
func copyFolder(from, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("--output %s: is there already", dir)
	}
	folder, err := store.NewFolder(dir)
	if err != nil {
		return fmt.Errorf("--output %s: %w", dir, err)
	}
	defer folder.Discard()
	if err := folder.Copy(os.DirFS(from)); err != nil {
		return fmt.Errorf("--output %w", err)
	}
	return folder.Replace(dir)
}
