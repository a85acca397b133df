package figures

import (
	"image/color"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

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
