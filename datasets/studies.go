package datasets

import _ "embed"

// DefaultStudy is the study that runs when none is named.
//
//go:embed studies/default.yaml
var DefaultStudy []byte
