package datasets

import (
	"fmt"
	"maps"
)

// WriteAttribution adds the table of what sources of noise cost to a finished study, or replaces
// it.
func (d *Dir) WriteAttribution(rows []AttributionRow) error {
	if !d.Finished() {
		return fmt.Errorf("%s: the study has not finished", d.path)
	}
	digests, err := writeTable(d, attributionFile, rows)
	if err != nil {
		return err
	}
	tables := maps.Clone(d.run.Tables)
	maps.Copy(tables, digests)
	return d.writeRun(tables, d.run.Configurations)
}

// Attribution reads the costs of the sources of noise, nil if they were not computed. It fails if
// the table has changed since it was written.
func (r *Results) Attribution() ([]AttributionRow, error) {
	if r.digests[attributionFile] == "" {
		return nil, nil
	}
	c, err := openTable[AttributionRow](r, attributionFile)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var rows []AttributionRow
	for {
		row, err := c.peek()
		if row == nil || err != nil {
			return rows, err
		}
		rows = append(rows, *row)
		c.skip()
	}
}
