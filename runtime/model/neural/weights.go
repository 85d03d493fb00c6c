package neural

import (
	"bytes"
	"encoding/json"
	"fmt"

	"likc/runtime/model/neural/lan"
	"likc/runtime/model/ssm"
)

// BareWeights returns an error with advice if a text that was given as a model or a teacher is a file with the weights of a network. It
// returns nil for other texts.
func BareWeights(path string, text []byte) error {
	if !lan.IsNetwork(text) && !IsONNX(path) {
		return nil
	}
	return fmt.Errorf("%s: holds the weights of a network: likc teacher copy %s -o DIR makes a teacher of them, which is a MODEL", path, path)
}

// OfWeights returns the files of a teacher, by name. The teacher's weights are a network that another program trained: the content of a
// file in the ONNX format if its name says so, else in the format lan-mlp-json/1. of is the process whose log density a network in the
// ONNX format computes, nil if the file tells it.
func OfWeights(path string, data []byte, of *ssm.Model) (files map[string][]byte, err error) {
	if IsONNX(path) {
		return ofONNX(data, of)
	}
	network, err := lan.Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	m, err := ssm.Lookup(network.Model)
	if err != nil {
		return nil, err
	}
	if of != nil && of.Name != m.Name {
		return nil, fmt.Errorf("a network of %s, not of %s", m.Name, of.Name)
	}
	return filesOf(m, data)
}

// filesOf returns the files of a teacher of a process, by name.
func filesOf(m *ssm.Model, weights []byte) (files map[string][]byte, err error) {
	if _, err := lan.ReadTeacher(m, weights); err != nil {
		return nil, err
	}
	record := Record{Format: Format, Kind: "lan", Model: m.Name, Text: m.Text, Settings: json.RawMessage("{}"), Banks: []Bank{}, Stages: []Stage{},
		Report: []string{"trained by another program: its trials and losses are not known"}}
	text, err := record.Encode()
	return map[string][]byte{RecordFile: text, WeightsFile: weights}, err
}
