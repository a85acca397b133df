package study

import (
	"fmt"
	"slices"

	"jitterfly/datasets"
)

// Content returns the content of a file that the study refers to.
func (s *Study) Content(name string) ([]byte, error) { return s.axes.content(name) }

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

// open returns the content of a file that the study refers to. It fails with the key that names
// the file.
func (a *axes) open(key *Key, name string) ([]byte, error) {
	content, err := a.content(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.place(key), err)
	}
	return content, nil
}

// readPlacements reads the files of placements, and replaces their names by digests.
func (s *Study) readPlacements() error {
	s.placements = map[string][]byte{}
	values := s.axes.values[Placement]
	for i, v := range values {
		if slices.Contains(Placement.Names, v.Name) {
			continue
		}
		content, err := s.axes.open(Placement, v.Name)
		if err != nil {
			return err
		}
		values[i].Name = digest(string(content))
		s.placements[values[i].Name] = content
	}
	return nil
}

// readPermutation reads the file of the permutation, if there is one, and replaces its name by a
// digest.
func (s *Study) readPermutation() error {
	name := s.axes.only(Permutation).Name
	if name == none {
		return nil
	}
	content, err := s.axes.open(Permutation, name)
	if err != nil {
		return err
	}
	s.permutation = content
	s.axes.values[Permutation] = []Value{{Name: digest(string(content))}}
	delete(s.axes.follows, Permutation)
	return nil
}
