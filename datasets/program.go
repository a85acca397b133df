package datasets

import (
	"fmt"
	"path/filepath"
)

// WriteProgram writes the table of the choices for a recorded program into a directory, where the
// study of each row has a directory of its own. It fails if the directory itself has a study.
func WriteProgram(path, version string, rows []ProgramRow) error {
	var studies []string
	for _, r := range rows {
		studies = append(studies, r.Study)
	}
	if err := CheckProgram(path); err != nil {
		return err
	}
	d := &Dir{disk: osDisk{}, path: path, plan: &Plan{Version: version, StudyHash: digestOf(studies)}}
	_, err := writeTable(d, ProgramFile, rows)
	return err
}

// CheckProgram fails if a directory has a study of its own, so that it cannot have those for a program.
func CheckProgram(path string) error {
	if exists(filepath.Join(path, PlanFile)) {
		return fmt.Errorf("%s: has another study; name another directory with --out", path)
	}
	return nil
}

// programsStudies fails if a directory has the studies for a program, and none itself.
func programsStudies(path string) error {
	if !exists(filepath.Join(path, ProgramFile)) {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(path, "*", RunFile)) // a pattern that is bad finds none
	example := filepath.Join(path, "*")
	if len(found) > 0 {
		example = filepath.Dir(found[0])
	}
	return fmt.Errorf("%s: has the choices for a program, each in a directory of its own; name one, as %s",
		path, example)
}
