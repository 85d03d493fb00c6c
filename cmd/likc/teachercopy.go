package main

import (
	"fmt"
	"os"
	"path/filepath"

	"likc/runtime/neural"

	"github.com/spf13/cobra"
)

func newTeacherCopy() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "copy TEACHER -o DIR",
		Short: "Copy a teacher after checking it against its sums",
		Args:  exactly("TEACHER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usagef("teacher copy: -o DIR is missing")
			}
			from, err := folderOrCommitted(args[0])
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
	beside, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".copy-*")
	if err != nil {
		return fmt.Errorf("--output %s: %w", dir, plain(err))
	}
	unfinished.add(beside)
	defer os.RemoveAll(beside)
	if err := os.CopyFS(filepath.Join(beside, "copy"), os.DirFS(from)); err != nil {
		return fmt.Errorf("--output %s: %w", dir, plain(err))
	}
	return os.Rename(filepath.Join(beside, "copy"), dir)
}
