package collectives

// SetCrowd sets one of how many ranks may be touched before every rank gets a
// clock: with 1 sparse play never ends.
func (t *Timeline) SetCrowd(n int) { t.sparse.crowd = n }
