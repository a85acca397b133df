package noise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
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
	if err := datasets.MakeDir(dir); err != nil {
		return "", fmt.Errorf("--out: %w", err)
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
	p, groups, err := measured.FitFleet(nodes, cmp.Or(o.name, baseName(filepath.Clean(dir))))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	own := origin("jitterfly import", fmt.Sprintf("%d nodes", len(nodes)))
	p.Provenance = append(own, p.Provenance...)
	o.remark(errs, fleetLines(groups, len(nodes)))
	return writeProfile(out, o.out, p)
}

// readFleet reads the nodes of a directory, in the order of their names. Files of a node are those
// whose names differ only in the cores or the ending; profiles, which the command measure writes too,
// are left out, and what is no regular file.
func (o *importOptions) readFleet(dir string) ([]measured.Node, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, datasets.FileError(dir, err)
	}
	nodes, before := map[string]*measured.Node{}, importer{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if !ofNode(path) {
			continue
		}
		im, err := o.readNode(path)
		if err != nil {
			return nil, err
		}
		if stage := before.delays.stage; stage != "" && im.delays.stage != "" && stage != im.delays.stage {
			return nil, fmt.Errorf("%s: it has %s, and files before it %s; run the tool with the same options on "+
				"all nodes", path, im.delays.stage, stage)
		}
		before = im
		name := ofCores.ReplaceAllString(baseName(path), "")
		if nodes[name] == nil {
			nodes[name] = &measured.Node{Name: name}
		}
		if err := nodes[name].Add(im.trace, im.lengths()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(nodes) == 0 {
		return nil, errors.New(dir + ": it has no file with measurements")
	}
	var all []measured.Node
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		all = append(all, *nodes[name])
	}
	return all, nil
}

// ofNode reports whether a path is of a file with a node's measurements, by its name and its kind.
func ofNode(path string) bool {
	ending := filepath.Ext(formats.Unpacked(filepath.Base(path)))
	if strings.HasPrefix(filepath.Base(path), ".") || ending == ".yaml" || ending == ".yml" {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() // from a pipe, reading may never end
}

// readNode reads a file of a node. It fails if the file has nothing that shows how nodes differ.
func (o *importOptions) readNode(path string) (importer, error) {
	im, err := o.read(nil, path)
	switch {
	case err != nil, len(im.trace.Cores) > 0, im.lengths() != nil:
		return im, err
	case im.instead != nil:
		return im, fmt.Errorf("%s: %s", path, im.instead[0])
	}
	return im, fmt.Errorf("%s: it has no detours, nor histograms of them, which show how nodes differ; "+
		"remove it, or measure the node with another tool", path)
}

// lengths returns the histogram of a file without a trace, nil if it has none.
func (im *importer) lengths() *measured.Histogram {
	switch {
	case im.detours.Cores > 0:
		return &im.detours
	case im.delays.Cores > 0:
		return &im.delays.Histogram
	}
	return nil
}

// fewNodes is the number of nodes below which histograms show only drastic differences: their spread is
// not known well.
const fewNodes = 8

// fleetLines says which nodes are odd, and why.
func fleetLines(groups []measured.Group, nodes int) []string {
	if len(groups) == 1 {
		lines := []string{fmt.Sprintf("%d nodes, without differences in their files", nodes)}
		if nodes < fewNodes && groups[0].Nodes[0].Lengths != nil {
			lines = append(lines, fmt.Sprintf("histograms of fewer than %d nodes show drastic differences only; "+
				"jitterfly measure --out fleet/ records times, which show more", fewNodes))
		}
		return lines
	}
	lines := []string{fmt.Sprintf("%d nodes, %d of them usual", nodes, len(groups[0].Nodes))}
	for _, g := range groups[1:] {
		lines = append(lines, fmt.Sprintf("%s: %s", g.Names(), strings.Join(g.Odd, "; ")))
	}
	return lines
}
