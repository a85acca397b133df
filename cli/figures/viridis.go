package figures

import (
	"image/color"
	"math"
)

// anchors are colours of viridis by van der Walt and Smith ("mpl colormaps", 2015; in the
// public domain), whose lightness grows evenly, also for readers with colour blindness and
// in print.
var anchors = [...]color.NRGBA{
	{68, 1, 84, 255}, {72, 40, 120, 255}, {62, 73, 137, 255}, {49, 104, 142, 255},
	{38, 130, 142, 255}, {31, 158, 137, 255}, {53, 183, 121, 255}, {110, 206, 88, 255},
	{181, 222, 43, 255}, {253, 231, 37, 255},
}

// viridis returns the colour at a share from 0 to 1 of the scale.
func viridis(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(anchors)-1)
	i := min(int(at), len(anchors)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (float64(b)-float64(a))*(at-float64(i))))
	}
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// luminance returns the luminance of a colour, from 0 to 1 (ITU-R BT.709).
func luminance(c color.NRGBA) float64 {
	return (0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)) / 255
}

func readable(ground color.NRGBA) color.NRGBA {
	if luminance(ground) > 0.45 {
		return black
	}
	return white
}
