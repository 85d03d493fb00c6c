package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Matrix is a table of shares from 0 to 1, with the first row on top. NaN leaves its cell empty.
type Matrix struct {
	Title         string
	Rows, Columns []string
	Shares        [][]float64
}

// Matrices draws matrices side by side. Each share is a square with its number, darker for larger shares. The titles name the axes.
func Matrices(all []Matrix, rowTitle, columnTitle string) (*Figure, error) {
	var panels []*plot.Plot
	most := 0
	for _, m := range all {
		p := panel(m.Title, columnTitle, rowTitle)
		if err := m.draw(p); err != nil {
			return nil, fmt.Errorf("figure: %s: %w", m.Title, err)
		}
		panels, most = append(panels, p), max(most, len(m.Rows), len(m.Columns))
	}
	side := 2*vg.Inch + vg.Length(most)*0.5*vg.Inch
	return grid(panels, len(panels), side, side)
}

// slantedX names the positions 0, 1, 2, … of the horizontal axis. The names slant, so that long ones do not run into one another.
func slantedX(p *plot.Plot, names []string) {
	p.NominalX(names...)
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/6, text.XRight, text.YTop
}

func (m *Matrix) draw(p *plot.Plot) error {
	slantedX(p, m.Columns)
	last := len(m.Rows) - 1
	upward := make([]string, len(m.Rows))
	for i, name := range m.Rows {
		upward[last-i] = name
	}
	p.NominalY(upward...)
	for i, row := range m.Shares {
		for j, share := range row {
			if math.IsNaN(share) {
				continue
			}
			if err := addCell(p, float64(j), float64(last-i), share); err != nil {
				return err
			}
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(m.Columns))-0.5, -0.5, float64(len(m.Rows))-0.5
	return nil
}

// addCell draws a square around (x, y), and the share in it.
func addCell(p *plot.Plot, x, y, share float64) error {
	const half = 0.48
	square, err := plotter.NewPolygon(plotter.XYs{{X: x - half, Y: y - half}, {X: x + half, Y: y - half}, {X: x + half, Y: y + half}, {X: x - half, Y: y + half}})
	if err != nil {
		return err
	}
	square.Color, square.LineStyle.Width = faint(colours[0], 0.08+0.82*share), 0
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{fmt.Sprintf("%.2f", share)}})
	if err != nil {
		return err
	}
	style := &labels.TextStyle[0]
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	if share > 0.5 {
		style.Color = color.White
	}
	p.Add(square, labels)
	return nil
}
