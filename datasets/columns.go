package datasets

import (
	"bytes"
	_ "embed" // of meanings.json
	"encoding/json"
	"sync"
)

// columnsKey is the name in a file's metadata of what its columns are: a JSON list of descriptions.
const columnsKey = "jitterfly.columns"

// A description says what a column has. The unit is empty for numbers without one and for texts.
type description struct {
	Name    string `json:"name,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning"`
}

//go:embed meanings.json
var meaningsText []byte

// meanings returns the units and meanings of columns, by the file of their table, the axes and the
// trace. go generate ./cli/study writes them, of the keys and of docs/format.md.
var meanings = sync.OnceValue(func() (all map[string]map[string]description) {
	if err := json.Unmarshal(meaningsText, &all); err != nil {
		panic("datasets: meanings.json: " + err.Error())
	}
	return all
})

// describe returns the descriptions of the columns of a table, as JSON.
func describe(table string, names []string) string {
	all := make([]description, len(names))
	for i, name := range names {
		found, ok := meanings()[table][name]
		if !ok {
			found = meanings()["axes"][name]
		}
		all[i] = description{name, found.Unit, found.Meaning}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(all) // texts can be encoded
	return string(bytes.TrimSpace(text.Bytes()))
}
