package cli

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"text/template"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

//go:embed jobs/kubernetes.yaml
var kubernetesManifest string

type kubernetesOptions struct {
	Image    string
	Claim    string
	SubPath  string
	CPUs     string
	Throttle int // the number of shards if it is unlimited
	Restarts int
	Shards   int
	dryRun   bool
}

func kubernetesCommand() *cobra.Command {
	o := kubernetesOptions{}
	cmd := &cobra.Command{
		Use:   "kubernetes DIR",
		Short: "Print an Indexed Job for Kubernetes",
		Long: `Kubernetes prints the manifest of an Indexed Job with an index for each shard of the plan.
The plan's directory must be on a volume that all pods can write to. Kubernetes restarts pods
that fail, at most --max-restarts times for each shard, and always pods whose node went away.
Shards that are complete end at once. When the job has ended, jitterfly cluster merge writes the
tables.`,
		Example: `  jitterfly cluster submit kubernetes results --image registry/jitterfly:0.1.0 ` +
			`--claim results --dry-run | kubectl create -f -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	f.StringVar(&o.Image, "image", "", "container image that has jitterfly, of this version")
	f.StringVar(&o.Claim, "claim", "", "persistent volume claim that has the directory")
	f.StringVar(&o.SubPath, "sub-path", "", "the directory's path on that volume [its name]")
	f.StringVar(&o.CPUs, "cpus", "1", "processors of a pod")
	f.IntVar(&o.Throttle, "throttle", 0, "maximum pods that run at the same time; 0: unlimited")
	f.IntVar(&o.Restarts, "max-restarts", 3, "maximum failures of a shard, which then begins again")
	f.BoolVar(&o.dryRun, "dry-run", false, "only the manifest, printed")
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *kubernetesOptions) run(path string, out io.Writer) error {
	switch {
	case !o.dryRun:
		return errors.New("submit kubernetes: only prints the manifest; " +
			"add --dry-run and pipe it to kubectl create -f -")
	case o.Image == "" || o.Claim == "":
		return errors.New("submit kubernetes: --image and --claim say where the program and " +
			"the directory are; give both")
	case o.Throttle < 0 || o.Restarts < 0:
		return errors.New("submit kubernetes: --throttle and --max-restarts cannot be below 0")
	}
	dir, err := sweep.Open(path)
	if err != nil {
		return err
	}
	o.Shards = len(dir.Plan().Shards)
	o.Throttle = cmp.Or(o.Throttle, o.Shards)
	if absolute, err := filepath.Abs(path); o.SubPath == "" && err == nil {
		o.SubPath = filepath.Base(absolute)
	}
	functions := template.FuncMap{"quote": func(text string) string {
		quoted, _ := json.Marshal(text) // JSON is YAML
		return string(quoted)
	}}
	manifest := template.Must(template.New("job").Funcs(functions).Parse(kubernetesManifest))
	return command.Failure(manifest.Execute(out, o))
}
