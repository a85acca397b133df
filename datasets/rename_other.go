//go:build !linux

package datasets

import "errors"

func (osDisk) renameNew(_, _ string) error { return errors.ErrUnsupported }
