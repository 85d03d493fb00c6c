package lane_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAVX2Registers: functions for AVX2 use no register or instruction that only AVX-512 has. A processor with AVX-512 runs such a function, and one
// without it stops with an illegal instruction.
func TestAVX2Registers(t *testing.T) {
	only512 := regexp.MustCompile(`\b(?:[XY](?:1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b|Requires:.*AVX512`)
	functions := 0
	err := filepath.WalkDir("../../../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".s" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for function := range bytes.SplitSeq(text, []byte("\n// func ")) {
			name, _, _ := strings.Cut(string(function), "(")
			if !strings.HasSuffix(name, "AVX2") {
				continue
			}
			functions++
			if found := only512.Find(function); found != nil {
				t.Errorf("%s: %s: %s", path, name, found)
			}
		}
		return nil
	})
	if err != nil || functions < 10 {
		t.Errorf("%d functions, error %v", functions, err)
	}
}
