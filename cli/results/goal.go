package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
)

type goalOptions struct {
	input study.Input
	out   string
}

// GoalCommand returns the command goal, which reads the environment.
func GoalCommand(environ []string) *cobra.Command {
	o := goalOptions{input: inputOfOne(environ)}
	cmd := &cobra.Command{
		Use:   "goal [STUDY]",
		Short: "Write a collective's schedule for LogGOPSim",
		Long: `Goal writes the schedule of one configuration, which flags or the study file STUDY
describe, in GOAL, the language of LogGOPSim: for each rank what it sends, receives and computes
[ns], and what requires what. Latency, overhead and gap are arguments of LogGOPSim, and not in the
schedule.

Redundant exchanges cannot be written: in GOAL a rank cannot wait for the first of a result and a
copy of it. From several sources (--sources) a rank takes the first message of any rank; LogGOPSim
then counts a rank as finished with its last copy.`,
		Example: `  jitterfly research goal --collective dissemination --ranks 1024 --out dissemination.goal
  jitterfly research goal --collective ring --ranks 16 --bytes 1MiB --out ring.goal`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.out, "out", "o", "", "`file` to write [standard output]")
	command.Study(cmd, &o.input, notInSchedules()...)
	command.Complete(cmd, "out", command.FilesOf("goal"))
	return cmd
}

// notInSchedules returns the keys that have no effect on a schedule.
func notInSchedules() []*study.Key {
	unused := []*study.Key{study.Assume}
	for _, k := range study.Keys {
		switch k.Group {
		case study.Latency.Group, study.NoiseProfile.Group, study.Compute.Group, study.Seed.Group,
			study.Objective.Group:
			unused = append(unused, k)
		}
	}
	return unused
}

func (o *goalOptions) run(out, errs io.Writer) error {
	s, err := readOne(o.input, "schedule", errs)
	if err != nil {
		return err
	}
	model, ok := s.Config(0).Model.(*rounds.Model)
	if !ok {
		return errors.New("only one launch of a collective of rounds can be written; " +
			"leave --iterations, --topology and --engine out")
	}
	schedule, err := collectives.GOAL(model.Algorithm, model.Problem)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Point(0).Name(study.Collective), err)
	}
	if o.out != "" {
		return command.Failure(datasets.WriteFile(o.out, schedule))
	}
	_, err = out.Write(schedule)
	return command.Failure(err)
}
