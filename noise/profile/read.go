package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Read returns the profile in the content of a file. It fails if the profile is not
// consistent, if a key is unknown or occurs twice, if a quantity has no unit, and for
// aliases of YAML. The profile is [Profile.Edited] if the file has the digest of another profile. An
// error is one line, with the name of the file, the line in it and the key.
func Read(file []byte, name string) (Profile, error) {
	root, err := parse(file)
	if err != nil {
		return Profile{}, fmt.Errorf("%s:%w", name, err)
	}
	doc := &document{name: name}
	p, digest := Profile{}, ""
	f := doc.fields(root, "")
	f.take(p.entries(&digest)...)
	f.end()
	if doc.err != nil {
		return Profile{}, doc.err
	}
	if err := p.Check(); err != nil {
		return Profile{}, fmt.Errorf("%s: %w", name, err)
	}
	p.Edited = digest != "" && digest != p.digest()
	return p, nil
}

// parse returns the only document in a file. An error begins with the number of the line.
func parse(file []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	var root, second yaml.Node
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("1: the file is empty")
	case err != nil:
		return nil, yamlError(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%d: a second document begins; a file holds one profile", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return root.Content[0], nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError returns an error of the YAML reader in the form of this package's.
func yamlError(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	line := ""
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if m[1] != "" {
			line = m[1] + ":"
		}
	}
	return fmt.Errorf("%s this is not YAML: %s", line, text)
}

// Write writes a profile's file, with a digest. [Read] returns the same profile from it, to the
// last bit of every number. It fails if the profile is not consistent.
func Write(w io.Writer, p Profile) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("profile %s: %w", p.Name, err)
	}
	digest := p.digest()
	return encode(w, mapping(0, p.entries(&digest)))
}

// digest returns the SHA-256, in hexadecimal digits, of the text that [Write] writes without it. The
// profile is checked, so that YAML can have all of it.
func (p Profile) digest() string {
	sum, none := sha256.New(), ""
	_ = encode(sum, mapping(0, p.entries(&none)))
	return hex.EncodeToString(sum.Sum(nil))
}

func encode(w io.Writer, root *yaml.Node) error {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return err
	}
	return encoder.Close()
}
