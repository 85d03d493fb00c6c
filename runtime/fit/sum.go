package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A summary.json ends with the SHA-256 sum of all its other bytes. The field with the sum is between these texts.
const (
	beforeSum = ",\n  \"sha256\": \""
	afterSum  = "\"\n}\n"
)

// AddSum adds the sum to the text of a summary.json, which must be an object indented by two spaces, with a new line after it.
func AddSum(text []byte) []byte {
	sum := sha256.Sum256(text)
	open := bytes.TrimSuffix(text, []byte("\n}\n"))
	return append(append(append(bytes.Clone(open), beforeSum...), hex.EncodeToString(sum[:])...), afterSum...)
}

// errDamaged says that a summary.json was changed after it was written.
var errDamaged = errors.New("damaged: its bytes do not have the sum in its \"sha256\"")

// CheckSum compares a summary.json with its sum. It accepts a text without a sum, as older versions wrote it.
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
