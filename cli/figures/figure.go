package figures

import (
	"bytes"
	"maps"
	"regexp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"jitterfly/cli/internal/suggest"
)

// A Figure is a picture that can be written in any format.
type Figure struct {
	Name          string // of its file without the extension
	width, height vg.Length
	printed       bool // rather than on a screen
	draw          func(draw.Canvas)
}

// Resolutions of PNG files, in dots per inch.
const (
	onScreen = 144
	inPrint  = 600
)

// date matches a date in a PDF file.
var date = regexp.MustCompile(`\(D:\d{14}\)`)

// canvases returns a new canvas for each format.
var canvases = map[string]func(f *Figure) vg.CanvasWriterTo{
	"svg": func(f *Figure) vg.CanvasWriterTo { return vgsvg.New(f.width, f.height) },
	"png": func(f *Figure) vg.CanvasWriterTo {
		dpi := onScreen
		if f.printed {
			dpi = inPrint
		}
		size := vgimg.UseWH(f.width, f.height)
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(size, vgimg.UseDPI(dpi))}
	},
	"pdf": func(f *Figure) vg.CanvasWriterTo { return pdfCanvas{vgpdf.New(f.width, f.height)} },
}

// Formats returns the names of the formats of figures.
func Formats() []string { return slices.Sorted(maps.Keys(canvases)) }

// Bytes returns the content of the figure's file in a format, by which [Replaceable] knows it. It
// fails for unknown formats.
func (f *Figure) Bytes(format string) ([]byte, error) {
	newCanvas, ok := canvases[format]
	if !ok {
		return nil, suggest.Unknown(format, Formats())
	}
	canvas := newCanvas(f)
	c := draw.New(canvas)
	c.FillPolygon(white, []vg.Point{{}, {X: f.width}, {X: f.width, Y: f.height}, {Y: f.height}})
	f.draw(c)
	var content bytes.Buffer
	if _, err := canvas.WriteTo(&content); err != nil {
		return nil, err
	}
	drawn := content.Bytes()
	switch format {
	case "svg": // fonts of the same width, for readers without Liberation
		font := []byte("font-family:Liberation Sans")
		drawn = bytes.ReplaceAll(drawn, font, append(font, ",Arial,Helvetica,sans-serif"...))
	case "pdf": // the same figure has the same bytes
		drawn = date.ReplaceAll(drawn, []byte("(D:20000101000000)"))
	}
	return marked(drawn, format), nil
}
