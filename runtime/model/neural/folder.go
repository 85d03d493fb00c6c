package neural

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"likc/runtime/sys/store"
)

// These are the names of the files in a teacher's folder. A teacher is a trained neural likelihood.
const (
	WeightsFile    = "weights.bin"
	RecordFile     = "teacher.json"
	GateFile       = "gate.json"
	ManifestFile   = store.ManifestFile
	CheckpointFile = "checkpoint.bin" // exists while the teacher is trained
)

// Members lists the files of a finished teacher.
var Members = store.Members{Kind: "a teacher", Required: []string{WeightsFile, RecordFile}, Optional: []string{GateFile}}

// readFiles reads the files that the manifest lists and checks their sums.
func readFiles(dir string) (map[string][]byte, error) {
	files, problems := Members.Read(dir)
	if len(problems) == 0 {
		return files, nil
	}
	if files != nil || !errors.Is(problems[0], fs.ErrNotExist) && !errors.Is(problems[0], syscall.ENOTDIR) {
		return nil, problems[0]
	}
	if _, err := os.Stat(filepath.Join(dir, CheckpointFile)); err == nil {
		return nil, fmt.Errorf("%s: a teacher whose training is not finished: likc teacher train --resume -o %s goes on", dir, dir)
	}
	if text, err := store.ReadFile(dir); err == nil {
		if err := BareWeights(dir, text); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: not a teacher: want a folder with %s", dir, ManifestFile)
}
