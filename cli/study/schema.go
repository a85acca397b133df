package study

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// object is a JSON object, which is written with its members in alphabetical order.
type object = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of study files. It accepts all that [Read]
// accepts except keys in capitals, and refuses unknown keys, values without units and unknown
// names. Only Read checks rules of several keys, and the
// sizes of quantities.
func Schema() []byte {
	definitions := object{}
	for _, k := range Keys {
		definitions[k.Path] = k.schema()
		for at, c := range k.Path {
			if c == '.' {
				definitions[k.Path[:at]] = groupSchema(k.Path[:at+1])
			}
		}
	}
	trials := bothTrials.Path
	definitions[trials] = object{"anyOf": append(TrialsMin.forms(), groupSchema(trials+"."))}
	root := groupSchema("")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "A study of jitterfly"
	root["type"] = []string{"object", "null"}
	root["$defs"] = definitions
	text, _ := json.MarshalIndent(root, "", "  ") // strings and numbers have a form in JSON
	return append(text, '\n')
}

// groupSchema returns the schema of the keys that begin with a prefix. Like Read it takes
// several parts of a path at once: noise.os.kind or os.kind in noise.
func groupSchema(prefix string) object {
	properties, patterns := object{}, object{}
	for _, k := range Keys {
		rest, ok := strings.CutPrefix(k.Path, prefix)
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(rest, ".")
		properties[first] = reference(prefix + first)
		for at, c := range rest + "." {
			if c == '.' {
				patterns["^"+regexp.QuoteMeta(rest[:at])+"$"] = reference(prefix + rest[:at])
			}
		}
	}
	return object{
		"type": "object", "properties": properties, "patternProperties": patterns,
		"additionalProperties": false,
	}
}

// reference returns the schema that is the definition of a key or a group.
func reference(path string) object { return object{"$ref": "#/$defs/" + path} }

// schema returns the schema of the key's values: one, or for an axis a list.
func (k *Key) schema() object {
	one := object{"$ref": "#/$defs/" + k.Path + "/$defs/one"}
	list := object{"type": "array", "items": one, "minItems": 1}
	if k.Column == "" {
		list["maxItems"] = 1
	}
	description := k.Help
	if k.Paper != "" {
		description += "; " + k.Paper + " with assume: paper"
	}
	for _, r := range k.Rules {
		description += "; " + r.text()
	}
	// Editors that show the innermost schema, as yaml-language-server does, have the text there.
	s := object{
		"title": k.Path, "description": description, "default": k.jsonDefault(),
		"anyOf": []object{one, list},
		"$defs": object{"one": object{
			"title": k.Path, "description": description,
			"anyOf": append(k.forms(), k.followsSchema()),
		}},
	}
	if k.Examples != nil {
		s["examples"] = k.Examples
	}
	return s
}

// jsonDefault returns the key's default as a study file has it.
func (k *Key) jsonDefault() any {
	var number json.Number
	if k.Dimension == units.Number && json.Unmarshal([]byte(k.Default), &number) == nil {
		return number
	}
	return k.Default
}

// Regular expressions of numbers. Only zero may be negative.
const (
	exponent     = `([eE][+-]?[0-9]+)?`
	numberText   = `(\+?([0-9]+\.?[0-9]*|\.[0-9]+)` + exponent + `|-(0+\.?0*|\.0+)` + exponent + `)`
	wholeText    = `[0-9]+(\^[0-9]+)?`
	wholeOrRange = wholeText + `(\s*\.\.\s*` + wholeText + `)?`
)

// forms returns a schema for each way to write one value of the key.
func (k *Key) forms() []object {
	var forms []object
	names := slices.Concat(k.Names, slices.Sorted(maps.Keys(k.Aliases)))
	if names != nil {
		forms = append(forms, object{"enum": names}, textSchema(alternatives(names)))
	}
	if slices.Equal(names, []string{no, yes}) {
		forms = append(forms, object{"type": "boolean"})
	}
	switch {
	case k.Files != nil:
		return append(forms, object{"type": []string{"string", "number", "boolean"}})
	case k.Check != nil:
		return append(forms, textSchema(k.Pattern))
	case k.Whole:
		return append(forms, k.numberSchema("integer"), textSchema(wholeOrRange))
	case k.Names != nil:
		return forms
	case k.Dimension == units.Number:
		return append(forms, k.numberSchema("number"), textSchema(numberText+`(\s*%)?`))
	}
	return append(forms, textSchema(numberText+`\s*`+alternatives(units.Names(k.Dimension))))
}

// numberSchema returns the schema of numbers of a type within the key's bounds.
func (k *Key) numberSchema(kind string) object {
	s := object{"type": kind}
	if k.Above {
		s["exclusiveMinimum"] = k.Least
	} else {
		s["minimum"] = k.Least
	}
	if k.Below != 0 {
		s["exclusiveMaximum"] = k.Below
	}
	return s
}

func (k *Key) followsSchema() object {
	var paths []string
	for _, to := range Keys {
		if to.Path != k.Path && canFollow(k, to) {
			paths = append(paths, to.Path)
		}
	}
	return object{"type": "string", "pattern": `^=\s*` + alternatives(paths) + `\s*$`}
}

// textSchema returns the schema of texts that match a regular expression, with spaces around it.
func textSchema(pattern string) object {
	return object{"type": "string", "pattern": `^\s*` + pattern + `\s*$`}
}

// alternatives returns a regular expression that matches each of the words.
func alternatives(words []string) string {
	return "(" + strings.Join(vector.Each(words, regexp.QuoteMeta), "|") + ")"
}
