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

// ReadFiles reads one chain from each file, or several where a column names them, as [Read] does, and joins all chains into one
// group. The path - is standard input.
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

// NameError says that two files are of parameters with the same name.
type NameError struct{ error }

// ReadParameterFiles reads one parameter from each file, named as the file is, whose columns are the chains. Each is a group of
// its own.
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
