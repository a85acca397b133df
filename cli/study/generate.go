package study

//go:generate go test -run Generated . -update
