package recipe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
	"likc/testdata"
)

// maxText is the largest file of a pipeline, in bytes.
const maxText = 1 << 20

// Open reads the file of a pipeline, or the pipeline of that name that comes with the program.
func Open(name string) (*Recipe, error) {
	text, err := read(name)
	if err == nil {
		r, err := Parse(name, text)
		if err == nil {
			r.folder = filepath.Dir(name)
		}
		return r, err
	}
	if builtin, ok := testdata.Pipeline(name); ok {
		return Parse(name+".toml", []byte(builtin))
	}
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./\\") {
		return nil, fmt.Errorf("%s: no such pipeline; built in are %s", name, strings.Join(testdata.PipelineNames(), ", "))
	}
	return nil, fmt.Errorf("%s: %w", name, store.Cause(err))
}

// read reads a file that is no longer than a pipeline's.
func read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if len(text) > maxText {
		return nil, fmt.Errorf("longer than %d bytes: not the file of a pipeline", maxText)
	}
	return text, err
}

// path returns where a file or folder is that the recipe names: below the recipe's own folder, or else by find.
func (p *planner) path(name string) (string, error) {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(p.folder, name)
	}
	info, err := os.Stat(full)
	switch {
	case p.folder == "" && !filepath.IsAbs(name) || err != nil:
		return p.find(name)
	case !info.Mode().IsRegular() && !info.IsDir():
		return "", fmt.Errorf("%s: is neither a file nor a folder", name)
	}
	return filepath.Abs(full)
}
