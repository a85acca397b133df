package datasets

import (
	"embed"
	"path"
	"strings"
)

//go:embed presets/*.yaml
var presets embed.FS

// A Preset is the noise profile of a system that others measured, as a file that
// noise/profile reads.
type Preset struct {
	Name string
	YAML []byte
}

// Presets returns all presets in the order of their names.
func Presets() []Preset {
	files, err := presets.ReadDir("presets")
	if err != nil {
		panic(err) // what is embedded is there
	}
	all := make([]Preset, len(files))
	for i, file := range files {
		text, err := presets.ReadFile(path.Join("presets", file.Name()))
		if err != nil {
			panic(err)
		}
		all[i] = Preset{strings.TrimSuffix(file.Name(), ".yaml"), text}
	}
	return all
}
