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
	// Profile returns the profile with the name of a preset or of a file.
	Profile func(name string) (Measured, error)

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

// ReadFile returns the input from a file with an extension in Extensions, or for "-" from standard
// input, which is YAML or JSON.
func ReadFile(name string) (Input, error) {
	if name == "-" {
		text, err := io.ReadAll(os.Stdin)
		return Input{Name: "standard input", File: bytes.TrimPrefix(text, byteOrderMark)}, err
	}
	if !slices.Contains(Extensions, format(name)) {
		return Input{}, fmt.Errorf("%s: a study file ends in .yaml, .yml, .toml or .json", name)
	}
	text, err := datasets.ReadFile(name)
	return Input{Name: name, File: bytes.TrimPrefix(text, byteOrderMark)}, err
}

// byteOrderMark is what editors of Windows put before texts in UTF-8.
var byteOrderMark = []byte("\ufeff")

// ReadNamed sets the file of the input to the file in the arguments, if any.
func (in *Input) ReadNamed(args []string) error {
	if len(args) == 0 {
		return nil
	}
	file, err := ReadFile(args[0])
	in.Name, in.File = file.Name, file.File
	return err
}

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
		if k.Path == fixedTrials[0] {
			flags.String(trialsKey, "", "fixed `number` of trials")
			_ = flags.SetAnnotation(trialsKey, GroupAnnotation, []string{k.Group})
		}
	}
}

// maxPlaceholder is the longest default that stands in the place of a flag's value.
const maxPlaceholder = 24

// trialsKey stands for both of fixedTrials: as a flag, and as the value of the group in a file.
const trialsKey = "trials"

var fixedTrials = []string{"trials.min", "trials.max"}

// GroupAnnotation is the annotation of a key's flag with its heading in help.
const GroupAnnotation = "group"

// lists are the texts of every key's values, and where each comes from.
type lists struct {
	Input
	values map[string][]string
	place  func(*Key) string // for errors: a file and line, a flag or a variable
	given  func(*Key) bool   // by the user
	level  func(*Key) level  // that gave a key its value
}

// A level is where the values of a key come from; a later one overrides the earlier ones.
type level int

const (
	byDefault level = iota
	inStudyFile
	inEnvironment
	onCommandLine
)

// An origin is the level of a value, its place for errors, and the texts of a value that is not in a
// file.
type origin struct {
	level
	place string
	texts []string
}

// load returns the texts of all keys' values. It fails if there are other keys.
func (in Input) load() (lists, error) {
	if in.Embedded && in.describes() {
		in.File = nil
	}
	file, err := in.parse()
	if err != nil {
		return lists{}, err
	}
	at := func(path string) string {
		if n := file.lines[path]; n > 0 {
			return fmt.Sprintf("%s:%d: %s", in.Name, n, path)
		}
		return in.Name + ": " + path
	}
	if err := known(file.keys, at); err != nil {
		return lists{}, err
	}
	assigned, err := in.assign()
	if err != nil {
		return lists{}, err
	}
	l := lists{Input: in, values: map[string][]string{}}
	l.place = func(k *Key) string { return cmp.Or(assigned[k.Path].place, k.Path) }
	l.level = func(k *Key) level { return assigned[k.Path].level }
	l.given = func(k *Key) bool { return l.level(k) > byDefault }
	for _, k := range Keys {
		texts := assigned[k.Path].texts
		if raw, ok := file.values[k.Path]; ok && texts == nil {
			from := inStudyFile
			if in.Embedded {
				from = byDefault
			}
			assigned[k.Path] = origin{level: from, place: at(k.Path)}
			if texts, err = flatten(raw); err != nil {
				return lists{}, fmt.Errorf("%s: %w", at(k.Path), err)
			}
		}
		if texts == nil {
			texts = strings.Split(cmp.Or(in.Defaults[k.Path], k.Default), ",")
		}
		l.values[k.Path] = texts
	}
	return l, nil
}

