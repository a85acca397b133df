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

// rename replaces the names of files among the values of a key by what read returns for each of them,
// the names in results. Its errors name the key.
func (a *axes) rename(k *Key, read func(name string) (string, error)) error {
	values := a.values[k]
	for i, v := range values {
		if slices.Contains(k.Names, v.Name) {
			continue
		}
		var err error
		if values[i].Name, err = read(v.Name); err != nil {
			return fmt.Errorf("%s: %w", a.place(k), err)
		}
	}
	return nil
}

// readFiles reads the files of the permutation and of placements, and replaces their names by digests.
func (s *Study) readFiles() error {
	s.files = map[string][]byte{}
	for _, k := range []*Key{Permutation, Placement} {
		err := s.axes.rename(k, func(name string) (string, error) {
			content, err := s.axes.content(name)
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
