package study

import (
	"jitterfly/datasets"
)

// applicationNames returns the values of [ApplicationPreset].
func applicationNames() []string {
	return append([]string{none}, datasets.Applications().Names()...)
}

// Preset returns the values of a ready application as strings, by path; nil if no application has
// the name.
func Preset(name string) map[string][]string {
	text := datasets.Applications().Find(name)
	if text == nil {
		return nil
	}
	f, err := Input{Name: name, File: text}.parse()
	if err != nil {
		panic(err) // what is embedded is YAML
	}
	texts := map[string][]string{}
	for _, path := range f.keys {
		if texts[path], err = flatten(f.values[path]); err != nil {
			panic(err)
		}
	}
	return texts
}

// usePreset sets the keys that the user has not given to the values of the ready application that
// the study names. Keys that choose decides are not set.
func (a *axes) usePreset() error {
	name := a.written[ApplicationPreset.Path]
	if len(name) != 1 || a.Recorded != nil { // what was recorded has its values
		return nil
	}
	for path, texts := range Preset(name[0]) {
		k, _ := Find(path)
		if a.given(k) || a.Choose && k.Chosen {
			continue
		}
		a.written[path] = texts
	}
	return nil
}
