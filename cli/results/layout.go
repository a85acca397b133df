package results

import (
	"fmt"

	"github.com/spf13/pflag"

	"jitterfly/cli/figures"
)

// A layout is the flags of how figures are laid out.
type layout struct {
	width  string
	titles bool
}

func (l *layout) flags(f *pflag.FlagSet) {
	f.StringVar(&l.width, "width", "", "`width` of the figures in print, such as a column's: "+
		"85mm, 3.5in, 240pt [for a screen]")
	f.BoolVar(&l.titles, "titles", true, "titles of figures; --titles=false for a caption")
}

// read returns the layout. It fails if the width is invalid.
func (l *layout) read() (figures.Layout, error) {
	layout := figures.Layout{Untitled: !l.titles}
	if l.width == "" {
		return layout, nil
	}
	width, err := figures.ParseWidth(l.width)
	if err != nil {
		return layout, fmt.Errorf("--width: %w", err)
	}
	layout.Width = width
	return layout, nil
}
