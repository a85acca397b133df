package figures

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"html"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
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

// svgText matches an element of text in an SVG file: its attributes with its size, and the text.
var svgText = regexp.MustCompile(`<text ([^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// withLength returns an element of text with the length that it has in Liberation Sans: readers fit
// other fonts to it, so that nothing overlaps what is beside it.
func withLength(element []byte) []byte {
	parts := svgText.FindSubmatch(element)
	size, _ := strconv.ParseFloat(string(parts[2]), 64) // the canvas wrote it as a number
	length := textStyle(vg.Length(size), black).Width(html.UnescapeString(string(parts[3])))
	return fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`,
		length.Points(), parts[1], parts[3])
}

var canvases = output.Formats[func(*Figure) vg.CanvasWriterTo]{
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
func Formats() []string { return canvases.Names() }

// CheckFormats fails if --format names no format, or an unknown one.
func CheckFormats(formats []string) error {
	if len(formats) == 0 {
		return fmt.Errorf("--format: is empty; valid values: %s", strings.Join(Formats(), ", "))
	}
	for _, format := range formats {
		if canvases[format] == nil {
			return fmt.Errorf("--format: %w", output.Unknown(format, Formats()))
		}
	}
	return nil
}

// Bytes returns the content of the figure's file in a format; [Replaceable] recognises it. It fails
// for unknown formats.
func (f *Figure) Bytes(format string) ([]byte, error) {
	newCanvas, ok := canvases[format]
	if !ok {
		return nil, output.Unknown(format, Formats())
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
	case "svg": // similar fonts, for readers without Liberation, at its width
		font := []byte("font-family:Liberation Sans")
		drawn = bytes.ReplaceAll(drawn, font, append(font, ",Arial,Helvetica,sans-serif"...))
		drawn = svgText.ReplaceAllFunc(drawn, withLength)
	case "pdf": // the same figure has the same bytes
		drawn = date.ReplaceAll(drawn, []byte("(D:20000101000000)"))
	}
	return marked(drawn, format), nil
}

// Write writes the figure to a file, in the format of its ending.
func (f *Figure) Write(path string) error {
	content, err := f.Bytes(strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return err
	}
	return datasets.WriteFile(path, content)
}

// A pdfCanvas is a canvas of PDF, with its fonts embedded. It hands texts to vgpdf in the encoding
// of the embedded fonts, and colours as PDF has them; vgpdf takes each as it comes.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements [vg.Canvas]. Characters that Windows-1252 lacks become question marks.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	var encoded []byte
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		encoded = append(encoded, b)
	}
	c.Canvas.FillString(f, at, string(encoded))
}

// SetColor implements [vg.Canvas]. No colour is black.
func (c pdfCanvas) SetColor(of color.Color) {
	if of == nil {
		of = black
	}
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(of).(color.NRGBA)))
}

// A straight colour has components that are not multiplied by its alpha, which PDF does itself.
type straight color.NRGBA

// RGBA implements [color.Color].
func (s straight) RGBA() (r, g, b, a uint32) {
	const full = 0x101
	return uint32(s.R) * full, uint32(s.G) * full, uint32(s.B) * full, uint32(s.A) * full
}

// mark stands in the last bytes of each picture, which identify the program that drew it.
const mark = "jitterfly picture"

// tail is how many bytes at the end of a picture have the mark.
const tail = 64

// marked returns a picture with the mark: in a comment of SVG and PDF, in a chunk of PNG.
func marked(content []byte, format string) []byte {
	switch format {
	case "svg":
		return append(content, "<!-- "+mark+" -->\n"...)
	case "pdf":
		return append(content, "%"+mark+"\n"...)
	}
	// PNG (W3C, section 5.3): the length of the data, the type, the data, a checksum of both. The
	// last chunk ends the picture; it has no data.
	const lastChunk = 12
	end := len(content) - lastChunk
	const kind, data = "tEXt", "Software\x00" + mark
	sum := crc32.NewIEEE()
	_, _ = io.WriteString(sum, kind+data)
	chunk := sum.Sum([]byte("\x00\x00\x00" + string(rune(len(data))) + kind + data))
	return slices.Concat(content[:end], chunk, content[end:])
}

// Replaceable fails if the file exists and is neither a picture nor a trace of this package.
func Replaceable(path string) error {
	ours := func(head, end string) bool {
		return strings.HasPrefix(head, traceHead) || strings.Contains(end, mark)
	}
	return ReplaceableIf(ours, path, "exists and jitterfly did not draw it; name another place with --out")
}

// ReplaceableIf fails with a reason if the file exists and is not ours, by its first and its last
// bytes, at most [tail] of each.
func ReplaceableIf(ours func(head, end string) bool, path, reason string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // the file is absent, or writing it fails
	}
	if info.Mode().IsRegular() {
		head, end, err := ends(path, info.Size())
		if err != nil {
			return datasets.FileError(path, err)
		}
		if ours(head, end) {
			return nil
		}
	}
	return fmt.Errorf("%s %s", path, reason)
}

// ends returns the first and the last bytes of a file of a size, at most [tail] of each.
func ends(path string, size int64) (head, end string, err error) {
	f, err := datasets.OpenFile(path)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	first, errFirst := io.ReadAll(io.NewSectionReader(f, 0, tail))
	last, errLast := io.ReadAll(io.NewSectionReader(f, max(0, size-tail), tail))
	return string(first), string(last), errors.Join(errFirst, errLast)
}
