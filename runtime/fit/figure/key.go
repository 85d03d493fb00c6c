package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Entry is a line of a key.
type Entry struct {
	Name string
	Line *Stroke // nil for none
	Spot *Spot   // nil for none
}

// Key returns a chart without axes that explains the marks.
func Key(title string, entries []Entry, s Scheme) *Chart {
	p := plot.New()
	p.BackgroundColor = nil                  // transparent, so that the page's colour shows
	p.Title.Text, p.Title.Padding = title, 6 // the axes have no labels, because those would make the other panels lower
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = bold(11), s.Title
	p.HideAxes()
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, 2
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(10), s.Axis
	for _, e := range entries {
		p.Legend.Add(e.Name, e)
	}
	return &Chart{plot: p}
}

// Thumbnail draws the entry's mark.
func (e Entry) Thumbnail(canvas *draw.Canvas) {
	if e.Line != nil {
		y := canvas.Center().Y
		canvas.StrokeLine2(e.Line.style(), canvas.Min.X, y, canvas.Max.X, y)
	}
	if e.Spot != nil {
		canvas.DrawGlyph(e.Spot.style(), canvas.Center())
	}
}
