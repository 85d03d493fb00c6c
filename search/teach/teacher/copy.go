package teacher

import (
	"fmt"
	"io"
	"os"

	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/store"
)

// Copy copies the teacher in the folder `from` to the folder `to`, which must not exist. It first checks the files' SHA-256 sums. If the
// copy fails, nothing remains. `from` may also be a file with a network, in the format lan-mlp-json/1 or, if its name ends in .onnx,
// in the ONNX format; then Copy makes a teacher from that network. of is the process of a network in the ONNX format, nil if the file
// tells it. If the name `to` ends in .onnx, Copy writes the network of a teacher of kind lan to that file, in the ONNX format.
func Copy(from, to string, of *ssm.Model) error {
	t, fill, err := openSource(from, of)
	if err != nil {
		return err
	}
	if _, err := os.Stat(to); err == nil {
		return fmt.Errorf("%s: is there already", to)
	}
	if neural.IsONNX(to) {
		return export(t, from, to)
	}
	folder, err := store.NewFolder(to)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := fill(folder); err != nil {
		return err
	}
	return folder.Replace(to)
}

// export writes a teacher to a file in the ONNX format.
func export(t *neural.Teacher, from, to string) error {
	data, err := t.ONNX()
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return store.WriteFile(to, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// openSource opens the teacher to copy after checking its files, and returns the function that writes them into a new folder.
func openSource(from string, of *ssm.Model) (t *neural.Teacher, fill func(*store.Folder) error, err error) {
	weights, err := store.ReadFile(from)
	if err != nil || neural.BareWeights(from, weights) == nil {
		if of != nil {
			return nil, nil, fmt.Errorf("--model: %s is no network in the ONNX format, and tells its process itself", from)
		}
		t, err := neural.Open(from)
		return t, func(f *store.Folder) error { return f.Copy("", os.DirFS(from)) }, err
	}
	files, err := neural.OfWeights(from, weights, of)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", from, err)
	}
	t, err = neural.OfFiles(from, files)
	return t, func(f *store.Folder) error { return neural.Members.Update(f.Path, files) }, err
}
