package neural

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"likc/runtime/model/ssm"
)

// TestONNX: a published network that is written in the ONNX format and read again has the same weights in single precision, and the
// process, ranges and floor of the first one.
func TestONNX(t *testing.T) {
	weights, err := os.ReadFile("../../../testdata/reference/networks/lan_ddm.json")
	if err != nil {
		t.Fatal(err)
	}
	published := func(path string, data []byte) *Teacher {
		files, err := OfWeights(path, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		teacher, err := OfFiles(path, files)
		if err != nil {
			t.Fatal(err)
		}
		return teacher
	}
	first := published("lan.json", weights)
	data, err := first.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	again := published("lan.onnx", data)
	if second, err := again.ONNX(); err != nil || !bytes.Equal(second, data) {
		t.Errorf("the second file differs, or %v", err)
	}
	theta, rt, choice := [][]float64{{1, 1.2, 0.5, 0.3}, {-2, 0.6, 0.3, 0.1}}, []float64{0.9, 0.4}, []float64{1, -1}
	want, got := make([]float64, 2), make([]float64, 2)
	first.LogDensity(want, theta, rt, choice)
	again.LogDensity(got, theta, rt, choice)
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-5) {
			t.Errorf("log density %v, want %v", got[i], want[i])
		}
	}
}

// TestONNXRefuses: what a file in the ONNX format and the process do not agree on is told.
func TestONNXRefuses(t *testing.T) {
	data, err := os.ReadFile("onnx/testdata/gemm.onnx")
	if err != nil {
		t.Fatal(err)
	}
	angle, err := ssm.Lookup("angle")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of   *ssm.Model
		data []byte
		want string
	}{
		{nil, data, "the file does not tell its process: name it by --model"},
		{angle, data, "6 inputs: want 7, the parameters of angle (v, a, z, t, theta), rt and choice"},
		{angle, own(t, data), "a network of ddm, not of angle"},
		{ssm.DDM, data, ""},
		{nil, own(t, data), ""},
	} {
		_, err := OfWeights("x.onnx", c.data, c.of)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	spline, err := Open("../../../testdata/teacher/angle")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spline.ONNX(); err == nil || !strings.Contains(err.Error(), "only one of kind lan") {
		t.Errorf("a spline: %v", err)
	}
}

// own returns a network of ddm as likc writes it.
func own(t *testing.T, data []byte) []byte {
	t.Helper()
	files, err := OfWeights("x.onnx", data, ssm.DDM)
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := OfFiles("x", files)
	if err != nil {
		t.Fatal(err)
	}
	text, err := teacher.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
