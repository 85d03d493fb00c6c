package isa

import (
	"os"
	"strings"
	"testing"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		detected Level
		text     string
		want     Level
	}{
		{AVX512, "", AVX512}, {AVX512, "avx512", AVX512}, {AVX512, "avx2", AVX2}, {AVX512, "portable", Portable},
		{AVX2, "avx512", AVX2}, {AVX2, "avx2", AVX2}, {Portable, "avx2", Portable}, {Portable, "", Portable},
	} {
		if got, err := limit(c.detected, c.text); got != c.want || err != nil {
			t.Errorf("%v with %q: %v, %v, want %v", c.detected, c.text, got, err, c.want)
		}
	}
	if _, err := limit(AVX512, "sse"); err == nil || !strings.Contains(err.Error(), `LIKC_ISA="sse"`) {
		t.Errorf("sse: error %v", err)
	}
}

// TestBest checks that Best obeys the environment variable with which this test runs.
func TestBest(t *testing.T) {
	want, err := limit(detect(), os.Getenv(Variable))
	if err != nil || Best() != want {
		t.Errorf("best is %v, want %v (%v)", Best(), want, err)
	}
	t.Logf("kernels: %v", Best())
}
