package lapse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Times is the distribution of the response times of lapses, in seconds.
type Times interface {
	Density(rt float64) float64    // 0 for a response time that no lapse can have
	After(t float64) float64       // the probability of a later response
	Quantile(p float64) float64    // the time before which a share p of the responses come
	Range() (low, high float64)    // the earliest and the latest response time
	ForData(largest float64) Times // the distribution whose open end, if any, is set to `largest`: the largest response time or deadline of the data
	String() string                // the distribution in words, such as uniform from 0 to 3 s
	Text() string                  // text for [ParseTimes]
}

// Latest is the largest end of a window, in seconds.
const Latest = 1_000_000

// ParseTimes parses LOW,HIGH, which gives a [Window].
func ParseTimes(text string) (Times, error) {
	low, high, ok := strings.Cut(text, ",")
	var errs [2]error
	var w Window
	w.Low, errs[0] = strconv.ParseFloat(strings.TrimSpace(low), 64)
	w.High, errs[1] = strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errors.Join(errs[:]...) != nil || !(w.Low >= 0 && w.Low < w.High && w.High <= Latest) {
		return nil, fmt.Errorf("%s: want LOW,HIGH in seconds, with 0 <= LOW < HIGH <= %d", text, Latest)
	}
	return w, nil
}

// Window is a uniform distribution from Low to High. A High of 0 means the largest response time of the data.
type Window struct{ Low, High float64 }

// Density returns the density, which is constant in the window.
func (w Window) Density(rt float64) float64 {
	if rt >= w.Low && rt <= w.High {
		return 1 / (w.High - w.Low)
	}
	return 0
}

// After returns the share of the window after t.
func (w Window) After(t float64) float64 { return min(max(w.High-t, 0)/(w.High-w.Low), 1) }

// Quantile returns the time before which a share p of the lapses respond.
func (w Window) Quantile(p float64) float64 { return w.Low + (w.High-w.Low)*p }

// Range returns the ends of the window.
func (w Window) Range() (low, high float64) { return w.Low, w.High }

// ForData returns the window. If it has no end, it ends at the largest response time.
func (w Window) ForData(largest float64) Times {
	if w.High == 0 {
		w.High = largest
	}
	return w
}

// String describes the window in words.
func (w Window) String() string { return fmt.Sprintf("uniform from %.6g to %.6g s", w.Low, w.High) }

// Text returns "LOW,HIGH".
func (w Window) Text() string { return fmt.Sprintf("%v,%v", w.Low, w.High) }
