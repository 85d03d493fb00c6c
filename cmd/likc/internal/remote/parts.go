package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"likc/search/pipeline"
	"likc/search/units"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// folder is that of the run whose units are the parts of a command's work.
func folder(out string) string { return filepath.Clean(out) + ".parts" }

// Parts lets the cluster do the n parts of a command's work. It calls the command with the same arguments and --part for each, and returns
// where the parts' files called name are. Their folder is beside out, until Tidy.
func (f *Flags) Parts(cmd *cobra.Command, args []string, out string, n int, name string) (paths []string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	again := append(append([]string{cmd.Name()}, args...), f.given(cmd)...)
	plan := pipeline.Plan{Name: cmd.Name(), Settings: again}
	for k := 1; k <= n; k++ {
		u := pipeline.Unit{Stage: cmd.Name(), Name: fmt.Sprintf("part-%d", k), Outputs: []string{name}, Resume: name, Threads: 1}
		step := append(again[:len(again):len(again)], "--start-in="+here, "--part="+units.Part{K: k, N: n}.String(), "--output={out}/"+name)
		u.Steps = []pipeline.Step{{Args: step, Again: step}}
		plan.Units, paths = append(plan.Units, u), append(paths, filepath.Join(folder(out), u.Name, name))
	}
	code, err := pipeline.Code()
	if err != nil {
		return nil, err
	}
	show := pipeline.NewProgress(cmd.ErrOrStderr(), plan.Units)
	defer show.Close()
	return paths, f.Run(cmd, folder(out), plan, pipeline.Options{Code: code, Notify: show.Event}, runtime.GOMAXPROCS(0), show)
}

// Tidy removes the folder of the parts once their work is in out: unless *err.
func (f *Flags) Tidy(out string, err *error) {
	if *err == nil {
		*err = os.RemoveAll(folder(out))
	}
}

// given are the flags that the user gave, but for those of this package and of the place of the output.
func (f *Flags) given(cmd *cobra.Command) (all []string) {
	not := " " + strings.Join([]string{f.name, "slurm-arg", "task-minutes", "poll", "detach", "output", "threads", "force", "resume", "json", "figures"}, " ") + " "
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if strings.Contains(not, " "+flag.Name+" ") {
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			all = append(all, "--"+flag.Name+"="+value)
		}
	})
	return all
}
