package formats

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
)

// TestReadings reads the examples of formats, what tools printed for others, what people reported, and
// the made up outputs of testdata/readings/cases.txtar, and compares all that is read with
// testdata/readings. What is there was worked out by hand for the examples, and is compared with Python
// in cli/noise.
func TestReadings(t *testing.T) {
	seen := map[string]bool{}
	for _, folder := range exampleFolders {
		var readings txtar.Archive
		for _, path := range exampleFiles(t, folder) {
			text, format := reading(t, path, tests.Must(os.ReadFile(path))(t))
			seen[format] = true
			readings.Files = append(readings.Files, txtar.File{Name: filepath.Base(path), Data: text})
		}
		tests.Golden(t, "testdata/readings/"+filepath.Base(folder)+".txtar", txtar.Format(&readings))
	}
	const cases = "testdata/readings/cases.txtar"
	archive := tests.Must(txtar.ParseFile(cases))(t)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		archive.Files[i+1].Data, _ = reading(t, archive.Files[i].Name, archive.Files[i].Data)
	}
	tests.Golden(t, cases, txtar.Format(archive))
	for _, f := range All {
		if !seen[f.Name] {
			t.Errorf("no file of testdata is of format %s", f.Name)
		}
	}
}

// reading returns the measurement in an output, or the error, as text; and its format.
func reading(t *testing.T, name string, output []byte) (text []byte, format string) {
	t.Helper()
	m, err := Read(bytes.NewReader(output), "f", -1)
	if err != nil {
		return []byte(err.Error() + "\n"), ""
	}
	if why := inconsistent(m); why != "" {
		t.Errorf("%s: %s", name, why)
	}
	return lines(m), m.Format
}

// lines returns a measurement as text, without empty fields, with a line for each element of a list.
func lines(m Measurement) []byte {
	var b bytes.Buffer
	of := reflect.ValueOf(m)
	for i := range of.NumField() {
		name, v := of.Type().Field(i).Name, of.Field(i)
		switch {
		case v.IsZero():
		case v.Kind() == reflect.Slice:
			for j := range v.Len() {
				fmt.Fprintf(&b, "%s %d: %s\n", name, j, shown(v.Index(j)))
			}
		default:
			fmt.Fprintf(&b, "%s: %s\n", name, shown(v))
		}
	}
	return b.Bytes()
}

// mostShown is how many elements of a list are shown at most; of more, the first and the last are.
const mostShown = 100

// shown returns a value as text, structs of more than three fields with the names of the fields that are
// not zero. Numbers have nine digits, since others may depend on the processor.
func shown(v reflect.Value) string {
	var parts []string
	switch v.Kind() {
	case reflect.Float64:
		x := v.Float()
		if math.Abs(x) < 1e-17 {
			x = 0
		}
		return fmt.Sprintf("%.9g", x)
	case reflect.Pointer:
		return shown(v.Elem())
	case reflect.Slice:
		if n := v.Len(); n > mostShown {
			return fmt.Sprintf("[%s; and %d more, until %s]", shown(v.Index(0)), n-2, shown(v.Index(n-1)))
		}
		for i := range v.Len() {
			parts = append(parts, shown(v.Index(i)))
		}
		return "[" + strings.Join(parts, "; ") + "]"
	case reflect.Struct:
		for i := range v.NumField() {
			switch text := shown(v.Field(i)); {
			case v.NumField() <= 3:
				parts = append(parts, text)
			case !v.Field(i).IsZero():
				parts = append(parts, v.Type().Field(i).Name+" "+text)
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

const us, ns = 1e-6, 1e-9

// alike compares measurements but for the rounding of the last digits.
var alike = cmp.Options{
	cmpopts.EquateApprox(1e-9, 1e-18), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Measurement{}, "Tool"), cmpopts.IgnoreFields(Histogram{}, "Digit"),
}

// quantiles returns quantiles of shares and lengths in turn.
func quantiles(shareLength ...float64) []noise.Quantile {
	var q []noise.Quantile
	for i := 0; i < len(shareLength); i += 2 {
		q = append(q, noise.Quantile{Share: shareLength[i], Length: shareLength[i+1]})
	}
	return q
}
