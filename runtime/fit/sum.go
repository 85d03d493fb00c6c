package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A summary.json ends with the SHA-256 sum of all its other bytes, as a field between these.
const (
	beforeSum = ",\n  \"sha256\": \""
	afterSum  = "\"\n}\n"
)

// AddSum adds its sum to a summary.json, an object indented by two spaces with a new line after it.
func AddSum(text []byte) []byte {
	sum := sha256.Sum256(text)
	open := bytes.TrimSuffix(text, []byte("\n}\n"))
	return append(append(append(bytes.Clone(open), beforeSum...), hex.EncodeToString(sum[:])...), afterSum...)
}

// errDamaged says that a summary.json is not what was written.
var errDamaged = errors.New("damaged: its bytes do not have the sum in its \"sha256\"")

// CheckSum compares a summary.json with its sum. One without a sum, as older versions wrote it, is taken as it is.
func CheckSum(text []byte) error {
	at := bytes.LastIndex(text, []byte(beforeSum))
	if at < 0 {
		return nil
	}
	if !bytes.Equal(AddSum(append(bytes.Clone(text[:at]), "\n}\n"...)), text) {
		return errDamaged
	}
	return nil
}
