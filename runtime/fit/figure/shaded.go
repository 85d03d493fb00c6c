package figure

import (
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shaded is a title with lines of text below it.
type Shaded struct {
	Title string
	Lines []Passage
}

// Passage is a line of text with bars beneath it.
type Passage struct {
	Text   string
	Shades []Shade
}

// Shade is a bar beneath the bytes From to To-1 of a text. Bars in row 0 are closest to the text. Dark is from 0, nearly white,
// to 1, the full colour.
type Shade struct {
	From, To, Row int
	Dark          float64
}

// These are the sizes of shaded texts.
const (
	widest      = 130 // letters in a line; a longer line is broken at a space
	letter      = 5.1 // width in points, like all measures below
	letterSize  = letter / 0.6
	titleHeight = 16
	textHeight  = 12
	barHeight   = 5
	lineGap     = 5
	margins     = 24
)

// ShadedTexts draws texts, one below the other.
func ShadedTexts(all []Shaded) (*Figure, error) {
	height, longest := 0.0, 0
	all = slices.Clone(all)
	for i := range all {
		var lines []Passage
		for _, l := range all[i].Lines {
			lines = append(lines, l.broken()...)
		}
		all[i].Lines = lines
		for _, l := range lines {
			height, longest = height+l.height(), max(longest, utf8.RuneCountInString(l.Text))
		}
		height += titleHeight
	}
	p := plot.New()
	p.HideAxes()
	p.Add(mark(func(canvas draw.Canvas) {
		top := canvas.Max.Y
		for _, s := range all {
			top = s.draw(canvas, top)
		}
	}))
	return grid([]*plot.Plot{p}, 1, vg.Points(letter*float64(longest)+margins), vg.Points(height+margins))
}

// broken divides the passage into lines that are short enough.
func (p Passage) broken() (lines []Passage) {
	for begin := 0; begin < len(p.Text); {
		end := p.breakAfter(begin)
		line := Passage{Text: p.Text[begin:end]}
		for _, s := range p.Shades {
			if s.From < end && s.To > begin {
				s.From, s.To = max(s.From, begin)-begin, min(s.To, end)-begin
				line.Shades = append(line.Shades, s)
			}
		}
		lines, begin = append(lines, line), end
	}
	return lines
}

// breakAfter returns the end of a line that starts at `begin`. It chooses the space crossed by the fewest bars, in the second half
// of the longest possible line; of equally good spaces, the last.
func (p Passage) breakAfter(begin int) int {
	end := begin + widest
	if end >= len(p.Text) {
		return len(p.Text)
	}
	best, fewest := end, len(p.Shades)+1
	for i := end - 1; i > begin+widest/2; i-- {
		crossing := 0
		for _, s := range p.Shades {
			if s.From < i && s.To > i {
				crossing++
			}
		}
		if p.Text[i] == ' ' && crossing < fewest {
			best, fewest = i+1, crossing
		}
	}
	return best
}

// height returns the height of the text with its bars and the gap below it, in points.
func (p Passage) height() float64 {
	rows := 0
	for _, s := range p.Shades {
		rows = max(rows, s.Row+1)
	}
	return textHeight + barHeight*float64(rows) + lineGap
}

// draw draws the title and the lines below the height top, and returns the height below them. Each word has its own position, so
// that a viewer may use a font of another width.
func (s Shaded) draw(canvas draw.Canvas, top vg.Length) vg.Length {
	title := draw.TextStyle{Color: color.Black, Font: bold(10), Handler: plot.DefaultTextHandler}
	text := title
	text.Font = font.Font{Typeface: "Liberation", Variant: "Mono", Size: letterSize}
	canvas.FillText(title, vg.Point{X: canvas.Min.X, Y: top - 10}, s.Title)
	top -= titleHeight
	for _, l := range s.Lines {
		at := func(i int) vg.Length {
			return canvas.Min.X + vg.Points(letter*float64(utf8.RuneCountInString(l.Text[:i])))
		}
		for i := 0; i < len(l.Text); {
			word, _, _ := strings.Cut(l.Text[i:], " ")
			if word != "" {
				canvas.FillText(text, vg.Point{X: at(i), Y: top - letterSize}, word)
			}
			i += len(word) + 1
		}
		for _, b := range l.Shades {
			upper := top - vg.Points(textHeight+barHeight*float64(b.Row))
			left, right, lower := at(b.From)+0.4, at(b.To)-0.4, upper-barHeight+0.8
			canvas.FillPolygon(faint(colours[0], 0.07+0.93*b.Dark), []vg.Point{{X: left, Y: upper}, {X: right, Y: upper}, {X: right, Y: lower}, {X: left, Y: lower}})
		}
		top -= vg.Points(l.height())
	}
	return top
}
