package noise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"jitterfly/internal/file"
	"jitterfly/noise/fit"
	"jitterfly/noise/profile"
)

// ofCores matches what follows the name of a node in the name of a file: the cores that were
// measured.
var ofCores = regexp.MustCompile(`[-.]core[0-9][0-9,-]*$`)

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inFleet returns the name of a file for cores of this node in a directory, which it creates.
func inFleet(dir, cores string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("--out: %w", file.Error(dir, err))
	}
	return filepath.Join(dir, host+"-core"+cores+".parquet"), nil
}

// importFleet writes a profile of the nodes whose files are in a directory.
func (o *importOptions) importFleet(directories []string, out, errs io.Writer) error {
	dir := directories[0]
	switch {
	case len(directories) > 1:
		return fmt.Errorf("%s: a fleet is one directory; leave out %s", dir, strings.Join(directories[1:], ", "))
	case o.showOnly || o.replay || o.latency != "":
		return fmt.Errorf("%s: --check, --replay and --latency apply to files, not to a fleet; "+
			"leave them out, or import the files of one node by their names", dir)
	}
	nodes, err := o.readFleet(dir)
	if err != nil {
		return err
	}
	name := o.name
	if name == "" {
		name = baseName(filepath.Clean(dir))
	}
	p, groups, err := fit.Fleet(nodes, name)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	p.Provenance = append([]profile.Note{
		{Key: "tool", Text: "jitterfly import"}, {Key: "source", Text: fmt.Sprintf("%d nodes", len(nodes))},
	}, p.Provenance...)
	if !o.quiet {
		printRemarks(errs, fleetLines(groups, len(nodes)))
	}
	return writeProfile(out, o.out, p)
}

// readFleet reads the nodes of a directory, in the order of their names. Files of a node are those
// whose names differ only in the cores; profiles, which the command measure writes too, are left
// out.
func (o *importOptions) readFleet(dir string) ([]fit.Node, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, file.Error(dir, err)
	}
	var nodes []fit.Node
	for _, entry := range entries {
		ending := filepath.Ext(entry.Name())
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || ending == ".yaml" || ending == ".yml" {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		m, err := readMeasured(path, nil, o.skip)
		if err != nil {
			return nil, err
		}
		if m.Trace == nil || len(m.Trace.Cores) == 0 {
			return nil, fmt.Errorf("%s: it has no detours with times, which show how nodes differ", path)
		}
		node := ofCores.ReplaceAllString(strings.TrimSuffix(entry.Name(), ending), "")
		if n := len(nodes); n == 0 || nodes[n-1].Name != node {
			nodes = append(nodes, fit.Node{Name: node})
		}
		last := &nodes[len(nodes)-1]
		last.Cores = append(last.Cores, m.Trace.Cores...)
		last.Resolution = max(last.Resolution, m.Trace.Resolution)
	}
	if len(nodes) == 0 {
		return nil, errors.New(dir + ": it has no file with measurements")
	}
	return nodes, nil
}

// fleetLines says which nodes are odd, and why.
func fleetLines(groups []fit.Group, nodes int) []string {
	if len(groups) == 1 {
		return []string{fmt.Sprintf("%d nodes, without differences in their files", nodes)}
	}
	lines := []string{fmt.Sprintf("%d nodes, %d of them usual", nodes, len(groups[0].Nodes))}
	for _, g := range groups[1:] {
		lines = append(lines, fmt.Sprintf("%s: %s", g.Names(), strings.Join(g.Odd, "; ")))
	}
	return lines
}
