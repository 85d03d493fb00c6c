package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/testdata"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Written reports whether likc wrote a file, which it recognises by the file's first and last bytes. Commands may write over such a file.
// They refuse to write over any other file, because it may be the user's only copy.
type Written func(head, tail []byte) bool

// Begins returns a Written that recognises files that begin with one of the texts.
func Begins(texts ...string) Written {
	return func(head, _ []byte) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return bytes.HasPrefix(head, []byte(text)) })
	}
}

// Matches returns a Written that recognises files whose first kilobytes match a regular expression.
func Matches(pattern string) Written {
	re := regexp.MustCompile(pattern)
	return func(head, _ []byte) bool { return re.Match(head) }
}

// WrittenSVG, WrittenFront and WrittenModel recognise kinds of file that several commands write: figures, fronts (lists of the best
// expressions of a search) and model files.
var (
	WrittenSVG   = Matches(`^<svg xmlns="http://www\.w3\.org/2000/svg" viewBox="[^"]*" width="\d+" height="\d+" font-family="sans-serif"><rect [^>]*fill="#fff"/>`)
	WrittenFront = Begins(`{"expr":`)
	WrittenModel = Matches(`\A(// [^\n]*\n|//\n)*// .*(less the log of its integral|bias corrected by the teacher|written by likc)`)
)

// writtenKinds maps the value of a flag's tag `writes:"…"` to the test that recognises files of that kind.
var writtenKinds = map[string]Written{
	"front":       WrittenFront,
	"model":       WrittenModel,
	"expressions": func(head, tail []byte) bool { return WrittenFront(head, tail) || WrittenModel(head, tail) },
	"svg":         WrittenSVG,
	"densities":   Begins("loglik\n"),
}

// WrittenTrials returns a Written that recognises files of trials: a CSV file whose columns are all among these, or a Parquet file by likc.
func WrittenTrials(columns ...string) Written {
	return func(head, tail []byte) bool {
		if bytes.HasPrefix(head, []byte("PAR1")) {
			return bytes.Contains(tail, []byte("likc"))
		}
		line, _, _ := bytes.Cut(head, []byte("\n"))
		for name := range strings.SplitSeq(strings.TrimRight(string(line), "\r"), ",") {
			if !slices.Contains(columns, name) {
				return false
			}
		}
		return true
	}
}

// outputFlags are the names of the flags that take a file or folder to write.
var outputFlags = []string{"output", "per-trial", "svg", "figures", "archive", "refit-list"}

// wordFlags are the names of the flags whose values name columns and participants of the data or roles of a bank, so never files.
var wordFlags = []string{"by", "choice", "only", "role", "rt", "subject"}

// ForceFlag is the flag --force. A command has it if [CheckOutput] checks the files that the command writes.
type ForceFlag struct {
	Force bool `flag:"force" help:"write over a file that likc did not write"`
}

// CheckOutputs returns an error if an output of the command is also one of its inputs, even with --force: the command would overwrite what it
// reads.
func CheckOutputs(cmd *cobra.Command, args []string) error {
	for _, name := range outputFlags {
		if f := cmd.Flag(name); f != nil && f.Changed {
			if err := checkInputs(cmd, args, "--"+name, f.Value.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckOutput returns an error if the command must not write to path: the file is an input of the command, or it exists and likc did not
// write it. With --force, the command may replace a file that likc did not write. Pipes, devices and empty files are allowed. flag is the
// flag that gave the path, for the error.
func CheckOutput(cmd *cobra.Command, args []string, flag, path string, written Written) error {
	if path == "" || path == "-" {
		return nil
	}
	if err := checkInputs(cmd, args, flag, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	known, err := isWritten(path, written)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, err)
	}
	if known {
		return nil
	}
	if folder := folderOf(info, inputs(cmd, args)); folder != "" {
		return Usagef("%s %s: is a file of %s, which is read: name another file", flag, path, folder)
	}
	if force, _ := cmd.Flags().GetBool("force"); !force {
		return Usagef("%s %s: is there, and likc %s did not write it: name another file, or give --force to replace it",
			flag, path, strings.TrimPrefix(cmd.CommandPath(), "likc "))
	}
	return nil
}

// WriteOutput writes a file as a whole, or to standard output where its name is "" or -.
func WriteOutput(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(cmd.OutOrStdout())
	}
	return store.WriteFile(path, write)
}

// checkInputs returns an error if a path is one of the command's inputs, or a link to one.
func checkInputs(cmd *cobra.Command, args []string, flag, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // the file does not exist yet
	}
	for _, in := range inputs(cmd, args) {
		if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
			return Usagef("%s %s: is %s, which is read: name another place", flag, path, in)
		}
	}
	return nil
}

// CheckReplaced returns an error if one of the command's inputs is in an output folder that the command would replace as a whole.
func CheckReplaced(cmd *cobra.Command, args []string, flag, dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	for _, in := range inputs(cmd, args) {
		if isBelow(in, info) {
			return Usagef("%s %s: holds %s, which is read: name another place", flag, dir, in)
		}
	}
	return nil
}

// isBelow reports whether a path, its links followed, lies in a folder.
func isBelow(path string, folder fs.FileInfo) bool {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	for parent := filepath.Dir(path); err == nil && parent != path; path, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, folder) {
			return true
		}
	}
	return false
}

// inputs returns the existing files and folders that the command's arguments and flags name, without the flags of outputFlags and wordFlags.
// No input are --start-in, the folder in which a cluster's task starts, and the name of a model or pipeline that comes with likc, so that
// "likc fit ddm -o ddm" may be repeated, and an interrupted "likc run quick -o quick" goes on.
func inputs(cmd *cobra.Command, args []string) []string {
	named := slices.Clone(args)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed || slices.Contains(outputFlags, f.Name) || slices.Contains(wordFlags, f.Name) || f.Name == "start-in" {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			named = append(named, list.GetSlice()...)
		} else {
			named = append(named, f.Value.String())
		}
	})
	builtin := slices.Concat(catalog.BuiltinNames(), testdata.PipelineNames())
	var found []string
	for _, name := range named {
		if slices.Contains(builtin, name) {
			continue
		}
		file, _, _ := strings.Cut(name, "#") // FILE#MODEL, FRONT.jsonl#LINE
		for _, path := range []string{name, file} {
			if _, err := os.Stat(path); err == nil && path != "" {
				found = append(found, path)
				break
			}
		}
	}
	return found
}

// folderOf returns the first of the inputs that is a folder with the file in it, under this or another name; "" for none.
func folderOf(file fs.FileInfo, inputs []string) string {
	for _, in := range inputs {
		within := false
		_ = filepath.WalkDir(in, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			info, err := os.Stat(path)
			if err == nil && os.SameFile(info, file) {
				within = true
				return fs.SkipAll
			}
			return nil
		})
		if within {
			return in
		}
	}
	return ""
}

// isWritten reads both ends of a file and reports whether written recognises them. The beginning of a gzip file is decompressed first.
func isWritten(path string, written Written) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, errors.Unwrap(err)
	}
	defer f.Close()
	const much = 4096
	tail := make([]byte, much)
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	n, _ := f.ReadAt(tail, max(0, size-much))
	tail = tail[:n]
	head := make([]byte, much)
	n, _ = f.ReadAt(head, 0)
	head = head[:n]
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		plain := make([]byte, much)
		n, _ := io.ReadFull(z, plain) // ignore the error at the end of head, because head is only the beginning of the file
		head = plain[:n]
	}
	return written(head, tail), nil
}
