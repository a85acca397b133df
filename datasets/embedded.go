package datasets

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed presets/*.yaml applications/*.yaml
var embedded embed.FS

// DefaultStudy is the study that runs when none is named.
//
//go:embed studies/default.yaml
var DefaultStudy []byte

// A Preset is the noise profile of a system that others measured, as a file that
// noise/profile reads.
type Preset struct {
	Name string
	YAML []byte
}

// Presets returns all presets in the order of their names.
func Presets() []Preset { return embeddedIn("presets") }

// An Application is the iterations of some application, as a study file whose comments have the
// sources of its numbers.
type Application struct {
	Name, About string
	YAML        []byte
}

// Applications returns all of them in the order of their names.
func Applications() []Application {
	var all []Application
	for _, file := range embeddedIn("applications") {
		about, _, _ := strings.Cut(strings.TrimPrefix(string(file.YAML), "# "), "\n")
		all = append(all, Application{file.Name, about, file.YAML})
	}
	return all
}

func embeddedIn(folder string) (all []Preset) {
	files, err := fs.Glob(embedded, folder+"/*")
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, file := range files {
		text, err := embedded.ReadFile(file)
		if err != nil {
			panic(err) // what is embedded is there
		}
		all = append(all, Preset{strings.TrimSuffix(path.Base(file), ".yaml"), text})
	}
	slices.SortFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	return all
}
