package gate

import (
	"fmt"
	"strings"

	"likc/runtime/fit/figure"
	"likc/runtime/model/neural"
)

// Plot is a drawing and the name of its file, without extension.
type Plot struct {
	Name string
	*figure.Figure
}

// Plots draws calibration, predicted response times at up to nine parameter sets, and the losses of the training.
func (e *Examination) Plots(stages []neural.Stage) ([]Plot, error) {
	nominal, empirical := reliability(e.PIT)
	calibration, err := figure.Lines([]figure.Panel{{Title: "Response times given the choice", X: "nominal", Y: "empirical share below",
		Lines: []figure.Line{{X: nominal, Y: empirical}}, Diagonal: true}}, 1)
	if err != nil {
		return nil, err
	}
	var times []figure.Times
	for _, p := range e.Profiles {
		times = append(times, figure.Times{Title: e.label(p.Theta), RT: p.RT, Choice: p.Choice, PredictedRT: p.DrawRT, PredictedChoice: p.DrawOf})
	}
	predictive, err := figure.ManyTimes(times, max(3, e.choices))
	if err != nil {
		return nil, err
	}
	plots := []Plot{{"calibration", calibration}, {"predictive", predictive}}
	if len(stages) == 0 {
		return plots, nil
	}
	losses, err := figure.Lines(lossPanels(stages), 2)
	return append(plots, Plot{"losses", losses}), err
}

// label writes a parameter vector as the title of a panel.
func (e *Examination) label(theta []float64) string {
	var parts []string
	for i, x := range theta {
		parts = append(parts, fmt.Sprintf("%s %.2f", e.params[i], x))
	}
	return strings.Join(parts, "  ")
}

func lossPanels(stages []neural.Stage) []figure.Panel {
	var panels []figure.Panel
	for _, s := range stages {
		var epochs, training, validation []float64
		for i := range s.Train {
			epochs = append(epochs, float64(i+1))
			training, validation = append(training, float64(s.Train[i])), append(validation, float64(s.Validation[i]))
		}
		panels = append(panels, figure.Panel{Title: s.Name, X: "epoch", Y: "loss",
			Lines: []figure.Line{{Name: "training", X: epochs, Y: training}, {Name: "validation", X: epochs, Y: validation}}})
	}
	return panels
}
