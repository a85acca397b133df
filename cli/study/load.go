package study

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"jitterfly/datasets"
)

// An Input is where the values of a study come from. The later override the earlier: the
// defaults of the keys, a file, the environment, flags, assignments.
type Input struct {
	Name string // of the file, for messages and for its extension
	// Embedded says that the file is the default study, which is read unless a key is given that
	// describes something else.
	Embedded bool
	File     []byte
	Flags    *pflag.FlagSet // defined by [Flags]
	Set      []string       // path=value
	Environ  []string       // as [os.Environ]

	// Recorded is a study that was read before. If it is not nil, no other source is read.
	Recorded *Recorded

	// Files are contents in memory of files that the study refers to, by name. Open returns the
	// content of any other, and its errors name the file; nil is [datasets.ReadFile].
	Files map[string][]byte
	Open  func(name string) ([]byte, error)

	// Defaults replace the keys' defaults, by path.
	Defaults map[string]string
	// Strict makes configurations that are impossible an error, also if others are possible.
	Strict bool // [StrictHelp]
	// Choose makes the study compare the candidates of each field.
	Choose bool
	// Operation is what the collectives of a study of choices must do; "" is any one.
	Operation string
	// Baseline is the collective that choices are compared with, from one source and without
	// redundancy; "" is the best of allreduces, and of another operation its own.
	Baseline string
	// Deployable leaves out what the MPI library cannot deploy (mpi/), nor any other library.
	Deployable bool
	// Idempotent says that the operation may count contributions twice, so that algorithms
	// that do can be chosen.
	Idempotent bool
}

// StrictHelp is the help of --strict.
const StrictHelp = "fail if a configuration is impossible, in place of skipping it"

// A Recorded has the values of every key as strings, and the paths of the keys that the user gave.
// Read again it is the same study.
type Recorded struct {
	Values map[string][]string
	Given  []string
}

// ReadFile sets the file of the input to the named file, which has an extension in Extensions, or for "-" to
// standard input, which is YAML or JSON.
func (in *Input) ReadFile(name string) (err error) {
	in.Name, in.Embedded = name, false
	switch {
	case name == "-":
		in.Name = "standard input"
		in.File, err = io.ReadAll(os.Stdin)
	case !slices.Contains(Extensions, format(name)):
		return fmt.Errorf("%s: a study file ends in .yaml, .yml, .toml or .json", name)
	default:
		in.File, err = datasets.ReadFile(name)
	}
	in.File = bytes.TrimPrefix(in.File, byteOrderMark)
	return err
}

// byteOrderMark is what editors of Windows put before texts in UTF-8.
var byteOrderMark = []byte("\ufeff")

// Extensions are the extensions of study files.
var Extensions = []string{"yaml", "yml", "toml", "json"}

