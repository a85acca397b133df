package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Write writes a profile's file, with a digest. [Read] returns the same profile from it, to the
// last bit of every number. It fails if the profile is not consistent.
func Write(w io.Writer, p Profile) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("profile %s: %w", p.Name, err)
	}
	digest, err := p.digest()
	if err != nil {
		return err
	}
	return encode(w, mapping(0, p.entries(&digest)))
}

// digest returns the SHA-256, in hexadecimal digits, of the text that [Write] writes without it.
func (p Profile) digest() (string, error) {
	sum, none := sha256.New(), ""
	err := encode(sum, mapping(0, p.entries(&none)))
	return hex.EncodeToString(sum.Sum(nil)), err
}

func encode(w io.Writer, root *yaml.Node) error {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return err
	}
	return encoder.Close()
}
