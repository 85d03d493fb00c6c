package figure

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Named is a colour that a page's style defines as the variable --Name. Outside a page, Light is used.
type Named struct {
	Name  string
	Light color.NRGBA // the colour, with an opacity that applies in a page too
}

// RGBA returns the components of Light.
func (n Named) RGBA() (r, g, b, a uint32) { return n.Light.RGBA() }

// Faint returns the colour with an opacity from 0 to 1.
func (n Named) Faint(opacity float64) Named {
	n.Light.A = uint8(math.Round(opacity * 255))
	return n
}

// WriteInline writes the figure as an SVG element for a page, with class "chart". Fonts and named colours come from the page's
// style, and spots have tooltips. label describes the figure for readers who cannot see it.
func (f *Figure) WriteInline(w io.Writer, label string) error {
	width, height := f.size()
	_, err := fmt.Fprintf(w, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`,
		number(width), number(height), html.EscapeString(label), f.inline(true))
	return err
}

// WriteStandalone writes the figure as an SVG file that needs no page: on white, with the colours Light.
func (f *Figure) WriteStandalone(w io.Writer) error {
	width, height := f.size()
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]s %[2]s" width="%[1]s" height="%[2]s" font-family="sans-serif">`+
		`<rect width="%[1]s" height="%[2]s" fill="#fff"/>%[3]s</svg>`+"\n", number(width), number(height), f.inline(false))
	return err
}

// inline returns the content of the SVG element.
func (f *Figure) inline(page bool) string {
	width, height := f.size()
	c := &inline{page: page, width: width, height: height, state: []pen{{width: 1}}}
	f.draw(draw.New(c))
	return fmt.Sprintf(`<g transform="translate(0 %s) scale(1 -1)">%s</g>`, number(height), c.out.Bytes())
}

// inline is a canvas that writes shapes as SVG elements.
type inline struct {
	page          bool // whether the figure is part of a page, which defines named colours
	width, height vg.Length
	out           bytes.Buffer
	state         []pen
	tooltip       string // tooltip of the next shape
}

// pen is the style of the next shape.
type pen struct {
	colour color.Color
	width  vg.Length
	dashes []vg.Length
	groups int // number of SVG groups to close when this pen is popped
}

// inlineOf returns the inline canvas that a canvas or a part of one draws on; nil if it draws on none.
func inlineOf(c vg.Canvas) *inline {
	for {
		switch on := c.(type) {
		case draw.Canvas:
			c = on.Canvas
		case *draw.Canvas:
			c = on.Canvas
		case *inline:
			return on
		default:
			return nil
		}
	}
}

func (c *inline) pen() *pen { return &c.state[len(c.state)-1] }

// Size returns the size of the canvas.
func (c *inline) Size() (width, height vg.Length) { return c.width, c.height }

// SetLineWidth sets the width of lines.
func (c *inline) SetLineWidth(width vg.Length) { c.pen().width = width }

// SetLineDash sets the lengths of dashes and gaps. The offset is ignored, because no chart uses one.
func (c *inline) SetLineDash(pattern []vg.Length, _ vg.Length) { c.pen().dashes = pattern }

// SetColor sets the colour of shapes and text.
func (c *inline) SetColor(colour color.Color) { c.pen().colour = colour }

// Push saves the pen and the coordinate system.
func (c *inline) Push() {
	next := *c.pen()
	next.groups = 0
	c.state = append(c.state, next)
}

// Pop restores the state that Push saved.
func (c *inline) Pop() {
	c.out.WriteString(strings.Repeat("</g>", c.pen().groups))
	c.state = c.state[:len(c.state)-1]
}

// Rotate rotates later shapes, by an angle in radians.
func (c *inline) Rotate(angle float64) {
	c.transform(`rotate(%s)`, number(vg.Length(angle*180/math.Pi)))
}

// Translate moves later shapes.
func (c *inline) Translate(by vg.Point) { c.transform(`translate(%s)`, pair(by)) }

