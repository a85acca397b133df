package figures

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/internal/tests"
)

// Pictures and traces are replaced, whoever has renamed them; other files are not, even pictures.
func TestReplaceable(t *testing.T) {
	dir := t.TempDir()
	empty := Figure{Name: "empty", width: 100, height: 100, draw: func(draw.Canvas) {}}
	files := map[string][]byte{}
	for _, format := range Formats() {
		content := tests.Must(empty.Bytes(format))(t)
		files["ours."+format] = content
		files["theirs."+format] = bytes.ReplaceAll(content, []byte(mark), []byte("picture of mine--"))
	}
	image, err := png.Decode(bytes.NewReader(files["ours.png"]))
	if err != nil || image.Bounds().Dx() < 100 {
		t.Error("it is no PNG:", err)
	}
	if files["ours.json"], err = new(trace).encode("Trial 0"); err != nil {
		t.Fatal(err)
	}
	files["theirs.json"], files["theirs"] = []byte(`{"otherData": {}}`), nil
	for name, content := range files {
		name = filepath.Join(dir, name)
		tests.NoError(t, os.WriteFile(name, content, 0o666))
		ours := strings.HasPrefix(filepath.Base(name), "ours")
		if err := Replaceable(name); (err == nil) != ours {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Replaceable(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{dir, os.DevNull} {
		if err := Replaceable(name); err == nil {
			t.Errorf("%s can be replaced", name)
		}
	}
}
