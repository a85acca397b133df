package study

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// decode returns what the file has, by path in small letters.
func (in Input) decode() (map[string]any, error) {
	decode := yaml.Unmarshal
	switch format(in.Name) {
	case "toml":
		decode = toml.Unmarshal
	case "json":
		decode = json.Unmarshal
	}
	var root map[string]any
	if err := decode(in.File, &root); err != nil {
		return nil, err
	}
	values := map[string]any{}
	spread(values, "", root)
	return values, nil
}

// spread adds the values of a group and of the groups in it to values, by path. Empty groups are added
// only in place of a key's value.
func spread(values map[string]any, prefix string, group map[string]any) {
	for name, value := range group {
		path := prefix + strings.ToLower(name)
		if other, ok := value.(map[any]any); ok {
			inner := map[string]any{}
			for name, value := range other {
				inner[fmt.Sprint(name)] = value
			}
			value = inner
		}
		inner, ok := value.(map[string]any)
		if ok {
			spread(values, path+".", inner)
		}
		if _, key := Find(path); !ok || key {
			values[path] = value
		}
	}
}
