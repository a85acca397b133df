package alphabeta

// SetCrowd has a round concern one of so many ranks before every rank gets a clock:
// with 1 sparse play never ends.
func (t *Timeline) SetCrowd(n int) { t.sparse.crowd = crowd{n, n} }

// SetTile has tiles of so many ranks.
func (t *Timeline) SetTile(ranks int) { t.sweeping.tile = ranks }