// format returns the extension of a name in small letters, without the dot.
func format(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

// Flags defines a flag for every key. Help ends with the default in brackets, from defaults or else
// the key's own; a short default also is the placeholder of the value.
func Flags(flags *pflag.FlagSet, defaults map[string]string) {
	for _, k := range Keys {
		help := k.Help
		if k.words() && k.Check == nil && k.Files == nil {
			help += ": " + strings.Join(k.Names, ", ")
		}
		for _, alias := range slices.Sorted(maps.Keys(k.Aliases)) {
			help += ", " + alias + " (" + k.Aliases[alias] + ")"
		}
		text := cmp.Or(defaults[k.Path], k.Default)
		if len(text) <= maxPlaceholder {
			text = "`" + text + "`"
		}
		if k.Paper != "" && defaults[k.Path] == "" {
			text += "; paper: " + k.Paper
		}
		flags.String(k.Flag, "", help+" ["+strings.ReplaceAll(text, ",", ", ")+"]")
		flags.Lookup(k.Flag).Hidden = k.Rare
		_ = flags.SetAnnotation(k.Flag, GroupAnnotation, []string{k.Group}) // the flag is there
		if k == TrialsMin {
			flags.String(bothTrials.Flag, "", bothTrials.Help)
			_ = flags.SetAnnotation(bothTrials.Flag, GroupAnnotation, []string{k.Group})
		}
	}
}

// maxPlaceholder is the longest default that stands in the place of a flag's value.
const maxPlaceholder = 24

// bothTrials stands for the least and the largest number of trials: as a flag, a variable or an
// assignment, and as the value of their group in a file.
var bothTrials = &Key{Path: "trials", Flag: "trials", Group: GroupTrials, Help: "fixed `number` of trials"}

// standsFor returns the keys that get the values of a key.
func (k *Key) standsFor() []*Key {
	if k == bothTrials {
		return []*Key{TrialsMin, TrialsMax}
	}
	return []*Key{k}
}

// GroupAnnotation is the annotation of a key's flag with its heading in help.
const GroupAnnotation = "group"

// A level is where the values of a key come from; a later one overrides the earlier ones.
type level int

const (
	byDefault level = iota
	inStudyFile
	inEnvironment
	onCommandLine
)

// load returns a study with the texts of all keys' values. It fails if there are other keys.
func (in Input) load() (*Study, error) {
	s := &Study{in: in, keys: map[*Key]*setting{}, jobs: map[string]job{}}
	s.Recorded.Values = map[string][]string{}
	wrong := s.assign()
	if in.Embedded && slices.ContainsFunc(Keys, s.describes) {
		in.File = nil
	}
	file, err := in.parse()
	if err != nil {
		return nil, err
	}
	at := func(path string) string {
		if n := file.lines[path]; n > 0 {
			return fmt.Sprintf("%s:%d: %s", in.Name, n, path)
		}
		return in.Name + ": " + path
	}
	for _, path := range file.keys {
		if _, ok := Find(path); !ok {
			return nil, fmt.Errorf("%s: %s", at(path), unknown(path))
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	for _, k := range Keys {
		if s.keys[k] == nil {
			if err := s.fill(k, file, at(k.Path)); err != nil {
				return nil, err
			}
		}
		if s.given(k) {
			s.Recorded.Given = append(s.Recorded.Given, k.Path)
		}
	}
	return s, nil
}

// fill sets the texts of a key to those that a file has at a place, or else to the key's default.
func (s *Study) fill(k *Key, f file, place string) error {
	raw, inFile := f.values[k.Path]
	if !inFile && s.in.Recorded == nil {
		s.set(k, byDefault, k.Path, strings.Split(cmp.Or(s.in.Defaults[k.Path], k.Default), ","))
		return nil
	}
	texts, err := flatten(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	from := inStudyFile
	if s.in.Embedded || s.in.Recorded != nil && !slices.Contains(s.in.Recorded.Given, k.Path) {
		from = byDefault
	}
	s.set(k, from, place, texts)
	return nil
}

// set sets the texts of a key's values.
func (s *Study) set(k *Key, from level, place string, texts []string) {
	s.keys[k] = &setting{level: from, place: place}
	s.Recorded.Values[k.Path] = texts
}

// describes reports whether a key is given that describes what is simulated. Trials and the choice by them
// may be given for the default study too.
func (s *Study) describes(k *Key) bool {
	return s.keys[k] != nil && k.Group != GroupTrials && k.Group != GroupChoice
}

// assign sets the keys that the environment, the flags and the assignments give.
func (s *Study) assign() error {
	in, assignable := s.in, append([]*Key{bothTrials}, Keys...)
	set := func(from level, k *Key, place, text string) {
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			text = text[1 : len(text)-1]
		}
		for _, k := range k.standsFor() {
			s.set(k, from, place, strings.Split(text, ","))
		}
	}
	for _, variable := range in.Environ {
		name, text, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "JITTERFLY_") || text == "" {
			continue
		}
		i := slices.IndexFunc(assignable, func(k *Key) bool { return k.Env() == name })
		if i < 0 {
			path := strings.ReplaceAll(strings.TrimPrefix(name, "JITTERFLY_"), "_", ".")
			guess, distance := nearest(path)
			if distance > len(path) {
				return fmt.Errorf("environment: unknown variable %s, and no key is like it; "+
					"jitterfly schema lists all keys", name)
			}
			return fmt.Errorf("environment: unknown variable %s; did you mean %s?", name, guess.Env())
		}
		set(inEnvironment, assignable[i], name, text)
	}
	for _, k := range assignable {
		if in.Flags != nil && in.Flags.Changed(k.Flag) {
			set(onCommandLine, k, "--"+k.Flag, in.Flags.Lookup(k.Flag).Value.String())
		}
	}
	for _, assignment := range in.Set {
		path, text, ok := strings.Cut(assignment, "=")
		i := slices.IndexFunc(assignable, func(k *Key) bool { return k.Path == path })
		switch {
		case !ok:
			return fmt.Errorf("--set %s: write key=value", assignment)
		case i < 0:
			return fmt.Errorf("--set %s: %s", path, unknown(path))
		}
		set(onCommandLine, assignable[i], "--set "+path, text)
	}
	return nil
}

// flatten returns the texts of what a file or a flag has for a key. It fails on lists that are
// empty or nested, and on numbers that may have lost digits.
func flatten(raw any) ([]string, error) {
	switch x := raw.(type) {
	case []any:
		if len(x) == 0 {
			return nil, errors.New("the list is empty")
		}
		var texts []string
		for _, element := range x {
			if _, ok := element.([]any); ok {
				return nil, errors.New("a list inside a list")
			}
			if element == nil {
				return nil, errors.New("a value of the list is missing")
			}
			more, err := flatten(element)
			if err != nil {
				return nil, err
			}
			texts = append(texts, more...)
		}
		return texts, nil
	case []string:
		return x, nil
	case nil:
		return nil, errors.New("the value is missing")
	case map[string]any, map[any]any:
		return nil, errors.New("a value is expected here, not a group of keys")
	case float64:
		if math.Abs(x) >= 1<<53 && x == math.Trunc(x) && !math.IsInf(x, 0) {
			return nil, fmt.Errorf("the number %.0f may have lost digits; put it in quotes", x)
		}
		if x == math.Trunc(x) {
			return []string{strconv.FormatFloat(x, 'f', -1, 64)}, nil
		}
		return []string{strconv.FormatFloat(x, 'g', -1, 64)}, nil
	}
	return []string{fmt.Sprint(raw)}, nil
}

// Content returns the content of a file that the study refers to.
func (s *Study) Content(name string) ([]byte, error) { return s.in.content(name) }

// content returns the content of a file that the input refers to.
func (in *Input) content(name string) ([]byte, error) {
	if content, ok := in.Files[name]; ok {
		return content, nil
	}
	if in.Open != nil {
		return in.Open(name)
	}
	return datasets.ReadFile(name)
}

// rename replaces the names of files among the values of a key by what read returns for each of them,
// the names in results. Its errors name the key.
func (s *Study) rename(k *Key, read func(name string) (string, error)) error {
	values := s.keys[k].values
	for i, v := range values {
		if slices.Contains(k.Names, v.Name) {
			continue
		}
		var err error
		if values[i].Name, err = read(v.Name); err != nil {
			return s.wrong(k, "%w", err)
		}
	}
	return nil
}

// readFiles reads the files of the permutation and of placements, and replaces their names by digests.
func (s *Study) readFiles() error {
	s.files = map[string][]byte{}
	for _, k := range []*Key{Permutation, Placement} {
		err := s.rename(k, func(name string) (string, error) {
			content, err := s.in.content(name)
			id := digest(string(content))
			s.files[id] = content
			return id, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

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
func (s *Study) usePreset() error {
	name := s.Recorded.Values[ApplicationPreset.Path]
	if len(name) != 1 || s.in.Recorded != nil { // what was recorded has its values
		return nil
	}
	for path, texts := range Preset(name[0]) {
		k, _ := Find(path)
		if s.given(k) || s.in.Choose && k.Chosen {
			continue
		}
		s.Recorded.Values[path] = texts
	}
	return nil
}
