package datasets

import (
	"embed"
	"path"
	"strings"
)

//go:embed applications/*.yaml
var applications embed.FS

// An Application is the iterations of some application, as a study file whose comments have the
// sources of its numbers.
type Application struct {
	Name, About string
	YAML        []byte
}

// Applications returns all of them in the order of their names.
func Applications() []Application {
	files, err := applications.ReadDir("applications")
	if err != nil {
		panic(err) // what is embedded is there
	}
	all := make([]Application, len(files))
	for i, file := range files {
		text, err := applications.ReadFile(path.Join("applications", file.Name()))
		if err != nil {
			panic(err)
		}
		about, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		all[i] = Application{strings.TrimSuffix(file.Name(), ".yaml"), about, text}
	}
	return all
}
