package measured

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Allowed returns the cores that this process may run on, in ascending order.
func Allowed() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cannot read which cores this process may run on: %w", err)
	}
	var cores []int
	for id := range len(set) * strconv.IntSize {
		if set.IsSet(id) {
			cores = append(cores, id)
		}
	}
	return cores, nil
}

// bind restricts a thread to the cores; 0 is the calling thread.
func bind(thread int, cores []int) error {
	var set unix.CPUSet
	for _, id := range cores {
		set.Set(id)
	}
	return unix.SchedSetaffinity(thread, &set)
}

// moveThreads restricts all threads of the process to the cores. A thread that has not moved yet
// may create others meanwhile, so it repeats until no new one appears.
func moveThreads(cores []int) error {
	moved := map[int]bool{}
	for news := true; news; {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		news = false
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || moved[id] {
				continue
			}
			moved[id], news = true, true
			if err := bind(id, cores); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("cannot keep a thread to cores %s: %w", Cores(cores), err)
			}
		}
	}
	return nil
}
