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

// maxText is the largest size of a pipeline's file, in bytes.
const maxText = 1 << 20

// Open reads the file of a pipeline, or the pipeline with that name that is part of the program.
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

// read reads a file. It returns an error if the file is longer than maxText.
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

// path returns the absolute path of a file or folder that the recipe names. It is relative to the folder of the recipe's file; if it does
// not exist there, p.find returns the path.
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
