package study

import "strings"

// labels are the names of axes in pictures, where the name of the flag is not plain.
var labels = map[string]string{
	"noise":        "noise profile",
	"os-kind":      "OS noise",
	"os-period":    "detour period",
	"os-duration":  "detour length",
	"os-launch":    "start",
	"os-scope":     "detours of a",
	"net-kind":     "network noise",
	"net-interval": "network event interval",
	"net-duration": "network delay",
}

// Label returns the name of the key in pictures and reports, such as "detour length".
func (k *Key) Label() string {
	if label, ok := labels[k.Flag]; ok {
		return label
	}
	return strings.ReplaceAll(k.Flag, "-", " ")
}
