package units

import "context"

// Job is a run of N units that are kept in a file, and that several machines may share.
type Job struct {
	Path      string // the file that keeps results; "" keeps nothing
	Header    any    // everything on which the units' results depend
	N         int
	Part      Part      // the units that this machine does; the zero value means all
	Elsewhere Elsewhere // lets other machines do the units that the file lacks; nil if this machine does them
	Settings
}

// Do does the units of a job that its file does not have yet, and returns all of them, or those of the part,
// in order. After an error it returns the units that are done. If the job fails before it begins, it leaves
// no file.
func Do[T any](ctx context.Context, j Job, work func(ctx context.Context, unit int) (T, error)) (all []T, err error) {
	var file *File[T]
	if j.Path != "" {
		if file, err = Open[T](j.Path, j.Header); err != nil {
			return nil, err
		}
		defer func() {
			if failed := file.Close(); err == nil {
				err = failed
			}
		}()
		if j.Elsewhere != nil {
			if err := Join(file, j.Header, j.N, j.Elsewhere); err != nil {
				return nil, err
			}
		}
	}
	from, to := j.Part.Share(j.N)
	return Run(ctx, file, to-from, j.Settings, func(ctx context.Context, unit int) (T, error) { return work(ctx, from+unit) })
}
