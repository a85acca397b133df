package study

import "jitterfly/datasets"

// Preset returns the values of a ready application as strings, by path; nil if no application has
// the name.
func Preset(name string) map[string][]string {
	text := datasets.Applications().Find(name)
	if text == nil {
		return nil
	}
	f, _ := Input{Name: name, File: text}.parse() // what is embedded is a study file
	texts := map[string][]string{}
	for _, path := range f.keys {
		texts[path], _ = flatten(f.values[path])
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
