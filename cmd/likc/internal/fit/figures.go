package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/chains"
	"likc/runtime/figure"
)

// fitPage is one figure to draw.
type fitPage struct {
	name string
	draw func() (*figure.Figure, error) // nil, nil if there is nothing to draw
}

// pages are the figures of a fit; of many subjects the small ones alone, unless all are wanted.
func (r *fitRun) pages(ctx context.Context, f *fitted) []fitPage {
	d, columns, choice, label := f.draws.Common(), f.columns, f.choice, f.label
	of := func(draw func(*chains.Draws) (*figure.Figure, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) { return draw(d) }
	}
	all := []fitPage{{"rank", of(figure.Rank)}, {"marginal", of(figure.Marginal)}, {"predictive", func() (*figure.Figure, error) {
		rt, predicted, err := r.predict(ctx, d, label)
		if rt == nil || err != nil {
			return nil, err
		}
		return figure.SignedTimes(columns[0], choice, rt, predicted)
	}}}
	if r.many && !r.fitFlags.figures {
		return all
	}
	return append(all, fitPage{"trace", of(figure.Trace)}, fitPage{"pairs", of(figure.Pairs)})
}

// drawing is a page that was drawn, or why not.
type drawing struct {
	fitPage
	svg, png *bytes.Buffer
	err      error
}

// writeFigures draws the figures, threads at a time, and writes each when it is done. An interrupt leaves the others out.
func (r *fitRun) writeFigures(ctx context.Context, dir string, f *fitted, threads int) (undrawn, unwritten error) {
	pages := r.pages(ctx, f)
	done, room := make(chan drawing, len(pages)), make(chan struct{}, threads)
	for _, p := range pages {
		go func() {
			room <- struct{}{}
			defer func() { <-room }()
			if ctx.Err() == nil {
				done <- p.render(r.png)
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
			} else if err := r.writeDrawing(dir, d); err != nil {
				return nil, err
			}
		}
	}
	return errors.Join(errs...), nil
}

// render draws the page in memory.
func (p fitPage) render(png bool) drawing {
	d := drawing{fitPage: p}
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
func (r *fitRun) writeDrawing(dir string, d drawing) error {
	for ending, content := range map[string]*bytes.Buffer{".svg": d.svg, ".png": d.png} {
		if content == nil {
			continue
		}
		path := filepath.Join(dir, d.name+ending)
		if err := r.folder.WriteFile(path, func(w io.Writer) error { _, err := content.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return nil
}
