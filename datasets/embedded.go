package datasets

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"jitterfly/internal/vector"
)

//go:embed presets/*.yaml applications/*.yaml
var embedded embed.FS

// DefaultStudy is the study that runs when none is named.
//
//go:embed studies/default.yaml
var DefaultStudy []byte

// A Preset is a YAML file of this package.
type Preset struct {
	Name string
	YAML []byte
}

// About returns what the comment in the first line says.
func (p *Preset) About() string {
	about, _, _ := strings.Cut(strings.TrimPrefix(string(p.YAML), "# "), "\n")
	return about
}

// Files are presets in the order of their names.
type Files []Preset

// Presets returns the noise profiles of systems that others measured, as files that noise/profile
// reads.
func Presets() Files { return embeddedIn("presets") }

// Applications returns the iterations of some applications, as study files whose comments say what
// they are about, and have the sources of their numbers.
func Applications() Files { return embeddedIn("applications") }

// Find returns the content of the file with the name, nil if there is none.
func (f Files) Find(name string) []byte {
	for _, preset := range f {
		if preset.Name == name {
			return preset.YAML
		}
	}
	return nil
}

// Names returns the names of the files.
func (f Files) Names() []string { return vector.Each(f, func(p Preset) string { return p.Name }) }

func embeddedIn(folder string) (all Files) {
	files, _ := fs.Glob(embedded, folder+"/*") // the pattern is right
	for _, file := range files {
		text, _ := embedded.ReadFile(file) // what is embedded is there
		all = append(all, Preset{strings.TrimSuffix(path.Base(file), ".yaml"), text})
	}
	slices.SortFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	return all
}
