package remote

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	"likc/search/work/pipeline"

	"github.com/spf13/cobra"
)

// TaskFlags are the flags of a command whose work cannot be divided: a cluster does it as one task.
type TaskFlags struct {
	Flags `but:"task-minutes.drop=true"`
	cli.StartFlag
}

// Task describes the outputs of a command whose work is done on a cluster.
type Task struct {
	Outputs []Output // the first is that of --output
	Resume  string   // the file of the task from which an interrupted command continues

	// Again returns the arguments with which an interrupted command continues, given those with which it began, both without the flags of
	// outputs. If it is nil, --resume is added to the arguments.
	Again func(args []string) []string
}

// Output is a file or folder that a task writes.
type Output struct {
	Flag   string // the flag that names the output; "" for a file that accompanies another output
	Name   string // the output's name in the task's folder
	Path   string // the path at which the user wants the output
	Hashed bool   // whether a file with its SHA-256 is written next to the output
}

// CheckAndEnterStartFolder checks the flags of a cluster before anything is read, and goes to the folder of --start-in, if it is set.
// outputs are the values of the flags that name outputs, first that of --output. kind is its name in the help, for errors.
func (f *TaskFlags) CheckAndEnterStartFolder(cmd *cobra.Command, kind string, outputs ...*string) error {
	if f.OnCluster() && (*outputs[0] == "" || *outputs[0] == "-") {
		return cli.Usagef("--on slurm: needs -o %s", kind)
	}
	if f.OnCluster() && cmd.Flags().Changed("resume") {
		return cli.Usagef("--resume: not with --on slurm, where the same command goes on by itself")
	}
	return cmp.Or(f.EnterStartFolder(outputs...), f.Check("on"))
}

// printed is the file in a task's folder that holds what its command prints.
const printed = "printed.txt"

// Do runs a command on the cluster and moves its outputs to their paths. It returns the command's printed output, or nothing if
// the work was left in the queue, as the user asked.
func (f *TaskFlags) Do(cmd *cobra.Command, t Task) (text []byte, err error) {
	out := t.Outputs[0].Path
	defer f.Tidy(out, &err)
	plan, err := f.plan(cmd, t)
	if err != nil {
		return nil, err
	}
	if err := f.runPlan(cmd, out, plan); err != nil {
		return nil, err
	}
	done := filepath.Join(Folder(out), plan.Units[0].Name)
	for _, o := range t.Outputs {
		if err := o.deliver(filepath.Join(done, o.Name)); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(filepath.Join(done, printed))
}

// plan has the command as its only unit.
func (f *TaskFlags) plan(cmd *cobra.Command, t Task) (p pipeline.Plan, err error) {
	here, err := os.Getwd()
	if err != nil {
		return p, err
	}
	name := strings.Fields(cmd.CommandPath())[1:]
	there, outputs, flags := []string{"--start-in=" + here}, []string{printed}, []string{}
	for _, o := range t.Outputs {
		outputs = append(outputs, o.Name)
		if o.Flag != "" {
			there, flags = append(there, "--"+o.Flag+"={out}/"+o.Name), append(flags, o.Flag)
		}
	}
	args := slices.Concat(cmd.Flags().Args(), f.given(cmd, flags...))
	read, err := inputs(args)
	if err != nil {
		return p, err
	}
	step := pipeline.Step{Args: slices.Concat(name, args, there), Stdout: "{out}/" + printed}
	if t.Again != nil {
		step.Again = slices.Concat(name, t.Again(args), there)
	}
	p = pipeline.Plan{Name: cmd.Name(), Settings: slices.Concat(name, args)}
	p.Units = []pipeline.Unit{{Stage: cmd.Name(), Name: cmd.Name(), Inputs: read, Outputs: outputs, Resume: t.Resume, Steps: []pipeline.Step{step}}}
	return p, nil
}

// deliver copies the output from a path in the task's folder to the path at which the user wants it. The original stays until all outputs are
// delivered.
func (o *Output) deliver(from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return deliverFolder(from, o.Path)
	}
	write := store.WriteFile
	if o.Hashed {
		write = store.WriteChecked
	}
	return write(o.Path, func(w io.Writer) error {
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
}

// deliverFolder copies a folder to a path, where it replaces an existing folder only when the copy is complete.
func deliverFolder(from, to string) error {
	folder, err := store.NewFolder(to)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Copy("", os.DirFS(from)); err != nil {
		return err
	}
	return folder.Replace(to)
}
