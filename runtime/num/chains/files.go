package chains

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReadFiles reads files as [Read] does: one chain from each, or several if a column numbers them. It joins all chains into one
// group. The path "-" means standard input.
func ReadFiles(paths []string) (groups []*Draws, err error) {
	parts := make([]*Draws, len(paths))
	for i, path := range paths {
		err := withFile(path, func(r io.Reader) (err error) {
			parts[i], err = Read(r, path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	all, err := Join(parts...)
	return []*Draws{all}, err
}

// NameError is the error that two files hold parameters with the same name.
type NameError struct{ error }

// ReadParameterFiles reads one parameter from each file. The parameter has the file's name, and each column is a chain. It
// returns one group for each file.
func ReadParameterFiles(paths []string) (groups []*Draws, err error) {
	groups = make([]*Draws, len(paths))
	seen := map[string]string{}
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if other, twice := seen[name]; twice {
			return nil, NameError{fmt.Errorf("%s and %s are both called %s", other, path, name)}
		}
		seen[name] = path
		err := withFile(path, func(r io.Reader) (err error) {
			groups[i], err = ReadChainColumns(r, path, name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return groups, nil
}

func withFile(path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(os.Stdin)
	}
	f, err := os.Open(path)
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, cause.Err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder: want files, such as those of likc fit: %s", path, filepath.Join(path, "chain_*.csv"))
	}
	return read(f)
}