// Scale scales later shapes.
func (c *inline) Scale(x, y float64) {
	c.transform(`scale(%s %s)`, number(vg.Length(x)), number(vg.Length(y)))
}

func (c *inline) transform(format string, args ...any) {
	fmt.Fprintf(&c.out, `<g transform="`+format+`">`, args...)
	c.pen().groups++
}

// Stroke draws a path's outline.
func (c *inline) Stroke(path vg.Path) {
	p := c.pen()
	if p.width <= 0 {
		return
	}
	style := `fill="none"` + c.paint("stroke", p.colour) + ` stroke-width="` + number(p.width) + `"`
	if len(p.dashes) > 0 {
		var dashes []string
		for _, d := range p.dashes {
			dashes = append(dashes, number(d))
		}
		style += ` stroke-dasharray="` + strings.Join(dashes, " ") + `"`
	}
	c.shape(path, style)
}

// Fill fills a path.
func (c *inline) Fill(path vg.Path) { c.shape(path, c.paint("fill", c.pen().colour)[1:]) }

// shape writes a path, as a circle element if it is one.
func (c *inline) shape(path vg.Path, style string) {
	name, at := "path", ""
	for _, step := range path {
		switch step.Type {
		case vg.MoveComp:
			at += "M" + pair(step.Pos)
		case vg.LineComp:
			at += "L" + pair(step.Pos)
		case vg.CloseComp:
			at += "Z"
		case vg.ArcComp:
			if math.Abs(step.Angle) < 2*math.Pi {
				panic("figure: no chart has a part of a circle")
			}
			name = fmt.Sprintf(`circle cx="%s" cy="%s" r="%s"`, number(step.Pos.X), number(step.Pos.Y), number(step.Radius))
		default:
			panic("figure: no chart has a curve")
		}
	}
	if name == "path" {
		name = `path d="` + at + `"`
	}
	if c.tooltip == "" {
		fmt.Fprintf(&c.out, `<%s %s/>`, name, style)
		return
	}
	element, _, _ := strings.Cut(name, " ")
	fmt.Fprintf(&c.out, `<%s %s><title>%s</title></%s>`, name, style, html.EscapeString(c.tooltip), element)
	c.tooltip = ""
}

// FillString writes text in the page's font, stretched to the width that it would have in the chart's own font.
func (c *inline) FillString(f font.Face, at vg.Point, text string) {
	weight := ""
	if f.Font.Weight > 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.out, `<text transform="scale(1 -1)" x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" font-size="%s"%s%s>%s</text>`,
		number(at.X), number(-at.Y), number(f.Width(text)), number(f.Font.Size), weight, c.paint("fill", c.pen().colour), html.EscapeString(text))
}

// DrawImage does nothing, because no chart contains an image.
func (c *inline) DrawImage(vg.Rectangle, image.Image) {}

// paint returns an SVG attribute for a colour. On a page, a named colour is written by its name.
func (c *inline) paint(attribute string, colour color.Color) string {
	if colour == nil {
		colour = color.Black
	}
	of := color.NRGBAModel.Convert(colour).(color.NRGBA)
	value := fmt.Sprintf("#%02x%02x%02x", of.R, of.G, of.B)
	if n, ok := colour.(Named); ok && c.page {
		of, value = n.Light, "var(--"+n.Name+")"
	}
	if of.A == 255 {
		return fmt.Sprintf(` %s="%s"`, attribute, value)
	}
	return fmt.Sprintf(` %s="%s" %s-opacity="%s"`, attribute, value, attribute, strconv.FormatFloat(float64(of.A)/255, 'f', 2, 64))
}

// number writes a length with one decimal. Readers cannot see smaller differences.
func number(x vg.Length) string {
	text := strconv.FormatFloat(math.Round(10*float64(x))/10, 'f', -1, 64)
	if text == "-0" {
		return "0"
	}
	return text
}

func pair(p vg.Point) string { return number(p.X) + " " + number(p.Y) }