// describes reports whether the environment, a flag or an assignment gives a key that describes what
// is simulated. Trials and the choice by them may be given for the default study too.
func (in Input) describes() bool {
	assigned, err := in.assign()
	if err != nil {
		return false // load fails by it
	}
	for path := range assigned {
		k, _ := Find(path)
		if k.Group != GroupTrials && k.Group != GroupChoice {
			return true
		}
	}
	return false
}

func (in Input) recorded() (lists, error) {
	at := func(path string) string { return in.Name + ": " + path }
	place := func(k *Key) string { return at(k.Path) }
	if err := known(slices.Sorted(maps.Keys(in.Recorded.Values)), at); err != nil {
		return lists{}, err
	}
	for _, k := range Keys {
		if len(in.Recorded.Values[k.Path]) == 0 {
			return lists{}, fmt.Errorf("%s: the value is missing", at(k.Path))
		}
	}
	given := func(k *Key) bool { return slices.Contains(in.Recorded.Given, k.Path) }
	return lists{Input: in, values: maps.Clone(in.Recorded.Values), place: place, given: given}, nil
}

// record returns what was loaded, to be read again.
func (l lists) record() Recorded {
	r := Recorded{Values: l.values}
	for _, k := range Keys {
		if l.given(k) {
			r.Given = append(r.Given, k.Path)
		}
	}
	return r
}

// known fails if a path is not a key's.
func known(paths []string, at func(path string) string) error {
	for _, path := range paths {
		if _, ok := Find(path); !ok {
			return fmt.Errorf("%s: %s", at(path), unknown(path))
		}
	}
	return nil
}

// assign returns the values that the environment, the flags and the assignments give, by path.
func (in Input) assign() (map[string]origin, error) {
	assigned := map[string]origin{}
	set := func(from level, path, place, text string) {
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			text = text[1 : len(text)-1]
		}
		for _, path := range standsFor(path) {
			assigned[path] = origin{from, place, strings.Split(text, ",")}
		}
	}
	if err := in.environment(set); err != nil {
		return nil, err
	}
	if f := in.flag(trialsKey); f != nil {
		set(onCommandLine, trialsKey, "--"+trialsKey, f.Value.String())
	}
	for _, k := range Keys {
		if f := in.flag(k.Flag); f != nil {
			set(onCommandLine, k.Path, "--"+k.Flag, f.Value.String())
		}
	}
	for _, assignment := range in.Set {
		path, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value", assignment)
		}
		if _, ok := Find(standsFor(path)[0]); !ok {
			return nil, fmt.Errorf("--set %s: %s", path, unknown(path))
		}
		set(onCommandLine, path, "--set "+path, text)
	}
	return assigned, nil
}

// standsFor returns the paths that a path stands for.
func standsFor(path string) []string {
	if path == trialsKey {
		return fixedTrials
	}
	return []string{path}
}

// environment calls set with the keys that the environment has. It fails if it has others.
func (in Input) environment(set func(from level, path, place, text string)) error {
	for _, variable := range in.Environ {
		name, text, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "JITTERFLY_") || text == "" {
			continue
		}
		i := slices.IndexFunc(Keys, func(k *Key) bool { return k.Env() == name })
		switch {
		case name == envOf(trialsKey):
			set(inEnvironment, trialsKey, name, text)
		case i < 0:
			path := strings.ReplaceAll(strings.TrimPrefix(name, "JITTERFLY_"), "_", ".")
			guess, _ := Find(nearest(path))
			return fmt.Errorf("environment: unknown variable %s; did you mean %s?", name, guess.Env())
		default:
			set(inEnvironment, Keys[i].Path, name, text)
		}
	}
	return nil
}

// flag returns the flag of a name, if the user has given it.
func (in Input) flag(name string) *pflag.Flag {
	if in.Flags == nil {
		return nil
	}
	if f := in.Flags.Lookup(name); f != nil && f.Changed {
		return f
	}
	return nil
}

// flatten returns the texts of what a file or a flag has for a key. It fails on lists that are
// empty or nested, and on numbers that may have lost digits.
func flatten(raw any) ([]string, error) {
	switch x := raw.(type) {
	case []string:
		return x, nil
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
