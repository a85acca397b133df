package figures

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a picture that can be written in any format.
type Figure struct {
	Name          string // of its file, without an extension
	width, height vg.Length
	draw          func(draw.Canvas)
}

// dotsPerInch of pictures made of dots.
const dotsPerInch = 144

// date is one in a PDF.
var date = regexp.MustCompile(`\(D:\d{14}\)`)

// canvases are what the formats draw on.
var canvases = map[string]func(w, h vg.Length) vg.CanvasWriterTo{
	"svg": func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) },
	"png": func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))}
	},
	"pdf": func(w, h vg.Length) vg.CanvasWriterTo { return vgpdf.New(w, h) },
}

// Formats are those that a figure can be written in.
func Formats() []string { return slices.Sorted(maps.Keys(canvases)) }

// Bytes is the content of the figure's file.
func (f *Figure) Bytes(format string) ([]byte, error) {
	newCanvas, ok := canvases[format]
	if !ok {
		return nil, fmt.Errorf("%q is not known; known are %s", format, strings.Join(Formats(), ", "))
	}
	canvas := newCanvas(f.width, f.height)
	c := draw.New(canvas)
	c.FillPolygon(white, []vg.Point{{}, {X: f.width}, {X: f.width, Y: f.height}, {Y: f.height}})
	f.draw(c)
	var content bytes.Buffer
	if _, err := canvas.WriteTo(&content); err != nil {
		return nil, err
	}
	switch format {
	case "svg": // where the font is missing, those that are as wide
		return bytes.ReplaceAll(content.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif")), nil
	case "pdf": // the same figure has the same bytes
		return date.ReplaceAll(content.Bytes(), []byte("(D:20000101000000)")), nil
	}
	return content.Bytes(), nil
}
