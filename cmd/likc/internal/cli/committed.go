package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/testdata"
)

// ErrNotCommitted says that nothing of that name comes with the program: no bank (a folder of simulated trials), no teacher (a neural
// likelihood) and no study (data of an experiment).
var ErrNotCommitted = errors.New("no data of that name comes with likc")

// Committed unpacks a bank, a teacher or a study that comes with the program into the cache, and returns its path
// there.
func Committed(name string) (string, error) {
	if file, folder, ok := testdata.Study(name); ok {
		dir, err := store.Unpack(name, folder)
		return filepath.Join(dir, file), err
	}
	files, ok := testdata.Folder(name)
	if !ok {
		return "", ErrNotCommitted
	}
	return store.Unpack(name, files)
}

// OpenBank opens the bank that --bank names, and returns its folder.
func OpenBank(name string) (b *bank.Bank, folder string, err error) {
	if name == "" {
		return nil, "", Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	}
	if folder, err = FolderOrCommitted(name); err != nil {
		return nil, "", fmt.Errorf("--bank %s: %w", name, err)
	}
	b, err = interrupt.WhileReading(func() (*bank.Bank, error) { return bank.Open(folder) })
	if err == nil && len(b.Subjects) == 0 {
		err = fmt.Errorf("%s: the bank has no subject", name)
	}
	return b, folder, err
}

// FolderOrCommitted returns name if there is a folder called so, and otherwise does what Committed does.
func FolderOrCommitted(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	dir, err := Committed(name)
	if errors.Is(err, ErrNotCommitted) {
		return "", errors.New("no such folder")
	}
	return dir, err
}
