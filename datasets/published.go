package datasets

// Published are the tables of a finished study, in whatever directory and from
// whatever program of this format they come.
type Published struct{ dir *Dir }

// OpenPublished finds the finished study in a directory, which it only reads.
func OpenPublished(path string) (*Published, error) {
	d, err := openFinished(path)
	if err != nil {
		return nil, err
	}
	return &Published{d}, nil
}

// Summary reads the table of all configurations and T.
func (p *Published) Summary() ([]SummaryRow, error) {
	return all[SummaryRow](p.dir, summaryFile)
}

// Choices reads the table of choices.
func (p *Published) Choices() ([]ChoiceRow, error) {
	return p.dir.Choices()
}

// HasTrials says whether the study kept its trials.
func (p *Published) HasTrials() bool { return p.dir.run.KeepTrials }

// Trials reads the trials of the configurations that pick holds for.
func (p *Published) Trials(pick func(configID string, redundancy int64) bool) ([]TrialRow, error) {
	var rows []TrialRow
	err := readTable(p.dir, trialsFile, func(row TrialRow) {
		if pick(row.ConfigID, row.Redundancy) {
			rows = append(rows, row)
		}
	})
	return rows, err
}
