package fit

import (
	"fmt"
	"math"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/runtime/model/trials"
)

// Extended is a model to which trials without response and lapses can be added. Its user closes it.
type Extended struct {
	*catalog.Model
	Mixture *lapse.Mixture // nil without lapses

	respond float64           // the choice that is to respond in a go/no-go task; 0 for both
	inner   []*bound.Prepared // prepared models that it extends
}

// Extend returns the model as it is, ready for additions.
func Extend(m *catalog.Model) *Extended { return &Extended{Model: m} }

// Close releases what the models inside need.
func (x *Extended) Close() {
	for _, b := range x.inner {
		b.Close()
	}
}

// bind prepares the model as it is.
func (x *Extended) bind() (*bound.Prepared, error) {
	b, err := bound.Open(x.Model, bound.Ready)
	if err == nil {
		x.inner = append(x.inner, b)
	}
	return b, err
}

// AddOmissions makes the model describe trials without response too. It fails as [omission.New] does.
func (x *Extended) AddOmissions() error { return x.replace(omission.New) }

// AddGoNoGo makes the model describe a task in which one choice, respond, is to respond and the other is not to. It fails as
// [omission.NewGoNoGo] does.
func (x *Extended) AddGoNoGo(respond float64) error {
	x.respond = respond
	return x.replace(func(m *catalog.Model, b *bound.Prepared) (*catalog.Model, error) {
		return omission.NewGoNoGo(m, b, respond)
	})
}

// replace replaces the model by one that make makes of it.
func (x *Extended) replace(make func(*catalog.Model, *bound.Prepared) (*catalog.Model, error)) error {
	b, err := x.bind()
	if err != nil {
		return err
	}
	m, err := make(x.Model, b)
	if err == nil {
		x.Model = m
	}
	return err
}

// AddLapses makes the model describe lapses in a window too. It fails as [lapse.New] does.
func (x *Extended) AddLapses(w lapse.Window) error {
	b, err := x.bind()
	if err != nil {
		return err
	}
	if x.Mixture, err = lapse.New(x.Model, b, w); err != nil {
		return err
	}
	x.Mixture.GoNoGo = x.respond != 0
	x.Model = x.Mixture.Model
	return nil
}

// SetWindow sets where lapses are uniform. It refuses a window that does not hold every response of the subjects. An upper end that is
// NaN becomes the largest response time; a trial without response counts with its deadline.
func (x *Extended) SetWindow(w lapse.Window, subjects []Subject) error {
	largest := 0.0
	for i := range subjects {
		s := &subjects[i]
		for row, rt := range s.Columns[0] {
			largest = max(largest, rt)
			if answered := s.Choice == nil || s.Choice[row] != trials.Omitted; answered && (rt < w.Low || rt > w.High) {
				return s.Name(fmt.Errorf("%s: a response time of %.6g s is outside the window of lapses, %s", s.nameTrial(row), rt, w))
			}
		}
	}
	if math.IsNaN(w.High) {
		w.High = largest
	}
	x.Mixture.Window = w
	return nil
}

// Simulator returns what simulates trials of the model, until it is closed: see [SimulatorOf].
func (x *Extended) Simulator() (Simulate, error) {
	b, err := x.bind()
	if err != nil {
		return nil, err
	}
	return SimulatorOf(x.Model, b)
}
