// Command tool does what the scripts beside it need.
//
//	go run ./bench/tool write 16 FILE          writes noise for 2^16 ranks
//	go run ./bench/tool simulate 10 FILE       simulates ten trials of the butterfly with it
//	go run ./bench/tool draw out.svg FILE...   draws the time of a message from benchmark output
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		os.Exit(1)
	}
}

// run runs the command. It fails if arguments are wrong or a file cannot be used.
func run(args []string) error {
	if len(args) < 3 {
		return errors.New("want write or simulate, a number and a file, or draw, a picture and files")
	}
	if args[0] == "draw" {
		return draw(args[1], args[2:])
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "write":
		return write(n, args[2])
	case "simulate":
		return simulate(n, args[2])
	}
	return fmt.Errorf("%q is not known; want write, simulate or draw", args[0])
}
