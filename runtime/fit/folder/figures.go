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

// plannedFigure is a figure that is drawn later, perhaps on another thread.
type plannedFigure struct {
	name string
	draw func() (*figure.Figure, error) // nil, nil if there is nothing to draw
}

// plannedFigures returns the figures of a result. If there are many subjects, it returns only those that are drawn fast, unless
// all are wanted.
func (f *Folder) plannedFigures(ctx context.Context, r *fit.Result, predict predictTrials) []plannedFigure {
	d := shown(r)
	of := func(draw func(*chains.Draws) (*figure.Figure, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) { return draw(d) }
	}
	all := []plannedFigure{{"rank", of(figure.Rank)}, {"marginal", of(figure.Marginal)}}
	if f.Simulator != nil {
		all = append(all, f.predictions(ctx, r, predict)...)
	}
	if r.Study.Varies() {
		all = append(all, f.ofFormulas(ctx, r)...)
	}
	if r.Folder != "" && !f.AllFigures {
		return all
	}
	return append(all, plannedFigure{"trace", of(figure.Trace)}, plannedFigure{"pairs", of(figure.Pairs)})
}

// drawing holds the files of a figure that was drawn, or the error.
type drawing struct {
	plannedFigure
	svg, png *bytes.Buffer
	err      error
}

// writeFigures draws the figures on several threads, and writes each as soon as it is drawn. When the context ends, it skips the
// remaining figures.
func (f *Folder) writeFigures(ctx context.Context, r *fit.Result, predict predictTrials, threads int) (undrawn, unwritten error) {
	planned := f.plannedFigures(ctx, r, predict)
	done, slots := make(chan drawing, len(planned)), make(chan struct{}, threads)
	for _, p := range planned {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				done <- p.render(f.PNG)
			}
		}()
	}
	var errs []error
	for range planned {
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

// render draws the figure in memory.
func (p plannedFigure) render(png bool) drawing {
	d := drawing{plannedFigure: p}
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

// writeDrawing writes the files of a figure.
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
