package study

import "strings"

// Label returns the name of the key in pictures and reports, such as "detour length".
func (k *Key) Label() string {
	if k.Title != "" {
		return k.Title
	}
	return strings.ReplaceAll(k.Flag, "-", " ")
}
