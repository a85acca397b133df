package profile

import (
	"fmt"
	"slices"
)

func (p Profile) NameOf(i int) string { return fmt.Sprintf("os[%d] %s", i, p.OS[i].Kind) }
func (p Profile) Changed(quiet, aligned []int) Profile {
	var os []Component
	for i, c := range p.OS {
		if !slices.Contains(quiet, i) {
			os = append(os, c)
		}
	}
	p.OS = os
	return p
}
