package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/num/chains"
)

// figures lists the names of all figures except those of studies, without their endings.
var figures = []string{"trace", "rank", "marginal", "pairs", "predictive", "conditions", "quantiles"}

// page is one figure to draw.
type page struct {
	name string
	draw func() (*figure.Figure, error) // nil, nil if there is nothing to draw
}

// pages returns the figures of a result. If there are many subjects, it returns only the fast ones, unless all are wanted.
func (f *Folder) pages(ctx context.Context, r *fit.Result, predict predictTrials) []page {
	d := shown(r)
	of := func(draw func(*chains.Draws) (*figure.Figure, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) { return draw(d) }
	}
	all := []page{{"rank", of(figure.Rank)}, {"marginal", of(figure.Marginal)}}
	if f.Simulator != nil {
		all = append(all, f.predictions(ctx, r, predict)...)
	}
	if r.Study.Varies() {
		all = append(all, f.ofFormulas(ctx, r)...)
	}
	if r.Folder != "" && !f.AllFigures {
		return all
	}
	return append(all, page{"trace", of(figure.Trace)}, page{"pairs", of(figure.Pairs)})
}

// drawing is a page that was drawn, or the error.
type drawing struct {
	page
	svg, png *bytes.Buffer
	err      error
}

// writeFigures draws the figures on several threads, and writes each as soon as it is drawn. When the context ends, it skips the
// remaining figures.
func (f *Folder) writeFigures(ctx context.Context, r *fit.Result, predict predictTrials, threads int) (undrawn, unwritten error) {
	pages := f.pages(ctx, r, predict)
	done, room := make(chan drawing, len(pages)), make(chan struct{}, threads)
	for _, p := range pages {
		go func() {
			room <- struct{}{}
			defer func() { <-room }()
			if ctx.Err() == nil {
				done <- p.render(f.PNG)
			}
		}()
	}
	var errs []error
	for range pages {
		select {
		case <-ctx.Done():
			return ctx.Err(), nil
		case d := <-done:
			if d.err != nil {
				errs = append(errs, d.err)
			} else if err := f.writeDrawing(r.Folder, d); err != nil {
				return nil, err
			}
		}
	}
	return errors.Join(errs...), nil
}

// render draws the page in memory.
func (p page) render(png bool) drawing {
	d := drawing{page: p}
	var fig *figure.Figure
	if fig, d.err = p.draw(); fig == nil || d.err != nil {
		return d
	}
	d.svg = &bytes.Buffer{}
	d.err = fig.WriteSVG(d.svg)
	if d.err == nil && png {
		d.png = &bytes.Buffer{}
		d.err = fig.WritePNG(d.png)
	}
	if d.err != nil {
		d.err = fmt.Errorf("figure %s: %w", p.name, d.err)
	}
	return d
}

// writeDrawing writes the page's files.
func (f *Folder) writeDrawing(dir string, d drawing) error {
	for ending, content := range map[string]*bytes.Buffer{".svg": d.svg, ".png": d.png} {
		if content == nil {
			continue
		}
		path := filepath.Join(dir, d.name+ending)
		if err := f.hidden.WriteFile(path, func(w io.Writer) error { _, err := content.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return nil
}
