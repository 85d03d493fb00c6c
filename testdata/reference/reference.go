// Package reference holds values that the tests compare with: other packages' networks, posteriors and diagnostics, and
// densities at more digits than a float64 has. README.md says where each file comes from. Only tests import it.
package reference

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"testing"
)

//go:embed *.gz densities diagnostics networks posteriordb stan_csv
var files embed.FS

// Read returns a file's content by its name, such as "densities/wiener_highprec.csv". A file that is stored as name.gz is
// unpacked.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = unpack(name + ".gz")
	}
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func unpack(name string) ([]byte, error) {
	packed, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// Rows returns the rows of a CSV file, each a map from column to field.
func Rows(tb testing.TB, name string) []map[string]string {
	tb.Helper()
	records, err := csv.NewReader(bytes.NewReader(Read(tb, name))).ReadAll()
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}
