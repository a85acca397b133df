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
	Name          string // of its file without the extension
	width, height vg.Length
	draw          func(draw.Canvas)
}

// dotsPerInch is the resolution of PNG files.
const dotsPerInch = 144

// date matches a date in a PDF file.
var date = regexp.MustCompile(`\(D:\d{14}\)`)

// canvases returns a new canvas for each format.
var canvases = map[string]func(w, h vg.Length) vg.CanvasWriterTo{
	"svg": func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) },
	"png": func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))}
	},
	"pdf": func(w, h vg.Length) vg.CanvasWriterTo { return vgpdf.New(w, h) },
}

// Formats returns the names of the formats of figures.
func Formats() []string { return slices.Sorted(maps.Keys(canvases)) }

// Bytes returns the content of the figure's file in a format. It fails for unknown formats.
func (f *Figure) Bytes(format string) ([]byte, error) {
	newCanvas, ok := canvases[format]
	if !ok {
		return nil, fmt.Errorf("%q is not known; known are %s",
			format, strings.Join(Formats(), ", "))
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
	case "svg": // fonts of the same width, for readers without Liberation
		font := []byte("font-family:Liberation Sans")
		return bytes.ReplaceAll(content.Bytes(), font,
			append(font, ",Arial,Helvetica,sans-serif"...)), nil
	case "pdf": // the same figure has the same bytes
		return date.ReplaceAll(content.Bytes(), []byte("(D:20000101000000)")), nil
	}
	return content.Bytes(), nil
}
