package fit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/num/notation"
)

// missing returns the error of a run in which some fits failed or were interrupted, nil if none did. where says in words where the results
// of the other fits are.
func (o *output) missing(ctx context.Context, all, kept []*fit.Result, where string) error {
	stopped := slices.DeleteFunc(slices.Clone(all), func(r *fit.Result) bool { return !r.Interrupted() })
	switch {
	case len(stopped) > 0 && len(kept) == 0:
		return errNothing
	case len(stopped) > 0 && len(all) > 1:
		return fmt.Errorf("interrupted: %d of %d subjects are %s; not fitted are %d: %s; the same command %s all, --only ID fits one of them",
			len(kept), len(all), where, len(stopped), labels(stopped), o.howToContinue("fits"))
	case len(stopped) > 0:
		return o.interrupted(kept[0].Summary.DrawsPerChain, where)
	case ctx.Err() != nil && slices.ContainsFunc(all, func(r *fit.Result) bool { return errors.Is(r.Figures, context.Canceled) }):
		return fmt.Errorf("interrupted: all draws are %s, but not all figures; the same command draws them", where)
	}
	return failures(all, where)
}

// interrupted returns the error of an interrupted fit, with the number of one subject's draws.
func (o *output) interrupted(perChain []int, where string) error {
	few, most := slices.Min(perChain), slices.Max(perChain)
	draws, chains := fmt.Sprint(few), ""
	if few < most {
		draws = fmt.Sprintf("%d to %d", few, most)
	}
	if len(perChain) < o.chains {
		chains = fmt.Sprintf(" in %d of %d chains", len(perChain), o.chains)
	}
	return fmt.Errorf("interrupted: %s of %d draws a chain%s are %s; the same command %s them all", draws, o.draws, chains, where, o.howToContinue("draws"))
}

// howToContinue returns the advice on how to continue: the same command, with --resume if the fit has kept its state.
func (o *output) howToContinue(does string) string {
	if o.Dir == "" {
		return does
	}
	return "with --resume " + does
}

// labels lists the subjects, or the first few of many.
func labels(all []*fit.Result) string {
	const most = 5
	var names []string
	for _, r := range all[:min(len(all), most)] {
		names = append(names, r.Label)
	}
	text := strings.Join(names, ", ")
	if len(all) > most {
		text += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return text
}

// failures returns the errors of all subjects, or of the first few of many.
func failures(all []*fit.Result, where string) error {
	const most = 10
	var errs []error
	more := 0
	for _, r := range all {
		switch {
		case r.Err == nil:
		case len(errs) == most:
			more++
		case r.Kept():
			errs = append(errs, r.Name(fmt.Errorf("%w; the other %s %s", r.Err, notation.Count(r.Summary.Chains, "chain"), where)))
		default:
			errs = append(errs, r.Name(r.Err))
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("and %s more", notation.Count(more, "subject")))
	}
	return errors.Join(errs...)
}
