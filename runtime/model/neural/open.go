package neural

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
)

// Teacher is a neural likelihood with the records of its folder.
type Teacher struct {
	Density
	Record
	Simulator *ssm.Model      // the process model whose density the teacher approximates
	Sum       string          // SHA-256 of the weights, in hexadecimal
	Gate      json.RawMessage // gate.json, nil if the teacher has not been examined
}

// Open reads a teacher after checking its files against their SHA-256 sums. Errors name the file.
func Open(dir string) (*Teacher, error) {
	files, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	return OfFiles(dir, files)
}

// OpenFS reads a built-in teacher from a file system. Sums are not checked. Errors call it by the given name.
func OpenFS(name string, from fs.FS) (*Teacher, error) {
	files := map[string][]byte{}
	for _, member := range []string{WeightsFile, RecordFile, GateFile} {
		data, err := fs.ReadFile(from, member)
		if err != nil && !(member == GateFile && errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[member] = data
	}
	return OfFiles(name, files)
}

// OfFiles makes a teacher of the contents of its files, by their names in a folder. Errors call the folder by dir.
func OfFiles(dir string, files map[string][]byte) (*Teacher, error) {
	record, err := decodeRecord(files[RecordFile])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	read, err := reader(record.Kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	m, err := process.Of(record.Model, record.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, RecordFile), err)
	}
	density, err := read(m, files[WeightsFile])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, WeightsFile), err)
	}
	sum := sha256.Sum256(files[WeightsFile])
	return &Teacher{Density: density, Record: record, Simulator: m, Sum: hex.EncodeToString(sum[:]), Gate: files[GateFile]}, nil
}
