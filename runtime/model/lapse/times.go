package lapse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Times is the distribution of the response times of lapses, in seconds.
type Times interface {
	Density(rt float64) float64    // 0 for a response time that no lapse has
	After(t float64) float64       // the probability of a later response
	Quantile(p float64) float64    // the time before which a share p of them come
	Range() (low, high float64)    // the earliest and the latest response time
	ForData(largest float64) Times // the distribution with its open end set to the largest response time (or deadline, where nobody responds) of the data
	String() string                // words after "they are"
	Text() string                  // the text from which [ParseTimes] reads the same distribution
}

// Latest is the end of the latest window, in seconds.
const Latest = 1_000_000

// ParseTimes reads LOW,HIGH, a [Window].
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

// Window is where response times are uniform. High is 0 where it is the largest one of the data.
type Window struct{ Low, High float64 }

// Density is the same all over the window.
func (w Window) Density(rt float64) float64 {
	if rt >= w.Low && rt <= w.High {
		return 1 / (w.High - w.Low)
	}
	return 0
}

// After is the share of the window that comes later.
func (w Window) After(t float64) float64 { return min(max(w.High-t, 0)/(w.High-w.Low), 1) }

// Quantile returns the time before which a share p of the lapses respond.
func (w Window) Quantile(p float64) float64 { return w.Low + (w.High-w.Low)*p }

// Range returns the ends of the window.
func (w Window) Range() (low, high float64) { return w.Low, w.High }

// ForData returns the window. If it had no end, it ends at the largest response time.
func (w Window) ForData(largest float64) Times {
	if w.High == 0 {
		w.High = largest
	}
	return w
}

// String says the window in words.
func (w Window) String() string { return fmt.Sprintf("uniform from %.6g to %.6g s", w.Low, w.High) }

// Text returns "LOW,HIGH".
func (w Window) Text() string { return fmt.Sprintf("%v,%v", w.Low, w.High) }
